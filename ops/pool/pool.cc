// Pools over sliding windows and over whole images, and their gradients.
#include "ops/pool/pool.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "core/graph/emit/gradient.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

Status pool_shape(ShapeContext& c);
Status global_pool_shape(ShapeContext& c);
Status max_pool_grad_shape(ShapeContext& c);
Status average_pool_grad_shape(ShapeContext& c);
Status max_pool_grad(GradContext& g);
Status average_pool_grad(GradContext& g);
Status global_max_pool_grad(GradContext& g);
Status global_average_pool_grad(GradContext& g);
Status max_pool_grad_grad(GradContext& g);
Status average_pool_grad_grad(GradContext& g);

constexpr AttrSpec kAutoPad = attr_string("auto_pad", "NOTSET");
constexpr AttrSpec kCeilMode = attr_int("ceil_mode", 0, 0, 1);
constexpr AttrSpec kCountIncludePad = attr_int("count_include_pad", 0, 0, 1);
constexpr AttrSpec kDilations = attr_optional("dilations", AttrKind::kInts, 1, kMaxWindow);
constexpr AttrSpec kKernelShapeRequired = {
    .name = "kernel_shape", .kind = AttrKind::kInts, .required = true, .min = 1, .max = kMaxWindow};
constexpr AttrSpec kKernelShape = attr_optional("kernel_shape", AttrKind::kInts, 1, kMaxWindow);
constexpr AttrSpec kPads = attr_optional("pads", AttrKind::kInts, 0, kMaxWindow);
constexpr AttrSpec kStrides = attr_optional("strides", AttrKind::kInts, 1, kMaxWindow);
constexpr AttrSpec kStorageOrder = attr_int("storage_order", 0, 0, 1);
constexpr AttrSpec kGlobal = attr_int("global", 0, 0, 1);
constexpr DTypeSet kMaxPoolTypes = dtypes::kFloat | DTypeSet::of(DType::kI8, DType::kU8);

constexpr OpRow kSchemas[] = {
    {.name = "MaxPool",
     .since = 22,
     .doc = "The largest element under each position of a sliding window over X [N,C,D1,...]. Padding never wins; NaN "
            "always wins. Indices are positions in X as a flat tensor, -1 where a window has no element.",
     .inputs = {in("X", 'T', kMaxPoolTypes)},
     .attributes = {kAutoPad, kCeilMode, kDilations, kKernelShapeRequired, kPads, kStorageOrder, kStrides},
     .outputs = {out("Y", 'T'), OutputSpec{"Indices", 0, dtypes::kI64Only, Presence::kOptional}},
     .shape = &pool_shape,
     .grad = &max_pool_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kFollows}}},
    {.name = "AveragePool",
     .since = 22,
     .doc = "The mean under each position of a sliding window over X [N,C,D1,...]; with count_include_pad the padding "
            "counts as zeros.",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .attributes = {kAutoPad, kCeilMode, kCountIncludePad, kDilations, kKernelShapeRequired, kPads, kStrides},
     .outputs = {out("Y", 'T')},
     .shape = &pool_shape,
     .grad = &average_pool_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kFollows}}},
    {.name = "GlobalMaxPool",
     .since = 22,
     .doc = "The largest element of each channel of X [N,C,D1,...]; Y is [N,C,1,...].",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .outputs = {out("Y", 'T')},
     .shape = &global_pool_shape,
     .grad = &global_max_pool_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kFollows}}},
    {.name = "GlobalAveragePool",
     .since = 22,
     .doc = "The mean of each channel of X [N,C,D1,...]; Y is [N,C,1,...].",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .outputs = {out("Y", 'T')},
     .shape = &global_pool_shape,
     .grad = &global_average_pool_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kFollows}}},
    {.domain = "percale",
     .name = "MaxPoolGrad",
     .doc =
         "Gradient of MaxPool (of GlobalMaxPool with 'global') with respect to X: each element of dY goes to the first "
         "largest element of its window.",
     .inputs = {in("dY", 'T', dtypes::kFloat), in("X", 'T', dtypes::kFloat)},
     .attributes = {kAutoPad, kCeilMode, kDilations, kKernelShape, kPads, kStrides, kGlobal},
     .outputs = {out("dX", 'T')},
     .shape = &max_pool_grad_shape,
     .grad = &max_pool_grad_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kFollows}}},
    {.domain = "percale",
     .name = "AveragePoolGrad",
     .doc = "Gradient of AveragePool (of GlobalAveragePool with 'global') with respect to X. The spatial dims of X "
            "come from the attribute 'spatial_shape' or from the input 'shape', the shape of X.",
     .inputs = {in("dY", 'T', dtypes::kFloat), in_shape("shape", Presence::kOptional)},
     .attributes = {kAutoPad, kCeilMode, kCountIncludePad, kDilations, kKernelShape, kPads, kStrides, kGlobal,
                    attr_optional("spatial_shape", AttrKind::kInts, 0, static_cast<double>(kMaxDim))},
     .outputs = {out("dX", 'T')},
     .shape = &average_pool_grad_shape,
     .grad = &average_pool_grad_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kFollows}}},
};

