// The version of all messages, their checksum and their error codes.
#ifndef PERCALE_DEVICES_REMOTE_NET_PROTOCOL_H_
#define PERCALE_DEVICES_REMOTE_NET_PROTOCOL_H_

#include <percale_plugin.h>

#include <cstddef>
#include <cstdint>

namespace percale::remote {

// Grows whenever the messages change.
inline constexpr uint32_t kProtocol = 3;

// percale_host_tensor_api::crc32c.
using Checksum = uint32_t (*)(const void* data, size_t bytes, uint32_t crc);

// The code of an error that a peer has sent. A number that is no error becomes INTERNAL.
inline percale_code error_of(uint32_t code) {
  return code > PERCALE_OK && code <= PERCALE_UNAUTHENTICATED ? static_cast<percale_code>(code) : PERCALE_INTERNAL;
}

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_NET_PROTOCOL_H_
