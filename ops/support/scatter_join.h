// The ways in which a scattered update is combined with the existing element.
#ifndef PERCALE_OPS_SUPPORT_SCATTER_JOIN_H_
#define PERCALE_OPS_SUPPORT_SCATTER_JOIN_H_

#include "ops/support/kernel_util.h"

namespace percale {

enum class ScatterJoin : uint8_t { kNone, kAdd, kMul, kMax, kMin };

// Returns the new value. For bools, add and max are "or", mul and min are "and". Max and min
// propagate NaN.
template <class T, ScatterJoin kJoin>
T scatter_join(T old, T update) {
  [[maybe_unused]] const Wide<T> a = widen(old), b = widen(update);
  if constexpr (kJoin == ScatterJoin::kNone) {
    return update;
  } else if constexpr (std::is_same_v<T, bool>) {
    return kJoin == ScatterJoin::kAdd || kJoin == ScatterJoin::kMax ? a || b : a && b;
  } else if constexpr (kJoin == ScatterJoin::kAdd) {
    return narrow<T>(wrap::add(a, b));
  } else if constexpr (kJoin == ScatterJoin::kMul) {
    return narrow<T>(wrap::mul(a, b));
  } else if constexpr (kJoin == ScatterJoin::kMax) {
    return a > b || a != a ? old : update;
  } else {
    return a < b || a != a ? old : update;
  }
}

// Calls f.operator()<T, kJoin>() for the dtype of input 0 and the attribute `reduction`. An unknown
// reduction is an error.
template <class F>
Status dispatch_scatter(const NodeView& node, F&& f) {
  const std::string_view reduction = node.attributes.get_string("reduction");
  bool known = false;
  dispatch(kAnyList, node.dtype(0), [&]<class T>() {
    const auto take = [&]<ScatterJoin kJoin>(std::string_view name) {
      if (reduction != name) return;
      f.template operator()<T, kJoin>();
      known = true;
    };
    take.template operator()<ScatterJoin::kNone>("none");
    take.template operator()<ScatterJoin::kAdd>("add");
    take.template operator()<ScatterJoin::kMul>("mul");
    take.template operator()<ScatterJoin::kMax>("max");
    take.template operator()<ScatterJoin::kMin>("min");
  });
  if (known) return {};
  return invalid_argument("reduction is '", reduction, "', wanted none, add, mul, max or min");
}

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_SCATTER_JOIN_H_
