#include "devices/remote/group/wire.h"

#include <vector>

namespace percale::remote {

wire::BodyUnion read_control(Message message) {
  std::vector<uint8_t> bytes(message.left());
  message.read(bytes.data(), bytes.size());
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!wire::VerifyControlBuffer(verifier)) return {};
  wire::ControlT control;
  wire::GetControl(bytes.data())->UnPackTo(&control);
  return std::move(control.body);
}

std::optional<wire::Chunk> read_chunk(Message& message) {
  wire::Chunk head;
  if (message.left() < sizeof head) return std::nullopt;
  message.read(&head, sizeof head);
  return head;
}

}  // namespace percale::remote
