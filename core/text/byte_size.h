// Sizes in bytes as people write them.
#ifndef PERCALE_CORE_TEXT_BYTE_SIZE_H_
#define PERCALE_CORE_TEXT_BYTE_SIZE_H_

#include <cstdint>
#include <string_view>

#include "core/base/status.h"

namespace percale {

// "4096", "1.5GB", "512 MiB": a number, then nothing, B, or kB, MB, GB, TB (powers of 1000), or KiB, MiB, GiB, TiB, for which K, M, G
// and T are short (powers of 1024); in any case of letters. INVALID_ARGUMENT for another text, OUT_OF_RANGE for 2^62 bytes or more.
Result<int64_t> parse_byte_size(std::string_view text);

}  // namespace percale

#endif  // PERCALE_CORE_TEXT_BYTE_SIZE_H_
