#include "core/base/host_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/thread_pool.h"

using namespace percale;

namespace {

// Runs each task on a thread of its own.
class Spawning final : public HostPool {
 public:
  ~Spawning() override { join(); }
  Status execute(std::function<void()> task) override {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back(std::move(task));
    return {};
  }
  void join() {
    const std::lock_guard lock(mutex_);
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

// Keeps the tasks, for the test to run.
class Keeping final : public HostPool {
 public:
  Status execute(std::function<void()> task) override {
    if (refuses) return Status(Code::kUnavailable, "full");
    tasks.push_back(std::move(task));
    return {};
  }
  std::vector<std::function<void()>> tasks;
  bool refuses = false;
};

// The number of runs of each piece of a loop whose pieces have loops of their own.
std::vector<int> nested_runs(ThreadPool& pool) {
  constexpr int64_t kOuter = 7, kInner = 40;
  std::vector<std::atomic<int>> counts(static_cast<size_t>(kOuter * kInner));
  pool.parallel()(kOuter, [&](int64_t i) {
    pool.parallel()(kInner, [&](int64_t j) { ++counts[static_cast<size_t>(i * kInner + j)]; });
  });
  return {counts.begin(), counts.end()};
}

}  // namespace

TEST_CASE("on a host's pool every piece runs exactly once, also of nested loops") {
  const auto host = std::make_shared<Spawning>();
  const auto pool = ThreadPool::create_on(host, 4);
  CHECK(pool->threads() == 4);
  CHECK_FALSE(pool->may_start_threads());
  for (int turn = 0; turn < 50; ++turn) {
    const std::vector<int> runs = nested_runs(*pool);
    CHECK(std::vector<int>(runs.size(), 1) == runs);
  }
  host->join();
}

TEST_CASE("tasks that a host's pool never begins are not waited for, and are few") {
  const auto host = std::make_shared<Keeping>();
  auto pool = ThreadPool::create_on(host, 4);
  for (int turn = 0; turn < 50; ++turn) {
    const std::vector<int> runs = nested_runs(*pool);
    CHECK(std::vector<int>(runs.size(), 1) == runs);
  }
  CHECK(host->tasks.size() == 3);
  host->tasks.clear();  // dropped tasks leave their places to others
  nested_runs(*pool);
  CHECK(host->tasks.size() == 3);
  pool = nullptr;
  for (auto& task : host->tasks) task();  // after the end of the pool
}

TEST_CASE("a failure of a host's pool is noticed, and harms no loop") {
  const auto host = std::make_shared<Keeping>();
  const auto pool = ThreadPool::create_on(host, 4);
  const ThreadPool::FailureWatch before(*pool);
  nested_runs(*pool);
  CHECK(before.status().ok());
  host->tasks.clear();
  host->refuses = true;
  const std::vector<int> runs = nested_runs(*pool);
  CHECK(std::vector<int>(runs.size(), 1) == runs);
  CHECK(before.status().code() == Code::kUnavailable);
  CHECK(before.status().message() == "the thread pool of the host: full");
  CHECK(ThreadPool::FailureWatch(*pool).status().ok());
}

TEST_CASE("a piece that has no memory ends the loop on a host's pool") {
  const auto host = std::make_shared<Spawning>();
  const auto pool = ThreadPool::create_on(host, 3);
  CHECK_THROWS_AS(pool->parallel()(100,
                                   [](int64_t i) {
                                     if (i == 50) throw std::bad_alloc();
                                   }),
                  std::bad_alloc);
  host->join();
}

TEST_CASE("a pool that drops or runs tasks at once is asked for a few helpers per loop") {
  class Dropping final : public HostPool {
   public:
    Status execute(std::function<void()> task) override {
      ++asked;
      if (runs) task();
      return {};
    }
    int asked = 0;
    bool runs = false;
  };
  const auto host = std::make_shared<Dropping>();
  const auto pool = ThreadPool::create_on(host, 4);
  for (const bool runs : {false, true}) {
    host->runs = runs;
    host->asked = 0;
    int64_t sum = 0;
    pool->parallel()(100, [&](int64_t i) { sum += i; });
    CHECK(sum == 4950);
    CHECK(host->asked == 3);
  }
}
