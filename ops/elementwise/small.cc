// Cast, CastLike, IsNaN and IsInf for float8, float4 and integers of 4 or 2 bits, as source or as
// result.
#include <algorithm>
#include <array>
#include <cmath>

#include "ops/support/families.h"
#include "ops/support/kernel_util.h"
#include "ops/support/small_types.h"

namespace percale {
namespace {

// Intermediate values of a cast. Every element is stored as a real number. Integers and bools are
// also stored as integers, which wrap when they are narrowed.
struct Chunk {
  static constexpr int64_t kSize = 256;
  std::array<double, kSize> real;
  std::array<int64_t, kSize> whole;
};
using LoadFn = void (*)(const void* from, int64_t first, int64_t count, Chunk& chunk);
using StoreFn = void (*)(const Chunk& chunk, int64_t first, int64_t count, void* to);

template <class T>
void load(const void* from, int64_t first, int64_t count, Chunk& chunk) {
  const T* x = static_cast<const T*>(from) + first;
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(i);
    chunk.real[at] = static_cast<double>(widen(x[i]));
    if constexpr (!is_float_like<T>) chunk.whole[at] = static_cast<int64_t>(x[i]);
  }
}

template <class T, bool kWhole>
void store(const Chunk& chunk, int64_t first, int64_t count, void* to) {
  T* y = static_cast<T*>(to) + first;
  for (int64_t i = 0; i < count; ++i) {
    const double real = chunk.real[static_cast<size_t>(i)];
    if constexpr (std::is_same_v<T, bool>) {
      y[i] = real != 0;
    } else if constexpr (std::is_integral_v<T>) {
      y[i] = kWhole ? static_cast<T>(chunk.whole[static_cast<size_t>(i)]) : saturate<T>(real);
    } else if constexpr (std::is_same_v<T, Wide<T>>) {
      y[i] = static_cast<T>(real);
    } else {
      y[i] = narrow<T>(round_to_odd(real));
    }
  }
}

struct SmallCastPlan {
  int64_t elements = 0;
  DType from = DType::kInvalid, to = DType::kInvalid;
  bool whole = false, saturate = true;
  E8M0Round round = E8M0Round::kUp;
  LoadFn load = nullptr;            // null: `from` is small
  StoreFn store = nullptr;          // null: `to` is small
  std::array<double, 256> table{};  // values of the codes of `from`
};

Status accepts_small_cast(const NodeView& node) {
  const DType from = node.dtype(0), to = node.outputs[0].dtype;
  if (!kStorable.contains(from) || !kStorable.contains(to))
    return unimplemented("no conversion from ", from, " to ", to);
  if (is_small(from) || is_small(to)) return {};
  return unimplemented("requires float8, float4, or 2- or 4-bit integers");
}

Result<SmallCastPlan> plan_small_cast(const NodeView& node, KernelPlan&) {
  SmallCastPlan plan;
  plan.elements = node.shape(0).num_elements();
  plan.from = node.dtype(0);
  plan.to = node.outputs[0].dtype;
  plan.whole = is_integer(plan.from) || plan.from == DType::kBool;
  plan.saturate = node.attributes.get_int("saturate", 1) != 0;
  const std::string_view mode = node.attributes.get_string("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest") {
    return invalid_argument("round_mode is '", mode, "', wanted up, down or nearest");
  }
  plan.round = mode == "up" ? E8M0Round::kUp : mode == "down" ? E8M0Round::kDown : E8M0Round::kNearest;
  dispatch(kAnyList, plan.from, [&]<class T>() { plan.load = load<T>; });
  dispatch(kAnyList, plan.to, [&]<class T>() { plan.store = plan.whole ? store<T, true> : store<T, false>; });
  for (size_t code = 0; is_small(plan.from) && code < 256; ++code) {
    plan.table[code] = decode_small(plan.from, static_cast<uint8_t>(code));
  }
  return plan;
}

void run_small_cast(const SmallCastPlan& plan, const Launch& launch) {
  const void* x = launch.in<void>(0);
  void* y = launch.out<void>(0);
  const int64_t pieces = pieces_for(plan.elements);
  const auto mask = static_cast<int64_t>((1 << std::min(dtype_bits(plan.to), 8)) - 1);
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.elements, pieces, piece, Chunk::kSize);
    Chunk chunk;
    std::array<uint8_t, Chunk::kSize> codes;
    for (int64_t first = range.begin; first < range.end; first += Chunk::kSize) {
      const int64_t count = std::min(Chunk::kSize, range.end - first);
      const auto n = static_cast<size_t>(count);
      if (plan.load != nullptr) {
        plan.load(x, first, count, chunk);
      } else {
        unpack_small(plan.from, x, first, count, codes.data());
        for (size_t i = 0; i < n; ++i) {
          chunk.real[i] = plan.table[codes[i]];
          if (plan.whole) chunk.whole[i] = static_cast<int64_t>(chunk.real[i]);
        }
      }
      if (plan.store != nullptr) {
        plan.store(chunk, first, count, y);
        continue;
      }
      const bool wraps = plan.whole && is_integer(plan.to);
      for (size_t i = 0; i < n && plan.from != plan.to; ++i) {
        codes[i] = wraps ? static_cast<uint8_t>(chunk.whole[i] & mask)
                         : encode_small(plan.to, chunk.real[i], plan.saturate, plan.round);
      }
      pack_small(plan.to, codes.data(), first, count, y);
    }
  });
}

// IsNaN and IsInf look each code up in a table.
struct LookUpPlan {
  int64_t elements = 0;
  std::array<bool, 256> table{};
};
Status accepts_float8(const NodeView& node) {
  if (kFloat8Types.contains(node.dtype(0))) return {};
  return unimplemented("requires float8");
}
template <class F>
LookUpPlan look_up(const NodeView& node, F&& f) {
  LookUpPlan plan{.elements = node.shape(0).num_elements()};
  for (size_t code = 0; code < 256; ++code)
    plan.table[code] = f(decode_small(node.dtype(0), static_cast<uint8_t>(code)));
  return plan;
}
Result<LookUpPlan> plan_is_nan(const NodeView& node, KernelPlan&) {
  return look_up(node, [](double v) { return v != v; });
}
Result<LookUpPlan> plan_is_inf(const NodeView& node, KernelPlan&) {
  const bool negative = node.attributes.get_int("detect_negative") != 0;
  const bool positive = node.attributes.get_int("detect_positive") != 0;
  return look_up(node, [&](double v) { return std::isinf(v) && (v < 0 ? negative : positive); });
}
void run_look_up(const LookUpPlan& plan, const Launch& launch) {
  const auto* x = launch.in<uint8_t>(0);
  bool* y = launch.out<bool>(0);
  const int64_t pieces = pieces_for(plan.elements);
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.elements, pieces, piece, 64);
    for (int64_t i = range.begin; i < range.end; ++i) y[i] = plan.table[x[i]];
  });
}

}  // namespace

Status register_small(Registry& registry, const simd::SimdTable*) {
  return add_cpu_kernels(
      registry,
      {make_kernel<accepts_small_cast, plan_small_cast, run_small_cast>("portable.Cast_small", "Cast"),
       make_kernel<accepts_small_cast, plan_small_cast, run_small_cast>("portable.CastLike_small", "CastLike"),
       make_kernel<accepts_float8, plan_is_nan, run_look_up>("portable.IsNaN_small", "IsNaN"),
       make_kernel<accepts_float8, plan_is_inf, run_look_up>("portable.IsInf_small", "IsInf")});
}

}  // namespace percale
