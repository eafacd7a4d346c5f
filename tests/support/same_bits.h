// Compares two tensors bit by bit.
#ifndef PERCALE_TESTS_SUPPORT_SAME_BITS_H_
#define PERCALE_TESTS_SUPPORT_SAME_BITS_H_

#include <cstring>

#include "core/tensor/tensor.h"

namespace percale {

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0;
}

}  // namespace percale

#endif  // PERCALE_TESTS_SUPPORT_SAME_BITS_H_
