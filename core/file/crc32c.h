// CRC-32C (Castagnoli, RFC 3720): what every tensor of a file carries.
#ifndef PERCALE_CORE_FILE_CRC32C_H_
#define PERCALE_CORE_FILE_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace percale {

// The checksum of `bytes` bytes; `crc` is that of what came before them (0 at the start), so that
// crc32c(b, n, crc32c(a, m)) is the checksum of a and b together. Takes the processor's instruction where there is one.
uint32_t crc32c(const void* data, size_t bytes, uint32_t crc = 0);
inline uint32_t crc32c(std::string_view bytes, uint32_t crc = 0) { return crc32c(bytes.data(), bytes.size(), crc); }

// The same by tables, on every processor.
uint32_t crc32c_portable(const void* data, size_t bytes, uint32_t crc = 0);

}  // namespace percale

#endif  // PERCALE_CORE_FILE_CRC32C_H_
