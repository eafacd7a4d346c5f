// GridSample and its gradient: samples an image at positions between its elements, along 1 to 3
// spatial dims.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "ops/support/families.h"
#include "ops/support/float_kernels.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/window.h"

namespace percale {
namespace {

enum class Mode : uint8_t { kNearest, kLinear, kCubic };
enum class Padding : uint8_t { kZeros, kBorder, kReflection };

struct Options {
  Mode mode = Mode::kLinear;
  Padding padding = Padding::kZeros;
  bool align_corners = false;
};

Result<Options> options_of(const Attributes& attributes) {
  Options o;
  const std::string_view mode = attributes.get_string("mode"), padding = attributes.get_string("padding_mode");
  o.align_corners = attributes.get_int("align_corners") != 0;
  if (mode == "nearest") {
    o.mode = Mode::kNearest;
  } else if (mode == "cubic") {
    o.mode = Mode::kCubic;
  } else if (mode != "linear") {
    return invalid_argument("mode is '", mode, "', wanted nearest, linear or cubic");
  }
  if (padding == "border") {
    o.padding = Padding::kBorder;
  } else if (padding == "reflection") {
    o.padding = Padding::kReflection;
  } else if (padding != "zeros") {
    return invalid_argument("padding_mode is '", padding, "', wanted zeros, border or reflection");
  }
  return o;
}

// ---- Shapes

// x [N,C,D1,...] and grid [N,P1,...,rank] give y [N,C,P1,...].
Result<Shape> sampled_shape(const Shape& x, const Shape& grid) {
  if (!x.known_rank() || !grid.known_rank()) return Shape::unranked();
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, spatial_rank(x));
  Shape wanted = x;
  for (size_t d = 1; d <= rank; ++d) wanted[d] = kUnknownDim;
  wanted[rank + 1] = static_cast<int64_t>(rank);
  if (!compatible(grid, wanted)) return invalid_argument("the grid has shape ", grid, ", wanted ", wanted);
  Shape y = x;
  y[0] = std::max(x[0], grid[0]);
  bool any = true, none = false;
  for (size_t d = 1; d <= rank; ++d) {
    y[d + 1] = grid[d];
    any = any && grid[d] > 0;
    none = none || x[d + 1] == 0;
  }
  if (any && none) return invalid_argument("X ", x, " has no elements to sample");
  return y;
}

Status shape_grid_sample(ShapeContext& c) {
  const auto options = options_of(c.attributes);
  if (!options.ok()) return c.error(options.status());
  if (options->mode != Mode::kNearest && !dtypes::kNumeric.contains(c.dtype(0))) {
    return c.error("mode ", c.attributes.get_string("mode"), " interpolates, which is not possible for ", c.dtype(0));
  }
  const auto y = sampled_shape(c.shape(0), c.shape(1));
  if (!y.ok()) return c.error(y.status());
  c.set_output(0, c.dtype(0), *y);
  return {};
}

Status shape_grid_sample_grad(ShapeContext& c) {
  const auto options = options_of(c.attributes);
  if (!options.ok()) return c.error(options.status());
  const auto y = sampled_shape(c.shape(1), c.shape(2));
  if (!y.ok()) return c.error(y.status());
  if (!compatible(c.shape(0), *y)) return c.error("grad is ", c.shape(0), ", wanted ", *y);
  c.set_output(0, c.dtype(0), c.shape(1));
  c.set_output(1, c.dtype(0), c.shape(2));
  return {};
}

Status grad_grid_sample(GradContext& g) {
  if (g.grad(0) == kNoValue || !(g.wants(0) || g.wants(1))) return {};
  const DType of_x = g.dtype(g.input(0)), of_grid = g.dtype(g.input(1));
  const DType work = of_x == of_grid ? of_x : of_x == DType::kF64 || of_grid == DType::kF64 ? DType::kF64 : DType::kF32;
  const std::vector<ValueId> inputs = {cast(g, g.grad(0), work), cast(g, g.input(0), work), cast(g, g.input(1), work)};
  const auto grads = g.emit_many("percale:GridSampleGrad", inputs, 2, g.attributes());
  if (g.wants(0)) g.set(0, cast(g, grads[0], of_x));
  if (g.wants(1)) g.set(1, cast(g, grads[1], of_grid));
  return g.status();
}

// ---- Taps

// The elements along one axis that contribute to a sample: at most four, with their weights and the
// derivatives of the weights with respect to the grid.
struct AxisTaps {
  size_t count = 0;
  std::array<int64_t, 4> index{};  // -1: outside of the image, where values are 0
  std::array<double, 4> weight{}, slope{};
};

// Reflects x at both ends until it is inside. `sign` changes with each reflection.
double reflect(double x, double low, double high, double& sign) {
  const double span = high - low;
  if (!(span > 0)) {
    sign = 0;
    return low;
  }
  const bool below = x < low;
  if (!below && x <= high) return x;
  const double beyond = below ? low - x : x - high;
  const double turns = std::floor(beyond / span), rest = std::clamp(beyond - turns * span, 0.0, span);
  const bool even = std::fmod(turns, 2) == 0;
  if (even) sign = -sign;
  return even == below ? low + rest : high - rest;
}

// Weights of Keys 1981 with a = -0.75 at the distances t + 1, t, 1 - t and 2 - t, and their
// derivatives with respect to t.
void cubic(double t, AxisTaps& taps) {
  constexpr double a = -0.75;
  const auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  const auto near_slope = [](double d) { return (3 * (a + 2) * d - 2 * (a + 3)) * d; };
  const auto far_slope = [](double d) { return (3 * a * d - 10 * a) * d + 8 * a; };
  taps.weight = {far(t + 1), near(t), near(1 - t), far(2 - t)};
  taps.slope = {far_slope(t + 1), near_slope(t), -near_slope(1 - t), -far_slope(2 - t)};
}

// Returns the position in units of elements. It is computed in the grid's own precision, so that
// ties are the same as elsewhere.
template <class T>
double place_of(T at, int64_t dim, bool align_corners) {
  const auto n = static_cast<T>(dim);
  return static_cast<double>(align_corners ? (at + 1) / 2 * (n - 1) : ((at + 1) * n - 1) / 2);
}

AxisTaps axis_taps(const Options& o, double x, int64_t dim) {
  AxisTaps taps;
  const auto last = static_cast<double>(dim - 1);
  const double low = o.align_corners ? 0 : -0.5, high = o.align_corners ? last : last + 0.5;
  double slope = o.align_corners ? last / 2 : static_cast<double>(dim) / 2;
  if (o.mode == Mode::kNearest) x = std::nearbyint(x);
  if (o.padding == Padding::kZeros) {
    x = x != x ? -8 : std::clamp(x, -8.0, last + 8);
  } else if (x != x || (std::isinf(x) && o.padding == Padding::kReflection)) {
    x = 0;
    slope = 0;
  } else if (x < low || x > high) {
    if (o.padding == Padding::kBorder) {
      x = std::clamp(x, 0.0, last);
      slope = 0;
    } else {
      x = reflect(x, low, high, slope);
    }
  }
  const double floor = std::floor(x), t = x - floor;
  int64_t first = static_cast<int64_t>(floor);
  if (o.mode == Mode::kNearest) {
    taps.count = 1;
    taps.weight[0] = 1;
    first = static_cast<int64_t>(std::nearbyint(x));
  } else if (o.mode == Mode::kLinear) {
    taps.count = 2;
    taps.weight = {1 - t, t};
    taps.slope = {-1, 1};
  } else {
    taps.count = 4;
    cubic(t, taps);
    --first;
  }
  for (size_t i = 0; i < taps.count; ++i) {
    int64_t at = first + static_cast<int64_t>(i);
    if (at < 0 || at >= dim) {
      double ignored = 1;
      if (o.padding == Padding::kReflection) {
        at = static_cast<int64_t>(reflect(static_cast<double>(at), low, high, ignored));
      }
      at = o.padding == Padding::kZeros ? -1 : std::clamp<int64_t>(at, 0, dim - 1);
    }
    taps.index[i] = at;
    taps.slope[i] *= slope;
  }
  return taps;
}

// One element of an image and its weight in a sample.
struct Tap {
  int64_t offset;
  double weight;
  // derivatives of the weight with respect to the grid's numbers, x first
  std::array<double, kMaxSpatial> slope;
};
using Taps = std::array<Tap, 64>;

struct SamplePlan {
  Options options;
  DType grid = DType::kInvalid;
  int64_t batch = 0, channels = 0, points = 0, picture = 0, item = 0;
  std::vector<int64_t> dims;
  void (*mix)(const char* picture, const Tap* taps, size_t count, char* to) = nullptr;
};

// Finds the taps of point `at`. A point's grid numbers are stored with the last dim first.
size_t taps_of(const SamplePlan& p, const char* grid, int64_t at, Taps& out) {
  const size_t rank = p.dims.size();
  std::array<AxisTaps, kMaxSpatial> axes;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t number = at * static_cast<int64_t>(rank) + static_cast<int64_t>(rank - 1 - d);
    double place = 0;
    dispatch(kFloatList, p.grid, [&]<class T>() {
      place = place_of(widen(reinterpret_cast<const T*>(grid)[number]), p.dims[d], p.options.align_corners);
    });
    axes[d] = axis_taps(p.options, place, p.dims[d]);
  }
  size_t count = 0;
  std::array<size_t, kMaxSpatial> k{};
  for (;;) {
    Tap tap{0, 1, {1, 1, 1}};
    bool inside = true;
    for (size_t d = 0; d < rank; ++d) {
      const AxisTaps& axis = axes[d];
      inside = inside && axis.index[k[d]] >= 0;
      tap.offset = tap.offset * p.dims[d] + axis.index[k[d]];
      tap.weight *= axis.weight[k[d]];
      for (size_t e = 0; e < rank; ++e) tap.slope[rank - 1 - e] *= e == d ? axis.slope[k[d]] : axis.weight[k[d]];
    }
    if (inside) out[count++] = tap;
    size_t d = rank;
    while (d-- > 0 && ++k[d] == axes[d].count) k[d] = 0;
    if (d >= rank) return count;
  }
}