bool is_global(const Attributes& attributes) { return attributes.get_int("global") != 0; }

// Returns the shape of Y for X. Dims may be unknown.
Result<Shape> pooled_shape(const Attributes& attributes, const Shape& x, bool global) {
  if (!x.known_rank()) return Shape::unranked();
  if (global) {
    if (x.rank() < 2) return invalid_argument("the input has shape ", x, ", wanted [N,C,...]");
    Shape y{x[0], x[1]};
    for (size_t i = 2; i < x.rank(); ++i) {
      if (x[i] == 0) return invalid_argument("the input ", x, " has channels without elements");
      y.push_back(1);
    }
    return y;
  }
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, spatial_rank(x));
  PERCALE_ASSIGN_OR_RETURN(const auto kernel, ints_or(attributes, "kernel_shape", rank, 0));
  if (attributes.get_ints("kernel_shape").empty())
    return invalid_argument("attribute 'kernel_shape' must not be empty");
  PERCALE_ASSIGN_OR_RETURN(const Window window, make_window(attributes, x.dims().subspan(2), kernel));
  Shape y{x[0], x[1]};
  for (int64_t d : window.out_dims()) y.push_back(d);
  return y;
}

Status pool_shape(ShapeContext& c) {
  const auto y = pooled_shape(c.attributes, c.shape(0), false);
  if (!y.ok()) return c.error(y.status());
  c.set_output(0, c.dtype(0), *y);
  c.set_output(1, DType::kI64, *y);
  return {};
}

Status global_pool_shape(ShapeContext& c) {
  const auto y = pooled_shape(c.attributes, c.shape(0), true);
  if (!y.ok()) return c.error(y.status());
  c.set_output(0, c.dtype(0), *y);
  return {};
}

Status check_dy(const ShapeContext& c, const Shape& x) {
  const auto y = pooled_shape(c.attributes, x, is_global(c.attributes));
  if (!y.ok()) return c.error(y.status());
  if (!compatible(*y, c.shape(0))) return c.error("dY has shape ", c.shape(0), ", but the window gives ", *y);
  return {};
}

Status max_pool_grad_shape(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_dy(c, c.shape(1)));
  c.set_output(0, c.dtype(0), c.shape(1));
  return {};
}

Status average_pool_grad_shape(ShapeContext& c) {
  const Shape& dy = c.shape(0);
  Shape dx = Shape::unranked();
  const auto& spatial = c.attributes.get_ints("spatial_shape");
  if (!spatial.empty() || !c.has_input(1)) {
    dx = Shape{kUnknownDim, kUnknownDim};
    if (spatial.size() > kMaxRank - 2) return c.error("attribute 'spatial_shape' has too many entries");
    for (int64_t d : spatial) dx.push_back(d);
    if (!c.has_input(1) && dy.known_rank() && dy.rank() != dx.rank()) {
      return c.error("attribute 'spatial_shape' does not match dY ", dy);
    }
  } else if (dy.known_rank()) {
    dx = Shape{};
    for (size_t i = 0; i < dy.rank(); ++i) dx.push_back(kUnknownDim);
  }
  if (const Tensor* value = c.value(1)) {
    const auto given = Shape::make(to_int64s(*value));
    if (!given.ok()) return c.error(given.status());
    if (!compatible(dx, *given)) return c.error("the shape of X is ", *given, ", wanted ", dx);
    dx = merge(dx, *given);
  }
  if (dy.known_rank() && dx.known_rank()) {
    if (dy.rank() < 2 || dx.rank() != dy.rank()) return c.error("dY ", dy, " and X ", dx, " do not match");
    for (size_t i = 0; i < 2; ++i) {
      if (dx[i] < 0) dx[i] = dy[i];
    }
  }
  PERCALE_RETURN_IF_ERROR(check_dy(c, dx));
  c.set_output(0, c.dtype(0), dx);
  return {};
}

