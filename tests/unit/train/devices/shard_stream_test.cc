// Shards of several batches at once, tested without a model. Whichever replica is slow, lost, wrong
// or cancelled, each shard is committed exactly once, and nothing hangs.
#include "core/train/shards/shard_stream.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "core/base/thread_pool.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

using Clock = std::chrono::steady_clock;
using Shard = std::pair<int64_t, int64_t>;  // batch, shard

const auto kPool = std::make_shared<MemoryPool>();

float value_of(int64_t batch, int64_t shard) { return 1.0F / static_cast<float>(7 * batch + shard + 3); }

std::optional<float> tree(int64_t batch, int64_t rows, int64_t shards, int64_t from, int64_t to) {
  if (to - from == 1) {
    const ShardRows range = shard_rows(rows, shards, from);
    return range.begin == range.end ? std::nullopt : std::optional(value_of(batch, from));
  }
  const int64_t middle = from + (to - from + 1) / 2;
  const auto left = tree(batch, rows, shards, from, middle), right = tree(batch, rows, shards, middle, to);
  if (left && right) return *left + *right;
  return left ? left : right;
}

// A fake model that consists of the list of its commits, stored twice. Readers check that both
// copies agree.
struct Fake {
  int64_t shards = 4, batches = 10, bound = -1;
  size_t replicas = 2, lanes = 1;
  bool take_on_caller = false;
  uint32_t seed = 0;
  int64_t slowest_us = 200;
  std::function<Status(const ShardStream::Task&)> trouble = [](const auto&) { return Status(); };
  std::function<bool(int64_t told)> go_on = [](int64_t) { return true; };

  const std::thread::id caller = std::this_thread::get_id();
  std::mutex mutex;
  std::vector<ShardStream::Task> tasks;  // the computed tasks
  std::map<int64_t, int64_t> open;       // batches by their rows
  int64_t next_take = 0;
  std::atomic<int64_t> writing{0}, reading{0}, running{0}, committed{0};
  int64_t one = 0, two = 0;          // the number of commits, as two variables
  std::vector<int64_t> snapshot_of;  // per loop
  std::set<Shard> applied;
  std::vector<ShardStream::Commit> commits;  // without their sums
  std::vector<int64_t> staleness;
  std::atomic<int64_t> taken_elsewhere{0}, told_elsewhere{0};
  int64_t told_commits = 0;

  // The last batch is short. With few rows some shards have none.
  int64_t rows_of(int64_t batch) const { return batch + 1 == batches ? std::max<int64_t>(1, shards / 2) : 5 * shards; }
  std::set<Shard> all() const {
    std::set<Shard> out;
    for (int64_t b = 0; b < batches; ++b) {
      for (int64_t s = 0; s < shards; ++s) {
        const ShardRows range = shard_rows(rows_of(b), shards, s);
        if (range.begin != range.end) out.emplace(b, s);
      }
    }
    return out;
  }

  void doze(int64_t salt) const {
    std::mt19937 random(seed * 7919U + static_cast<uint32_t>(salt));
    const auto us = static_cast<int64_t>(random() % static_cast<uint32_t>(slowest_us + 1));
    if (us > 0) std::this_thread::sleep_for(std::chrono::microseconds(us));
  }

  ShardStream::Calls calls() {
    ShardStream::Calls out;
    out.take = [this](int64_t batch) -> Result<int64_t> {
      if (std::this_thread::get_id() != caller) ++taken_elsewhere;
      doze(batch);
      const std::lock_guard lock(mutex);
      CHECK(batch == next_take++);
      open[batch] = rows_of(batch);
      return rows_of(batch);
    };
    out.forget = [this](int64_t batch) {
      const std::lock_guard lock(mutex);
      CHECK(open.erase(batch) == 1);
    };
    out.applied = [before = applied](int64_t batch, int64_t shard) { return before.contains({batch, shard}); };
    if (bound != 0) {
      out.pull = [this](size_t loop) {
        ++reading;
        CHECK(writing == 0);
        CHECK(one == two);
        snapshot_of[loop] = one;
        --reading;
        return Status();
      };
    }
    out.compute = [this](const ShardStream::Task& task, const CancelToken& token, std::vector<Tensor>& sums) -> Status {
      const struct Running {
        std::atomic<int64_t>& count;
        explicit Running(std::atomic<int64_t>& c) : count(c) { ++count; }
        ~Running() { --count; }
      } counted(running);
      doze(100 + task.batch * shards + task.shard);
      const Status status = token.cancelled() ? Status(Code::kCancelled, "stopped") : trouble(task);
      sums[0].mutable_span<float>()[0] = status.ok() ? value_of(task.batch, task.shard) : -1;
      const std::lock_guard lock(mutex);
      if (bound == 0) CHECK(one == two);
      if (status.ok()) tasks.push_back(task);
      return status;
    };
    out.commit = [this](const ShardStream::Commit& c) -> Status {
      CHECK(++writing == 1);
      CHECK(reading == 0);
      ++one;
      doze(1000 + c.batch);
      ++two;
      const float sum = (*c.sums)[0].span<float>()[0];
      if (c.shard >= 0) {
        CHECK(sum == value_of(c.batch, c.shard));
        CHECK(applied.emplace(c.batch, c.shard).second);
      } else {
        CHECK(sum == *tree(c.batch, rows_of(c.batch), shards, 0, shards));
        for (int64_t s = 0; s < shards; ++s) {
          const ShardRows range = shard_rows(rows_of(c.batch), shards, s);
          if (range.begin != range.end) CHECK(applied.emplace(c.batch, s).second);
        }
      }
      staleness.insert(staleness.end(), c.staleness.begin(), c.staleness.end());
      ++committed;
      commits.push_back({c.loop, c.batch, c.shard, {}, nullptr});
      --writing;
      return {};
    };
    out.told = [this]() -> Result<bool> {
      if (std::this_thread::get_id() != caller) ++told_elsewhere;
      return go_on(++told_commits);
    };
    out.is_loss = [](size_t, const Status& s) { return s.code() == Code::kUnavailable; };
    return out;
  }

