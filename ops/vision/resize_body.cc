// Resize and its transpose as gathers, products and sums, for devices without kernels for them.
// Sizes must be known.
#include <algorithm>
#include <vector>

#include "ops/support/body_util.h"
#include "ops/vision/resize_map.h"

namespace percale {
namespace {

// If rows have more taps than this, they become a product with the full matrix.
constexpr int64_t kMostGathers = 8;

ResizeInputs inputs_from(const BodyContext& c, size_t first) {
  const auto input = [&](size_t i) -> ResizeInput {
    if (c.input(i) == kNoValue) return {};
    return {"", true, c.shape(c.input(i)), c.known(i)};
  };
  return {input(first), input(first + 1), input(first + 2)};
}

// Returns a constant that is aligned with dim `dim` of `rank`.
template <class T>
ValueId along(Emitter& e, const std::vector<T>& values, size_t dim, size_t rank) {
  Shape shape{static_cast<int64_t>(values.size())};
  for (size_t d = dim + 1; d < rank; ++d) shape.push_back(1);
  return e.constant(Tensor::of<T>(shape, values));
}

int64_t most_taps(const Taps& taps) {
  int64_t most = 0;
  for (size_t r = 0; r + 1 < taps.begin.size(); ++r) most = std::max(most, taps.begin[r + 1] - taps.begin[r]);
  return most;
}

// Tap k of every row. A row with fewer taps gets element 0 with weight 0.
struct Column {
  std::vector<int64_t> index;
  std::vector<double> weight;
  Column(const Taps& taps, int64_t k) {
    for (size_t r = 0; r + 1 < taps.begin.size(); ++r) {
      const bool there = taps.begin[r] + k < taps.begin[r + 1];
      const auto at = static_cast<size_t>(taps.begin[r] + k);
      index.push_back(there ? taps.index[at] : 0);
      weight.push_back(there ? taps.weight[at] : 0);
    }
  }
};

ValueId numbers(Emitter& e, const std::vector<double>& values, size_t dim, size_t rank, DType dtype) {
  return cast(e, along(e, values, dim, rank), dtype);
}

ValueId by_gathers(Emitter& e, ValueId x, size_t dim, const Taps& taps) {
  const size_t rank = e.shape(x).rank();
  ValueId sum = kNoValue;
  for (int64_t k = 0; k < std::max<int64_t>(most_taps(taps), 1); ++k) {
    const Column column(taps, k);
    const ValueId rows = e.emit("Gather", {x, e.ints(column.index)}, {{"axis", static_cast<int64_t>(dim)}});
    const ValueId part = mul(e, rows, numbers(e, column.weight, dim, rank, e.dtype(x)));
    sum = sum == kNoValue ? part : add(e, sum, part);
  }
  return sum;
}

ValueId by_matrix(Emitter& e, ValueId x, size_t dim, const Taps& taps) {
  const Shape shape = e.shape(x);
  const int64_t from = shape[dim], to = taps.rows();
  std::vector<double> matrix(static_cast<size_t>(from * to));
  for (int64_t r = 0; r < to; ++r) {
    for (auto k = static_cast<size_t>(taps.begin[static_cast<size_t>(r)]);
         k < static_cast<size_t>(taps.begin[static_cast<size_t>(r) + 1]); ++k) {
      matrix[static_cast<size_t>(taps.index[k] * to + r)] = taps.weight[k];
    }
  }
  std::vector<int64_t> perm;
  for (size_t d = 0; d < shape.rank(); ++d) perm.push_back(static_cast<int64_t>(d));
  std::swap(perm[dim], perm.back());
  const ValueId last = e.emit("Transpose", {x}, {{"perm", perm}});
  const ValueId map = cast(e, e.constant(Tensor::of<double>(Shape{from, to}, matrix)), e.dtype(x));
  return e.emit("Transpose", {e.emit("MatMul", {last, map})}, {{"perm", perm}});
}

ValueId apply(Emitter& e, ValueId x, size_t dim, const Taps& taps) {
  return most_taps(taps) <= kMostGathers ? by_gathers(e, x, dim, taps) : by_matrix(e, x, dim, taps);
}

// Shrinking axes come first, as in the CPU's kernel.
void order(std::vector<AxisSize>& sizes, bool back) {
  const auto growth = [back](const AxisSize& a) {
    const auto in = static_cast<double>(std::max<int64_t>(a.in, 1)),
               out = static_cast<double>(std::max<int64_t>(a.out, 1));
    return back ? in / out : out / in;
  };
  std::reverse(sizes.begin(), sizes.end());
  std::stable_sort(sizes.begin(), sizes.end(),
                   [&](const AxisSize& a, const AxisSize& b) { return growth(a) < growth(b); });
}

}  // namespace

Status resize_body(BodyContext& c) {
  PERCALE_ASSIGN_OR_RETURN(const ResizeOptions o, resize_options(c.attributes()));
  const ValueId x = c.input(0);
  const DType dtype = c.dtype(x);
  const Shape shape = c.shape(x);
  std::vector<AxisSize> sizes;
  PERCALE_ASSIGN_OR_RETURN(const Shape y, resized(inputs_from(c, 1), o, shape, sizes));
  const bool moves = o.filter == ResizeOptions::Filter::kNearest;
  if (!y.is_static() || !shape.is_static()) return unimplemented("the sizes must be known before the run");
  if (y.num_elements() == 0) return unimplemented("the result must not be empty");
  if (!moves && !is_float(dtype)) return unimplemented("no interpolation for ", dtype);
  order(sizes, false);
  ValueId value = moves ? x : cast(c, x, compute_type(dtype));
  // for each axis that has outside elements: the mask of inside elements
  std::vector<ValueId> inside;
  for (const AxisSize& a : sizes) {
    if (!a.changes(o)) continue;
    PERCALE_ASSIGN_OR_RETURN(const Taps taps, resize_taps(o, a));
    const Column first(taps, 0);
    value = moves ? c.emit("Gather", {value, c.ints(first.index)}, {{"axis", static_cast<int64_t>(a.dim)}})
                  : apply(c, value, a.dim, taps);
    std::vector<double> taken;
    for (size_t r = 0; r + 1 < taps.begin.size(); ++r) taken.push_back(taps.begin[r] < taps.begin[r + 1] ? 1 : 0);
    if (std::find(taken.begin(), taken.end(), 0) == taken.end()) continue;
    inside.push_back(cast(c, along(c, taken, a.dim, shape.rank()), DType::kBool));
  }
  value = cast(c, value, dtype);
  for (ValueId rows : inside) value = where(c, rows, value, number_like(c, value, "extrapolation_value"));
  c.set(0, value == x ? c.emit("Identity", {x}) : value);
  return c.status();
}

Status resize_grad_body(BodyContext& c) {
  PERCALE_ASSIGN_OR_RETURN(const ResizeOptions o, resize_options(c.attributes()));
  const ValueId grad = c.input(0);
  const DType dtype = c.dtype(grad);
  if (c.known(1) == nullptr) return unimplemented("the shape must be known");
  if (!is_float(dtype)) return unimplemented("no sums of ", dtype);
  PERCALE_ASSIGN_OR_RETURN(const Shape x, Shape::make(to_int64s(*c.known(1))));
  std::vector<AxisSize> sizes;
  PERCALE_ASSIGN_OR_RETURN(const Shape y, resized(inputs_from(c, 2), o, x, sizes));
  if (!y.is_static()) return unimplemented("the sizes must be known before the run");
  if (y.num_elements() == 0 || x.num_elements() == 0) return unimplemented("the gradient must not be empty");
  order(sizes, true);
  ValueId value = cast(c, grad, compute_type(dtype));
  for (const AxisSize& a : sizes) {
    if (!a.changes(o)) continue;
    PERCALE_ASSIGN_OR_RETURN(const Taps taps, resize_taps(o, a));
    value = apply(c, value, a.dim, transposed(taps, a.in));
  }
  value = cast(c, value, dtype);
  c.set(0, value == grad ? c.emit("Identity", {grad}) : value);
  return c.status();
}

}  // namespace percale
