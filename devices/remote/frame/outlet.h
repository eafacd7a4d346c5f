// Both directions of a stream: numbers its messages, of which only a few wait to be sent.
#ifndef PERCALE_DEVICES_REMOTE_FRAME_OUTLET_H_
#define PERCALE_DEVICES_REMOTE_FRAME_OUTLET_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "devices/remote/bulk/shared_stream.h"
#include "devices/remote/frame/frame.h"

namespace percale::remote {

// Messages of a stream that wait to be sent. 6 MiB keep a network of 10 GB/s busy for 0.6 ms.
inline constexpr int kMaxUnsent = 6;

// The raw bytes of so many messages may lie in shared memory.
inline Sharing sharing_of(Checksum checksum) { return {checksum, kMaxUnsent * kMaxRawBytes}; }

// Thread-safe.
class Outlet {
 public:
  explicit Outlet(Checksum checksum) : checksum_(checksum) {}

  // `open()` returns the stream. Events of it that come at once wait in stream().
  template <class F>
  void attach(F&& open) {
    const std::lock_guard lock(mutex_);
    stream_ = std::forward<F>(open)();
  }
  // Null before attach().
  std::shared_ptr<Stream> stream() const {
    const std::lock_guard lock(mutex_);
    return stream_;
  }
  Checksum checksum() const { return checksum_; }

  // Never waits. Does nothing if the stream has ended.
  template <class T>
  void send(T body, std::span<const std::byte> raw = {}) {
    std::vector<std::byte> head = pack_frame(std::move(body), raw, checksum_);
    const std::lock_guard in_order(sending_);
    seal_frame(head, number_, checksum_);
    std::shared_ptr<Stream> stream;
    {
      const std::lock_guard lock(mutex_);
      if (is_closed_) return;
      stream = stream_;
      ++unsent_;
    }
    try {
      stream->send(head, raw);
      ++number_;
    } catch (...) {
      on_sent();
      throw;
    }
  }
  // Sends a heartbeat, unless messages that wait say the same.
  void beat() {
    {
      const std::lock_guard lock(mutex_);
      if (unsent_ > 0) return;
    }
    send(wire::BeatT());
  }
  // A message that has come on the stream. One caller at a time.
  Frame take(Message message) { return Frame(std::move(message), checksum_, taken_++); }
  // Waits until few messages are unsent. False: the stream has ended. Must not be called by threads
  // of the transport.
  bool wait_for_room() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_closed_ || unsent_ < kMaxUnsent; });
    return !is_closed_;
  }
  // Says why this side ends the stream, and ends it.
  void refuse(percale_code code, std::string reason) {
    wire::RefusalT refusal;
    refusal.code = static_cast<uint32_t>(code);
    refusal.message = cut(std::move(reason));
    send(std::move(refusal));
    stream()->close();
  }

  // Events of the stream.
  void on_sent() {
    const std::lock_guard lock(mutex_);
    --unsent_;
    changed_.notify_all();
  }
  void on_closed() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  const Checksum checksum_;
  uint32_t taken_ = 0;        // messages
  std::mutex sending_;        // held while a message is sent
  uint32_t number_ = 0;       // of the next message
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::shared_ptr<Stream> stream_;
  int unsent_ = 0;
  bool is_closed_ = false;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_FRAME_OUTLET_H_
