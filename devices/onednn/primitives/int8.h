// Integers of 8 bits, and what stands between them and real numbers.
#ifndef PERCALE_DEVICES_ONEDNN_PRIMITIVES_INT8_H_
#define PERCALE_DEVICES_ONEDNN_PRIMITIVES_INT8_H_

#include <optional>
#include <vector>

#include "devices/onednn/support/kernel.h"

namespace percale::onednn {

// u8 or s8; Refusal for anything else, and where the CPU cannot sum their products without saturating on the way.
DataType byte_type(percale_dtype dtype);

// The zero point of an operand of a product.
struct ZeroPoint {
  std::optional<int32_t> value;  // where it is known before the run
  int input = -1;                // of the node, where it is not: one number
  DataType type = DataType::undef;

  bool is_zero() const { return value == 0; }
};
// Of the node's input i: 0 where that is absent; Refusal where there are several that are known to differ, or might.
ZeroPoint zero_point(const Node& node, size_t i);
// That of weights, input `weights`, as they are multiplied: those of u8 as s8, 128 less, and so is their zero point.
ZeroPoint weight_zero_point(const Node& node, size_t weights, size_t i);
// A step that leaves the operand, row-major of u8, in scratch as s8, 128 less.
Made in_s8(int operand, int slot, const Dims& dims);
// Gives `made` the weights in that format of s8; where `slot` is not -1 they lie there, else they are the operand, of `dtype`.
void add_weights(Made& made, int operand, int slot, percale_dtype dtype, const MemoryDesc& desc, const Dims& dims);
// Gives `made` the zero point that its primitive's attributes have for the argument `of`.
void add_zero_point(Made& made, int of, const ZeroPoint& zero);

// Refusal where a sum might not be the exact integer: what oneDNN corrects it by, for zero points and signed operands, it adds in
// f32. The weights, which are not empty, are input `w`: those of one sum are a row of it, or a column.
enum class Filters { kRows, kColumns };
void refuse_inexact(const Plan& plan, size_t x, size_t w, const ZeroPoint& x_zero, const ZeroPoint& w_zero,
                    Filters filters);

// What makes a quantised number of a sum of products: round(sum * factor) + zero, held at the ends of its type.
struct Requantization {
  std::vector<float> factors;  // one, or one per channel
  int32_t zero = 0;
};
// From the scales of both factors and of the result, which are constants: the inputs of these numbers, and the result's zero point.
// `channels`: how many factors there may be besides one.
Requantization requantization(const Node& node, size_t left, size_t right, size_t result, size_t zero,
                              int64_t channels);

// As post-ops. `dims`: of the factors where they are several.
dnnl::post_ops post_ops_of(const Requantization& r, const Dims& dims);
// The operands of those post-ops.
void add_factors(Made& made, const Requantization& r, const Dims& dims);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_PRIMITIVES_INT8_H_
