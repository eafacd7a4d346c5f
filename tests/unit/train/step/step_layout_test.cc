// Positions of the values of a step.
#include "core/train/shards/step_layout.h"

#include "tests/unit/train/parts.h"

namespace percale {

TEST_CASE("the spans of a shard's outputs follow each other without gaps") {
  const StepLayout layout({.totals = 4, .gradients = 3, .statistics = 2, .row_tables = 2});
  CHECK(layout.totals() == IndexSpan{0, 4});
  CHECK(layout.metrics() == IndexSpan{2, 2});
  CHECK(layout.gradients() == IndexSpan{4, 3});
  CHECK(layout.statistics() == IndexSpan{7, 2});
  CHECK(layout.sums() == IndexSpan{0, 9});
  CHECK(layout.row_tables() == IndexSpan{9, 4});
  CHECK(layout.row_numbers(1) == 11);
  CHECK(layout.updates() == IndexSpan{4, 9});
  CHECK(layout.outputs() == 13);
  CHECK(layout.without_updates().outputs() == 4);
}

TEST_CASE("a span gives the elements at its positions") {
  const std::vector<int> all = {10, 11, 12, 13};
  const auto some = IndexSpan{1, 2}.of(all);
  CHECK(std::vector<int>(some.begin(), some.end()) == std::vector<int>{11, 12});
  CHECK(IndexSpan{4, 0}.of(all).empty());
}

TEST_CASE("the commit's updates are the shard's, behind three scalars") {
  const StepLayout step({.totals = 3, .gradients = 2, .statistics = 1, .row_tables = 1});
  const CommitLayout commit(step);
  CHECK(commit.updates() == IndexSpan{3, 5});
  CHECK(commit.gradients() == IndexSpan{3, 2});
  CHECK(commit.output_of(3) == step.gradients().begin);
  CHECK(commit.output_of(7) == step.row_tables().end() - 1);
}

TEST_CASE("a training graph has the outputs and inputs that its layout says") {
  for (const char* name : {"mlp", "cnn", "normalised"}) {
    CAPTURE(name);
    const SmallModel small = small_model(engine_of(1), name, R"(, "optimizer": "adam", "metrics": ["accuracy"])");
    const StepLayout& layout = small.graph.layout;
    const Function& compute = *small.graph.graph->find_function(kComputeFunction);
    const Function& commit = *small.graph.graph->find_function(kCommitFunction);
    REQUIRE(layout.outputs() == compute.outputs.size());
    CHECK(layout.metrics().count == 2);
    CHECK(layout.gradients().count == small.graph.parameters.size());
    CHECK(layout.statistics().count == small.graph.statistics.size());
    const CommitLayout inputs(layout);
    REQUIRE(inputs.updates().end() == commit.inputs.size());
    for (size_t i = inputs.updates().begin; i < inputs.updates().end(); ++i) {
      const Shape& given = compute.type(compute.outputs[inputs.output_of(i)]).shape;
      CHECK(compatible(given, commit.type(commit.inputs[i]).shape));
    }
    CHECK(commit.type(commit.inputs[CommitLayout::kLearningRate]).dtype == DType::kF64);
    CHECK(commit.type(commit.inputs[CommitLayout::kStep]).dtype == DType::kI64);
  }
}

}  // namespace percale
