// Cutting a number of things into equal shares.
#ifndef PERCALE_CORE_BASE_SHARE_H_
#define PERCALE_CORE_BASE_SHARE_H_

#include <cstdint>

namespace percale {

// Returns total * part / parts, rounded down, for 0 <= part <= parts < 2^31. A product of 128 bits
// would call the compiler's runtime for its division. That of zig brings slow copies of memcpy()
// and exp() into the library.
constexpr int64_t share_of(int64_t total, int64_t part, int64_t parts) {
  return total / parts * part + total % parts * part / parts;
}

}  // namespace percale

#endif  // PERCALE_CORE_BASE_SHARE_H_
