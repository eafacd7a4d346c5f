// Tests queues and mutexes as transactions of runs, without a session.
#include "core/state/resources.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace percale {
namespace {

// A run that the test can stop.
struct Run final : Waiter {
  explicit Run(const std::shared_ptr<Resources>& shared) : resources(*shared, *this) {}
  Status stop_reason() const override { return stopped ? Status(Code::kCancelled, "stopped") : Status(); }
  int64_t deadline_ns() const override { return -1; }
  Status begin(Waker& waker) override {
    const std::lock_guard lock(mutex);
    asleep = &waker;
    return {};
  }
  void end(Waker&) override {
    const std::lock_guard lock(mutex);
    asleep = nullptr;
  }
  void stop() {
    stopped = true;
    const std::lock_guard lock(mutex);
    if (asleep != nullptr) asleep->wake();
  }
  bool waits() {
    const std::lock_guard lock(mutex);
    return asleep != nullptr;
  }
  void until_it_waits() {
    while (!waits()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  std::mutex mutex;
  Waker* asleep = nullptr;
  std::atomic<bool> stopped{false};
  ResourceRun resources;
};

std::shared_ptr<Resources> queue_of(int64_t capacity) {
  auto out = std::make_shared<Resources>();
  REQUIRE(out->declare({{"q", {capacity, {{DType::kI64, Shape{}}}}}}).ok());
  return out;
}

Status put(Run& run, int64_t value) { return run.resources.enqueue("q", {Tensor::scalar(value)}); }
// Returns -1 if the queue is empty.
int64_t take(Run& run) {
  const auto out = run.resources.dequeue("q");
  return out.ok() ? out->at(0).span<int64_t>()[0] : -1;
}
void put_all(const std::shared_ptr<Resources>& shared, std::initializer_list<int64_t> values) {
  Run run(shared);
  for (int64_t v : values) REQUIRE(put(run, v).ok());
  run.resources.commit();
}
std::vector<int64_t> take_all(const std::shared_ptr<Resources>& shared, size_t count) {
  Run run(shared);
  std::vector<int64_t> out;
  for (size_t i = 0; i < count; ++i) out.push_back(take(run));
  run.resources.commit();
  return out;
}
int64_t size_seen(Run& run) { return run.resources.size("q")->elements; }

TEST_CASE("What a run puts in is its own until it commits, and never was there when it rolls back") {
  const auto shared = queue_of(4);
  Run first(shared), second(shared);
  REQUIRE(put(first, 1).ok());
  CHECK(size_seen(first) == 1);
  CHECK(size_seen(second) == 0);
  first.resources.rollback();
  CHECK(size_seen(first) == 0);
  REQUIRE(put(first, 2).ok());
  CHECK(take(first) == 2);  // its own element
  REQUIRE(put(first, 3).ok());
  first.resources.commit();
  CHECK(size_seen(second) == 1);
  CHECK(take(second) == 3);
}

TEST_CASE("What runs took goes back to its place when they fail, in whatever order they do") {
  for (const bool first_ends_first : {true, false}) {
    const auto shared = queue_of(8);
    put_all(shared, {1, 2, 3, 4});
    {
      Run first(shared), second(shared), third(shared);
      CHECK(take(first) == 1);
      CHECK(take(second) == 2);
      CHECK(take(third) == 3);
      CHECK(take(first) == 4);
      third.resources.commit();
      (first_ends_first ? first : second).resources.rollback();
      (first_ends_first ? second : first).resources.rollback();
    }
    CHECK(take_all(shared, 3) == std::vector<int64_t>{1, 2, 4});
  }
}

TEST_CASE("A run that took an element may put one into the full queue: the room is its own") {
  const auto shared = queue_of(1);
  put_all(shared, {1});
  Run run(shared);
  CHECK(take(run) == 1);
  REQUIRE(put(run, 2).ok());
  run.resources.rollback();
  CHECK(take(run) == 1);
  REQUIRE(put(run, 2).ok());
  run.resources.commit();
  CHECK(take_all(shared, 1) == std::vector<int64_t>{2});
}

TEST_CASE("A run that could only wait for itself is told so") {
  const auto shared = queue_of(2);
  Run run(shared);
  REQUIRE(put(run, 1).ok());
  REQUIRE(put(run, 2).ok());
  CHECK(put(run, 3).code() == Code::kFailedPrecondition);
  run.resources.commit();
  CHECK(take(run) == 1);
  CHECK(take(run) == 2);
  CHECK(run.resources.dequeue("q").status().code() == Code::kFailedPrecondition);
}

TEST_CASE("An element that another run may give back keeps room and keeps a closed queue from being empty") {
  const auto shared = queue_of(1);
  put_all(shared, {7});
  Run taker(shared);
  CHECK(take(taker) == 7);
  REQUIRE(taker.resources.close("q", false).ok());
  CHECK(taker.resources.size("q")->closed);
  Run closer(shared);
  CHECK_FALSE(closer.resources.size("q")->closed);
  REQUIRE(closer.resources.close("q", false).ok());
  closer.resources.commit();
  Run other(shared);
  int64_t got = 0;
  std::thread thread([&] { got = take(other); });
  other.until_it_waits();
  taker.resources.rollback();
  thread.join();
  CHECK(got == 7);
  other.resources.commit();
  CHECK(other.resources.dequeue("q").status().code() == Code::kOutOfRange);
}

TEST_CASE("A closed queue turns elements away; those that were waited with pass, unless they are cancelled") {
  for (const bool cancel : {false, true}) {
    const auto shared = queue_of(1);
    put_all(shared, {1});
    Run waiting(shared), closer(shared);
    Status status;
    std::thread thread([&] {
      status = put(waiting, 2);
      if (status.ok()) waiting.resources.commit();
    });
    waiting.until_it_waits();
    REQUIRE(closer.resources.close("q", cancel).ok());
    closer.resources.commit();
    CHECK(put(closer, 3).code() == Code::kCancelled);
    closer.resources.rollback();
    CHECK(take_all(shared, 1) == std::vector<int64_t>{1});
    if (!cancel) CHECK(take_all(shared, 1) == std::vector<int64_t>{2});
    thread.join();
    CHECK((status.code() == (cancel ? Code::kCancelled : Code::kOk)));
    CHECK(closer.resources.dequeue("q").status().code() == Code::kOutOfRange);
  }
}

TEST_CASE("Who waits first is served first, and who is stopped leaves the line") {
  const auto shared = queue_of(4);
  Run first(shared), second(shared), third(shared);
  int64_t got_first = 0, got_second = 0, got_third = 0;
  std::thread a([&] { got_first = take(first); });
  first.until_it_waits();
  std::thread b([&] { got_second = take(second); });
  second.until_it_waits();
  std::thread c([&] { got_third = take(third); });
  third.until_it_waits();
  second.stop();
  b.join();
  CHECK(got_second == -1);
  put_all(shared, {1, 2});
  a.join();
  c.join();
  CHECK(got_first == 1);
  CHECK(got_third == 2);
}

TEST_CASE("A mutex is held until its run ends, however it ends, and is no obstacle to the run itself") {
  const auto shared = std::make_shared<Resources>();
  for (const bool success : {true, false}) {
    Run holder(shared), other(shared);
    REQUIRE(holder.resources.lock("m").ok());
    REQUIRE(holder.resources.lock("m").ok());
    std::atomic<bool> locked{false};
    std::thread thread([&] {
      CHECK(other.resources.lock("m").ok());
      locked = true;
    });
    other.until_it_waits();
    CHECK_FALSE(locked);
    if (success) {
      holder.resources.commit();
    } else {
      holder.resources.rollback();
    }
    thread.join();
    CHECK(locked);
  }
}

TEST_CASE("Many producers and consumers lose nothing and double nothing, whoever of them fails") {
  const auto shared = queue_of(3);
  constexpr int64_t kEach = 300;
  std::atomic<int64_t> sum{0}, fails{0};
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < kEach; ++i) {
        Run run(shared);
        REQUIRE(put(run, t * kEach + i).ok());
        run.resources.commit();
      }
    });
    threads.emplace_back([&, t] {
      for (int64_t i = 0, tries = t; i < kEach; ++tries) {
        Run run(shared);
        const int64_t got = take(run);
        if (tries % 3 == 0) {
          ++fails;
          continue;  // without commit, so the element is returned to the queue
        }
        sum += got;
        run.resources.commit();
        ++i;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(sum == 3 * kEach * (3 * kEach - 1) / 2);
  CHECK(fails > 0);
  Run last(shared);
  CHECK(size_seen(last) == 0);
}

TEST_CASE("A queue is one thing to all who declare it") {
  const auto shared = queue_of(4);
  const auto declared = [&](QueueType type) { return shared->declare({{"q", std::move(type)}}); };
  CHECK(declared({4, {}}).ok());
  CHECK(declared({0, {{DType::kI64, Shape::unranked()}}}).ok());
  CHECK(declared({5, {}}).code() == Code::kInvalidArgument);
  CHECK(declared({4, {{DType::kI32, Shape{}}}}).code() == Code::kInvalidArgument);
  CHECK(declared({4, {{DType::kI64, Shape{1}}}}).code() == Code::kInvalidArgument);
  Run run(shared);
  CHECK(run.resources.enqueue("q", {Tensor::scalar(1.0f)}).code() == Code::kInvalidArgument);
  CHECK(run.resources.enqueue("q", {Tensor::scalar(int64_t{1}), Tensor::scalar(int64_t{2})}).code() ==
        Code::kInvalidArgument);
  CHECK(run.resources.enqueue("none", {Tensor::scalar(int64_t{1})}).code() == Code::kNotFound);
}

}  // namespace
}  // namespace percale
