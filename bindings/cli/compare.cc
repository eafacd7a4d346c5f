#include "compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "api.h"

namespace percale_cli {
namespace {

std::vector<int64_t> dims_of(const percale_tensor* tensor) {
  const int64_t* dims = percale_tensor_get_dims(tensor);
  return {dims, dims + percale_tensor_rank(tensor)};
}

std::string type_difference(const percale_tensor* got, const percale_tensor* wanted) {
  const auto text = [](const percale_tensor* t) {
    return dtype_name(percale_tensor_dtype(t)) + " " + shape_text(dims_of(t));
  };
  const bool same = percale_tensor_dtype(got) == percale_tensor_dtype(wanted) && dims_of(got) == dims_of(wanted);
  return same ? "" : "it is " + text(got) + ", wanted " + text(wanted);
}

double from_f16(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double mantissa = bits & 1023;
  double value = exponent == 0    ? std::ldexp(mantissa, -24)
                 : exponent == 31 ? (mantissa == 0 ? HUGE_VAL : std::nan(""))
                                  : std::ldexp(mantissa + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

template <class T>
double element(const percale_tensor* tensor, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(percale_tensor_get_data(tensor)) + i * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

struct FloatKind {
  double (*get)(const percale_tensor* tensor, size_t i);
  double relative, absolute;
  size_t parts = 1;  // numbers per element
};

// Returns null if elements are compared bit by bit.
const FloatKind* float_kind(percale_dtype dtype) {
  static constexpr FloatKind kF32{element<float>, 1e-3, 1e-7};
  static constexpr FloatKind kF64{element<double>, 1e-3, 1e-7};
  static constexpr FloatKind kComplex64{element<float>, 1e-3, 1e-7, 2};
  static constexpr FloatKind kComplex128{element<double>, 1e-3, 1e-7, 2};
  static constexpr FloatKind kF16{[](const percale_tensor* t, size_t i) {
                                    return from_f16(static_cast<const uint16_t*>(percale_tensor_get_data(t))[i]);
                                  },
                                  1e-2, 1e-3};
  static constexpr FloatKind kBf16{[](const percale_tensor* t, size_t i) {
                                     const uint32_t bits = static_cast<const uint16_t*>(percale_tensor_get_data(t))[i];
                                     return static_cast<double>(std::bit_cast<float>(bits << 16));
                                   },
                                   2e-2, 1e-2};
  switch (dtype) {
    case PERCALE_DTYPE_F32: return &kF32;
    case PERCALE_DTYPE_F64: return &kF64;
    case PERCALE_DTYPE_F16: return &kF16;
    case PERCALE_DTYPE_BF16: return &kBf16;
    case PERCALE_DTYPE_COMPLEX64: return &kComplex64;
    case PERCALE_DTYPE_COMPLEX128: return &kComplex128;
    default: return nullptr;
  }
}

bool close(double got, double wanted, const FloatKind& kind) {
  if (std::isnan(got) || std::isnan(wanted)) return std::isnan(got) && std::isnan(wanted);
  if (std::isinf(got) || std::isinf(wanted)) return got == wanted;
  return std::fabs(got - wanted) <= kind.absolute + kind.relative * std::fabs(wanted);
}

double cosine(const percale_tensor* a, const percale_tensor* b, const FloatKind& kind, size_t count) {
  double dot = 0, a2 = 0, b2 = 0;
  for (size_t i = 0; i < count; ++i) {
    const double x = kind.get(a, i), y = kind.get(b, i);
    dot += x * y;
    a2 += x * x;
    b2 += y * y;
  }
  const double lengths = std::sqrt(a2) * std::sqrt(b2);
  return lengths > 0 ? dot / lengths : 0;
}

struct Moments {
  double mean = 0, deviation = 0;
};
Moments moments_of(const percale_tensor* tensor, const FloatKind& kind, size_t count) {
  Moments out;
  for (size_t i = 0; i < count; ++i) out.mean += kind.get(tensor, i) / static_cast<double>(count);
  for (size_t i = 0; i < count; ++i) {
    const double d = kind.get(tensor, i) - out.mean;
    out.deviation += d * d / static_cast<double>(count);
  }
  out.deviation = std::sqrt(out.deviation);
  return out;
}

// Returns the largest finite magnitude.
double largest_of(const percale_tensor* tensor, const FloatKind& kind) {
  double largest = 0;
  const size_t count = static_cast<size_t>(percale_tensor_element_count(tensor)) * kind.parts;
  for (size_t i = 0; i < count; ++i) {
    const double v = std::fabs(kind.get(tensor, i));
    if (std::isfinite(v)) largest = std::max(largest, v);
  }
  return largest;
}

}  // namespace

std::string difference(const percale_tensor* got, const percale_tensor* wanted, const Tolerance& tolerance) {
  if (std::string type = type_difference(got, wanted); !type.empty()) return type;
  const FloatKind* usual = float_kind(percale_tensor_dtype(got));
  char line[160];
  if (usual == nullptr) {
    const auto* a = static_cast<const unsigned char*>(percale_tensor_get_data(got));
    const auto* b = static_cast<const unsigned char*>(percale_tensor_get_data(wanted));
    for (size_t i = 0; i < percale_tensor_bytes(got); ++i) {
      if (a[i] == b[i]) continue;
      std::snprintf(line, sizeof line, "byte %zu is %u, wanted %u", i, static_cast<unsigned>(a[i]),
                    static_cast<unsigned>(b[i]));
      return line;
    }
    return {};
  }
  FloatKind kind = *usual;
  if (tolerance.absolute >= 0) {
    kind.absolute = tolerance.absolute;
  } else if (percale_tensor_dtype(got) == PERCALE_DTYPE_F32) {
    kind.absolute = std::max(kind.absolute, std::numeric_limits<float>::epsilon() * largest_of(wanted, kind));
  }
  if (tolerance.relative >= 0) kind.relative = tolerance.relative;
  const size_t count = static_cast<size_t>(percale_tensor_element_count(got)) * kind.parts;
  size_t differ = 0, first = 0;
  for (size_t i = 0; i < count; ++i) {
    if (close(kind.get(got, i), kind.get(wanted, i), kind)) continue;
    if (differ++ == 0) first = i;
  }
  if (differ == 0 || (tolerance.direction && cosine(got, wanted, kind, count) >= 0.999)) return {};
  std::snprintf(line, sizeof line, "%zu of %zu elements differ, the first at %zu: %.9g, wanted %.9g", differ, count,
                first, kind.get(got, first), kind.get(wanted, first));
  return line;
}

Accuracy accuracy(const percale_tensor* got, const percale_tensor* wanted) {
  const FloatKind* kind = float_kind(percale_tensor_dtype(got));
  const auto count = static_cast<size_t>(percale_tensor_element_count(got));
  if (kind == nullptr || count == 0 || !type_difference(got, wanted).empty()) return {};
  const double largest = largest_of(wanted, *kind);
  double off = 0;
  for (size_t i = 0; i < count * kind->parts; ++i) {
    off = std::max(off, std::fabs(kind->get(got, i) - kind->get(wanted, i)));
  }
  return {cosine(got, wanted, *kind, count * kind->parts), largest > 0 ? off / largest : off};
}

std::string statistical_difference(const percale_tensor* got, const percale_tensor* wanted) {
  if (std::string type = type_difference(got, wanted); !type.empty()) return type;
  const FloatKind* kind = float_kind(percale_tensor_dtype(got));
  const auto count = static_cast<size_t>(percale_tensor_element_count(got));
  // For a mask or a count, only dtype and shape are compared.
  if (kind == nullptr || kind->parts != 1 || count == 0) return {};
  const Moments a = moments_of(got, *kind, count), b = moments_of(wanted, *kind, count);
  // Both are means of `count` draws: allow six standard errors of their difference.
  const double chance = 6 * std::hypot(a.deviation, b.deviation) / std::sqrt(static_cast<double>(count)) + 1e-6;
  if (std::fabs(a.mean - b.mean) <= chance && std::fabs(a.deviation - b.deviation) <= chance) return {};
  char line[160];
  std::snprintf(line, sizeof line, "mean %.6g and deviation %.6g, wanted %.6g and %.6g", a.mean, a.deviation, b.mean,
                b.deviation);
  return line;
}

}  // namespace percale_cli
