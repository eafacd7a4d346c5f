#include "devices/remote/group/wire.h"

#include <vector>

namespace percale::remote {
namespace {

// False: the strings of the message share their bytes, so that it would unpack to more than was
// sent, up to gigabytes.
bool is_plain(const wire::Control& control, size_t bytes) {
  const wire::Welcome* const welcome = control.body_as_Welcome();
  if (welcome == nullptr || welcome->addresses() == nullptr) return true;
  size_t sum = 0;
  for (const flatbuffers::String* const address : *welcome->addresses()) sum += address->size();
  return sum <= bytes;
}

// The bytes of a head in front of its own checksum.
constexpr size_t kCheckedBytes = sizeof(wire::Chunk) - 2 * sizeof(uint32_t);

}  // namespace

wire::BodyUnion read_control(Message message) {
  std::vector<uint8_t> bytes(message.left());
  message.read(bytes.data(), bytes.size());
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!wire::VerifyControlBuffer(verifier)) return {};
  const wire::Control& found = *wire::GetControl(bytes.data());
  if (!is_plain(found, bytes.size())) return {};
  wire::ControlT control;
  found.UnPackTo(&control);
  return std::move(control.body);
}

wire::Chunk chunk_head(uint64_t generation, uint64_t tag, uint64_t offset, uint64_t total, uint32_t crc,
                       uint32_t number, Checksum checksum) {
  const wire::Chunk open(generation, tag, offset, total, crc, number, 0, 0);
  return {generation, tag, offset, total, crc, number, checksum(&open, kCheckedBytes, 0), 0};
}

std::optional<wire::Chunk> read_chunk(Message& message, Checksum checksum) {
  wire::Chunk head;
  if (message.left() < sizeof head) return std::nullopt;
  message.read(&head, sizeof head);
  if (head.head_crc() != checksum(&head, kCheckedBytes, 0)) return std::nullopt;
  return head;
}

}  // namespace percale::remote
