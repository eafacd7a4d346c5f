// The product of rows by a matrix, as in MatMul and Gemm.
#ifndef PERCALE_DEVICES_ONEDNN_PRIMITIVES_MATMUL_H_
#define PERCALE_DEVICES_ONEDNN_PRIMITIVES_MATMUL_H_

#include "devices/onednn/primitives/post_ops.h"

namespace percale::onednn {

// [M,K] times [K,N]. Operands are numbered as in the whole node.
struct Product {
  int64_t m, k, n;
  bool transpose_b;  // b is stored as [N,K]
  int a, b;
  int bias;  // [N]; -1: none
  DataType type;
};

// Reads the product of the node, or of the first node of a Fused node. Throws a Refusal if it is
// anything more.
Product find_matmul(const Node& whole);
Product find_gemm(const Node& whole);

// Merges all dims except the last.
inline Dims fold(const Dims& dims) { return {elements(dims) / dims.back(), dims.back()}; }

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_PRIMITIVES_MATMUL_H_
