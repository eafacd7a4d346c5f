// The messages of schema/messages.fbs as C++ values.
#ifndef PERCALE_DEVICES_REMOTE_GROUP_WIRE_H_
#define PERCALE_DEVICES_REMOTE_GROUP_WIRE_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "devices/remote/net/protocol.h"
#include "devices/remote/net/stream.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "devices/remote/schema/messages_generated.h"
#pragma GCC diagnostic pop

namespace percale::remote {

// The purposes of streams.
inline constexpr const char* kControlPurpose = "/percale.Remote/Control";
inline constexpr const char* kLinkPurpose = "/percale.Remote/Link";

// Sends a control message, such as wire::HelloT.
template <class T>
void tell(Stream& stream, T body) {
  wire::ControlT control;
  control.body.Set(std::move(body));
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(wire::Control::Pack(builder, &control));
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  stream.send({data, builder.GetSize()}, {});
}

// The body of a control message. Type NONE: these bytes are none.
wire::BodyUnion read_control(Message message);
// The head of a chunk with its checksum. `crc`: of the bytes.
wire::Chunk chunk_head(uint64_t generation, uint64_t tag, uint64_t offset, uint64_t total, uint32_t crc,
                       uint32_t number, Checksum checksum);
// The head of a chunk, whose bytes are left in the message; null if there is no whole head, or if
// it has changed on its way.
std::optional<wire::Chunk> read_chunk(Message& message, Checksum checksum);

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_WIRE_H_
