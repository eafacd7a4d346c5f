// A product of rows by a matrix, as MatMul and Gemm say it.
#ifndef PERCALE_DEVICES_ONEDNN_PRIMITIVES_MATMUL_H_
#define PERCALE_DEVICES_ONEDNN_PRIMITIVES_MATMUL_H_

#include "devices/onednn/primitives/post_ops.h"

namespace percale::onednn {

// [M,K] times [K,N]. Operands are those of the whole node.
struct Product {
  int64_t m, k, n;
  bool transpose_b;  // it lies as [N,K]
  int a, b;
  int bias;  // [N]; -1: none
  DataType type;
};

// Of the node, or of the first one of a Fused node; Refusal for what is more than that.
Product find_matmul(const Node& whole);
Product find_gemm(const Node& whole);

// All dims but the last become one.
inline Dims fold(const Dims& dims) { return {elements(dims) / dims.back(), dims.back()}; }

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_PRIMITIVES_MATMUL_H_