template <class T>
void mix_row(const char* picture, const Tap* taps, size_t count, char* to) {
  const T* x = reinterpret_cast<const T*>(picture);
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += taps[i].weight * static_cast<double>(widen(x[taps[i].offset]));
  if constexpr (is_float_like<T>) {
    *reinterpret_cast<T*>(to) = narrow<T>(static_cast<Wide<T>>(sum));
  } else {
    *reinterpret_cast<T*>(to) = saturate<T>(sum);
  }
}

Result<SamplePlan> sample_plan(const NodeView& node, const Shape& x, const Shape& grid, DType grid_dtype) {
  SamplePlan p;
  PERCALE_ASSIGN_OR_RETURN(p.options, options_of(node.attributes));
  p.grid = grid_dtype;
  p.batch = x[0];
  p.channels = x[1];
  p.picture = p.points = 1;
  for (size_t d = 2; d < x.rank(); ++d) {
    p.dims.push_back(x[d]);
    p.picture *= x[d];
    p.points *= grid[d - 1];
  }
  return p;
}

Result<SamplePlan> plan_grid_sample(const NodeView& node, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(SamplePlan p, sample_plan(node, node.shape(0), node.shape(1), node.dtype(1)));
  p.item = item_bytes(node.dtype(0));
  dispatch(kNumericList, node.dtype(0), [&]<class T>() { p.mix = mix_row<T>; });
  return p;
}