Status max_pool_grad(GradContext& g) {
  if (g.grad(0) == kNoValue || !g.wants(0)) return {};
  Attributes attributes = g.attributes();
  attributes.erase("storage_order");
  g.set(0, g.emit("percale:MaxPoolGrad", {g.grad(0), g.input(0)}, std::move(attributes)));
  return g.status();
}

Status global_max_pool_grad(GradContext& g) {
  if (g.grad(0) == kNoValue || !g.wants(0)) return {};
  g.set(0, g.emit("percale:MaxPoolGrad", {g.grad(0), g.input(0)}, {{"global", 1}}));
  return g.status();
}

Status emit_average_pool_grad(GradContext& g, Attributes attributes) {
  if (g.grad(0) == kNoValue || !g.wants(0)) return {};
  const Shape& x = g.shape(g.input(0));
  const bool known =
      x.known_rank() && x.rank() > 2 && std::all_of(x.begin() + 2, x.end(), [](int64_t d) { return d >= 0; });
  if (known) {
    attributes.set("spatial_shape", std::vector<int64_t>(x.begin() + 2, x.end()));
    g.set(0, g.emit("percale:AveragePoolGrad", {g.grad(0)}, std::move(attributes)));
  } else {
    const ValueId shape = g.emit("Shape", {g.input(0)});
    g.set(0, g.emit("percale:AveragePoolGrad", {g.grad(0), shape}, std::move(attributes)));
  }
  return g.status();
}

Status average_pool_grad(GradContext& g) { return emit_average_pool_grad(g, g.attributes()); }
Status global_average_pool_grad(GradContext& g) { return emit_average_pool_grad(g, {{"global", 1}}); }

// dX is linear in dY: d(dY) takes the elements of ddX at the positions of the largest elements.
Status max_pool_grad_grad(GradContext& g) {
  if (g.grad(0) == kNoValue || !g.wants(0)) return {};
  const ValueId x = g.input(1);
  const Shape& shape = g.shape(x);
  Attributes attributes = g.attributes();
  attributes.erase("global");
  if (is_global(g.attributes())) {
    const bool known = shape.known_rank() && shape.rank() > 2 && shape.rank() <= 2 + kMaxSpatial &&
                       std::all_of(shape.begin() + 2, shape.end(), [](int64_t d) { return d >= 0; });
    if (!known) {
      return unimplemented("MaxPoolGrad '", g.node().name,
                           "': the second derivative of a global pool needs 1 to 3 "
                           "known spatial dims, got ",
                           shape);
    }
    attributes = {{"kernel_shape", std::vector<int64_t>(shape.begin() + 2, shape.end())}};
  }
  const ValueId indices = g.emit_many("MaxPool", {x}, 2, std::move(attributes))[1];
  g.set(0, g.emit("Gather", {g.emit("Reshape", {g.grad(0), g.ints({-1})}), indices}));
  return g.status();
}

Status average_pool_grad_grad(GradContext& g) {
  if (g.grad(0) == kNoValue || !g.wants(0)) return {};
  Attributes attributes = g.attributes();
  attributes.erase("global");
  attributes.erase("spatial_shape");
  g.set(0, is_global(g.attributes()) ? g.emit("GlobalAveragePool", {g.grad(0)})
                                     : g.emit("AveragePool", {g.grad(0)}, std::move(attributes)));
  return g.status();
}

// ---- Portable kernels

// The taps of a window at output `o` along dim d that lie in the input, and the input position of
// the first one.
struct Taps {
  int64_t begin, end, first;
};
Taps taps_at(const Window& w, size_t d, int64_t o) {
  const int64_t start = o * w.stride[d] - w.pad[d];
  const TapRange range = tap_range(start, w.dilation[d], w.in[d], w.kernel[d]);
  return {range.begin, range.end, start + range.begin * w.dilation[d]};
}
// Returns the number of taps along dim d at output `o` that lie in the input or its pads.
int64_t padded_taps(const Window& w, size_t d, int64_t o) {
  const int64_t room = w.in[d] + w.pad_end[d] - (o * w.stride[d] - w.pad[d]);
  return room <= 0 ? 0 : std::min((room - 1) / w.dilation[d] + 1, w.kernel[d]);
}

