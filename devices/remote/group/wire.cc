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

std::optional<wire::Chunk> read_chunk(Message& message) {
  wire::Chunk head;
  if (message.left() < sizeof head) return std::nullopt;
  message.read(&head, sizeof head);
  return head;
}

}  // namespace percale::remote
