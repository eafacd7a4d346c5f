#include "core/train/shards/averaging.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "core/base/thread_pool.h"

namespace percale {
namespace {

const auto kPool = std::make_shared<MemoryPool>();

// Adds numbers that round, over shards [from, to), in the order of the tree.
float tree(int64_t from, int64_t to) {
  if (to - from == 1) return 1.0F / static_cast<float>(from + 3);
  const int64_t middle = from + (to - from + 1) / 2;
  return tree(from, middle) + tree(middle, to);
}

Result<float> reduce(int64_t shards, int64_t rows, int64_t* calls) {
  PERCALE_ASSIGN_OR_RETURN(ShardSums sums, ShardSums::create({{DType::kF32, Shape{}}}, {shards}, kPool));
  PERCALE_RETURN_IF_ERROR(
      sums.reduce({rows, shards}, {}, [&](size_t, int64_t shard, const ShardRows&, std::vector<Tensor>& out) {
        ++*calls;
        out[0].mutable_span<float>()[0] = 1.0F / static_cast<float>(shard + 3);
        return Status();
      }));
  return sums.total()[0].span<float>()[0];
}

}  // namespace

TEST_CASE("shards cut a batch into rows without gap or overlap") {
  for (int64_t rows : {1, 7, 64, 100}) {
    for (int64_t shards : {1, 2, 3, 8}) {
      int64_t at = 0;
      for (int64_t s = 0; s < shards; ++s) {
        const ShardRows r = shard_rows(rows, shards, s);
        CHECK(r.begin == at);
        CHECK(r.begin == s * rows / shards);
        at = r.end;
      }
      CHECK(at == rows);
    }
  }
}

TEST_CASE("shards are added by the balanced tree over their numbers, each once") {
  for (int64_t shards : {1, 2, 3, 4, 5, 8, 13}) {
    int64_t calls = 0;
    const auto sum = reduce(shards, 64, &calls);
    REQUIRE(sum.ok());
    CHECK(*sum == tree(0, shards));
    CHECK(calls == shards);
  }
  CHECK(tree_levels(1) == 1);
  CHECK(tree_levels(8) == 4);
  CHECK(tree_levels(5) == 4);
}

TEST_CASE("replicas that overtake each other give the same sums, each shard once") {
  const auto pool = ThreadPool::create(8);
  REQUIRE(pool.ok());
  for (size_t replicas : {2, 3, 8}) {
    for (int64_t shards : {8, 13, 64}) {
      auto sums = ShardSums::create({{DType::kF32, Shape{}}}, {shards, replicas}, kPool);
      REQUIRE(sums.ok());
      for (int round = 0; round < 5; ++round) {
        std::vector<std::atomic<int>> calls(static_cast<size_t>(shards));
        const auto compute = [&](size_t replica, int64_t shard, const ShardRows&, std::vector<Tensor>& out) {
          // The first shard comes last, after all others.
          const int64_t wait = shard == 0 ? 3000 : (shard * 37 + static_cast<int64_t>(replica) * 11 + round) % 150;
          std::this_thread::sleep_for(std::chrono::microseconds(wait));
          ++calls[static_cast<size_t>(shard)];
          out[0].mutable_span<float>()[0] = 1.0F / static_cast<float>(shard + 3);
          return Status();
        };
        REQUIRE(sums->reduce({1000, sums->shards()}, (*pool)->parallel(), compute).ok());
        CHECK(sums->batch()[0].span<float>()[0] == tree(0, shards));
        CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& n) { return n == 1; }));
      }
    }
  }
}

// Notes which sums are final early, and their values at that time.
struct EarlySums final : SumWatcher {
  void ready(size_t subtree, size_t tensor, const std::vector<Tensor>& sums) noexcept override {
    const std::lock_guard lock(mutex);
    told.push_back({subtree, tensor, sums[tensor].span<float>()[0]});
  }
  struct Told {
    size_t subtree, tensor;
    float sum;
    bool operator==(const Told&) const = default;
  };
  std::mutex mutex;
  std::vector<Told> told;
};

void set_number(int64_t shard, const Tensor& t) { t.mutable_span<float>()[0] = 1.0F / static_cast<float>(shard + 3); }

TEST_CASE("the last shard of a sub-tree is added tensor by tensor, while it is still being computed") {
  auto sums = ShardSums::create({{DType::kF32, Shape{}}, {DType::kF32, Shape{}}}, {.shards = 8, .own = {2, 5}}, kPool);
  REQUIRE(sums.ok());
  for (int round = 0; round < 2; ++round) {
    EarlySums early;
    std::vector<size_t> told;  // by shard: what was told when half of it was computed
    const auto compute = [&](size_t, int64_t shard, const ShardRows&, std::vector<Tensor>& out) {
      set_number(shard, out[1]);
      sums->results_of(shard)->ready(1, nullptr);
      sums->results_of(shard)->ready(2, nullptr);  // an output that is no sum
      told.push_back(early.told.size());
      set_number(shard, out[0]);
      return Status();
    };
    REQUIRE(sums->reduce({64, sums->shards()}, {}, compute, {}, {}, &early).ok());
    CHECK(told == std::vector<size_t>{0, 1, 2});
    CHECK(early.told == std::vector<EarlySums::Told>{{0, 1, tree(2, 4)}, {1, 1, tree(4, 5)}});
    for (const size_t subtree : {size_t{0}, size_t{1}}) {
      const float wanted = subtree == 0 ? tree(2, 4) : tree(4, 5);
      for (const Tensor& sum : *sums->of_subtree(subtree)) CHECK(sum.span<float>()[0] == wanted);
    }
    CHECK(sums->results_of(2) == nullptr);
  }
}

