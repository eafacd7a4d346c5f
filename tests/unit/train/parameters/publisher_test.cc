// Publishing what was trained, and training on what was assigned to the table.
// on.
#include "core/train/parameters/publisher.h"

#include "tests/unit/train/parts.h"

namespace percale {
namespace {

// Counts the calls of a publisher.
class CountingStore final : public ParameterStore {
 public:
  using ParameterStore::ParameterStore;
  Status commit(const StepCommit&) override { return {}; }
  Status synchronize() override {
    ++synchronized;
    return {};
  }
  void note_assigned() noexcept override {
    ++assigned;
    ParameterStore::note_assigned();
  }
  int synchronized = 0, assigned = 0;
};

struct Parts {
  explicit Parts(const std::string& more = R"(, "optimizer": "sgd")")
      : small(small_model(engine_of(1), "linear", more)),
        working(working_set_of(small)),
        store(*working),
        publisher(small.table, *small.graph.graph, *working, store, small.engine->memory()) {}
  float published(size_t variable) const {
    const int32_t place = small.table->find(small.graph.graph->variables[variable].name);
    return small.table->current()->values[static_cast<size_t>(place)].span<float>()[0];
  }
  float& trained(size_t variable) const { return working->values()[variable].mutable_span<float>()[0]; }

  SmallModel small;
  std::unique_ptr<WorkingSet> working;
  CountingStore store;
  Publisher publisher;
};

}  // namespace

TEST_CASE("a published version has what was trained, and stays as it is") {
  Parts parts;
  const size_t kernel = parts.working->trained()[0];
  parts.trained(kernel) = 42;
  CHECK(parts.published(kernel) != 42);
  REQUIRE_OK(parts.publisher.publish(1));
  CHECK(parts.store.synchronized == 1);
  CHECK(parts.published(kernel) == 42);
  parts.trained(kernel) = 43;
  CHECK(parts.published(kernel) == 42);
}

TEST_CASE("a version is published if it is due and the table is behind") {
  Parts parts;
  const int64_t first = parts.small.table->current()->number;
  REQUIRE_OK(parts.publisher.publish_if(true, 1));
  CHECK(parts.small.table->current()->number == first);
  parts.publisher.note_step();
  REQUIRE_OK(parts.publisher.publish_if(false, 1));
  CHECK(parts.small.table->current()->number == first);
  REQUIRE_OK(parts.publisher.publish_if(true, 1));
  CHECK(parts.small.table->current()->number == first + 1);
  CHECK(!parts.publisher.ahead());
}

TEST_CASE("assigned variables are taken up, and no others") {
  Parts parts;
  const size_t kernel = parts.working->trained()[0], bias = parts.working->trained()[1];
  REQUIRE_OK(parts.publisher.take_up_table());
  CHECK(parts.store.assigned == 0);
  parts.trained(bias) = 5;
  const Tensor value = formula(DType::kF32, parts.working->values()[kernel].shape(), 7);
  const int32_t place = parts.small.table->find(parts.small.graph.graph->variables[kernel].name);
  REQUIRE_OK(parts.small.table->publish({{place, value}}).status());
  REQUIRE_OK(parts.publisher.take_up_table());
  CHECK(parts.trained(kernel) == value.span<float>()[0]);
  CHECK(parts.trained(bias) == 5);
  CHECK(parts.store.assigned == 1);
  REQUIRE_OK(parts.publisher.take_up_table());
  CHECK(parts.store.assigned == 1);
}

TEST_CASE("averages are published in the place of parameters, from the first step on") {
  Parts parts(R"(, "optimizer": "sgd", "ema": 0.5)");
  const size_t kernel = parts.working->trained()[0];
  parts.trained(kernel) = 1;
  parts.trained(static_cast<size_t>(parts.working->average_of(kernel))) = 2;
  REQUIRE_OK(parts.publisher.publish(0));
  CHECK(parts.published(kernel) == 1);
  REQUIRE_OK(parts.publisher.publish(1));
  CHECK(parts.published(kernel) == 2);
}

TEST_CASE("the word of 'publish' says which steps are published") {
  struct Case {
    const char* word;
    bool fit_step, fit_epoch, fed;
  };
  for (const Case& c : {Case{"auto", false, true, true},
                        {"step", true, true, true},
                        {"epoch", false, true, false},
                        {"hand", false, false, false},
                        {"4", false, false, false},
                        {"3", true, true, true}}) {
    CAPTURE(c.word);
    const auto publishing = parse_publishing(c.word);
    REQUIRE_OK(publishing.status());
    CHECK(publishing->after_fit_step(6, false) == c.fit_step);
    CHECK(publishing->after_fit_step(6, true) == c.fit_epoch);
    CHECK(publishing->after_fed_step(6) == c.fed);
  }
  CHECK(parse_publishing("0").status().code() == Code::kInvalidArgument);
  CHECK(parse_publishing("often").status().code() == Code::kInvalidArgument);
}

}  // namespace percale
