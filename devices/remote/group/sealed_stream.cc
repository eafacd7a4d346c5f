#include "devices/remote/group/sealed_stream.h"

#include <cstring>
#include <vector>

#include "devices/remote/group/wire.h"

namespace percale::remote {
namespace {

using Seal = uint32_t;

class OpenedBytes final : public Message::Bytes {
 public:
  explicit OpenedBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  size_t left() const override { return bytes_.size() - at_; }
  void read(void* to, size_t bytes) override {
    if (bytes > 0) std::memcpy(to, bytes_.data() + at_, bytes);
    at_ += bytes;
  }

 private:
  const std::vector<std::byte> bytes_;
  size_t at_ = 0;
};

Message message_of(std::vector<std::byte> bytes) { return Message(std::make_unique<OpenedBytes>(std::move(bytes))); }

// True for a message of another version, or a refusal, which may be one.
bool may_lack_seal(const std::vector<std::byte>& bytes) {
  const wire::BodyUnion body = read_control(message_of(bytes));
  if (const wire::HelloT* const hello = body.AsHello()) return hello->protocol != kProtocol;
  return body.AsRefusal() != nullptr;
}

}  // namespace

std::shared_ptr<Stream> SealedStream::stream() const {
  const std::lock_guard lock(mutex_);
  return stream_;
}

std::shared_ptr<StreamEvents> SealedStream::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

void SealedStream::send(std::span<const std::byte> head, std::span<const std::byte> body) {
  const std::lock_guard in_order(sending_);
  const Seal seal = checksum_(body.data(), body.size(), checksum_(head.data(), head.size(), sent_));
  std::vector<std::byte> all(head.size() + body.size());
  if (!head.empty()) std::memcpy(all.data(), head.data(), head.size());
  if (!body.empty()) std::memcpy(all.data() + head.size(), body.data(), body.size());
  stream()->send(all, std::as_bytes(std::span(&seal, 1)));
  ++sent_;
}

void SealedStream::on_message(Message message) {
  std::vector<std::byte> bytes(message.left());
  message.read(bytes.data(), bytes.size());
  const uint32_t number = taken_++;
  if (bytes.size() >= sizeof(Seal)) {
    const size_t size = bytes.size() - sizeof(Seal);
    Seal seal;
    std::memcpy(&seal, bytes.data() + size, sizeof seal);
    if (seal == checksum_(bytes.data(), size, number)) {
      bytes.resize(size);
      return events()->on_message(message_of(std::move(bytes)));
    }
  }
  if (may_lack_seal(bytes)) return events()->on_message(message_of(std::move(bytes)));
  abort();
}

}  // namespace percale::remote
