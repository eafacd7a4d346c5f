#include "core/base/thread_pool.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace percale;

namespace {

std::unique_ptr<ThreadPool> pool_of(int32_t threads) {
  auto pool = ThreadPool::create(threads);
  REQUIRE(pool.ok());
  return std::move(pool).value();
}

size_t threads_of_process() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

// Runs `look` once on each of the pool's threads, including the caller's. No piece ends before all
// have begun, so no thread can take two. Returns false if they did not all begin in time.
template <class F>
bool on_every_thread(ThreadPool& pool, F look) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::atomic<int32_t> begun{0};
  std::atomic<bool> together{true};
  pool.parallel()(int64_t{pool.threads()}, [&](int64_t) {
    ++begun;
    while (begun < pool.threads()) {
      if (std::chrono::steady_clock::now() > deadline) {
        together = false;
        return;
      }
      std::this_thread::yield();
    }
    look();
  });
  return together;
}

}  // namespace

TEST_CASE("every piece runs exactly once, whatever the number of threads and pieces") {
  for (const int32_t threads : {1, 2, 3, 8}) {
    const auto pool = pool_of(threads);
    CHECK(pool->threads() == threads);
    for (const int64_t pieces : {0, 1, 2, 7, 64, 1000}) {
      CAPTURE(threads);
      CAPTURE(pieces);
      std::vector<std::atomic<int>> runs(static_cast<size_t>(pieces));
      pool->parallel()(pieces, [&](int64_t piece) { ++runs[static_cast<size_t>(piece)]; });
      bool once = true;
      for (const auto& run : runs) once = once && run == 1;
      CHECK(once);
    }
  }
}

TEST_CASE("more callers than the pool has places for each get all their pieces, once") {
  const auto pool = pool_of(3);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 24; ++caller) {
    callers.emplace_back([&, caller] {
      for (int loop = 0; loop < 100; ++loop) {
        const int64_t pieces = 1 + (caller * 7 + loop) % 40;
        std::vector<std::atomic<int>> runs(static_cast<size_t>(pieces));
        pool->parallel()(pieces, [&](int64_t piece) { ++runs[static_cast<size_t>(piece)]; });
        for (const auto& run : runs) wrong += run != 1;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(wrong == 0);
}

TEST_CASE("a loop within a piece of another, three deep, runs each of its pieces once") {
  const auto pool = pool_of(3);
  std::atomic<int> inner{0};
  pool->parallel()(int64_t{6}, [&](int64_t) {
    pool->parallel()(int64_t{5}, [&](int64_t) { pool->parallel()(int64_t{4}, [&](int64_t) { ++inner; }); });
  });
  CHECK(inner == 6 * 5 * 4);
}

TEST_CASE("thousands of loops within loops, one after the other, all end") {
  const auto pool = pool_of(4);
  std::atomic<int64_t> inner{0};
  constexpr int64_t kRounds = 2000;
  for (int64_t round = 0; round < kRounds; ++round) {
    pool->parallel()(int64_t{6}, [&](int64_t) {
      pool->parallel()(int64_t{5}, [&](int64_t) { pool->parallel()(int64_t{4}, [&](int64_t) { ++inner; }); });
    });
  }
  CHECK(inner == kRounds * 6 * 5 * 4);
}

TEST_CASE("a pool of one thread starts none and runs in order on the caller") {
  const size_t before = threads_of_process();
  const auto pool = pool_of(1);
  CHECK(threads_of_process() == before);
  std::vector<int64_t> order;
  std::set<std::thread::id> ids;
  pool->parallel()(int64_t{10}, [&](int64_t piece) {
    order.push_back(piece);
    ids.insert(std::this_thread::get_id());
  });
  CHECK(order == std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(ids == std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_CASE("a pool of N threads starts N - 1 and joins them all") {
  const size_t before = threads_of_process();
  {
    const auto pool = pool_of(5);
    CHECK(threads_of_process() == before + 4);
  }
  CHECK(threads_of_process() == before);
}

TEST_CASE("workers are called percale-N and block every signal; the caller keeps its name and its mask") {
  const auto pool = pool_of(4);
  sigset_t mask_before, mask_after;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_before);
  std::mutex mutex;
  std::multiset<std::string> names;
  int blocking_all = 0;
  const pthread_t caller = pthread_self();
  REQUIRE(on_every_thread(*pool, [&] {
    if (pthread_equal(pthread_self(), caller) != 0) return;
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    bool all = true;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGALRM, SIGPROF, SIGSEGV}) {
      all = all && sigismember(&mask, signal) == 1;
    }
    const std::lock_guard lock(mutex);
    names.insert(name);
    blocking_all += all;
  }));
  CHECK(names == std::multiset<std::string>{"percale-1", "percale-2", "percale-3"});
  CHECK(blocking_all == 3);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
  CHECK(sigismember(&mask_before, SIGUSR1) == sigismember(&mask_after, SIGUSR1));
  CHECK(sigismember(&mask_after, SIGINT) == 0);
}

TEST_CASE("an idle pool sleeps") {
  const auto pool = pool_of(4);
  pool->parallel()(int64_t{100}, [](int64_t) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto cpu_ns = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  };
  const int64_t before = cpu_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(cpu_ns() - before < 60'000'000);  // three spinning workers would take fifteen times as long
}

TEST_CASE("the number of threads when nobody says is at least one and no more than the machine has") {
  CHECK(default_threads() >= 1);
  CHECK(default_threads() <= static_cast<int32_t>(std::max(1U, std::thread::hardware_concurrency())));
}

#if defined(__x86_64__)
namespace {

constexpr uint32_t kFlags = 0x3F;  // sticky exception flags, which are not part of the mode

uint32_t mode() { return _mm_getcsr() & ~kFlags; }

}  // namespace

TEST_CASE("FloatMode is the default mode while it lives and the host's own again afterwards") {
  // Flush to zero, denormals are zero, round up.
  constexpr uint32_t kUpwardsFlushed = 0x1F80 | 0x8040 | 0x4000;
  const uint32_t saved = _mm_getcsr();
  _mm_setcsr(kUpwardsFlushed);
  uint32_t inside = 0, after = 0;
  {
    const FloatMode float_mode;
    inside = mode();
  }
  after = mode();
  _mm_setcsr(saved);
  CHECK(inside == 0x1F80);
  CHECK(after == kUpwardsFlushed);
}

TEST_CASE("workers compute in the default mode, whatever mode the thread had that made the pool") {
  const uint32_t saved = _mm_getcsr();
  _mm_setcsr(0x1F80 | 0x8040);
  const auto pool = pool_of(3);
  _mm_setcsr(saved);
  std::atomic<int> right{0};
  const auto caller = std::this_thread::get_id();
  REQUIRE(on_every_thread(*pool, [&] {
    if (std::this_thread::get_id() != caller && mode() == 0x1F80) ++right;
  }));
  CHECK(right == 2);
}
#endif
