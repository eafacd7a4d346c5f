// The part of a stream that every transport needs: the queue of what is sent, and the order in
// which a call ends.
#ifndef PERCALE_DEVICES_REMOTE_NET_FLOW_H_
#define PERCALE_DEVICES_REMOTE_NET_FLOW_H_

#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "devices/remote/net/stream.h"

namespace percale::remote {

// A derived class connects it to a call of the transport. The transport is called with the mutex
// held, so that nothing begins on a call that has ended. So it must report from threads of its own.
// Events are called without the mutex. An exception that leaves an event ends the stream, not the
// process.
template <class Buffer>
class Flow : public Stream, public std::enable_shared_from_this<Flow<Buffer>> {
 public:
  void send(std::span<const std::byte> head, std::span<const std::byte> body) override {
    Buffer buffer = make_buffer(head, body);
    const std::lock_guard lock(mutex_);
    if (closing_ || said_end_ || ended_) return;
    queue_.push_back(std::move(buffer));
    proceed();
  }

  void read_next() override {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    reading_ = true;
    begin_read(&incoming_);
  }

  void close() override {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    proceed();
  }

  void abort() override { give_up("this process has ended it"); }

 protected:
  explicit Flow(std::shared_ptr<StreamEvents> events = nullptr) : events_(std::move(events)) {}

  virtual Buffer make_buffer(std::span<const std::byte> head, std::span<const std::byte> body) const = 0;
  virtual Message make_message(const Buffer& buffer) const = 0;
  virtual void begin_read(Buffer* to) = 0;
  virtual void begin_write(const Buffer* from) = 0;
  // Nothing more will be sent. Returns true if that ends the call.
  virtual bool end_sending() = 0;
  // No read or write will begin any more.
  virtual void end_call() = 0;
  virtual void cancel() = 0;

  // The call lives: the stream keeps itself until on_done().
  void begin() { self_ = this->shared_from_this(); }

  // The transport's reports.
  void on_read(bool ok) {
    {
      const std::lock_guard lock(mutex_);
      reading_ = false;
      if (!ok) return end_locked();
    }
    guarded([this] { events_->on_message(make_message(incoming_)); });
  }

  void on_write(bool ok) {
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      if (ok) {
        proceed();
      } else {
        // The other side reads no more. There may still be something to read from it.
        said_end_ = true;
        queue_.clear();
        if (!reading_) end_locked();
      }
    }
    guarded([this, ok] {
      if (ok && events_ != nullptr) events_->on_sent();
    });
  }

  void end() {
    const std::lock_guard lock(mutex_);
    end_locked();
  }

  // The last report. The transport's call must not be touched afterwards. `reason()` returns why
  // the call has ended, "" if it has in order.
  template <class F>
  void on_done(F&& reason) {
    const char* own = nullptr;
    {
      const std::lock_guard lock(mutex_);
      ended_ = done_ = true;
      own = why_;
    }
    std::string text;
    try {
      text = own != nullptr ? own : reason();
    } catch (...) {
      text = kNoMemory;
    }
    try {
      if (events_ != nullptr) events_->on_closed(text);
    } catch (...) {  // there is nothing left to end
    }
    events_.reset();
    self_.reset();  // may be the last reference
  }

  std::shared_ptr<StreamEvents> events_;

 private:
  // So short that a string allocates none.
  static constexpr const char* kNoMemory = "out of memory";

  template <class F>
  void guarded(F&& f) {
    try {
      f();
    } catch (const std::bad_alloc&) {
      give_up(kNoMemory);
    } catch (...) {
      give_up("internal error");
    }
  }

  void give_up(const char* why) {
    const std::lock_guard lock(mutex_);
    if (done_) return;
    if (!ended_) why_ = why;
    cancel();
    end_locked();
  }

  void end_locked() {
    if (std::exchange(ended_, true)) return;
    queue_.clear();
    end_call();
  }

  // Starts the next write, or ends this direction, if nothing is under way.
  void proceed() {
    if (ended_ || writing_ || said_end_) return;
    if (!queue_.empty()) {
      outgoing_ = std::move(queue_.front());
      queue_.pop_front();
      writing_ = true;
      begin_write(&outgoing_);
    } else if (closing_) {
      said_end_ = true;
      ended_ = end_sending();
    }
  }

  std::shared_ptr<Flow> self_;
  std::mutex mutex_;  // guards what follows
  std::deque<Buffer> queue_;
  bool reading_ = false, writing_ = false;
  bool closing_ = false, said_end_ = false, ended_ = false, done_ = false;
  const char* why_ = nullptr;  // why this side has ended the call
  Buffer incoming_, outgoing_;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_NET_FLOW_H_