void run_grid_sample(const SamplePlan& p, const Launch& l) {
  const char *x = l.in<char>(0), *grid = l.in<char>(1);
  char* y = l.out<char>(0);
  const int64_t points = p.batch * p.points;
  if (points == 0 || p.channels == 0) return;
  const int64_t pieces = piece_count(points, work_of(p.channels, 16));
  const bool copies = p.options.mode == Mode::kNearest;
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(points, pieces, piece);
    Taps taps;
    for (int64_t at = range.begin; at < range.end; ++at) {
      const size_t count = taps_of(p, grid, at, taps);
      const int64_t n = at / p.points, point = at % p.points;
      for (int64_t c = 0; c < p.channels; ++c) {
        const char* picture = x + (n * p.channels + c) * p.picture * p.item;
        char* to = y + ((n * p.channels + c) * p.points + point) * p.item;
        if (!copies) {
          p.mix(picture, taps.data(), count, to);
        } else if (count == 0) {
          std::memset(to, 0, static_cast<size_t>(p.item));
        } else {
          std::memcpy(to, picture + taps[0].offset * p.item, static_cast<size_t>(p.item));
        }
      }
    }
  });
}

Result<SamplePlan> plan_grid_sample_grad(const NodeView& node, KernelPlan&) {
  return sample_plan(node, node.shape(1), node.shape(2), node.dtype(2));
}

