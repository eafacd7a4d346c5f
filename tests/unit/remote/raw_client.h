// A client of a served device that sends any bytes, for tests and fuzz targets.
#ifndef PERCALE_TESTS_UNIT_REMOTE_RAW_CLIENT_H_
#define PERCALE_TESTS_UNIT_REMOTE_RAW_CLIENT_H_

#include <memory>
#include <string>
#include <utility>

#include "devices/remote/frame/outlet.h"
#include "tests/unit/remote/fake_host.h"
#include "tests/unit/remote/fake_link.h"

namespace percale::remote {

inline Checksum checksum() { return fake_host().tensor->crc32c; }

// The bytes of a whole message.
template <class T>
ByteVector frame_bytes(T body, std::span<const std::byte> raw = {}, uint32_t number = 0) {
  std::vector<std::byte> head = pack_frame(std::move(body), raw, checksum());
  seal_frame(head, number, checksum());
  return join(head, raw);
}

inline Frame frame_of(const ByteVector& bytes, uint32_t number = 0) {
  return Frame(message_of(bytes), checksum(), number);
}

// A stream that keeps its messages, and sends them at once.
class PromptStream final : public Stream {
 public:
  explicit PromptStream(Outlet& outlet) : outlet_(outlet) {}
  void send(std::span<const std::byte> head, std::span<const std::byte> body) override {
    last_ = join(head, body);
    ++sent_;
    outlet_.on_sent();
  }
  void read_next() override {}
  void close() override { is_open_ = false; }
  void abort() override { is_open_ = false; }
  const std::string& peer() const override { return peer_; }

  // The last message.
  Frame last() const { return frame_of(last_, static_cast<uint32_t>(sent_ - 1)); }
  int sent() const { return sent_; }
  bool is_open() const { return is_open_; }

 private:
  Outlet& outlet_;
  const std::string peer_ = "unix:";
  ByteVector last_;
  int sent_ = 0;
  bool is_open_ = true;
};

// One stream of the client: a handler of the server without its thread.
template <class H>
class RawStream {
 public:
  template <class Clients>
  explicit RawStream(const Clients& clients) : handler_(std::make_unique<H>(clients, outlet_)) {
    outlet_.attach([&] { return stream_; });
  }
  void send(const ByteVector& bytes) {
    if (!stream_->is_open()) return;
    ++sent_;
    handler_->on_message(message_of(bytes));
  }
  template <class T>
  void tell(T body, std::span<const std::byte> raw = {}) {
    send(frame_bytes(std::move(body), raw, sent_));
  }
  // The stream has broken.
  void end() { handler_.reset(); }
  const PromptStream& stream() const { return *stream_; }
  bool is_open() const { return stream_->is_open(); }
  // The number of the next message.
  uint32_t sent() const { return sent_; }

 private:
  Outlet outlet_{checksum()};
  const std::shared_ptr<PromptStream> stream_ = std::make_shared<PromptStream>(outlet_);
  std::unique_ptr<H> handler_;
  uint32_t sent_ = 0;
};

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_RAW_CLIENT_H_
