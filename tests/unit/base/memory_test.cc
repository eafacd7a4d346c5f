#include "core/base/memory.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

using namespace percale;

TEST_CASE("memory is aligned, never null, and counted until it is freed") {
  MemoryPool pool;
  for (const int64_t bytes : {0, 1, 63, 64, 65, 1'000'000}) {
    CAPTURE(bytes);
    const auto memory = pool.allocate(bytes);
    REQUIRE(memory.ok());
    CHECK(*memory != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(*memory) % kAlignment == 0);
    std::memset(*memory, 0xAB, static_cast<size_t>(bytes));
    CHECK(pool.used() >= bytes);
    CHECK(pool.used() < bytes + 2 * kAlignment);
    pool.free(*memory, bytes);
    CHECK(pool.used() == 0);
  }
  CHECK(pool.peak() >= 1'000'000);
}

TEST_CASE("large blocks begin where a large page of the system may, and count as what was asked") {
  MemoryPool pool;
  const int64_t bytes = (int64_t{4} << 20) + 64;
  void* memory = *pool.allocate(bytes);
  CHECK(reinterpret_cast<uintptr_t>(memory) % (size_t{2} << 20) == 0);
  CHECK(pool.used() == bytes);
  std::memset(memory, 1, static_cast<size_t>(bytes));
  pool.free(memory, bytes);
  CHECK(pool.used() == 0);
}

TEST_CASE("the limit is kept to the byte, and the message says what was asked and what is left") {
  MemoryPool pool(1024);
  const auto first = pool.allocate(960);
  REQUIRE(first.ok());
  const auto refused = pool.allocate(65);
  CHECK(refused.status().code() == Code::kResourceExhausted);
  CHECK(refused.status().message() ==
        "memory limit: 65 bytes requested, 64 of 1024 left; raise memory_limit or use a smaller batch");
  CHECK(pool.used() == 960);
  const auto rest = pool.allocate(64);
  REQUIRE(rest.ok());
  CHECK(pool.peak() == 1024);
  CHECK_FALSE(pool.allocate(0).ok());
  pool.free(*first, 960);
  pool.free(*rest, 64);
  CHECK(pool.used() == 0);
}

TEST_CASE("sizes that no machine has are refused without asking it") {
  for (MemoryPool* pool : {new MemoryPool, new MemoryPool(1 << 20)}) {
    for (const int64_t bytes : {int64_t{1} << 48, INT64_MAX - 63, INT64_MAX}) {
      CHECK(pool->allocate(bytes).status().code() == Code::kResourceExhausted);
    }
    CHECK(pool->allocate(-1).status().code() == Code::kInvalidArgument);
    CHECK(pool->used() == 0);
    CHECK(pool->peak() == 0);
    delete pool;
  }
}

TEST_CASE("threads that allocate at once never pass the limit, and none is refused what others did not get") {
  constexpr int64_t kEach = 4096, kLimit = 4 * kEach;
  MemoryPool pool(kLimit);
  std::atomic<bool> over{false};
  std::atomic<int> refused_though_free{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        if (t == 3) {  // a request beyond the limit
          if (pool.allocate(kLimit + 1).ok()) over = true;
          continue;
        }
        const auto memory = pool.allocate(kEach);  // three of these always fit
        if (pool.used() > kLimit) over = true;
        if (memory.ok()) {
          pool.free(*memory, kEach);
        } else {
          ++refused_though_free;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(over);
  CHECK(refused_though_free == 0);
  CHECK(pool.used() == 0);
  CHECK(pool.peak() <= kLimit);
}

TEST_CASE("a buffer of the pool gives its memory back, also when the pool's maker is gone") {
  auto pool = std::make_shared<MemoryPool>(int64_t{1} << 20);
  const std::weak_ptr<MemoryPool> watch = pool;
  auto buffer = Buffer::allocate(pool, 1000);
  REQUIRE(buffer.ok());
  CHECK(pool->used() >= 1000);
  pool.reset();
  CHECK_FALSE(watch.expired());
  *buffer = nullptr;
  CHECK(watch.expired());
}

TEST_CASE("borrowed memory is given back once, by its owner's own deleter") {
  int given_back = 0;
  char memory[16];
  {
    const auto buffer = Buffer::wrap(
        memory, sizeof memory, [](void* user, void*) { ++*static_cast<int*>(user); }, &given_back);
    const auto second = buffer;
    CHECK(buffer->data() == memory);
    CHECK(given_back == 0);
  }
  CHECK(given_back == 1);
}
