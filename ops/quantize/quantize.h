// What quantised ops share: the types, and the nodes that scale and round. Formulas: ONNX's QuantizeLinear.
#ifndef PERCALE_OPS_QUANTIZE_QUANTIZE_H_
#define PERCALE_OPS_QUANTIZE_QUANTIZE_H_

#include "core/graph/composite.h"
#include "core/registry/shape_context.h"
#include "ops/support/small_types.h"

namespace percale {

inline constexpr DTypeSet kByteTypes = DTypeSet::of(DType::kI8, DType::kU8);
// What QuantizeLinear makes.
inline constexpr DTypeSet kQuantizedTypes =
    kByteTypes | kFloat8Types |
    DTypeSet::of(DType::kI16, DType::kU16, DType::kI4, DType::kU4, DType::kI2, DType::kU2, DType::kF4E2M1);

// Real numbers (f32 or f64) as `to`: to integers rounded to nearest, ties to even, plus zero_point (kNoValue: 0), held at the ends of
// the range; to floats of 8 and 4 bits plus zero_point and cast. zero_point broadcasts to `real`.
ValueId quantized(Emitter& e, ValueId real, ValueId zero_point, DType to, bool saturate = true);

// A scale or zero point of one element, or of one per place along `axis` of tensors of that rank, as it broadcasts to them.
ValueId along_axis(Emitter& e, ValueId value, size_t axis, size_t rank);

// Checks that input i, where it is there, is a single number or a vector of `count` (unknown: any) of them.
Status check_per_axis(const ShapeContext& c, size_t i, int64_t count);

}  // namespace percale

#endif  // PERCALE_OPS_QUANTIZE_QUANTIZE_H_
