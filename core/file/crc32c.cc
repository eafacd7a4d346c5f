#include "core/file/crc32c.h"

#include <array>
#include <cstring>

namespace percale {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // bit-reflected

using Table = std::array<uint32_t, 256>;

// kByte[k][b] is the contribution of byte b followed by k zero bytes.
constexpr std::array<Table, 8> kByte = [] {
  std::array<Table, 8> out{};
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

#if defined(__x86_64__) && defined(__GNUC__)

// The CRC instruction has a latency of three cycles and a throughput of one per cycle. Three
// sections of kStretch bytes therefore run in parallel. A table advances the checksum of a section
// over the zero bytes of the next one.
constexpr size_t kStretch = 2048;

constexpr std::array<Table, 4> kShift = [] {
  std::array<uint32_t, 32> image{};  // each single bit after kStretch zero bytes
  for (uint32_t bit = 0; bit < 32; ++bit) {
    uint32_t crc = uint32_t{1} << bit;
    // Eight bytes per step, because compilers limit the number of constexpr evaluation steps.
    for (size_t i = 0; i < kStretch; i += 8) {
      crc = kByte[7][crc & 255] ^ kByte[6][(crc >> 8) & 255] ^ kByte[5][(crc >> 16) & 255] ^ kByte[4][crc >> 24];
    }
    image[bit] = crc;
  }
  std::array<Table, 4> out{};
  for (size_t k = 0; k < 4; ++k) {
    for (uint32_t b = 0; b < 256; ++b) {
      for (uint32_t bit = 0; bit < 8; ++bit) {
        if ((b >> bit & 1) != 0) out[k][b] ^= image[8 * k + bit];
      }
    }
  }
  return out;
}();

uint32_t shift(uint64_t crc) {
  return kShift[0][crc & 255] ^ kShift[1][crc >> 8 & 255] ^ kShift[2][crc >> 16 & 255] ^ kShift[3][crc >> 24 & 255];
}

uint64_t load(const unsigned char* data) {
  uint64_t out;
  std::memcpy(&out, data, sizeof out);
  return out;
}

__attribute__((target("sse4.2"))) uint32_t raw_sse42(const unsigned char* data, size_t bytes, uint32_t start) {
  uint64_t crc = start;
  for (; bytes >= 3 * kStretch; data += 3 * kStretch, bytes -= 3 * kStretch) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < kStretch; i += 8) {
      crc = __builtin_ia32_crc32di(crc, load(data + i));
      second = __builtin_ia32_crc32di(second, load(data + kStretch + i));
      third = __builtin_ia32_crc32di(third, load(data + 2 * kStretch + i));
    }
    crc = shift(shift(crc) ^ second) ^ third;
  }
  for (; bytes >= 8; data += 8, bytes -= 8) crc = __builtin_ia32_crc32di(crc, load(data));
  auto out = static_cast<uint32_t>(crc);
  for (; bytes > 0; ++data, --bytes) out = __builtin_ia32_crc32qi(out, *data);
  return out;
}

uint32_t raw(const unsigned char* data, size_t bytes, uint32_t crc) {
  return __builtin_cpu_supports("sse4.2") ? raw_sse42(data, bytes, crc) : raw_portable(data, bytes, crc);
}

#else

uint32_t raw(const unsigned char* data, size_t bytes, uint32_t crc) { return raw_portable(data, bytes, crc); }

#endif

}  // namespace

uint32_t crc32c(const void* data, size_t bytes, uint32_t crc) {
  return ~raw(static_cast<const unsigned char*>(data), bytes, ~crc);
}

uint32_t crc32c_portable(const void* data, size_t bytes, uint32_t crc) {
  return ~raw_portable(static_cast<const unsigned char*>(data), bytes, ~crc);
}

}  // namespace percale
