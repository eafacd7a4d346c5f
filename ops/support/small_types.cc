#include "ops/support/small_types.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/checked.h"

namespace percale {
namespace {

// A float format with sign, exponent and mantissa. `largest` is the code of the largest finite
// value. `infinity` and `nan` are codes too, 0 if the format has none. With `unsigned_zero`, the
// code of -0 means NaN.
struct FloatFormat {
  int mantissa, bias;
  uint8_t sign, largest, infinity, nan;
  bool unsigned_zero;
};

constexpr FloatFormat format_of(DType dtype) {
  switch (dtype) {
    case DType::kF8E4M3FN: return {3, 7, 0x80, 0x7E, 0, 0x7F, false};
    case DType::kF8E4M3FNUZ: return {3, 8, 0x80, 0x7F, 0, 0x80, true};
    case DType::kF8E5M2: return {2, 15, 0x80, 0x7B, 0x7C, 0x7E, false};
    case DType::kF8E5M2FNUZ: return {2, 16, 0x80, 0x7F, 0, 0x80, true};
    default: return {1, 1, 0x08, 0x07, 0, 0, false};  // f4e2m1
  }
}

bool is_small_integer(DType dtype) {
  return dtype == DType::kU4 || dtype == DType::kI4 || dtype == DType::kU2 || dtype == DType::kI2;
}

double decode_float(const FloatFormat& f, uint8_t bits) {
  const auto magnitude = static_cast<uint8_t>(bits & (f.sign - 1));
  const bool negative = (bits & f.sign) != 0;
  double value;
  if (f.unsigned_zero ? bits == f.nan : f.nan != 0 && magnitude > (f.infinity != 0 ? f.infinity : f.largest)) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (f.infinity != 0 && magnitude == f.infinity) {
    value = std::numeric_limits<double>::infinity();
  } else {
    const int exponent = magnitude >> f.mantissa, one = 1 << f.mantissa, fraction = magnitude & (one - 1);
    value = exponent == 0 ? std::ldexp(fraction, 1 - f.bias - f.mantissa)
                          : std::ldexp(one + fraction, exponent - f.bias - f.mantissa);
  }
  return negative ? -value : value;
}

uint8_t encode_float(const FloatFormat& f, double value, bool saturate) {
  const auto sign = static_cast<uint8_t>(std::signbit(value) && !f.unsigned_zero ? f.sign : 0);
  if (value != value) return f.nan == 0 ? f.sign : f.unsigned_zero ? f.nan : static_cast<uint8_t>(sign | f.nan);
  const double magnitude = std::fabs(value);
  int code = 0x100;
  if (magnitude <= 1e6) {
    const int lowest = 1 - f.bias;
    const int exponent = magnitude == 0 ? lowest : std::max(std::ilogb(magnitude), lowest);
    // The mantissa includes its leading one. If rounding carries it to twice that value, the
    // addition below moves the code into the next exponent.
    const auto mantissa = static_cast<int>(std::nearbyint(std::ldexp(magnitude, f.mantissa - exponent)));
    code = ((exponent - lowest) << f.mantissa) + mantissa;
  }
  if (code > f.largest) {
    if (saturate || f.nan == 0) {
      code = f.largest;
    } else if (f.unsigned_zero) {
      return f.nan;
    } else {
      code = f.infinity != 0 ? f.infinity : f.nan;
    }
  }
  if (f.unsigned_zero) return static_cast<uint8_t>(code == 0 ? 0 : code | (std::signbit(value) ? f.sign : 0));
  return static_cast<uint8_t>(code | sign);
}

// Truncates towards zero and clamps to the range. NaN gives 0.
int64_t saturate_to_i64(double value) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (value != value) return 0;
  if (value >= kEnd) return std::numeric_limits<int64_t>::max();
  return value <= -kEnd ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(value);
}

uint8_t encode_power(double value, bool saturate, E8M0Round mode) {
  constexpr uint8_t kNaN = 0xFF;
  if (value != value) return kNaN;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return saturate ? 0 : kNaN;
  if (std::isinf(magnitude)) return saturate ? 0xFE : kNaN;
  int exponent = std::ilogb(magnitude);
  const double fraction = std::ldexp(magnitude, -exponent);  // in [1, 2)
  if (mode == E8M0Round::kUp ? fraction > 1 : mode == E8M0Round::kNearest && fraction >= 1.5) ++exponent;
  if (exponent < -127) return saturate ? 0 : kNaN;
  if (exponent > 127) return saturate ? 0xFE : kNaN;
  return static_cast<uint8_t>(exponent + 127);
}

}  // namespace

