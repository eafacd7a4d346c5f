#include "devices/cuda/launch/walk.h"

#include <algorithm>

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

MatMulDims::MatMulDims(const Node& node)
    : trans_a(node.attribute("transA", int64_t{0}) != 0), trans_b(node.attribute("transB", int64_t{0}) != 0) {
  Dims a = node.dims(0), b = node.dims(1);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  m = a[a.size() - (trans_a ? 1 : 2)];
  k = a[a.size() - (trans_a ? 2 : 1)];
  n = b[b.size() - (trans_b ? 2 : 1)];
  a_batch.assign(a.begin(), a.end() - 2);
  b_batch.assign(b.begin(), b.end() - 2);
  const size_t rank = std::max(a_batch.size(), b_batch.size());
  a_batch.insert(a_batch.begin(), rank - a_batch.size(), 1);
  b_batch.insert(b_batch.begin(), rank - b_batch.size(), 1);
  for (size_t d = 0; d < rank; ++d) y_batch.push_back(a_batch[d] == 1 ? b_batch[d] : a_batch[d]);
}

}  // namespace percale::cuda
