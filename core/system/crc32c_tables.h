// The tables of CRC-32C.
#ifndef PERCALE_CORE_SYSTEM_CRC32C_TABLES_H_
#define PERCALE_CORE_SYSTEM_CRC32C_TABLES_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace percale::os {

using Crc32cTable = std::array<uint32_t, 256>;

// kCrc32cByte[k][b] is the contribution of byte b followed by k zero bytes.
inline constexpr std::array<Crc32cTable, 8> kCrc32cByte = [] {
  constexpr uint32_t kPolynomial = 0x82F63B78;  // bit-reflected
  std::array<Crc32cTable, 8> out{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    out[0][b] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t b = 0; b < 256; ++b) out[k][b] = (out[k - 1][b] >> 8) ^ out[0][out[k - 1][b] & 255];
  }
  return out;
}();

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_CRC32C_TABLES_H_
