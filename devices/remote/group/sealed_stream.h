// A control stream whose messages are numbered and have a checksum, in four bytes behind each.
#ifndef PERCALE_DEVICES_REMOTE_GROUP_SEALED_STREAM_H_
#define PERCALE_DEVICES_REMOTE_GROUP_SEALED_STREAM_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "devices/remote/net/protocol.h"
#include "devices/remote/net/stream.h"

namespace percale::remote {

// Lies between a stream and the events of its user. A message that has changed on its way, or that
// is not the next one, ends the stream, apart from those that tell versions apart: another version
// may have no checksum.
class SealedStream final : public Stream, public StreamEvents {
 public:
  explicit SealedStream(Checksum checksum) : checksum_(checksum) {}
  // `open()` returns the stream, whose events are these. Called once.
  template <class F>
  void attach(std::shared_ptr<StreamEvents> events, F&& open) {
    const std::lock_guard lock(mutex_);
    events_ = std::move(events);
    stream_ = std::forward<F>(open)();
  }

  void send(std::span<const std::byte> head, std::span<const std::byte> body) override;
  void read_next() override { stream()->read_next(); }
  void close() override { stream()->close(); }
  void abort() override { stream()->abort(); }
  const std::string& peer() const override { return stream()->peer(); }

  void on_message(Message message) override;
  void on_sent() override { events()->on_sent(); }
  void on_closed(const std::string& reason) override { events()->on_closed(reason); }

 private:
  std::shared_ptr<Stream> stream() const;
  std::shared_ptr<StreamEvents> events() const;

  const Checksum checksum_;
  uint32_t taken_ = 0;  // messages; only for events
  std::mutex sending_;  // held while a message is sent, so that numbers go out in order
  uint32_t sent_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<Stream> stream_;
  std::shared_ptr<StreamEvents> events_;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_SEALED_STREAM_H_
