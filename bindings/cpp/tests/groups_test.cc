// Trainers of a group: the ranks are threads of this process, which exchange bytes through queues.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bindings/cpp/tests/good.h"
#include "bindings/cpp/tests/line.h"

using namespace percale;

namespace {

struct Message {
  uint64_t tag = 0;
  std::vector<std::byte> bytes;
};

// The messages that are on their way to one rank.
class Queue {
 public:
  void put(Message message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    changed_.notify_all();
  }
  // No message comes after those that are there.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  bool closed() {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  // Returns false if there is no message within `timeout` nanoseconds.
  bool take(int64_t timeout, Message& out) {
    std::unique_lock lock(mutex_);
    const auto arrived = [this] { return closed_ || !messages_.empty(); };
    if (timeout == PERCALE_FOREVER) {
      changed_.wait(lock, arrived);
    } else if (!changed_.wait_for(lock, std::chrono::nanoseconds(timeout), arrived)) {
      return false;
    }
    if (messages_.empty()) return false;
    out = std::move(messages_.front());
    messages_.pop_front();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> messages_;
  bool closed_ = false;
};

// One of two ranks.
class Pair final : public Collective {
 public:
  Pair(int32_t rank, Queue* queues) : rank_(rank), queues_(queues) {}
  int32_t rank() const override { return rank_; }
  int32_t size() const override { return 2; }
  uint64_t generation() const override { return 1; }
  Status exchange(uint64_t tag, Sends sends, Receives receives, int64_t timeout) override {
    if (fails) return fails();
    const auto other = static_cast<size_t>(1 - rank_);
    if (sends.size() != 2 || receives.size() != 2) return Status(Code::kInternal, "not two ranks");
    queues_[other].put({tag, {sends[other].begin(), sends[other].end()}});
    Message message;
    if (!queues_[rank_].take(timeout, message)) return Status(Code::kUnavailable, "the other rank is gone");
    if (message.tag != tag || message.bytes.size() != receives[other].size()) {
      return Status(Code::kInternal, "the ranks are out of step");
    }
    std::copy(message.bytes.begin(), message.bytes.end(), receives[other].begin());
    return {};
  }

  bool reports_losses() const override { return reports; }
  Result<std::vector<int32_t>> lost() override {
    return queues_[rank_].closed() ? std::vector<int32_t>{1 - rank_} : std::vector<int32_t>{};
  }
  // From now on the other rank is alone.
  void leave() {
    queues_[1 - rank_].close();
    fails = [] { return Status(Code::kAborted, "this rank has left"); };
  }

  bool reports = false;
  std::function<Status()> fails;  // called in place of an exchange

 private:
  const int32_t rank_;
  Queue* const queues_;
};

// A group that no trainer can join.
class OfSize final : public Collective {
 public:
  OfSize(int32_t rank, int32_t size) : rank_(rank), size_(size) {}
  int32_t rank() const override { return rank_; }
  int32_t size() const override { return size_; }
  uint64_t generation() const override { return 1; }
  Status exchange(uint64_t, Sends, Receives, int64_t) override { return Status(Code::kInternal, "an exchange"); }

 private:
  const int32_t rank_, size_;
};

// Calls `work` on a thread per rank.
void as_two_ranks(const std::function<void(const std::shared_ptr<Pair>&)>& work) {
  Queue queues[2];
  std::vector<std::thread> threads;
  for (int32_t rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] { work(std::make_shared<Pair>(rank, queues)); });
  }
  for (std::thread& thread : threads) thread.join();
}

// Returns the status of a fit in which the collective of each rank does this.
Status fit_that_fails(const std::function<Status()>& fails) {
  Status out;
  as_two_ranks([&](const std::shared_ptr<Pair>& pair) {
    const Engine engine = one_thread();
    Trainer trainer = two_shards(engine);
    good(trainer.join(pair));
    pair->fails = fails;
    Status status = trainer.fit(line(engine), 1);
    CHECK_FALSE(status.ok());
    CHECK(trainer.steps() == 0);
    if (pair->rank() == 0) out = std::move(status);
  });
  return out;
}

}  // namespace

