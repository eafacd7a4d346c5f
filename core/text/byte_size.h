// Parsing of sizes in bytes as people write them.
#ifndef PERCALE_CORE_TEXT_BYTE_SIZE_H_
#define PERCALE_CORE_TEXT_BYTE_SIZE_H_

#include <cstdint>
#include <string_view>

#include "core/base/status.h"

namespace percale {

// Parses a size such as "4096", "1.5GB" or "512 MiB": a number and an optional unit, in any letter
// case. Units are B; kB, MB, GB, TB (powers of 1000); KiB, MiB, GiB, TiB and their short forms K,
// M, G, T (powers of 1024). INVALID_ARGUMENT for any other text, OUT_OF_RANGE from 2^62 bytes on.
Result<int64_t> parse_byte_size(std::string_view text);

}  // namespace percale

#endif  // PERCALE_CORE_TEXT_BYTE_SIZE_H_
