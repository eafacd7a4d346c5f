// The messages of schema/device.fbs.
#ifndef PERCALE_DEVICES_REMOTE_FRAME_FRAME_H_
#define PERCALE_DEVICES_REMOTE_FRAME_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "devices/remote/net/protocol.h"
#include "devices/remote/net/stream.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "devices/remote/schema/device_generated.h"
#pragma GCC diagnostic pop

namespace percale::remote {

// The purposes of streams.
inline constexpr const char* kDevicePurpose = "/percale.Remote/Device";
inline constexpr const char* kQueuePurpose = "/percale.Remote/Queue";

// Limits of one message.
inline constexpr size_t kMaxRawBytes = size_t{1} << 20;
inline constexpr size_t kMaxTableBytes = size_t{1} << 19;
inline constexpr size_t kMaxOperands = size_t{1} << 15;  // of Execute
// Longer texts of errors are cut.
inline constexpr size_t kMaxTextBytes = size_t{1} << 14;

// A message that has arrived. Its table is read in place: strings of a table may share their bytes,
// so that a small message of a hostile peer could unpack to gigabytes.
class Frame {
 public:
  // Checks the table and its checksum. `number`: of the message on its stream, from 0.
  Frame(Message message, Checksum checksum, uint32_t number);

  // False: these bytes are no message, have changed on their way, or are the message of another
  // number.
  bool is_good() const { return envelope_ != nullptr; }
  // True if that, or its raw bytes, say that the stream is harmed. See kHarmed.
  bool is_harmed() const { return !is_good() || is_raw_changed_; }
  // The table, such as wire::Write; null if the message is another one.
  template <class T>
  const T* as() const {
    return is_good() ? envelope_->message_as<T>() : nullptr;
  }
  // "Write"; "NONE" if it is not good.
  const char* name() const;
  size_t raw_bytes() const { return message_.left(); }
  // Copies the raw bytes, once. False: they have changed on their way.
  bool read_raw(void* to);

 private:
  Message message_;
  Checksum checksum_;
  wire::Frame head_;
  bool is_raw_changed_ = false;
  std::vector<uint8_t> table_;
  const wire::Envelope* envelope_ = nullptr;  // within table_
};

// Why a stream ends on which a harmed message has come.
inline constexpr const char* kHarmed = "a message has changed on its way, or one before it has not arrived";

// The bytes of a message up to the raw ones. T is such as wire::WriteT. seal_frame() must follow.
std::vector<std::byte> pack_frame(wire::EnvelopeT envelope, std::span<const std::byte> raw, Checksum checksum);
// Sets the checksum of the table for the message of that number on its stream.
void seal_frame(std::vector<std::byte>& packed, uint32_t number, Checksum checksum);
template <class T>
std::vector<std::byte> pack_frame(T body, std::span<const std::byte> raw, Checksum checksum) {
  wire::EnvelopeT envelope;
  envelope.message.Set(std::move(body));
  return pack_frame(std::move(envelope), raw, checksum);
}

// The text of a message's string; "" for null.
inline std::string text_of(const flatbuffers::String* text) { return text == nullptr ? std::string() : text->str(); }
// At most kMaxTextBytes of a text.
inline std::string cut(std::string text) {
  if (text.size() > kMaxTextBytes) text.resize(kMaxTextBytes);
  return text;
}

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_FRAME_FRAME_H_