TEST_CASE("two ranks compute the bits of one trainer, and save one checkpoint") {
  char pattern[] = "/tmp/percale-cpp-XXXXXX";
  const std::string folder = mkdtemp(pattern);
  std::string digests[2];
  as_two_ranks([&](const std::shared_ptr<Pair>& pair) {
    const Engine engine = one_thread();
    Trainer trainer = two_shards(engine);
    good(trainer.join(pair));
    good(trainer.fit(line(engine), 3));
    good(trainer.save(folder));
    digests[pair->rank()] = digest_of(trainer);
    CHECK(pair.use_count() == 2);
    trainer.reset();
    CHECK(pair.use_count() == 1);
  });
  const Engine engine = one_thread();
  Trainer alone = two_shards(engine), resumed = two_shards(engine);
  good(alone.fit(line(engine), 3));
  CHECK(digests[0] == digest_of(alone));
  CHECK(digests[1] == digest_of(alone));
  good(resumed.restore(folder));
  CHECK(digest_of(resumed) == digest_of(alone));
  std::filesystem::remove_all(folder);
}

TEST_CASE("the error of an exchange is the error of fit and keeps its message") {
  const Status status = fit_that_fails([] { return Status(Code::kUnavailable, "the cable is cut"); });
  CHECK(status.code() == Code::kUnavailable);
  CHECK_MESSAGE(status.message().find("the cable is cut") != std::string::npos, status.message());
}

#if PERCALE_CPP_EXCEPTIONS
TEST_CASE("an exception of an exchange becomes the error of fit with its message") {
  const auto code_of = [](const std::function<Status()>& fails) {
    const Status status = fit_that_fails(fails);
    CHECK_MESSAGE(status.message().find("the cable is cut") != std::string::npos, status.message());
    return status.code();
  };
  CHECK(code_of([]() -> Status { throw Error(Code::kDataLoss, "the cable is cut"); }) == Code::kDataLoss);
  CHECK(code_of([]() -> Status { throw std::runtime_error("the cable is cut"); }) == Code::kAborted);
  CHECK(code_of([]() -> Status {
          throw std::system_error(std::make_error_code(std::errc::broken_pipe), "the cable is cut");
        }) == Code::kUnavailable);
}
#endif

TEST_CASE("training goes on without a rank that is lost, and gives the same bits") {
  std::string digest;
  as_two_ranks([&](const std::shared_ptr<Pair>& pair) {
    const Engine engine = one_thread();
    Trainer trainer = two_shards(engine);
    pair->reports = true;
    good(trainer.join(pair));
    const Status status = trainer.fit(line(engine), 3, [&](const Progress& p) {
      if (pair->rank() == 1 && p.step == 2) pair->leave();
      return true;
    });
    if (pair->rank() == 1) {
      CHECK(status.code() == Code::kAborted);
      CHECK_MESSAGE(status.message().find("this rank has left") != std::string::npos, status.message());
    } else {
      good(status);
      digest = digest_of(trainer);
    }
  });
  const Engine engine = one_thread();
  Trainer alone = two_shards(engine);
  good(alone.fit(line(engine), 3));
  CHECK(digest == digest_of(alone));
}

TEST_CASE("a group of no ranks, a rank outside of the group and no group are refused") {
  const Engine engine = one_thread();
  Trainer trainer = two_shards(engine);
  const auto refuses = [&](const std::shared_ptr<Collective>& collective, const std::string& why) {
    const Status status = trainer.join(collective);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_MESSAGE(status.message().find(why) != std::string::npos, status.message());
    CHECK(collective.use_count() <= 1);
  };
  refuses(std::make_shared<OfSize>(0, 0), "the group has 0 ranks");
  refuses(std::make_shared<OfSize>(2, 2), "the rank is 2");
  refuses(nullptr, "the collective is null");
}