// Computes dX by images, each owned by one piece, and dGrid by points.
template <class T>
void sample_grad(const SamplePlan& p, const T* dy, const T* x, const char* grid, T* dx, T* dgrid, const Launch& l) {
  const int64_t pictures = p.batch * p.channels, points = p.batch * p.points;
  const auto rank = static_cast<int64_t>(p.dims.size());
  const int64_t pieces = piece_count(pictures, work_of(p.points, 32));
  const auto by_picture = [&](int64_t piece) {
    const PieceRange range = piece_range(pictures, pieces, piece);
    Taps taps;
    for (int64_t i = range.begin; i < range.end; ++i) {
      T* to = dx + i * p.picture;
      std::fill_n(to, p.picture, T{0});
      for (int64_t point = 0; point < p.points; ++point) {
        const size_t count = taps_of(p, grid, i / p.channels * p.points + point, taps);
        const auto grad = static_cast<double>(dy[i * p.points + point]);
        for (size_t k = 0; k < count; ++k) to[taps[k].offset] += static_cast<T>(grad * taps[k].weight);
      }
    }
  };
  if (pictures > 0) l.parallel()(pieces, by_picture);
  const int64_t grid_pieces = piece_count(points, work_of(p.channels, 16));
  const auto by_point = [&](int64_t piece) {
    const PieceRange range = piece_range(points, grid_pieces, piece);
    Taps taps;
    for (int64_t at = range.begin; at < range.end; ++at) {
      const size_t count = taps_of(p, grid, at, taps);
      std::array<double, kMaxSpatial> sum{};
      for (int64_t c = 0; c < p.channels; ++c) {
        const int64_t image = at / p.points * p.channels + c;
        const auto grad = static_cast<double>(dy[image * p.points + at % p.points]);
        for (size_t k = 0; k < count; ++k) {
          const double value = grad * static_cast<double>(x[image * p.picture + taps[k].offset]);
          for (size_t d = 0; d < p.dims.size(); ++d) sum[d] += value * taps[k].slope[d];
        }
      }
      for (int64_t d = 0; d < rank; ++d) dgrid[at * rank + d] = static_cast<T>(sum[static_cast<size_t>(d)]);
    }
  };
  if (points > 0) l.parallel()(grid_pieces, by_point);
}

void run_grid_sample_grad(const SamplePlan& p, const Launch& l) {
  with_float(p.grid,
             [&]<class T>() { sample_grad<T>(p, l.in<T>(0), l.in<T>(1), l.in<char>(2), l.out<T>(0), l.out<T>(1), l); });
}

constexpr AttrSpec kAlign = attr_int("align_corners", 0, 0, 1), kMode = attr_string("mode", "linear"),
                   kPadding = attr_string("padding_mode", "zeros");

constexpr OpRow kSchemas[] = {
    {.name = "GridSample",
     .since = 22,
     .doc =
         "X [N,C,D1,...] sampled at the positions in grid [N,P1,...,rank], whose coordinates, last dim first, run from "
         "-1 to 1 between the first and last elements (align_corners) or the edges. Interpolation is nearest, linear "
         "or cubic (Keys 1981). Positions beyond the edges read zeros, the edge or a reflection. 1 to 3 spatial dims.",
     .inputs = {in("X", 'X', dtypes::kAny), in("grid", 'G', dtypes::kFloat)},
     .attributes = {kAlign, kMode, kPadding},
     .outputs = {out("Y", 'X')},
     .shape = shape_grid_sample,
     .grad = grad_grid_sample},
    {.domain = "percale",
     .name = "GridSampleGrad",
     .doc = "The gradients of GridSample with respect to X and grid.",
     .inputs = {in("grad", 'T', dtypes::kFloat), in("X", 'T', dtypes::kFloat), in("grid", 'T', dtypes::kFloat)},
     .attributes = {kAlign, kMode, kPadding},
     .outputs = {out("dX", 'T'), out("dgrid", 'T')},
     .shape = shape_grid_sample_grad,
     .grad = grad::none},
};

}  // namespace

Status register_grid_sample(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  PERCALE_RETURN_IF_ERROR(add_cpu_kernels(
      registry,
      {make_kernel<accepts_types<kAnyList>, plan_grid_sample, run_grid_sample>("portable.GridSample", "GridSample")}));
  return add_float_kernels<&plan_grid_sample_grad, &run_grid_sample_grad>(
      registry, "GridSampleGrad", "percale", "portable.GridSampleGrad", "portable.GridSampleGrad_widened");
}

}  // namespace percale
