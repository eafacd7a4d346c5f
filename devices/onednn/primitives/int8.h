// 8-bit integers, with their scales and zero points.
#ifndef PERCALE_DEVICES_ONEDNN_PRIMITIVES_INT8_H_
#define PERCALE_DEVICES_ONEDNN_PRIMITIVES_INT8_H_

#include <optional>
#include <vector>

#include "devices/onednn/support/kernel.h"

namespace percale::onednn {

// Returns u8 or s8. Throws a Refusal for other types, and if the CPU would saturate intermediate
// sums of their products.
DataType byte_type(percale_dtype dtype);

// The zero point of an operand of a product.
struct ZeroPoint {
  std::optional<int32_t> value;  // its value, if it is known before the run
  int input = -1;                // otherwise the node's input that holds it, as one number
  DataType type = DataType::undef;

  bool is_zero() const { return value == 0; }
};
// Returns the zero point in the node's input i, or 0 if the input is absent. Throws a Refusal if
// there are several that differ or might differ.
ZeroPoint zero_point(const Node& node, size_t i);
// Returns the zero point of the weights in input `weights`, as they are multiplied. Weights of u8
// are converted to s8 by subtracting 128, and so is their zero point.
ZeroPoint weight_zero_point(const Node& node, size_t weights, size_t i);
// Returns a step that converts a row-major operand of u8 to s8 in scratch, by subtracting 128.
Made in_s8(int operand, int slot, const Dims& dims);
// Adds the weights to `made` in a format of s8. They lie in scratch at `slot`, or, if `slot` is -1,
// they are the operand of type `dtype`.
void add_weights(Made& made, int operand, int slot, percale_dtype dtype, const MemoryDesc& desc, const Dims& dims);
// Adds to `made` the zero point for the argument `of` that the primitive's attributes declare.
void add_zero_point(Made& made, int of, const ZeroPoint& zero);

// Throws a Refusal if a sum might not be the exact integer. oneDNN adds its corrections for zero
// points and signed operands in f32. The weights, which are not empty, are input `w`; the weights
// of one sum are a row of it or a column.
enum class Filters { kRows, kColumns };
void refuse_inexact(const Plan& plan, size_t x, size_t w, const ZeroPoint& x_zero, const ZeroPoint& w_zero,
                    Filters filters);

// Converts a sum of products to a quantised number: round(sum * factor) + zero, clamped to the
// type.
struct Requantization {
  std::vector<float> factors;  // one, or one per channel
  int32_t zero = 0;
};
// Computes the factors from constant scales. The arguments are the inputs that hold the scales of
// both factors and of the result, and the result's zero point. `channels` is the allowed number of
// factors besides one.
Requantization requantization(const Node& node, size_t left, size_t right, size_t result, size_t zero,
                              int64_t channels);

// Returns the requantization as post-ops. `dims` are the dims of several factors.
dnnl::post_ops post_ops_of(const Requantization& r, const Dims& dims);
// Adds the operands of those post-ops.
void add_factors(Made& made, const Requantization& r, const Dims& dims);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_PRIMITIVES_INT8_H_
