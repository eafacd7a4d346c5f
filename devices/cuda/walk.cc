#include "devices/cuda/walk.h"

namespace percale::cuda {

Dims row_major(const Dims& dims) {
  Dims out(dims.size());
  int64_t step = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    out[d] = step;
    step *= dims[d];
  }
  return out;
}

Dims broadcast_strides(const Dims& dims, const Dims& out) {
  const Dims own = row_major(dims);
  Dims strides(out.size(), 0);
  for (size_t d = 0; d < dims.size(); ++d) {
    const size_t at = out.size() - dims.size() + d;
    strides[at] = dims[d] == 1 ? 0 : own[d];
  }
  return strides;
}

}  // namespace percale::cuda