TEST_CASE("sums that are final early are those of the tree, whoever overtakes whom") {
  const auto pool = ThreadPool::create(4);
  REQUIRE(pool.ok());
  for (uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const int64_t shards = 1 + seed % 13;
    const size_t replicas = std::min<size_t>(1 + seed / 13 % 4, static_cast<size_t>(shards));
    const std::vector<ValueType> types(4, {DType::kF32, Shape{}});
    auto sums = ShardSums::create(types, {.shards = shards, .replicas = replicas}, kPool);
    REQUIRE(sums.ok());
    EarlySums early;
    const auto compute = [&](size_t, int64_t shard, const ShardRows&, std::vector<Tensor>& out) {
      for (size_t i = 0; i < out.size(); ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds((seed * 7 + static_cast<uint32_t>(shard) * 13) % 60));
        set_number(shard, out[i]);
        if ((seed + i) % 3 > 0) sums->results_of(shard)->ready(i, nullptr);
      }
      return Status();
    };
    REQUIRE(sums->reduce({1000, sums->shards()}, (*pool)->parallel(), compute, {}, {}, &early).ok());
    for (const EarlySums::Told& told : early.told) CHECK(told.sum == tree(0, shards));
    for (const Tensor& sum : sums->batch()) CHECK(sum.span<float>()[0] == tree(0, shards));
  }
}

TEST_CASE("a replica computes as many shards at once as it has lanes, never more, and a loss ends all its lanes") {
  const auto pool = ThreadPool::create(8);
  REQUIRE(pool.ok());
  for (const bool apart : {false, true}) {
    CAPTURE(apart);
    auto sums = ShardSums::create({{DType::kF32, Shape{}}}, {24, 2, 3}, kPool);
    REQUIRE(sums.ok());
    for (size_t r = 0; r < 2; ++r) REQUIRE(sums->replicas().place(r, apart).ok());
    std::atomic<int> now[2] = {0, 0}, most[2] = {0, 0}, calls{0};
    int losses = 0;
    const auto compute = [&](size_t replica, int64_t shard, const ShardRows&, std::vector<Tensor>& out) {
      const int own = ++now[replica];
      for (int seen = most[replica]; own > seen && !most[replica].compare_exchange_weak(seen, own);) {
      }
      const bool fails = replica == 1 && ++calls > 4;
      // On a busy machine the other lanes may take long to begin.
      for (int wait = 0; wait < 5000 && replica == 0 && most[0] < 3; ++wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      out[0].mutable_span<float>()[0] = 1.0F / static_cast<float>(shard + 3);
      --now[replica];
      return fails ? Status(Code::kUnavailable, "lost") : Status();
    };
    const auto is_loss = [&](size_t, const Status&) { return ++losses > 0; };
    REQUIRE(sums->reduce({1000, sums->shards()}, (*pool)->parallel(), compute, is_loss).ok());
    CHECK(sums->total()[0].span<float>()[0] == tree(0, 24));
    CHECK(most[0] == 3);
    CHECK(most[1] <= 3);
    CHECK(sums->replicas().lost(1));
    CHECK(losses >= 1);
    CHECK(losses <= 3);
  }
}

TEST_CASE("an error, or no memory, on one replica ends all") {
  const auto pool = ThreadPool::create(4);
  REQUIRE(pool.ok());
  auto sums = ShardSums::create({{DType::kF32, Shape{}}}, {64, 4}, kPool);
  REQUIRE(sums.ok());
  for (const bool throws : {false, true}) {
    const Status status = sums->reduce({64, sums->shards()}, (*pool)->parallel(),
                                       [&](size_t, int64_t shard, const ShardRows&, std::vector<Tensor>&) {
                                         if (shard == 9 && throws) throw std::bad_alloc();
                                         return shard == 9 ? data_loss("no") : Status();
                                       });
    CHECK(status.code() == (throws ? Code::kResourceExhausted : Code::kDataLoss));
  }
}

TEST_CASE("shards without rows are left out") {
  int64_t calls = 0;
  const auto sum = reduce(8, 3, &calls);  // shards 2, 5 and 7 have a row
  REQUIRE(sum.ok());
  CHECK(calls == 3);
  CHECK(*sum == 1.0F / 5 + (1.0F / 8 + 1.0F / 10));
}

TEST_CASE("an error of a shard ends the sum") {
  auto sums = ShardSums::create({{DType::kF32, Shape{}}}, {4}, kPool);
  REQUIRE(sums.ok());
  int64_t calls = 0;
  const Status status =
      sums->reduce({8, sums->shards()}, {}, [&](size_t, int64_t shard, const ShardRows&, std::vector<Tensor>&) {
        ++calls;
        return shard == 1 ? data_loss("no") : Status();
      });
  CHECK(status.code() == Code::kDataLoss);
  CHECK(calls == 2);
}

TEST_CASE("sums of large tensors are the same on any number of threads") {
  const int64_t n = 300001;
  std::vector<float> a(n), b(n);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = std::sin(static_cast<float>(i));
    b[i] = std::cos(static_cast<float>(i));
  }
  const auto threads = ThreadPool::create(3);
  REQUIRE(threads.ok());
  const Tensor inline_sum = Tensor::vector(std::span<const float>(a)),
               pool_sum = Tensor::vector(std::span<const float>(a));
  const Tensor add = Tensor::vector(std::span<const float>(b));
  add_tensors({inline_sum, Tensor::scalar(1.0)}, {add, Tensor::scalar(2.0)}, {});
  add_tensors({pool_sum, Tensor::scalar(1.0)}, {add, Tensor::scalar(2.0)}, (*threads)->parallel());
  for (size_t i = 0; i < a.size(); ++i) REQUIRE(inline_sum.span<float>()[i] == a[i] + b[i]);
  CHECK(std::equal(inline_sum.span<float>().begin(), inline_sum.span<float>().end(), pool_sum.span<float>().begin()));
}

