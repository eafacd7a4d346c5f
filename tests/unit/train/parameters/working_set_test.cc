// Versions of the variables that are trained, and averages that stand for them.
#include "core/train/parameters/working_set.h"

#include <cstring>
#include <set>

#include "tests/unit/train/parts.h"

namespace percale {

TEST_CASE("a working set copies the first values and knows what training changes") {
  const SmallModel small = small_model(engine_of(1), "normalised", R"(, "optimizer": "adam")");
  const auto working = working_set_of(small);
  const auto& variables = small.graph.graph->variables;
  REQUIRE(working->size() == variables.size());
  const auto current = small.table->current();
  for (size_t i = 0; i < variables.size(); ++i) {
    const int32_t place = small.table->find(variables[i].name);
    if (place < 0) continue;
    const Tensor& first = current->values[static_cast<size_t>(place)];
    CHECK(working->values()[i].data() != first.data());
    CHECK(std::memcmp(working->values()[i].data(), first.data(), static_cast<size_t>(first.bytes())) == 0);
  }
  CHECK(working->trained().size() == small.graph.parameters.size() + small.graph.statistics.size());
  CHECK(working->statistics().size() == 2);
  for (const size_t i : working->trained()) CHECK(working->is_committed(i));
  CHECK(working->committed_bytes() > 0);
}

TEST_CASE("other contents have other versions, which no variable had before") {
  const SmallModel small = small_model(engine_of(1), "normalised", R"(, "optimizer": "adam")");
  const auto working = working_set_of(small);
  std::set<int64_t> seen(working->versions().begin(), working->versions().end());
  CHECK(seen.size() == working->size());
  const auto all_new = [&](const std::vector<int64_t>& before) {
    for (size_t i = 0; i < before.size(); ++i) {
      if (working->versions()[i] == before[i]) continue;
      CHECK(seen.insert(working->versions()[i]).second);
    }
  };
  for (const bool succeeded : {true, false, true}) {
    const std::vector<int64_t> before = working->versions();
    const std::vector<int64_t> expected = working->versions_after(working->next_state());
    {
      CommitGuard guard(*working);
      if (succeeded) guard.succeed();
    }
    CHECK((working->versions() == expected) == succeeded);
    for (size_t i = 0; i < before.size(); ++i) CHECK((working->versions()[i] != before[i]) == working->is_committed(i));
    all_new(before);
  }
  const std::vector<int64_t> before = working->versions();
  working->note_assigned();
  for (size_t i = 0; i < before.size(); ++i) CHECK(working->versions()[i] != before[i]);
  all_new(before);
}

TEST_CASE("a reserved state is not used by the next commit") {
  const SmallModel small = small_model(engine_of(1), "linear");
  const auto working = working_set_of(small);
  const int64_t reserved = working->reserve_state();
  CHECK(working->next_state() == reserved + 1);
  working->adopt_versions(working->versions_after(reserved));
  const std::vector<int64_t> adopted = working->versions();
  working->note_commit(true);
  for (const size_t i : working->trained()) CHECK(working->versions()[i] != adopted[i]);
}

TEST_CASE("averages stand for parameters once a step was made, and are assigned with them") {
  const SmallModel small = small_model(engine_of(1), "linear", R"(, "optimizer": "sgd", "ema": 0.5)");
  const auto working = working_set_of(small);
  const size_t kernel = working->trained()[0];
  const auto average = static_cast<size_t>(working->average_of(kernel));
  CHECK(working->served_at(kernel, 0) == kernel);
  CHECK(working->served_at(kernel, 1) == average);
  const Tensor value = formula(DType::kF32, working->values()[kernel].shape(), 7);
  working->assign(kernel, value);
  for (const size_t i : {kernel, average}) CHECK(working->values()[i].span<float>()[3] == value.span<float>()[3]);
  const SmallModel plain = small_model(engine_of(1), "linear");
  CHECK(working_set_of(plain)->average_of(0) == -1);
}

}  // namespace percale