  // Starts from the first batch that is not applied completely.
  Status run(ThreadPool& pool, Replicas& who, const CancelToken& token) {
    snapshot_of.assign(who.loops(), -1);
    open.clear();
    int64_t first = 0;
    const auto every = all();
    while (first < batches && std::none_of(every.begin(), every.end(),
                                           [&](const Shard& s) { return s.first == first && !applied.contains(s); })) {
      ++first;
    }
    next_take = first;
    ShardStream stream({{DType::kF32, Shape{}}}, {shards, bound, take_on_caller}, kPool, nullptr);
    const Status status = stream.run(first, batches, who, pool.parallel(), pool.threads(), token, calls());
    CHECK(running == 0);
    CHECK(one == two);
    CHECK(told_elsewhere == 0);
    if (take_on_caller) CHECK(taken_elsewhere == 0);
    return status;
  }
  Status run(ThreadPool& pool) {
    Replicas who(replicas, lanes);
    for (size_t r = 0; r < replicas; ++r) REQUIRE_OK(who.place(r, (seed + r) % 3 == 0));
    return run(pool, who, CancelToken());
  }
};

std::unique_ptr<ThreadPool> pool_of(int32_t threads) {
  auto pool = ThreadPool::create(threads);
  REQUIRE(pool.ok());
  return std::move(*pool);
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

TEST_CASE("without a bound each shard is one commit, whoever is slow, on any number of threads") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const auto pool = pool_of(1 + static_cast<int32_t>(seed % 4));
    Fake fake;
    fake.seed = seed;
    fake.shards = 1 + seed % 7;
    fake.replicas = 1 + seed / 2 % 4;
    fake.lanes = 1 + seed / 16 % 2;
    fake.take_on_caller = seed % 5 == 1;
    REQUIRE_OK(fake.run(*pool));
    CHECK(fake.applied == fake.all());
    CHECK(fake.commits.size() == fake.all().size());
    CHECK(fake.tasks.size() == fake.all().size());
    CHECK(fake.open.empty());
    CHECK(fake.staleness.size() == fake.all().size());
    CHECK(std::all_of(fake.staleness.begin(), fake.staleness.end(), [](int64_t s) { return s >= 0; }));
    CHECK(fake.told_commits >= 1);
  }
}

TEST_CASE("with a bound of k batches are committed in order, each a tree, and no shard saw variables that are older") {
  for (uint32_t seed = 0; seed < 80; ++seed) {
    CAPTURE(seed);
    const auto pool = pool_of(1 + static_cast<int32_t>(seed % 4));
    Fake fake;
    fake.seed = seed;
    fake.bound = seed / 4 % 4;
    fake.shards = 1 + seed % 6;
    fake.replicas = 1 + seed / 3 % 4;
    fake.take_on_caller = seed % 5 == 1;
    REQUIRE_OK(fake.run(*pool));
    CHECK(fake.applied == fake.all());
    REQUIRE(fake.commits.size() == static_cast<size_t>(fake.batches));
    for (int64_t b = 0; b < fake.batches; ++b) CHECK(fake.commits[static_cast<size_t>(b)].batch == b);
    for (const auto& task : fake.tasks) {
      CHECK(task.version >= task.batch - fake.bound);
      CHECK(task.version <= task.batch);
    }
    for (const int64_t s : fake.staleness) {
      CHECK(s >= 0);
      CHECK(s <= fake.bound);
    }
    CHECK(fake.staleness.size() == fake.all().size());
  }
}