// For every window of one image in row-major order, calls begin(output index, taps in the input,
// taps in the padded input), f(output index, input index) for every tap in the input, and
// end(output index).
template <class Begin, class F, class End>
void for_windows(const Window& w, Begin&& begin, F&& f, End&& end) {
  int64_t at = 0;
  for (int64_t o0 = 0; o0 < w.out[0]; ++o0) {
    const Taps t0 = taps_at(w, 0, o0);
    for (int64_t o1 = 0; o1 < w.out[1]; ++o1) {
      const Taps t1 = taps_at(w, 1, o1);
      for (int64_t o2 = 0; o2 < w.out[2]; ++o2, ++at) {
        const Taps t2 = taps_at(w, 2, o2);
        const double inside = work_of(t0.end - t0.begin, t1.end - t1.begin, t2.end - t2.begin);
        begin(at, inside, work_of(padded_taps(w, 0, o0), padded_taps(w, 1, o1), padded_taps(w, 2, o2)));
        int64_t i0 = t0.first;
        for (int64_t k0 = t0.begin; k0 < t0.end; ++k0, i0 += w.dilation[0]) {
          int64_t i1 = t1.first;
          for (int64_t k1 = t1.begin; k1 < t1.end; ++k1, i1 += w.dilation[1]) {
            int64_t i2 = t2.first;
            for (int64_t k2 = t2.begin; k2 < t2.end; ++k2, i2 += w.dilation[2]) {
              f(at, (i0 * w.in[1] + i1) * w.in[2] + i2);
            }
          }
        }
        end(at);
      }
    }
  }
}

template <class F>
void for_images(const PoolSizes& s, const ParallelFor& parallel, F&& f) {
  const Window& w = s.window;
  const double taps =
      work_of(std::min(w.kernel[0], w.in[0]), std::min(w.kernel[1], w.in[1]), std::min(w.kernel[2], w.in[2]));
  const double work = work_of(w.out_size()) * taps + work_of(w.in_size());
  const int64_t pieces = piece_count(s.images, work);
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(s.images, pieces, piece);
    for (int64_t image = range.begin; image < range.end; ++image) f(image);
  });
}

// Visits the windows of one image and calls done(output index, index of the first largest element
// or -1).
template <class T, class F>
void for_maxima(const Window& w, const T* x, F&& done) {
  int64_t best = -1;
  for_windows(
      w, [&](int64_t, double, double) { best = -1; },
      [&](int64_t, int64_t i) {
        if (best < 0 || x[i] > x[best] || (x[i] != x[i] && x[best] == x[best])) best = i;
      },
      [&](int64_t at) { done(at, best); });
}

// Returns the index of element i of an image that is stored with its first dim varying fastest.
int64_t column_major(const Window& w, int64_t i) {
  const int64_t i2 = i % w.in[2], i1 = i / w.in[2] % w.in[1], i0 = i / w.in[2] / w.in[1];
  return i0 + w.in[0] * (i1 + w.in[1] * i2);
}

template <class T>
void run_max_pool(const PoolSizes& s, const T* x, T* y, int64_t* indices, const ParallelFor& parallel) {
  constexpr T kNone =
      std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  const int64_t in_size = s.window.in_size(), out_size = s.window.out_size();
  for_images(s, parallel, [&](int64_t image) {
    const T* from = x + image * in_size;
    for_maxima(s.window, from, [&](int64_t at, int64_t i) {
      y[image * out_size + at] = i < 0 ? kNone : from[i];
      if (indices == nullptr) return;
      const int64_t within = i >= 0 && s.column_major ? column_major(s.window, i) : i;
      indices[image * out_size + at] = i < 0 ? -1 : image * in_size + within;
    });
  });
}

template <class T>
void run_max_pool_grad(const PoolSizes& s, const T* dy, const T* x, T* dx, const ParallelFor& parallel) {
  const int64_t in_size = s.window.in_size(), out_size = s.window.out_size();
  for_images(s, parallel, [&](int64_t image) {
    T* to = dx + image * in_size;
    std::fill_n(to, in_size, T{0});
    for_maxima(s.window, x + image * in_size, [&](int64_t at, int64_t i) {
      if (i >= 0) to[i] += dy[image * out_size + at];
    });
  });
}

template <class T>
void run_average_pool(const PoolSizes& s, const T* x, T* y, const ParallelFor& parallel) {
  const int64_t in_size = s.window.in_size(), out_size = s.window.out_size();
  for_images(s, parallel, [&](int64_t image) {
    const T* from = x + image * in_size;
    double sum = 0, count = 1;
    for_windows(
        s.window,
        [&](int64_t, double inside, double padded) {
          sum = 0;
          count = std::max(s.count_include_pad ? padded : inside, 1.0);
        },
        [&](int64_t, int64_t i) { sum += static_cast<double>(from[i]); },
        [&](int64_t at) { y[image * out_size + at] = static_cast<T>(sum / count); });
  });
}

