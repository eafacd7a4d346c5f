#include "core/tensor/dtype.h"

#include <array>

namespace percale {
namespace {

enum class Kind : uint8_t { kNone, kFloat, kSigned, kUnsigned, kOther };

struct Traits {
  std::string_view name;
  int32_t bits;
  Kind kind;
};

constexpr std::array<Traits, kNumDTypes> kTraits = {{
    {"invalid", 0, Kind::kNone},       {"f32", 32, Kind::kFloat},    {"u8", 8, Kind::kUnsigned},
    {"i8", 8, Kind::kSigned},          {"u16", 16, Kind::kUnsigned}, {"i16", 16, Kind::kSigned},
    {"i32", 32, Kind::kSigned},        {"i64", 64, Kind::kSigned},   {"string", 0, Kind::kOther},
    {"bool", 8, Kind::kOther},         {"f16", 16, Kind::kFloat},    {"f64", 64, Kind::kFloat},
    {"u32", 32, Kind::kUnsigned},      {"u64", 64, Kind::kUnsigned}, {"complex64", 64, Kind::kOther},
    {"complex128", 128, Kind::kOther}, {"bf16", 16, Kind::kFloat},   {"f8e4m3fn", 8, Kind::kFloat},
    {"f8e4m3fnuz", 8, Kind::kFloat},   {"f8e5m2", 8, Kind::kFloat},  {"f8e5m2fnuz", 8, Kind::kFloat},
    {"u4", 4, Kind::kUnsigned},        {"i4", 4, Kind::kSigned},     {"f4e2m1", 4, Kind::kFloat},
    {"f8e8m0", 8, Kind::kFloat},       {"u2", 2, Kind::kUnsigned},   {"i2", 2, Kind::kSigned},
}};

const Traits& traits(DType dtype) {
  const auto index = static_cast<size_t>(dtype);
  return kTraits[index < kTraits.size() ? index : 0];
}

}  // namespace

std::string_view dtype_name(DType dtype) { return traits(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (size_t i = 1; i < kTraits.size(); ++i) {
    if (kTraits[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

bool is_valid_dtype(int32_t number) { return number > 0 && number < kNumDTypes; }
int32_t dtype_bits(DType dtype) { return traits(dtype).bits; }
bool is_float(DType dtype) { return traits(dtype).kind == Kind::kFloat; }
bool is_integer(DType dtype) { return is_signed_integer(dtype) || traits(dtype).kind == Kind::kUnsigned; }
bool is_signed_integer(DType dtype) { return traits(dtype).kind == Kind::kSigned; }

}  // namespace percale
