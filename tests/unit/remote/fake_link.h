// Links within one process, for tests without a network.
#ifndef PERCALE_TESTS_UNIT_REMOTE_FAKE_LINK_H_
#define PERCALE_TESTS_UNIT_REMOTE_FAKE_LINK_H_

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "devices/remote/net/stream.h"

namespace percale::remote {

using ByteVector = std::vector<std::byte>;

class OwnedBytes final : public Message::Bytes {
 public:
  explicit OwnedBytes(ByteVector bytes) : bytes_(std::move(bytes)) {}
  size_t left() const override { return bytes_.size() - at_; }
  void read(void* to, size_t bytes) override {
    if (bytes > 0) std::memcpy(to, bytes_.data() + at_, bytes);
    at_ += bytes;
  }

 private:
  const ByteVector bytes_;
  size_t at_ = 0;
};

inline ByteVector join(std::span<const std::byte> head, std::span<const std::byte> body) {
  ByteVector out(head.size() + body.size());
  std::copy(head.begin(), head.end(), out.begin());
  std::copy(body.begin(), body.end(), out.begin() + static_cast<std::ptrdiff_t>(head.size()));
  return out;
}

inline Message message_of(std::span<const std::byte> head, std::span<const std::byte> body = {}) {
  return Message(std::make_unique<OwnedBytes>(join(head, body)));
}

// A stream that writes down how it is used. The test plays the other side.
class RecordingStream final : public Stream {
 public:
  void send(std::span<const std::byte> head, std::span<const std::byte> body) override {
    const std::lock_guard lock(mutex_);
    sent_.push_back(join(head, body));
    changed_.notify_all();
  }
  void read_next() override { count(reads_); }
  void close() override { count(closes_); }
  void abort() override { count(aborts_); }
  const std::string& peer() const override { return peer_; }

  int reads() const { return get(reads_); }
  int closes() const { return get(closes_); }
  int aborts() const { return get(aborts_); }
  size_t sent() const {
    const std::lock_guard lock(mutex_);
    return sent_.size();
  }
  // Waits for the message of that number, and returns a copy.
  ByteVector message(size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sent_.size() > number; });
    return sent_[number];
  }

 private:
  void count(int& counter) {
    const std::lock_guard lock(mutex_);
    ++counter;
  }
  int get(const int& counter) const {
    const std::lock_guard lock(mutex_);
    return counter;
  }

  const std::string peer_ = "ipv4:127.0.0.1:4711";
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ByteVector> sent_;
  int reads_ = 0, closes_ = 0, aborts_ = 0;
};

// Delivers the messages of its links from one thread.
class FakeNetwork {
 public:
  FakeNetwork()
      : thread_([this] {
          for (std::unique_lock lock(mutex_);;) {
            changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
            if (tasks_.empty()) return;
            const std::function<void()> task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task();
            lock.lock();
          }
        }) {}
  // Delivers the rest.
  ~FakeNetwork() { stop(); }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  friend class FakeEnd;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ends_ = false;
  std::thread thread_;  // declared last, so that it finds the rest
};

// One of the two ends of a link.
class FakeEnd final : public Stream, public std::enable_shared_from_this<FakeEnd> {
 public:
  explicit FakeEnd(FakeNetwork& network) : network_(network) {}
  // Makes both ends, and asks for their first messages.
  static void connect(const std::shared_ptr<FakeEnd>& a, std::shared_ptr<StreamEvents> events_a,
                      const std::shared_ptr<FakeEnd>& b, std::shared_ptr<StreamEvents> events_b) {
    a->other_ = b, b->other_ = a;
    a->events_ = std::move(events_a), b->events_ = std::move(events_b);
    a->read_next(), b->read_next();
  }

  void send(std::span<const std::byte> head, std::span<const std::byte> body) override {
    ByteVector bytes = join(head, body);
    const std::lock_guard lock(network_.mutex_);
    const auto other = other_.lock();
    if (closing_ || closed_ || other == nullptr) return;
    other->inbox_.push_back(std::move(bytes));
    post([](FakeEnd& end) { end.events_->on_sent(); });
    other->deliver();
  }
  void read_next() override {
    const std::lock_guard lock(network_.mutex_);
    wants_ = true;
    deliver();
  }
  void close() override {
    const std::lock_guard lock(network_.mutex_);
    closing_ = true;
    if (const auto other = other_.lock()) other->deliver();
  }
  void abort() override {
    const std::lock_guard lock(network_.mutex_);
    end("this process has ended it");
    if (const auto other = other_.lock()) other->end("the connection is lost");
  }
  const std::string& peer() const override { return peer_; }
  // Messages that have arrived, and that this end has not asked for.
  size_t unread() const {
    const std::lock_guard lock(network_.mutex_);
    return inbox_.size();
  }

 private:
  // The mutex is held in all of these.
  template <class F>
  void post(F f) {
    network_.tasks_.emplace_back([self = shared_from_this(), f = std::move(f)]() mutable { f(*self); });
    network_.changed_.notify_all();
  }
  void deliver() {
    if (!wants_ || closed_) return;
    const auto other = other_.lock();
    if (!inbox_.empty()) {
      wants_ = false;
      post([bytes = std::move(inbox_.front())](FakeEnd& end) { end.events_->on_message(message_of(bytes)); });
      inbox_.pop_front();
    } else if (other != nullptr && other->closing_) {
      end("");
      other->end("");
    }
  }
  void end(const std::string& reason) {
    if (std::exchange(closed_, true)) return;
    inbox_.clear();
    post([reason](FakeEnd& end) {
      const auto events = std::exchange(end.events_, nullptr);
      events->on_closed(reason);
    });
  }

  FakeNetwork& network_;
  const std::string peer_;
  std::weak_ptr<FakeEnd> other_;
  std::shared_ptr<StreamEvents> events_;
  std::deque<ByteVector> inbox_;
  bool wants_ = false, closing_ = false, closed_ = false;
};

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_FAKE_LINK_H_
