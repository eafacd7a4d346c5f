// Types and helper nodes shared by the quantised ops. The formulas are those of ONNX's
// QuantizeLinear.
#ifndef PERCALE_OPS_QUANTIZE_QUANTIZE_H_
#define PERCALE_OPS_QUANTIZE_QUANTIZE_H_

#include "core/graph/emit/composite.h"
#include "core/registry/shape_context.h"
#include "ops/support/small_types.h"

namespace percale {

inline constexpr DTypeSet kByteTypes = DTypeSet::of(DType::kI8, DType::kU8);
// The result types of QuantizeLinear.
inline constexpr DTypeSet kQuantizedTypes =
    kByteTypes | kFloat8Types |
    DTypeSet::of(DType::kI16, DType::kU16, DType::kI4, DType::kU4, DType::kI2, DType::kU2, DType::kF4E2M1);

// Converts real numbers (f32 or f64) to `to`. For integers it rounds to nearest, ties to even, adds
// zero_point (kNoValue: 0) and clamps to the range. For float8 and float4 it adds zero_point and
// casts. zero_point must broadcast to `real`.
ValueId quantized(Emitter& e, ValueId real, ValueId zero_point, DType to, bool saturate = true);

// Reshapes a scale or zero point so that it broadcasts to tensors of rank `rank`. It has one
// element, or one per index along `axis`.
ValueId along_axis(Emitter& e, ValueId value, size_t axis, size_t rank);

// Checks that input i, if present, is a single number or a vector of `count` numbers (unknown: any
// count).
Status check_per_axis(const ShapeContext& c, size_t i, int64_t count);

}  // namespace percale

#endif  // PERCALE_OPS_QUANTIZE_QUANTIZE_H_
