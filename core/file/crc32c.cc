#include "core/file/crc32c.h"

#include "core/system/crc32c_tables.h"
#include "core/system/processor.h"

namespace percale {
namespace {

constexpr const auto& kByte = os::kCrc32cByte;

// Computes the CRC without the inversions at both ends.
uint32_t raw_portable(const unsigned char* data, size_t bytes, uint32_t crc) {
  for (; bytes >= 8; data += 8, bytes -= 8) {
    const uint32_t low =
        crc ^ (uint32_t{data[0]} | uint32_t{data[1]} << 8 | uint32_t{data[2]} << 16 | uint32_t{data[3]} << 24);
    crc = kByte[7][low & 255] ^ kByte[6][(low >> 8) & 255] ^ kByte[5][(low >> 16) & 255] ^ kByte[4][low >> 24] ^
          kByte[3][data[4]] ^ kByte[2][data[5]] ^ kByte[1][data[6]] ^ kByte[0][data[7]];
  }
  for (; bytes > 0; ++data, --bytes) crc = (crc >> 8) ^ kByte[0][(crc ^ *data) & 255];
  return crc;
}

}  // namespace

uint32_t crc32c(const void* data, size_t bytes, uint32_t crc) {
  // Once, because asking takes long on virtual machines.
  static const os::Crc32c instructions = os::crc32c_instructions();
  const auto raw = instructions != nullptr ? instructions : raw_portable;
  return ~raw(static_cast<const unsigned char*>(data), bytes, ~crc);
}

uint32_t crc32c_portable(const void* data, size_t bytes, uint32_t crc) {
  return ~raw_portable(static_cast<const unsigned char*>(data), bytes, ~crc);
}

}  // namespace percale