double decode_small(DType dtype, uint8_t bits) {
  switch (dtype) {
    case DType::kF8E8M0: return bits == 0xFF ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - 127);
    case DType::kU4: return bits & 15;
    case DType::kI4: return ((bits & 15) ^ 8) - 8;
    case DType::kU2: return bits & 3;
    case DType::kI2: return ((bits & 3) ^ 2) - 2;
    default: return decode_float(format_of(dtype), bits);
  }
}

uint8_t encode_small(DType dtype, double value, bool saturate, E8M0Round mode) {
  if (dtype == DType::kF8E8M0) return encode_power(value, saturate, mode);
  if (!is_small_integer(dtype)) return encode_float(format_of(dtype), value, saturate);
  return static_cast<uint8_t>(saturate_to_i64(value) & ((1 << dtype_bits(dtype)) - 1));
}

void unpack_small(DType dtype, const void* from, int64_t first, int64_t count, uint8_t* to) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  const int bits = dtype_bits(dtype);
  if (bits == 8) {
    std::memcpy(to, bytes + first, static_cast<size_t>(count));
    return;
  }
  const int64_t per_byte = 8 / bits;
  for (int64_t i = 0; i < count; ++i) {
    const auto at = first + i;
    to[i] = static_cast<uint8_t>((bytes[at / per_byte] >> (at % per_byte * bits)) & ((1 << bits) - 1));
  }
}

void pack_small(DType dtype, const uint8_t* from, int64_t first, int64_t count, void* to) {
  auto* bytes = static_cast<uint8_t*>(to);
  const int bits = dtype_bits(dtype);
  if (bits == 8) {
    std::memcpy(bytes + first, from, static_cast<size_t>(count));
    return;
  }
  const int64_t per_byte = 8 / bits;
  for (int64_t i = 0; i < count; i += per_byte) {
    int byte = 0;
    for (int64_t k = 0; k < per_byte && i + k < count; ++k) byte |= (from[i + k] & ((1 << bits) - 1)) << (k * bits);
    bytes[(first + i) / per_byte] = static_cast<uint8_t>(byte);
  }
}

namespace small {

NodeView as_bytes(const NodeView& view, std::vector<Operand>& operands) {
  NodeView bytes = view;
  const auto relabel = [&](ValueType& type) {
    Operand& o = operands.emplace_back();
    if (!is_small(type.dtype)) return;
    o.dtype = type.dtype;
    o.elements = type.shape.num_elements();
    type.dtype = DType::kU8;
  };
  for (size_t i = 0; i < bytes.inputs.size(); ++i) {
    relabel(bytes.inputs[i]);
    if (operands.back().dtype != DType::kInvalid && i < bytes.values.size()) bytes.values[i] = nullptr;
  }
  for (ValueType& type : bytes.outputs) relabel(type);
  return bytes;
}

Status book(std::vector<Operand>& operands, KernelPlan& plan) {
  CheckedSize bytes = round_up(plan.scratch_bytes, 64);
  for (Operand& o : operands) {
    if (o.dtype == DType::kInvalid || dtype_bits(o.dtype) == 8) continue;
    o.offset = bytes.value();
    bytes = bytes + (CheckedSize(o.elements) + 63);
    if (!bytes.valid()) return resource_exhausted("the unpacked operands exceed 2^63 bytes");
    bytes = bytes.value() & ~int64_t{63};
  }
  plan.scratch_bytes = bytes.value();
  return {};
}

void unpack_inputs(const std::vector<Operand>& operands, size_t num_inputs, const Launch& launch, Pointers& out) {
  for (size_t i = 0; i < std::min(operands.size(), out.size()); ++i) {
    const Operand& o = operands[i];
    void* given = i < num_inputs ? const_cast<void*>(launch.in<void>(i)) : launch.out<void>(i - num_inputs);
    out[i] = given;
    if (given == nullptr || o.dtype == DType::kInvalid || dtype_bits(o.dtype) == 8) continue;
    out[i] = launch.scratch<char>() + o.offset;
    if (i < num_inputs) unpack_small(o.dtype, given, 0, o.elements, static_cast<uint8_t*>(out[i]));
  }
}

void pack_outputs(const std::vector<Operand>& operands, size_t num_inputs, const Launch& launch, const Pointers& from) {
  for (size_t i = num_inputs; i < std::min(operands.size(), from.size()); ++i) {
    const Operand& o = operands[i];
    void* given = launch.out<void>(i - num_inputs);
    if (given == nullptr || o.dtype == DType::kInvalid || dtype_bits(o.dtype) == 8) continue;
    pack_small(o.dtype, static_cast<const uint8_t*>(from[i]), 0, o.elements, given);
  }
}

}  // namespace small
}  // namespace percale
