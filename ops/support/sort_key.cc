#include "ops/support/sort_key.h"

#include <bit>

#include "ops/support/kernel_util.h"

namespace percale {
namespace {

constexpr uint64_t kTop = uint64_t{1} << 63;

// The bits of positive f64 numbers increase with the value; those of negative ones decrease.
uint64_t key_of(double x) {
  if (x != x) return ~uint64_t{0};
  const auto bits = std::bit_cast<uint64_t>(x + 0.0);  // -0 becomes 0
  return (bits & kTop) != 0 ? ~bits : bits | kTop;
}

}  // namespace

void sort_keys(DType dtype, const void* from, int64_t count, int64_t stride, uint64_t* keys) {
  dispatch(kAnyList, dtype, [&]<class T>() {
    const T* x = static_cast<const T*>(from);
    for (int64_t i = 0; i < count; ++i) {
      const auto value = widen(x[i * stride]);
      if constexpr (is_float_like<T>) {
        keys[i] = key_of(static_cast<double>(value));
      } else if constexpr (std::is_signed_v<T>) {
        keys[i] = static_cast<uint64_t>(static_cast<int64_t>(value)) ^ kTop;
      } else {
        keys[i] = value;
      }
    }
  });
}

}  // namespace percale
