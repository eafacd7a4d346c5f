// CRC-32C (Castagnoli, RFC 3720), the checksum of each tensor in a file.
#ifndef PERCALE_CORE_FILE_CRC32C_H_
#define PERCALE_CORE_FILE_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace percale {

// Returns the checksum of `bytes` bytes. `crc` is the checksum of the preceding bytes (0 at the
// start), so that crc32c(b, n, crc32c(a, m)) is the checksum of a followed by b. Uses the CPU's CRC
// instruction if available.
uint32_t crc32c(const void* data, size_t bytes, uint32_t crc = 0);
inline uint32_t crc32c(std::string_view bytes, uint32_t crc = 0) { return crc32c(bytes.data(), bytes.size(), crc); }

// The same with lookup tables, for any CPU.
uint32_t crc32c_portable(const void* data, size_t bytes, uint32_t crc = 0);

}  // namespace percale

#endif  // PERCALE_CORE_FILE_CRC32C_H_