template <class T>
void run_average_pool_grad(const PoolSizes& s, const T* dy, T* dx, const ParallelFor& parallel) {
  const int64_t in_size = s.window.in_size(), out_size = s.window.out_size();
  for_images(s, parallel, [&](int64_t image) {
    T* to = dx + image * in_size;
    std::fill_n(to, in_size, T{0});
    T share = 0;
    for_windows(
        s.window,
        [&](int64_t at, double inside, double padded) {
          share = dy[image * out_size + at] / static_cast<T>(std::max(s.count_include_pad ? padded : inside, 1.0));
        },
        [&](int64_t, int64_t i) { to[i] += share; }, [](int64_t) {});
  });
}

Attributes global_attributes() { return {{"global", 1}}; }

Result<PoolSizes> plan_pool(const NodeView& v, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(PoolSizes s, pool_sizes(v.attributes, v.shape(0), v.dtype(0)));
  s.indices = v.has_output(1);
  return s;
}
Result<PoolSizes> plan_global_pool(const NodeView& v, KernelPlan&) {
  return pool_sizes(global_attributes(), v.shape(0), v.dtype(0));
}
Result<PoolSizes> plan_pool_grad(const NodeView& v, KernelPlan&) {
  return pool_sizes(v.attributes, v.output_shape(0), v.dtype(0));
}

void max_pool_run(const PoolSizes& s, const Launch& l) {
  int64_t* indices = s.indices ? l.out<int64_t>(1) : nullptr;
  const auto run = [&]<class T>() { run_max_pool<T>(s, l.in<T>(0), l.out<T>(0), indices, l.parallel()); };
  if (s.dtype == DType::kI8) return run.template operator()<int8_t>();
  if (s.dtype == DType::kU8) return run.template operator()<uint8_t>();
  with_float(s.dtype, run);
}
void max_pool_grad_run(const PoolSizes& s, const Launch& l) {
  with_float(s.dtype, [&]<class T>() { run_max_pool_grad<T>(s, l.in<T>(0), l.in<T>(1), l.out<T>(0), l.parallel()); });
}
void average_pool_run(const PoolSizes& s, const Launch& l) {
  with_float(s.dtype, [&]<class T>() { run_average_pool<T>(s, l.in<T>(0), l.out<T>(0), l.parallel()); });
}
void average_pool_grad_run(const PoolSizes& s, const Launch& l) {
  with_float(s.dtype, [&]<class T>() { run_average_pool_grad<T>(s, l.in<T>(0), l.out<T>(0), l.parallel()); });
}

}  // namespace

Result<PoolSizes> pool_sizes(const Attributes& attributes, const Shape& x, DType dtype) {
  PoolSizes s;
  s.images = x[0] * x[1];
  s.dtype = dtype;
  s.count_include_pad = attributes.get_int("count_include_pad") != 0;
  s.column_major = attributes.get_int("storage_order") != 0;
  if (is_global(attributes)) {
    s.window.rank = 1;
    s.window.in[2] = s.window.kernel[2] = x.product(2, x.rank());
    return s;
  }
  PERCALE_ASSIGN_OR_RETURN(const auto kernel, ints_or(attributes, "kernel_shape", x.rank() - 2, 1));
  PERCALE_ASSIGN_OR_RETURN(s.window, make_window(attributes, x.dims().subspan(2), kernel));
  return s;
}

Status register_pool(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) PERCALE_RETURN_IF_ERROR(register_pool_simd(registry, *simd));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_pool, &max_pool_run>(registry, "MaxPool", "", "portable.max_pool",
                                                                        "portable.max_pool_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_pool, &average_pool_run>(
      registry, "AveragePool", "", "portable.average_pool", "portable.average_pool_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_global_pool, &max_pool_run>(
      registry, "GlobalMaxPool", "", "portable.global_max_pool", "portable.global_max_pool_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_global_pool, &average_pool_run>(
      registry, "GlobalAveragePool", "", "portable.global_average_pool", "portable.global_average_pool_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_pool_grad, &max_pool_grad_run>(
      registry, "MaxPoolGrad", "percale", "portable.max_pool_grad", "portable.max_pool_grad_widened")));
  return add_float_kernels<&plan_pool_grad, &average_pool_grad_run>(
      registry, "AveragePoolGrad", "percale", "portable.average_pool_grad", "portable.average_pool_grad_widened");
}

}  // namespace percale