TEST_CASE(
    "shards of replicas that are lost are computed by the others, and the sums are the same; with none left it is an "
    "error") {
  const auto pool = ThreadPool::create(3);
  REQUIRE(pool.ok());
  for (uint32_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    const int64_t shards = 1 + seed % 13;
    const size_t replicas = std::min<size_t>(1 + seed / 13 % 5, static_cast<size_t>(shards));
    const size_t lost = seed / 7 % (replicas + 1);  // the last ones, each at one of its shards
    auto sums = ShardSums::create({{DType::kF32, Shape{}}}, {shards, replicas}, kPool);
    REQUIRE(sums.ok());
    for (size_t r = 0; r < replicas; ++r) REQUIRE(sums->replicas().place(r, (seed + r) % 2 == 0).ok());
    std::vector<std::atomic<int>> done(static_cast<size_t>(shards)), calls(replicas);
    const auto compute = [&](size_t replica, int64_t shard, const ShardRows&, std::vector<Tensor>& out) {
      std::this_thread::sleep_for(std::chrono::microseconds((seed * 7 + replica * 13) % 60));
      const int call = calls[replica]++;
      out[0].mutable_span<float>()[0] = -1;  // garbage that a lost replica leaves
      if (replica >= replicas - lost && call == static_cast<int>(seed % 3)) return Status(Code::kUnavailable, "lost");
      out[0].mutable_span<float>()[0] = 1.0F / static_cast<float>(shard + 3);
      ++done[static_cast<size_t>(shard)];
      return Status();
    };
    const auto is_loss = [](size_t, const Status& s) { return s.code() == Code::kUnavailable; };
    const Status status = sums->reduce({64, sums->shards()}, (*pool)->parallel(), compute, is_loss);
    if (lost < replicas) REQUIRE_MESSAGE(status.ok(), status.to_string());
    if (!status.ok()) {
      CHECK(status.code() == Code::kUnavailable);
      for (size_t r = 0; r < replicas; ++r) CHECK(sums->replicas().lost(r));
      CHECK(sums->reduce({64, sums->shards()}, (*pool)->parallel(), compute, is_loss).code() == Code::kUnavailable);
      continue;
    }
    CHECK(sums->total()[0].span<float>()[0] == tree(0, shards));
    for (const auto& times : done) CHECK(times == 1);
  }
}

#if defined(__x86_64__)
TEST_CASE("sums keep denormals, whatever the host's thread does with them") {
  const uint32_t saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);  // flush denormals to zero, on input and output
  auto sums = ShardSums::create({{DType::kF32, Shape{}}}, {3, 1, 1, true}, kPool);
  REQUIRE(sums.ok());
  const auto compute = [](size_t, int64_t, const ShardRows&, std::vector<Tensor>& out) {
    const uint32_t bits = 3;
    std::memcpy(out[0].data(), &bits, sizeof bits);
    return Status();
  };
  uint32_t bits = 0;
  for (const bool first : {true, false}) {
    REQUIRE(sums->reduce({3, sums->shards()}, {}, compute).ok());
    sums->add_batch(first, {});
  }
  std::memcpy(&bits, sums->total()[0].data(), sizeof bits);
  CHECK((_mm_getcsr() & 0x8040) == 0x8040);
  _mm_setcsr(saved);
  CHECK(bits == 18);
}
#endif

}  // namespace percale