TEST_CASE("a slow shard lets the others go on for as many batches as the bound says, and no further") {
  for (const int64_t bound : {0, 1, 3}) {
    CAPTURE(bound);
    const auto pool = pool_of(2);
    Fake fake;
    fake.bound = bound;
    fake.slowest_us = 0;
    fake.seed = 1;  // one replica on the pool, one on its own thread
    std::atomic<int64_t> furthest{0};
    fake.trouble = [&](const ShardStream::Task& task) -> Status {
      if (task.batch > 0 || task.shard > 0) {
        if (fake.committed == 0) furthest = std::max<int64_t>(furthest, task.batch);
        return {};
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      return {};
    };
    REQUIRE_OK(fake.run(*pool));
    CHECK(*std::max_element(fake.staleness.begin(), fake.staleness.end()) == bound);
    CHECK(furthest == bound);
  }
}

TEST_CASE("shards of replicas that are lost go to the others; with none left it is the last loss") {
  for (uint32_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    const auto pool = pool_of(1 + static_cast<int32_t>(seed % 3));
    Fake fake;
    fake.seed = seed;
    fake.bound = seed % 2 == 0 ? -1 : seed / 2 % 3;
    fake.replicas = 1 + seed / 3 % 4;
    fake.lanes = 1 + seed / 30 % 2;
    const size_t lost = seed / 5 % (fake.replicas + 1);
    std::vector<std::atomic<int>> calls(fake.replicas);
    fake.trouble = [&](const ShardStream::Task& task) {
      const int call = calls[task.replica]++;
      const bool now = task.replica >= fake.replicas - lost && call >= static_cast<int>(seed % 4);
      return now ? Status(Code::kUnavailable, "gone") : Status();
    };
    const auto begin = Clock::now();
    const Status status = fake.run(*pool);
    CHECK(seconds_since(begin) < 5);
    if (lost < fake.replicas) {
      REQUIRE_OK(status);
      CHECK(fake.applied == fake.all());
      CHECK(fake.tasks.size() == fake.all().size());
    } else {
      CHECK(status.code() == Code::kUnavailable);
      CHECK(status.message().find("gone") != std::string::npos);
    }
  }
}

TEST_CASE("errors, cancels and a caller who wants no more end every loop at once; the next run goes on exactly there") {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    const auto pool = pool_of(1 + static_cast<int32_t>(seed % 4));
    Fake fake;
    fake.seed = seed;
    fake.batches = 12;
    fake.bound = seed % 3 == 0 ? static_cast<int64_t>(seed / 3 % 3) : -1;
    fake.replicas = 1 + seed / 4 % 4;
    Replicas who(fake.replicas, 1);
    for (size_t r = 0; r < fake.replicas; ++r) REQUIRE_OK(who.place(r, (seed + r) % 3 == 0));
    std::mt19937 random(seed);
    int rounds = 0;
    for (; fake.applied != fake.all(); ++rounds) {
      REQUIRE(rounds < 200);
      CancelToken token;
      const uint32_t kind = random() % 4;
      const int64_t at = 1 + static_cast<int64_t>(random() % 12);
      std::atomic<int64_t> count{0};
      fake.trouble = [&](const ShardStream::Task&) -> Status {
        if (++count != at) return {};
        if (kind == 0) return data_loss("wrong");
        if (kind == 1) throw std::bad_alloc();
        if (kind == 2) token.cancel();
        return {};
      };
      fake.told_commits = 0;
      fake.go_on = [&](int64_t told) { return kind != 3 || told < at; };
      const auto begin = Clock::now();
      const Status status = fake.run(*pool, who, token);
      CHECK(seconds_since(begin) < 1);
      const bool finished = fake.applied == fake.all();
      if (kind == 0) CHECK((status.code() == Code::kDataLoss || (status.ok() && finished)));
      if (kind == 1) CHECK((status.code() == Code::kResourceExhausted || (status.ok() && finished)));
      if (kind == 2) CHECK((status.code() == Code::kCancelled || (status.ok() && finished)));
      if (kind == 3) CHECK(status.ok());
    }
    CHECK(rounds >= 1);
  }
}

TEST_CASE(
    "a cancel from outside wakes loops that wait, and what is slow is not waited for longer than it takes to stop") {
  for (const bool apart : {false, true}) {
    const auto pool = pool_of(2);
    Replicas who(2, 1);
    for (size_t r = 0; r < 2; ++r) REQUIRE_OK(who.place(r, apart));
    ShardStream stream({{DType::kF32, Shape{}}}, {4, 0, false}, kPool, nullptr);
    CancelToken token;
    ShardStream::Calls calls;
    calls.take = [](int64_t) -> Result<int64_t> {
      return int64_t{1};
    };  // only one shard has a row: the other loop sleeps
    calls.compute = [](const ShardStream::Task&, const CancelToken& own, std::vector<Tensor>&) {
      while (!own.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return Status(Code::kCancelled, "stopped");
    };
    calls.commit = [](const ShardStream::Commit&) { return Status(); };
    calls.told = []() -> Result<bool> { return true; };
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      token.cancel();
    });
    const auto begin = Clock::now();
    CHECK(stream.run(0, 3, who, pool->parallel(), pool->threads(), token, calls).code() == Code::kCancelled);
    CHECK(seconds_since(begin) < 1);
    canceller.join();
  }
}

}  // namespace percale
