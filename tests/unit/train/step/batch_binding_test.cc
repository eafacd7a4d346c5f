// The tensors of a batch, fitted to the inputs of a model.
#include "core/train/step/batch_binding.h"

#include "tests/unit/train/parts.h"

namespace percale {
namespace {

Result<BoundBatch> bind(const SmallModel& small, const std::vector<std::string>& names,
                        const std::vector<Tensor>& batch) {
  return bind_batch(*small.graph.graph->find_function(kComputeFunction), small.graph.inputs, names, batch,
                    small.engine->memory());
}

Tensor labels(DType dtype) {
  if (dtype == DType::kF32) return Tensor::vector(std::span<const float>(std::vector<float>{0, 2, 1}));
  return Tensor::vector(std::span<const int32_t>(std::vector<int32_t>{0, 2, 1}));
}

}  // namespace

TEST_CASE("columns are found by name and become what the inputs want") {
  const SmallModel small = small_model(engine_of(1), "linear");
  const Tensor x = formula(DType::kF32, Shape{3, 5, 1}, 1);
  for (const DType dtype : {DType::kI32, DType::kF32}) {
    const auto bound = bind(small, {"y", "unused", "x"}, {labels(dtype), x, x});
    REQUIRE_OK(bound.status());
    CHECK(bound->rows == 3);
    REQUIRE(bound->feeds.size() == 2);
    CHECK(bound->feeds[0].shape() == Shape{3, 5});
    CHECK(bound->feeds[1].dtype() == DType::kI64);
    CHECK(bound->feeds[1].span<int64_t>()[1] == 2);
  }
}

TEST_CASE("a batch that does not fit names the input") {
  const SmallModel small = small_model(engine_of(1), "linear");
  const auto message = [&](const std::vector<std::string>& names, const std::vector<Tensor>& batch) {
    const auto bound = bind(small, names, batch);
    REQUIRE(bound.status().code() == Code::kInvalidArgument);
    return std::string(bound.status().message());
  };
  const Tensor x = formula(DType::kF32, Shape{3, 5}, 1);
  CHECK(message({"x"}, {x}).find("the model needs an input 'y'") != std::string::npos);
  CHECK(message({"x", "y"}, {formula(DType::kF64, Shape{3, 5}, 1), labels(DType::kI32)}).find("input 'x' is") == 0);
  CHECK(message({"x", "y"}, {formula(DType::kF32, Shape{4, 5}, 1), labels(DType::kI32)}) ==
        "input 'y' has 3 rows, 'x' 4");
  CHECK(message({"x", "y"}, {formula(DType::kF32, Shape{3, 6}, 1), labels(DType::kI32)}).find("shape") !=
        std::string::npos);
  const Tensor half = Tensor::vector(std::span<const float>(std::vector<float>{0, 0.5, 1}));
  CHECK(message({"x", "y"}, {x, half}).find("wanted whole numbers") != std::string::npos);
}

TEST_CASE("rows of a tensor are those between begin and end") {
  const auto memory = engine_of(1)->memory();
  for (const int64_t width : {16, 5}) {  // a view, or a copy where rows are not aligned
    const Tensor all = formula(DType::kF32, Shape{6, width}, 2);
    for (const ShardRows range : {ShardRows{0, 6}, ShardRows{1, 3}, ShardRows{4, 6}}) {
      const auto some = rows_of(all, range, memory);
      REQUIRE_OK(some.status());
      CHECK(some->shape() == Shape{range.end - range.begin, width});
      CHECK(some->span<float>()[0] == all.span<float>()[static_cast<size_t>(width * range.begin)]);
    }
  }
}

}  // namespace percale
