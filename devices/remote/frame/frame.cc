#include "devices/remote/frame/frame.h"

#include <cstring>

namespace percale::remote {

Frame::Frame(Message message, Checksum checksum, uint32_t number) : message_(std::move(message)), checksum_(checksum) {
  if (message_.left() < sizeof head_) return;
  message_.read(&head_, sizeof head_);
  const size_t bytes = head_.table_bytes();
  if (bytes > message_.left() || bytes > kMaxTableBytes || message_.left() - bytes > kMaxRawBytes) return;
  table_.resize(bytes);
  message_.read(table_.data(), bytes);
  flatbuffers::Verifier verifier(table_.data(), bytes);
  if (checksum_(table_.data(), bytes, number) != head_.table_crc() || !wire::VerifyEnvelopeBuffer(verifier)) return;
  envelope_ = wire::GetEnvelope(table_.data());
}

const char* Frame::name() const {
  return wire::EnumNameMessage(is_good() ? envelope_->message_type() : wire::Message_NONE);
}

bool Frame::read_raw(void* to) {
  const size_t bytes = raw_bytes();
  message_.read(to, bytes);
  is_raw_changed_ = checksum_(to, bytes, 0) != head_.raw_crc();
  return !is_raw_changed_;
}

std::vector<std::byte> pack_frame(wire::EnvelopeT envelope, std::span<const std::byte> raw, Checksum checksum) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(wire::Envelope::Pack(builder, &envelope));
  const size_t bytes = builder.GetSize();
  const wire::Frame head(static_cast<uint32_t>(bytes), 0, checksum(raw.data(), raw.size(), 0));
  std::vector<std::byte> out(sizeof head + bytes);
  std::memcpy(out.data(), &head, sizeof head);
  std::memcpy(out.data() + sizeof head, builder.GetBufferPointer(), bytes);
  return out;
}

void seal_frame(std::vector<std::byte>& packed, uint32_t number, Checksum checksum) {
  wire::Frame head;
  std::memcpy(&head, packed.data(), sizeof head);
  const uint32_t crc = checksum(packed.data() + sizeof head, packed.size() - sizeof head, number);
  head = {head.table_bytes(), crc, head.raw_crc()};
  std::memcpy(packed.data(), &head, sizeof head);
}

}  // namespace percale::remote
