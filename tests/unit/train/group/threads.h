// A group whose ranks are threads of one process, which exchange bytes through queues.
#ifndef PERCALE_TESTS_UNIT_TRAIN_GROUP_THREADS_H_
#define PERCALE_TESTS_UNIT_TRAIN_GROUP_THREADS_H_

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/train/group/collective.h"

namespace percale {

// Where the messages of all ranks wait.
struct Mailboxes {
  struct Message {
    uint64_t tag = 0;
    std::string bytes;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<int32_t, int32_t>, std::deque<Message>> boxes;  // by (from, to)
  int64_t bytes_sent = 0;
};

class ThreadCollective final : public Collective {
 public:
  ThreadCollective(std::shared_ptr<Mailboxes> mail, int32_t rank, int32_t size)
      : mail_(std::move(mail)), rank_(rank), size_(size) {}
  int32_t rank() const override { return rank_; }
  int32_t size() const override { return size_; }
  uint64_t generation() const override { return 1; }
  bool reports_losses() const override { return false; }
  Result<std::vector<int32_t>> lost() override { return std::vector<int32_t>{}; }

  Status exchange(uint64_t tag, std::span<const ByteSpan> sends, std::span<const ByteSpan> recvs,
                  int64_t timeout_ns) override {
    std::unique_lock lock(mail_->mutex);
    for (int32_t to = 0; to < size_; ++to) {
      const ByteSpan& send = sends[static_cast<size_t>(to)];
      if (to == rank_) continue;
      mail_->bytes_sent += static_cast<int64_t>(send.size);
      mail_->boxes[{rank_, to}].push_back({tag, std::string(static_cast<const char*>(send.data), send.size)});
    }
    mail_->changed.notify_all();
    for (int32_t from = 0; from < size_; ++from) {
      if (from == rank_) continue;
      auto& box = mail_->boxes[{from, rank_}];
      const auto arrived = [&] { return !box.empty(); };
      if (timeout_ns < 0) {
        mail_->changed.wait(lock, arrived);
      } else if (!mail_->changed.wait_for(lock, std::chrono::nanoseconds(timeout_ns), arrived)) {
        return Status(Code::kUnavailable, str_cat("rank ", from, " has sent nothing in time"));
      }
      const Mailboxes::Message message = std::move(box.front());
      box.pop_front();
      const ByteSpan& recv = recvs[static_cast<size_t>(from)];
      if (message.tag != tag || message.bytes.size() != recv.size) {
        return internal_error("rank ", from, " sent ", message.bytes.size(), " bytes with tag ", message.tag,
                              ", wanted ", recv.size, " with tag ", tag);
      }
      if (recv.size > 0) std::memcpy(recv.data, message.bytes.data(), recv.size);
    }
    return {};
  }

 private:
  const std::shared_ptr<Mailboxes> mail_;
  const int32_t rank_, size_;
};

// Calls `work` for each rank on a thread of its own.
inline std::shared_ptr<Mailboxes> run_ranks(
    int32_t size, const std::function<void(const std::shared_ptr<Collective>& collective)>& work) {
  auto mail = std::make_shared<Mailboxes>();
  std::vector<std::thread> threads;
  for (int32_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] { work(std::make_shared<ThreadCollective>(mail, rank, size)); });
  }
  for (std::thread& thread : threads) thread.join();
  return mail;
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_TRAIN_GROUP_THREADS_H_
