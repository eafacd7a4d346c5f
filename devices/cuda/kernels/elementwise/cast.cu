// Converts between types of all sizes. Values pass through 64-bit integers or doubles and are
// rounded once.
#include "devices/cuda/kernels/common/device.cuh"

namespace percale::cuda {
namespace {

// The values of percale_dtype that these kernels convert.
enum : int32_t {
  kF32 = 1, kU8 = 2, kI8 = 3, kU16 = 4, kI16 = 5, kI32 = 6, kI64 = 7, kBool = 9, kF16 = 10, kF64 = 11, kU32 = 12,
  kU64 = 13, kBF16 = 16, kF8E4M3FN = 17, kF8E4M3FNUZ = 18, kF8E5M2 = 19, kF8E5M2FNUZ = 20, kU4 = 21, kI4 = 22,
  kF4E2M1 = 23, kF8E8M0 = 24, kU2 = 25, kI2 = 26,
};

// A value of any type: a double or a 64-bit integer.
struct Any {
  enum Kind { kReal, kSigned, kUnsigned } kind;
  double real;
  uint64_t bits;
};

__device__ Any read_any(int32_t dtype, Ptr x, int64_t i) {
  const auto real = [](double v) { return Any{Any::kReal, v, 0}; };
  const auto integer = [](int64_t v) { return Any{Any::kSigned, 0, static_cast<uint64_t>(v)}; };
  switch (dtype) {
    case kF32: return real(at<const float>(x)[i]);
    case kF64: return real(at<const double>(x)[i]);
    case kF16: return real(widen(at<const F16>(x)[i]));
    case kBF16: return real(widen(at<const BF16>(x)[i]));
    case kI8: return integer(at<const int8_t>(x)[i]);
    case kI16: return integer(at<const int16_t>(x)[i]);
    case kI32: return integer(at<const int32_t>(x)[i]);
    case kI64: return integer(at<const int64_t>(x)[i]);
    case kU16: return integer(at<const uint16_t>(x)[i]);
    case kU32: return integer(at<const uint32_t>(x)[i]);
    case kU64: return Any{Any::kUnsigned, 0, at<const uint64_t>(x)[i]};
    default: return integer(at<const uint8_t>(x)[i]);  // u8, bool
  }
}

// Converts to an integer. Floats are truncated towards zero and clamped to the range; NaN gives 0.
// Integers wrap. `low` is the smallest value, `high` the first one above the largest.
template <class T>
__device__ T as_integer(const Any& v, double low, double high) {
  if (v.kind != Any::kReal) return static_cast<T>(v.bits);
  const bool is_signed = low < 0;
  if (v.real != v.real) return 0;
  if (v.real >= high) return static_cast<T>(~static_cast<uint64_t>(0) >> (64 - 8 * sizeof(T) + (is_signed ? 1 : 0)));
  if (v.real <= low) return static_cast<T>(static_cast<int64_t>(low));
  return is_signed ? static_cast<T>(static_cast<int64_t>(v.real)) : static_cast<T>(static_cast<uint64_t>(v.real));
}
__device__ double as_double(const Any& v) {
  return v.kind == Any::kReal     ? v.real
         : v.kind == Any::kSigned ? static_cast<double>(static_cast<int64_t>(v.bits))
                                  : static_cast<double>(v.bits);
}
__device__ float as_float(const Any& v) {
  return v.kind == Any::kReal     ? static_cast<float>(v.real)
         : v.kind == Any::kSigned ? static_cast<float>(static_cast<int64_t>(v.bits))
                                  : static_cast<float>(v.bits);
}

__device__ void write_any(int32_t dtype, Ptr y, int64_t i, const Any& v) {
  switch (dtype) {
    case kF32: at<float>(y)[i] = as_float(v); break;
    case kF64: at<double>(y)[i] = as_double(v); break;
    case kF16: at<F16>(y)[i] = narrow_double<F16>(as_double(v)); break;
    case kBF16: at<BF16>(y)[i] = narrow_double<BF16>(as_double(v)); break;
    case kI8: at<int8_t>(y)[i] = as_integer<int8_t>(v, -128, 128); break;
    case kI16: at<int16_t>(y)[i] = as_integer<int16_t>(v, -32768, 32768); break;
    case kI32: at<int32_t>(y)[i] = as_integer<int32_t>(v, -2147483648.0, 2147483648.0); break;
    case kI64: at<int64_t>(y)[i] = as_integer<int64_t>(v, -9223372036854775808.0, 9223372036854775808.0); break;
    case kU8: at<uint8_t>(y)[i] = as_integer<uint8_t>(v, 0, 256); break;
    case kU16: at<uint16_t>(y)[i] = as_integer<uint16_t>(v, 0, 65536); break;
    case kU32: at<uint32_t>(y)[i] = as_integer<uint32_t>(v, 0, 4294967296.0); break;
    case kU64: at<uint64_t>(y)[i] = as_integer<uint64_t>(v, 0, 18446744073709551616.0); break;
    default: at<uint8_t>(y)[i] = v.kind == Any::kReal ? v.real != 0 : v.bits != 0; break;  // bool
  }
}

// ---- Types of at most 8 bits that are not plain bytes, by ONNX's tables for Cast

// Returns the bits of an element, or 0 if it is none of these types.
__device__ int small_bits(int32_t dtype) {
  if (dtype < kF8E4M3FN) return 0;
  if (dtype == kU2 || dtype == kI2) return 2;
  return dtype == kU4 || dtype == kI4 || dtype == kF4E2M1 ? 4 : 8;
}

// A float with sign, exponent and mantissa. `largest` is the code of the largest finite value.
// `infinity` and `nan` are the codes of these values (0: there is none). unsigned_zero: the code of
// -0 is NaN.
struct FloatFormat {
  int mantissa, bias, sign, largest, infinity, nan;
  bool unsigned_zero;
};
__device__ FloatFormat format_of(int32_t dtype) {
  switch (dtype) {
    case kF8E4M3FN: return {3, 7, 0x80, 0x7E, 0, 0x7F, false};
    case kF8E4M3FNUZ: return {3, 8, 0x80, 0x7F, 0, 0x80, true};
    case kF8E5M2: return {2, 15, 0x80, 0x7B, 0x7C, 0x7E, false};
    case kF8E5M2FNUZ: return {2, 16, 0x80, 0x7F, 0, 0x80, true};
    default: return {1, 1, 0x08, 0x07, 0, 0, false};  // f4e2m1
  }
}

__device__ double decode_float(const FloatFormat& f, int code) {
  const int magnitude = code & (f.sign - 1), exponent = magnitude >> f.mantissa, one = 1 << f.mantissa;
  const int fraction = magnitude & (one - 1);
  double value;
  if (f.unsigned_zero ? code == f.nan : f.nan != 0 && magnitude > (f.infinity != 0 ? f.infinity : f.largest)) {
    value = static_cast<double>(NAN);
  } else if (f.infinity != 0 && magnitude == f.infinity) {
    value = static_cast<double>(INFINITY);
  } else {
    value = exponent == 0 ? ldexp(static_cast<double>(fraction), 1 - f.bias - f.mantissa)
                          : ldexp(static_cast<double>(one + fraction), exponent - f.bias - f.mantissa);
  }
  return (code & f.sign) != 0 ? -value : value;
}

__device__ bool is_negative(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 63 != 0;
}

__device__ int encode_float(const FloatFormat& f, double value, bool saturate) {
  const int sign = is_negative(value) ? f.sign : 0;
  if (value != value) return f.nan == 0 ? f.sign : f.unsigned_zero ? f.nan : sign | f.nan;
  const double magnitude = fabs(value);
  int code = 0x100;
  if (magnitude <= 1e6) {
    const int lowest = 1 - f.bias;
    int exponent = magnitude == 0 ? lowest : ilogb(magnitude);
    if (exponent < lowest) exponent = lowest;
    // The mantissa includes its leading one, so a carry from rounding moves the code into the next
    // exponent.
    code = ((exponent - lowest) << f.mantissa) + static_cast<int>(rint(ldexp(magnitude, f.mantissa - exponent)));
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
  return f.unsigned_zero && code == 0 ? 0 : code | sign;
}

// Encodes the magnitude as a power of two (f8e8m0).
__device__ int encode_power(double value, bool saturate, PowerRound round) {
  constexpr int kNone = 0xFF;
  const double magnitude = fabs(value);
  if (value != value) return kNone;
  if (magnitude == 0) return saturate ? 0 : kNone;
  if (magnitude - magnitude != 0) return saturate ? 0xFE : kNone;
  int exponent = ilogb(magnitude);
  const double fraction = ldexp(magnitude, -exponent);  // [1, 2)
  if (round == PowerRound::kUp ? fraction > 1 : round == PowerRound::kNearest && fraction >= 1.5) ++exponent;
  if (exponent < -127) return saturate ? 0 : kNone;
  if (exponent > 127) return saturate ? 0xFE : kNone;
  return exponent + 127;
}

__device__ Any decode_small(int32_t dtype, int code) {
  const auto integer = [](int v) { return Any{Any::kSigned, 0, static_cast<uint64_t>(static_cast<int64_t>(v))}; };
  switch (dtype) {
    case kU4:
    case kU2: return integer(code);
    case kI4: return integer((code ^ 8) - 8);
    case kI2: return integer((code ^ 2) - 2);
    case kF8E8M0: return {Any::kReal, code == 0xFF ? static_cast<double>(NAN) : ldexp(1.0, code - 127), 0};
    default: return {Any::kReal, decode_float(format_of(dtype), code), 0};
  }
}
__device__ int encode_small(const CastArgs& a, const Any& v) {
  const int bits = small_bits(a.to);
  if (a.to == kF8E8M0) return encode_power(as_double(v), a.saturate != 0, a.round);
  if (a.to == kF4E2M1 || bits == 8) return encode_float(format_of(a.to), as_double(v), a.saturate != 0);
  const int64_t whole = as_integer<int64_t>(v, -9223372036854775808.0, 9223372036854775808.0);
  return static_cast<int>(whole & ((1 << bits) - 1));
}

__device__ Any read_small_too(const CastArgs& a, int64_t i) {
  const int bits = small_bits(a.from);
  if (bits == 0) return read_any(a.from, a.x, i);
  const int64_t bit = i * bits;
  return decode_small(a.from, at<const uint8_t>(a.x)[bit / 8] >> (bit % 8) & ((1 << bits) - 1));
}

// Converts between the float types of mixed precision.
template <class From, class To>
__device__ void convert(const CastArgs& a) {
  const From* x = at<const From>(a.x);
  To* y = at<To>(a.y);
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) y[i] = narrow<To>(widen(x[i]));
}

}  // namespace

PERCALE_KERNEL(percale_cast, CastArgs, 256) {
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) write_any(a.to, a.y, i, read_any(a.from, a.x, i));
}
// For a small type on either side. A thread writes whole bytes, which hold several elements of 4 or
// 2 bits.
PERCALE_KERNEL(percale_cast_small, CastArgs, 256) {
  const int bits = small_bits(a.to), each = bits == 0 ? 1 : 8 / bits;
  for (int64_t i = thread_number(); i * each < a.size; i += thread_count()) {
    if (bits == 0) {
      write_any(a.to, a.y, i, read_small_too(a, i));
      continue;
    }
    int byte = 0;
    for (int k = 0; k < each && i * each + k < a.size; ++k) byte |= encode_small(a, read_small_too(a, i * each + k)) << (k * bits);
    at<uint8_t>(a.y)[i] = static_cast<uint8_t>(byte);
  }
}
PERCALE_KERNEL(percale_cast_f32_bf16, CastArgs, 256) { convert<float, BF16>(a); }
PERCALE_KERNEL(percale_cast_bf16_f32, CastArgs, 256) { convert<BF16, float>(a); }
PERCALE_KERNEL(percale_cast_f32_f16, CastArgs, 256) { convert<float, F16>(a); }
PERCALE_KERNEL(percale_cast_f16_f32, CastArgs, 256) { convert<F16, float>(a); }

}  // namespace percale::cuda
