#include <cpuid.h>

#include <cstring>

#include "core/system/crc32c_tables.h"
#include "core/system/processor.h"

namespace percale::os {
namespace {

// The CRC instruction has a latency of three cycles and a throughput of one per cycle. Three
// sections of kStretch bytes therefore run in parallel. A table advances the checksum of a section
// over the zero bytes of the next one.
constexpr size_t kStretch = 2048;

constexpr std::array<Crc32cTable, 4> kShift = [] {
  const auto& bytes = kCrc32cByte;
  std::array<uint32_t, 32> image{};  // each single bit after kStretch zero bytes
  for (uint32_t bit = 0; bit < 32; ++bit) {
    uint32_t crc = uint32_t{1} << bit;
    // Eight bytes per step, because compilers limit the number of constexpr evaluation steps.
    for (size_t i = 0; i < kStretch; i += 8) {
      crc = bytes[7][crc & 255] ^ bytes[6][(crc >> 8) & 255] ^ bytes[5][(crc >> 16) & 255] ^ bytes[4][crc >> 24];
    }
    image[bit] = crc;
  }
  std::array<Crc32cTable, 4> out{};
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

__attribute__((target("sse4.2,crc32"))) uint32_t crc32c_sse42(const unsigned char* data, size_t bytes, uint32_t start) {
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

}  // namespace

// Asks the processor itself: __builtin_cpu_supports() is not in every compiler's runtime.
Crc32c crc32c_instructions() {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0 ? crc32c_sse42 : nullptr;
}

}  // namespace percale::os
