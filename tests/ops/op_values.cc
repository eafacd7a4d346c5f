#include "tests/ops/op_values.h"

#include <algorithm>
#include <cmath>

namespace percale {
namespace {

uint64_t small_element(const Tensor& tensor, size_t i) {
  const auto bits = static_cast<size_t>(dtype_bits(tensor.dtype())), per_byte = 8 / bits;
  const auto byte = static_cast<const uint8_t*>(tensor.data())[i / per_byte];
  return (uint64_t{byte} >> (i % per_byte * bits)) & ((uint64_t{1} << bits) - 1);
}

}  // namespace

Element element(const Tensor& tensor, size_t i) {
  if (is_small(tensor.dtype())) {
    const uint64_t code = small_element(tensor, i);
    return {static_cast<double>(code), code};
  }
  return with_type(tensor.dtype(), [&]<class T>() -> Element {
    const T* values = static_cast<const T*>(tensor.data());
    if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
      return {static_cast<double>(to_f32(values[i])), 0};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {static_cast<double>(values[i]), 0};
    } else {
      return {static_cast<double>(values[i]), static_cast<uint64_t>(values[i])};
    }
  });
}

Status compare(const Tensor& got, const Tensor& want, double tolerance, const std::string& what) {
  if (got.dtype() != want.dtype() || got.shape() != want.shape()) {
    return internal_error(what, " is ", got.dtype(), " ", got.shape(), ", wanted ", want.dtype(), " ", want.shape());
  }
  for (size_t i = 0; i < static_cast<size_t>(got.num_elements()); ++i) {
    const Element g = element(got, i), w = element(want, i);
    const bool both_nan = std::isnan(g.real) && std::isnan(w.real);
    const bool equal = g.real == w.real && g.exact == w.exact;
    const bool near = std::fabs(g.real - w.real) <= tolerance * std::max(1.0, std::fabs(w.real));
    if (!both_nan && !equal && !(tolerance > 0 && std::isfinite(w.real) && near)) {
      return internal_error(what, ", element ", static_cast<uint64_t>(i), ": ", g.real, ", wanted ", w.real);
    }
  }
  return {};
}

}  // namespace percale
