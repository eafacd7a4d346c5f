// Into how many shards a batch is cut, by the number of devices, stages and micro-batches.
#include "core/train/step/shard_choice.h"

#include "tests/unit/train/parts.h"

namespace percale {
namespace {

struct Wanted {
  int64_t shards;
  size_t replicas, lanes;
};

void check(const Result<ShardChoice>& choice, const Wanted& wanted) {
  REQUIRE_OK(choice.status());
  CHECK(choice->shards == wanted.shards);
  CHECK(choice->replicas == wanted.replicas);
  CHECK(choice->lanes == wanted.lanes);
}

}  // namespace

TEST_CASE("small batches are one shard, and so are rows that influence each other") {
  SmallModel small = small_model(engine_of(1), "mlp");
  CHECK(default_shards(small.graph, 1 << 10) == 1);
  CHECK(default_shards(small.graph, int64_t{1} << 40) == 8);
  small.graph.batch_coupled = true;
  CHECK(default_shards(small.graph, int64_t{1} << 40) == 1);
}

TEST_CASE("no more replicas compute than a batch has shards, unless the caller named fewer shards than devices") {
  const SmallModel small = small_model(engine_of(1), "mlp");
  check(choose_shards({}, small.graph, 0, 64, 4), {1, 1, 1});
  check(choose_shards({}, small.graph, 8, 64, 4), {8, 4, 1});
  ParallelSpec two;
  two.replicas = 2;
  check(choose_shards(two, small.graph, 0, 64, 4), {2, 2, 1});
  const auto refused = choose_shards({}, small.graph, 2, 64, 4);
  CHECK(refused.status().code() == Code::kInvalidArgument);
  CHECK(refused.status().message().find("give at least one shard per device") != std::string_view::npos);
}

TEST_CASE("a pipeline has as many shards under way as stages, or all with gpipe") {
  const SmallModel small = small_model(engine_of(1), "mlp");
  ParallelSpec spec;
  spec.stages = 2;
  spec.micro_batches = 6;
  check(choose_shards(spec, small.graph, 0, 64, 1), {6, 1, 2});
  spec.schedule = ParallelSpec::Schedule::kGPipe;
  check(choose_shards(spec, small.graph, 0, 64, 1), {6, 1, 6});
  CHECK(choose_shards(spec, small.graph, 5, 64, 1).status().code() == Code::kInvalidArgument);
}

TEST_CASE("shards that wait for each other are all under way") {
  SmallModel small = small_model(engine_of(1), "mlp");
  small.graph.has_shard_barrier = true;
  check(choose_shards({}, small.graph, 6, 64, 2), {6, 2, 3});
}

}  // namespace percale
