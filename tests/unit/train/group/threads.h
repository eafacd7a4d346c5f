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
#include <set>
#include <span>
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
  std::set<int32_t> lost;
  int64_t bytes_sent = 0;
};

// The point at which a rank is lost: within exchange number `exchange` of its own, when it has sent
// to `sent` of the other ranks, or when it has received.
struct LossPoint {
  int32_t rank = -1;  // -1: none
  int64_t exchange = 0;
  int32_t sent = 0;
};

class ThreadCollective final : public Collective {
 public:
  ThreadCollective(std::shared_ptr<Mailboxes> mail, int32_t rank, int32_t size, bool reports, const LossPoint& loss)
      : mail_(std::move(mail)), rank_(rank), size_(size), reports_(reports), loss_(loss) {}
  int32_t rank() const override { return rank_; }
  int32_t size() const override { return size_; }
  uint64_t generation() const override { return 1; }
  bool reports_losses() const override { return reports_; }
  Result<std::vector<int32_t>> lost() override {
    const std::lock_guard lock(mail_->mutex);
    return std::vector<int32_t>(mail_->lost.begin(), mail_->lost.end());
  }
  const std::shared_ptr<Mailboxes>& mail() const { return mail_; }
  // The exchanges that this rank began.
  int64_t exchanges() const { return exchanges_; }

  Status exchange(uint64_t tag, std::span<const ByteSpan> sends, std::span<const ByteSpan> recvs,
                  int64_t timeout_ns) override {
    std::unique_lock lock(mail_->mutex);
    const bool last = loss_.rank == rank_ && loss_.exchange == exchanges_;
    ++exchanges_;
    int32_t sent = 0;
    for (int32_t to = 0; to < size_; ++to) {
      if (to == rank_ || mail_->lost.contains(to)) continue;
      if (last && sent++ == loss_.sent) return die();
      const ByteSpan& send = sends[static_cast<size_t>(to)];
      mail_->bytes_sent += static_cast<int64_t>(send.size);
      mail_->boxes[{rank_, to}].push_back({tag, std::string(static_cast<const char*>(send.data), send.size)});
    }
    mail_->changed.notify_all();
    for (int32_t from = 0; from < size_; ++from) {
      if (from == rank_) continue;
      const ByteSpan& recv = recvs[static_cast<size_t>(from)];
      Status status = receive(lock, tag, from, recv, timeout_ns);
      if (!status.ok()) return status;
    }
    return last ? die() : Status();
  }

 private:
  Status die() {
    mail_->lost.insert(rank_);
    mail_->changed.notify_all();
    return Status(Code::kAborted, "this rank is lost");
  }

  // Messages of exchanges that have failed are dropped; one of a later exchange says that this one
  // has failed.
  Status receive(std::unique_lock<std::mutex>& lock, uint64_t tag, int32_t from, const ByteSpan& recv,
                 int64_t timeout_ns) {
    auto& box = mail_->boxes[{from, rank_}];
    while (true) {
      const auto arrived = [&] { return !box.empty() || mail_->lost.contains(from); };
      if (timeout_ns < 0) {
        mail_->changed.wait(lock, arrived);
      } else if (!mail_->changed.wait_for(lock, std::chrono::nanoseconds(timeout_ns), arrived)) {
        return Status(Code::kUnavailable, str_cat("rank ", from, " has sent nothing in time"));
      }
      if (box.empty()) {
        return recv.size == 0 ? Status() : Status(Code::kUnavailable, str_cat("rank ", from, " is lost"));
      }
      if (box.front().tag > tag) return Status(Code::kUnavailable, str_cat("rank ", from, " has gone on"));
      const Mailboxes::Message message = std::move(box.front());
      box.pop_front();
      if (message.tag < tag) continue;
      if (message.bytes.size() != recv.size) {
        return internal_error("rank ", from, " sent ", message.bytes.size(), " bytes, wanted ", recv.size);
      }
      if (recv.size > 0) std::memcpy(recv.data, message.bytes.data(), recv.size);
      return {};
    }
  }

  const std::shared_ptr<Mailboxes> mail_;
  const int32_t rank_, size_;
  const bool reports_;
  const LossPoint loss_;
  int64_t exchanges_ = 0;
};

// Exchanges that fail on this rank, though all bytes have arrived: `count` of its own from number
// `at` on. No rank is lost.
class Stumbling final : public Collective {
 public:
  Stumbling(std::shared_ptr<ThreadCollective> inner, int64_t at, int64_t count = 1)
      : inner_(std::move(inner)), at_(at), count_(count) {}
  int32_t rank() const override { return inner_->rank(); }
  int32_t size() const override { return inner_->size(); }
  uint64_t generation() const override { return inner_->generation(); }
  bool reports_losses() const override { return true; }
  Result<std::vector<int32_t>> lost() override { return inner_->lost(); }
  Status exchange(uint64_t tag, std::span<const ByteSpan> sends, std::span<const ByteSpan> recvs,
                  int64_t timeout_ns) override {
    const bool stumbles = inner_->exchanges() >= at_ && inner_->exchanges() < at_ + count_;
    PERCALE_RETURN_IF_ERROR(inner_->exchange(tag, sends, recvs, timeout_ns));
    return stumbles ? Status(Code::kUnavailable, "bytes have changed on their way") : Status();
  }

 private:
  const std::shared_ptr<ThreadCollective> inner_;
  const int64_t at_, count_;
};

// Calls `work` for each rank on a thread of its own.
inline std::shared_ptr<Mailboxes> run_ranks(
    int32_t size, const std::function<void(const std::shared_ptr<ThreadCollective>& collective)>& work,
    bool reports = false, const std::vector<LossPoint>& losses = {}) {
  auto mail = std::make_shared<Mailboxes>();
  std::vector<std::thread> threads;
  for (int32_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      LossPoint loss;
      for (const LossPoint& point : losses) {
        if (point.rank == rank) loss = point;
      }
      work(std::make_shared<ThreadCollective>(mail, rank, size, reports, loss));
      const std::lock_guard lock(mail->mutex);
      mail->lost.insert(rank);  // its connections are closed
      mail->changed.notify_all();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return mail;
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_TRAIN_GROUP_THREADS_H_
