#include "core/train/metrics.h"

namespace percale {
namespace {

template <class T>
void add_elements(const Tensor& tensor, double* to) {
  for (const T& v : tensor.span<T>()) *to++ += static_cast<double>(v);
}

}  // namespace

void add_totals(std::span<const Tensor> totals, std::vector<double>& sums) {
  if (sums.empty()) {
    size_t count = 0;
    for (const Tensor& t : totals) count += static_cast<size_t>(t.num_elements());
    sums.assign(count, 0);
  }
  double* to = sums.data();
  for (const Tensor& t : totals) {
    t.dtype() == DType::kF64 ? add_elements<double>(t, to) : add_elements<float>(t, to);
    to += t.num_elements();
  }
}

}  // namespace percale
