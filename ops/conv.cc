// Convolution, transposed convolution, and the gradients of both.
#include "core/base/checked.h"
#include "core/graph/gradient.h"
#include "ops/conv_kernels.h"
#include "ops/families.h"
#include "ops/float_kernels.h"

namespace percale {
namespace {

Status conv_shape(ShapeContext& c);
Status conv_transpose_shape(ShapeContext& c);
Status conv_grad_input_shape(ShapeContext& c);
Status conv_grad_weight_shape(ShapeContext& c);
Status conv_grad(GradContext& g);
Status conv_transpose_grad(GradContext& g);
Status conv_grad_input_grad(GradContext& g);
Status conv_grad_weight_grad(GradContext& g);

constexpr AttrSpec kAutoPad = attr_string("auto_pad", "NOTSET");
constexpr AttrSpec kDilations = attr_optional("dilations", AttrKind::kInts, 1, kMaxWindow);
constexpr AttrSpec kGroup = attr_int("group", 1, 1, kMaxWindow);
constexpr AttrSpec kKernelShape = attr_optional("kernel_shape", AttrKind::kInts, 1, kMaxWindow);
constexpr AttrSpec kPads = attr_optional("pads", AttrKind::kInts, 0, kMaxWindow);
constexpr AttrSpec kStrides = attr_optional("strides", AttrKind::kInts, 1, kMaxWindow);

constexpr OpSchema kSchemas[] = {
    {.name = "Conv",
     .since = 22,
     .doc = "Convolution (cross-correlation) of images X [N,C,D1,...] with filters W [M,C/group,k1,...], plus B [M] per "
            "output channel; 1 to 3 spatial dims.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("W", 'T', dtypes::kFloat), in_opt("B", 'T', dtypes::kFloat)},
     .attributes = {kAutoPad, kDilations, kGroup, kKernelShape, kPads, kStrides},
     .outputs = {out("Y", 'T')},
     .shape = &conv_shape,
     .grad = &conv_grad},
    {.name = "ConvTranspose",
     .since = 22,
     .doc = "Transposed convolution of X [N,C,D1,...] with filters W [C,M/group,k1,...], plus B [M]: the gradient of "
            "Conv with respect to its input, output dim = stride * (in - 1) + output_padding + (k - 1) * dilation + 1 - "
            "pads.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("W", 'T', dtypes::kFloat), in_opt("B", 'T', dtypes::kFloat)},
     .attributes = {kAutoPad, kDilations, kGroup, kKernelShape,
                    attr_optional("output_padding", AttrKind::kInts, 0, kMaxWindow),
                    attr_optional("output_shape", AttrKind::kInts, 1, static_cast<double>(kMaxDim)), kPads, kStrides},
     .outputs = {out("Y", 'T')},
     .shape = &conv_transpose_shape,
     .grad = &conv_transpose_grad},
    {.domain = "percale",
     .name = "ConvGradInput",
     .doc = "Gradient of Conv with respect to X, from dY and W; X's spatial dims are given by the attribute "
            "'spatial_shape' or by the input 'shape', the shape of X.",
     .inputs = {in("dY", 'T', dtypes::kFloat), in("W", 'T', dtypes::kFloat), in_shape("shape", Presence::kOptional)},
     .attributes = {kAutoPad, kDilations, kGroup, kKernelShape, kPads, kStrides,
                    attr_optional("spatial_shape", AttrKind::kInts, 0, static_cast<double>(kMaxDim))},
     .outputs = {out("dX", 'T')},
     .shape = &conv_grad_input_shape,
     .grad = &conv_grad_input_grad},
    {.domain = "percale",
     .name = "ConvGradWeight",
     .doc = "Gradients of Conv with respect to W and B, from X and dY; W's spatial dims are given by the attribute "
            "'kernel_shape' or by the input 'shape', the shape of W.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("dY", 'T', dtypes::kFloat), in_shape("shape", Presence::kOptional)},
     .attributes = {kAutoPad, kDilations, kGroup, kKernelShape, kPads, kStrides},
     .outputs = {out("dW", 'T'), out_opt("dB", 'T')},
     .shape = &conv_grad_weight_shape,
     .grad = &conv_grad_weight_grad},
};

// a * b where a is known, else unknown.
int64_t known_product(int64_t a, int64_t b) { return a < 0 ? kUnknownDim : a * b; }

// X [N,C,...] and W [M,C/group,...] agree, and B is [M].
Status check_channels(const Shape& x, const Shape& w, int64_t group) {
  if (x[1] >= 0 && w[1] >= 0 && (w[1] > kMaxDim / group || x[1] != w[1] * group)) {
    return invalid_argument("the input ", x, " has ", x[1], " channels, the weights ", w, " with group ", group,
                            " take ", w[1], " per group");
  }
  if (x[1] >= 0 && x[1] % group != 0) return invalid_argument(x[1], " channels do not divide into group ", group);
  if (w[0] >= 0 && w[0] % group != 0) return invalid_argument(w[0], " filters do not divide into group ", group);
  return {};
}

Status check_bias(const ShapeContext& c, int64_t channels) {
  if (!c.has_input(2) || !c.shape(2).known_rank()) return {};
  const Shape& b = c.shape(2);
  if (b.rank() == 1 && (b[0] < 0 || channels < 0 || b[0] == channels)) return {};
  return invalid_argument("the bias has shape ", b, ", wanted [", channels, "]");
}

Shape with_spatial(int64_t n, int64_t c, std::span<const int64_t> spatial) {
  Shape out{n, c};
  for (int64_t d : spatial) out.push_back(d);
  return out;
}

Status conv_shape_of(ShapeContext& c) {
  const Shape &x = c.shape(0), &w = c.shape(1);
  if (!x.known_rank() || !w.known_rank()) {
    c.set_output(0, c.dtype(0), Shape::unranked());
    return {};
  }
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, spatial_rank(x));
  PERCALE_ASSIGN_OR_RETURN(const auto kernel, kernel_dims(c.attributes, w, rank));
  PERCALE_RETURN_IF_ERROR(check_channels(x, w, c.attributes.get_int("group", 1)));
  PERCALE_RETURN_IF_ERROR(check_bias(c, w[0]));
  PERCALE_ASSIGN_OR_RETURN(const Window window, make_window(c.attributes, x.dims().subspan(2), kernel));
  c.set_output(0, c.dtype(0), with_spatial(x[0], w[0], window.out_dims()));
  return {};
}
Status conv_shape(ShapeContext& c) { return c.error(conv_shape_of(c)); }

Status conv_transpose_shape_of(ShapeContext& c) {
  const Shape &x = c.shape(0), &w = c.shape(1);
  if (!x.known_rank() || !w.known_rank()) {
    c.set_output(0, c.dtype(0), Shape::unranked());
    return {};
  }
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, spatial_rank(x));
  PERCALE_ASSIGN_OR_RETURN(const auto kernel, kernel_dims(c.attributes, w, rank));
  const int64_t group = c.attributes.get_int("group", 1);
  if (x[1] >= 0 && w[0] >= 0 && x[1] != w[0]) {
    return invalid_argument("the input ", x, " has ", x[1], " channels, the weights ", w, " take ", w[0]);
  }
  if (std::max(x[1], w[0]) % group > 0) {
    return invalid_argument(std::max(x[1], w[0]), " channels do not divide into group ", group);
  }
  if (w[1] > kMaxDim / group) return invalid_argument("the weights ", w, " times group ", group, " are too many");
  const int64_t channels = known_product(w[1], group);
  PERCALE_RETURN_IF_ERROR(check_bias(c, channels));
  PERCALE_ASSIGN_OR_RETURN(const Window window, transpose_window(c.attributes, x.dims().subspan(2), kernel));
  c.set_output(0, c.dtype(0), with_spatial(x[0], channels, window.in_dims()));
  return {};
}
Status conv_transpose_shape(ShapeContext& c) { return c.error(conv_transpose_shape_of(c)); }

// What dY must be for a convolution with this window.
Status check_dy(const Window& window, const Shape& dy) {
  const auto want = window.out_dims();
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i] >= 0 && dy[i + 2] >= 0 && want[i] != dy[i + 2]) {
      return invalid_argument("dY has shape ", dy, ", the window gives ", want[i], " at dim ",
                              static_cast<uint64_t>(i + 2));
    }
  }
  return {};
}

Status conv_grad_input_shape_of(ShapeContext& c) {
  const Shape &dy = c.shape(0), &w = c.shape(1);
  if (!dy.known_rank() || !w.known_rank()) {
    c.set_output(0, c.dtype(0), Shape::unranked());
    return {};
  }
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, spatial_rank(dy));
  PERCALE_ASSIGN_OR_RETURN(const auto kernel, kernel_dims(c.attributes, w, rank));
  const int64_t group = c.attributes.get_int("group", 1);
  if (dy[1] >= 0 && w[0] >= 0 && dy[1] != w[0]) {
    return invalid_argument("dY ", dy, " has ", dy[1], " channels, the weights ", w, " make ", w[0]);
  }
  if (w[1] > kMaxDim / group) return invalid_argument("the weights ", w, " times group ", group, " are too many");
  PERCALE_ASSIGN_OR_RETURN(auto spatial, ints_or(c.attributes, "spatial_shape", rank, kUnknownDim));
  Shape dx = with_spatial(dy[0], known_product(w[1], group), spatial);
  if (const Tensor* value = c.value(2)) {
    PERCALE_ASSIGN_OR_RETURN(const Shape given, Shape::make(to_int64s(*value)));
    if (!compatible(dx, given)) return invalid_argument("the shape of X is ", given, ", wanted ", dx);
    dx = merge(dx, given);
  } else if (!c.has_input(2) && c.attributes.get_ints("spatial_shape").empty()) {
    return invalid_argument("the shape of X is given by neither 'shape' nor 'spatial_shape'");
  }
  PERCALE_RETURN_IF_ERROR(check_channels(dx, w, group));
  PERCALE_ASSIGN_OR_RETURN(const Window window, make_window(c.attributes, dx.dims().subspan(2), kernel));
  PERCALE_RETURN_IF_ERROR(check_dy(window, dy));
  c.set_output(0, c.dtype(0), dx);
  return {};
}
Status conv_grad_input_shape(ShapeContext& c) { return c.error(conv_grad_input_shape_of(c)); }

Status conv_grad_weight_shape_of(ShapeContext& c) {
  const Shape &x = c.shape(0), &dy = c.shape(1);
  if (!x.known_rank() || !dy.known_rank()) {
    c.set_output(0, c.dtype(0), Shape::unranked());
    c.set_output(1, c.dtype(0), Shape{kUnknownDim});
    return {};
  }
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, spatial_rank(x));
  if (dy.rank() != x.rank() || (x[0] >= 0 && dy[0] >= 0 && x[0] != dy[0])) {
    return invalid_argument("X ", x, " and dY ", dy, " do not belong together");
  }
  const int64_t group = c.attributes.get_int("group", 1);
  PERCALE_ASSIGN_OR_RETURN(const auto kernel, ints_or(c.attributes, "kernel_shape", rank, kUnknownDim));
  Shape dw = with_spatial(dy[1], x[1] < 0 ? kUnknownDim : x[1] / group, kernel);
  if (const Tensor* value = c.value(2)) {
    PERCALE_ASSIGN_OR_RETURN(const Shape given, Shape::make(to_int64s(*value)));
    if (!compatible(dw, given)) return invalid_argument("the shape of W is ", given, ", wanted ", dw);
    dw = merge(dw, given);
  } else if (!c.has_input(2) && c.attributes.get_ints("kernel_shape").empty()) {
    return invalid_argument("the shape of W is given by neither 'shape' nor 'kernel_shape'");
  }
  PERCALE_ASSIGN_OR_RETURN(const auto dims, kernel_dims(c.attributes, dw, rank));
  PERCALE_RETURN_IF_ERROR(check_channels(x, dw, group));
  PERCALE_ASSIGN_OR_RETURN(const Window window, make_window(c.attributes, x.dims().subspan(2), dims));
  PERCALE_RETURN_IF_ERROR(check_dy(window, dy));
  c.set_output(0, c.dtype(0), dw);
  c.set_output(1, c.dtype(0), Shape{dw[0]});
  return {};
}
Status conv_grad_weight_shape(ShapeContext& c) { return c.error(conv_grad_weight_shape_of(c)); }

// The attributes of a convolution for a related op, without those that only the other one has.
Attributes conv_attributes(const GradContext& g) {
  Attributes out = g.attributes();
  out.erase("spatial_shape");
  out.erase("output_padding");
  out.erase("output_shape");
  return out;
}

bool static_spatial(const Shape& s) {
  return s.known_rank() && s.rank() > 2 && std::all_of(s.begin() + 2, s.end(), [](int64_t d) { return d >= 0; });
}

std::vector<int64_t> spatial_of(const Shape& s) { return {s.begin() + 2, s.end()}; }

// ConvGradInput with the spatial shape of `x`, as an attribute where it is known already.
ValueId emit_grad_input(GradContext& g, ValueId dy, ValueId w, ValueId x, Attributes attributes) {
  if (static_spatial(g.shape(x))) {
    attributes.set("spatial_shape", spatial_of(g.shape(x)));
    return g.emit("percale:ConvGradInput", {dy, w}, std::move(attributes));
  }
  return g.emit("percale:ConvGradInput", {dy, w, g.emit("Shape", {x})}, std::move(attributes));
}

// dW, and dB with `num_outputs` 2, of the convolution of `x` with weights shaped as `w`.
std::vector<ValueId> emit_grad_weight(GradContext& g, ValueId x, ValueId dy, ValueId w, size_t num_outputs,
                                      Attributes attributes) {
  if (attributes.get_ints("kernel_shape").empty()) {
    if (!static_spatial(g.shape(w))) {
      return g.emit_many("percale:ConvGradWeight", {x, dy, g.emit("Shape", {w})}, num_outputs, std::move(attributes));
    }
    attributes.set("kernel_shape", spatial_of(g.shape(w)));
  }
  return g.emit_many("percale:ConvGradWeight", {x, dy}, num_outputs, std::move(attributes));
}

Status conv_grad(GradContext& g) {
  const ValueId dy = g.grad(0);
  if (dy == kNoValue) return {};
  if (g.wants(0)) g.set(0, emit_grad_input(g, dy, g.input(1), g.input(0), conv_attributes(g)));
  if (g.wants(1) || g.wants(2)) {
    const auto grads = emit_grad_weight(g, g.input(0), dy, g.input(1), g.wants(2) ? 2 : 1, conv_attributes(g));
    g.set(1, grads[0]);
    if (g.wants(2)) g.set(2, grads[1]);
  }
  return g.status();
}

// ConvTranspose's window in explicit pads where that is possible before the run; else as the attributes have it, which
// the reversed convolution reads in the same way unless 'output_shape' decides.
Status conv_transpose_grad(GradContext& g) {
  const ValueId dy = g.grad(0);
  if (dy == kNoValue) return {};
  const Shape &x = g.shape(g.input(0)), &w = g.shape(g.input(1));
  Attributes attributes = conv_attributes(g);
  if (static_spatial(x) && (static_spatial(w) || !attributes.get_ints("kernel_shape").empty())) {
    PERCALE_ASSIGN_OR_RETURN(const auto kernel, kernel_dims(attributes, w, x.rank() - 2));
    PERCALE_ASSIGN_OR_RETURN(const Window window, transpose_window(g.attributes(), x.dims().subspan(2), kernel));
    std::vector<int64_t> pads(window.pad.begin() + static_cast<ptrdiff_t>(window.first()), window.pad.end());
    pads.insert(pads.end(), window.pad_end.begin() + static_cast<ptrdiff_t>(window.first()), window.pad_end.end());
    attributes.erase("auto_pad");
    attributes.set("pads", pads);
  } else if (!g.attributes().get_ints("output_shape").empty()) {
    return unimplemented("ConvTranspose '", g.node().name,
                         "': its gradient with 'output_shape' needs an input of known shape");
  }
  if (g.wants(0)) g.set(0, g.emit("Conv", {dy, g.input(1)}, attributes));
  if (g.wants(1)) g.set(1, emit_grad_weight(g, dy, g.input(0), g.input(1), 1, attributes)[0]);
  if (g.wants(2)) {
    std::vector<int64_t> axes = {0};
    for (size_t i = 2; i < g.shape(dy).rank(); ++i) axes.push_back(static_cast<int64_t>(i));
    g.set(2, g.emit("ReduceSum", {dy, g.ints(axes)}, {{"keepdims", 0}}));
  }
  return g.status();
}

// Linear in dY and in W: d(dY) = Conv(ddX, W), dW = ConvGradWeight(ddX, dY).
Status conv_grad_input_grad(GradContext& g) {
  const ValueId ddx = g.grad(0);
  if (ddx == kNoValue) return {};
  if (g.wants(0)) g.set(0, g.emit("Conv", {ddx, g.input(1)}, conv_attributes(g)));
  if (g.wants(1)) g.set(1, emit_grad_weight(g, ddx, g.input(0), g.input(1), 1, conv_attributes(g))[0]);
  return g.status();
}

// Linear in X and in dY: dX = ConvGradInput(dY, ddW), d(dY) = Conv(X, ddW, ddB).
Status conv_grad_weight_grad(GradContext& g) {
  const ValueId ddw = g.grad(0), ddb = g.grad(1);
  if (ddw == kNoValue && ddb == kNoValue) return {};
  if (g.wants(0) && ddw != kNoValue) {
    g.set(0, emit_grad_input(g, g.input(1), ddw, g.input(0), conv_attributes(g)));
  }
  if (g.wants(1)) g.set(1, g.emit("Conv", {g.input(0), g.grad_or_zeros(0), ddb}, conv_attributes(g)));
  return g.status();
}

// Portable kernels: plain loops, vectorised along the last spatial dim by the compiler.

// Calls f(first input offset of the row, its step, first output offset of the row, count) for every run of outputs
// along the last dim that tap (k0, k1, k2) pairs with inputs.
template <class F>
void for_rows_of_tap(const Window& w, int64_t k0, int64_t k1, int64_t k2, F&& f) {
  const Window::Dims k{k0, k1, k2};
  Window::Dims offset;
  std::array<TapRange, kMaxSpatial> range;
  for (size_t d = 0; d < kMaxSpatial; ++d) {
    offset[d] = k[d] * w.dilation[d] - w.pad[d];
    range[d] = tap_range(offset[d], w.stride[d], w.in[d], w.out[d]);
  }
  const int64_t count = range[2].end - range[2].begin;
  if (count <= 0) return;
  for (int64_t o0 = range[0].begin; o0 < range[0].end; ++o0) {
    const int64_t i0 = o0 * w.stride[0] + offset[0];
    for (int64_t o1 = range[1].begin; o1 < range[1].end; ++o1) {
      const int64_t i1 = o1 * w.stride[1] + offset[1];
      f((i0 * w.in[1] + i1) * w.in[2] + range[2].begin * w.stride[2] + offset[2], w.stride[2],
        (o0 * w.out[1] + o1) * w.out[2] + range[2].begin, count);
    }
  }
}

template <class F>
void for_taps(const Window& w, F&& f) {
  int64_t tap = 0;
  for (int64_t k0 = 0; k0 < w.kernel[0]; ++k0) {
    for (int64_t k1 = 0; k1 < w.kernel[1]; ++k1) {
      for (int64_t k2 = 0; k2 < w.kernel[2]; ++k2, ++tap) f(tap, k0, k1, k2);
    }
  }
}

template <class T>
void run_forward(const ConvSizes& s, const T* x, const T* w, const T* bias, T* y, const ParallelFor& parallel) {
  const int64_t in_size = s.window.in_size(), out_size = s.window.out_size(), taps = s.window.kernel_size();
  const int64_t per_group = s.in_per_group(), images = s.batch * s.out_c;
  if (images == 0 || out_size == 0) return;
  const int64_t pieces = piece_count(images, work_of(out_size, taps, per_group));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(images, pieces, piece);
    for (int64_t image = range.begin; image < range.end; ++image) {
      const int64_t n = image / s.out_c, o = image % s.out_c, group = o / s.out_per_group();
      T* to = y + image * out_size;
      std::fill_n(to, out_size, bias != nullptr ? bias[o] : T{0});
      for (int64_t c = 0; c < per_group; ++c) {
        const T* from = x + (n * s.in_c + group * per_group + c) * in_size;
        const T* filter = w + (o * per_group + c) * taps;
        for_taps(s.window, [&](int64_t tap, int64_t k0, int64_t k1, int64_t k2) {
          const T weight = filter[tap];
          for_rows_of_tap(s.window, k0, k1, k2, [&](int64_t in_at, int64_t step, int64_t out_at, int64_t count) {
            const T* row = from + in_at;
            for (int64_t i = 0; i < count; ++i) to[out_at + i] += weight * row[i * step];
          });
        });
      }
    }
  });
}

template <class T>
void run_grad_input(const ConvSizes& s, const T* dy, const T* w, const T* bias, T* dx, const ParallelFor& parallel) {
  const int64_t in_size = s.window.in_size(), out_size = s.window.out_size(), taps = s.window.kernel_size();
  const int64_t per_group = s.in_per_group(), out_per_group = s.out_per_group(), images = s.batch * s.in_c;
  if (images == 0 || in_size == 0) return;
  const int64_t pieces = piece_count(images, work_of(out_size, taps, out_per_group) + work_of(in_size));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(images, pieces, piece);
    for (int64_t image = range.begin; image < range.end; ++image) {
      const int64_t n = image / s.in_c, c = image % s.in_c, group = c / per_group;
      T* to = dx + image * in_size;
      std::fill_n(to, in_size, bias != nullptr ? bias[c] : T{0});
      for (int64_t o = group * out_per_group; o < (group + 1) * out_per_group; ++o) {
        const T* from = dy + (n * s.out_c + o) * out_size;
        const T* filter = w + (o * per_group + c % per_group) * taps;
        for_taps(s.window, [&](int64_t tap, int64_t k0, int64_t k1, int64_t k2) {
          const T weight = filter[tap];
          for_rows_of_tap(s.window, k0, k1, k2, [&](int64_t in_at, int64_t step, int64_t out_at, int64_t count) {
            T* row = to + in_at;
            for (int64_t i = 0; i < count; ++i) row[i * step] += weight * from[out_at + i];
          });
        });
      }
    }
  });
}

template <class T>
void run_grad_weight(const ConvSizes& s, const T* x, const T* dy, T* dw, const ParallelFor& parallel) {
  const int64_t in_size = s.window.in_size(), out_size = s.window.out_size(), taps = s.window.kernel_size();
  const int64_t per_group = s.in_per_group(), filters = s.out_c * per_group;
  if (filters == 0) return;
  const int64_t pieces = piece_count(filters, work_of(out_size, taps, s.batch));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(filters, pieces, piece);
    for (int64_t f = range.begin; f < range.end; ++f) {
      const int64_t o = f / per_group, c = o / s.out_per_group() * per_group + f % per_group;
      for_taps(s.window, [&](int64_t tap, int64_t k0, int64_t k1, int64_t k2) {
        double sum = 0;
        for (int64_t n = 0; n < s.batch; ++n) {
          const T* from = x + (n * s.in_c + c) * in_size;
          const T* grad = dy + (n * s.out_c + o) * out_size;
          for_rows_of_tap(s.window, k0, k1, k2, [&](int64_t in_at, int64_t step, int64_t out_at, int64_t count) {
            for (int64_t i = 0; i < count; ++i) {
              sum += static_cast<double>(grad[out_at + i]) * static_cast<double>(from[in_at + i * step]);
            }
          });
        }
        dw[f * taps + tap] = static_cast<T>(sum);
      });
    }
  });
}

template <class T>
void run_grad_bias(const ConvSizes& s, const T* dy, T* db, const ParallelFor& parallel) {
  const int64_t out_size = s.window.out_size();
  const int64_t pieces = piece_count(s.out_c, work_of(out_size, s.batch));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(s.out_c, pieces, piece);
    for (int64_t o = range.begin; o < range.end; ++o) {
      double sum = 0;
      for (int64_t n = 0; n < s.batch; ++n) {
        const T* from = dy + (n * s.out_c + o) * out_size;
        for (int64_t i = 0; i < out_size; ++i) sum += static_cast<double>(from[i]);
      }
      db[o] = static_cast<T>(sum);
    }
  });
}

Result<ConvSizes> plan_conv(const NodeView& v, KernelPlan&) { return conv_sizes(v); }
Result<ConvSizes> plan_transpose(const NodeView& v, KernelPlan&) { return conv_transpose_sizes(v); }
Result<ConvSizes> plan_grad_input(const NodeView& v, KernelPlan&) { return conv_grad_input_sizes(v); }

struct GradWeightPlan {
  ConvSizes sizes;
  bool bias = false;
};
Result<GradWeightPlan> plan_grad_weight(const NodeView& v, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(const ConvSizes sizes, conv_grad_weight_sizes(v));
  return GradWeightPlan{sizes, v.has_output(1)};
}

void conv_run(const ConvSizes& s, const Launch& l) {
  with_float(s.dtype, [&]<class T>() {
    run_forward<T>(s, l.in<T>(0), l.in<T>(1), s.has_bias ? l.in<T>(2) : nullptr, l.out<T>(0), l.parallel());
  });
}
// ConvTranspose is run_grad_input of the convolution it reverses, and adds a bias.
void conv_transpose_run(const ConvSizes& s, const Launch& l) {
  with_float(s.dtype, [&]<class T>() {
    run_grad_input<T>(s, l.in<T>(0), l.in<T>(1), s.has_bias ? l.in<T>(2) : nullptr, l.out<T>(0), l.parallel());
  });
}
void conv_grad_input_run(const ConvSizes& s, const Launch& l) {
  with_float(s.dtype, [&]<class T>() {
    run_grad_input<T>(s, l.in<T>(0), l.in<T>(1), nullptr, l.out<T>(0), l.parallel());
  });
}
void conv_grad_weight_run(const GradWeightPlan& p, const Launch& l) {
  with_float(p.sizes.dtype, [&]<class T>() {
    run_grad_weight<T>(p.sizes, l.in<T>(0), l.in<T>(1), l.out<T>(0), l.parallel());
    if (p.bias) run_grad_bias<T>(p.sizes, l.in<T>(1), l.out<T>(1), l.parallel());
  });
}

}  // namespace

Result<Window> transpose_window(const Attributes& attributes, std::span<const int64_t> input_dims,
                                std::span<const int64_t> kernel) {
  const size_t rank = input_dims.size();
  Window w;
  w.rank = rank;
  PERCALE_ASSIGN_OR_RETURN(const auto strides, ints_or(attributes, "strides", rank, 1));
  PERCALE_ASSIGN_OR_RETURN(const auto dilations, ints_or(attributes, "dilations", rank, 1));
  PERCALE_ASSIGN_OR_RETURN(const auto pads, ints_or(attributes, "pads", 2 * rank, 0));
  PERCALE_ASSIGN_OR_RETURN(const auto output_padding, ints_or(attributes, "output_padding", rank, 0));
  PERCALE_ASSIGN_OR_RETURN(const auto output_shape, ints_or(attributes, "output_shape", rank, kUnknownDim));
  const std::string_view auto_pad = attributes.get_string("auto_pad", "NOTSET");
  const bool same_upper = auto_pad == "SAME_UPPER", same = same_upper || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "NOTSET" && auto_pad != "VALID" && !auto_pad.empty()) {
    return invalid_argument("attribute 'auto_pad' is '", auto_pad,
                            "', wanted NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  }
  for (size_t d = 0; d < rank; ++d) {
    const size_t i = w.first() + d;
    w.out[i] = input_dims[d];
    w.kernel[i] = kernel[d];
    w.stride[i] = strides[d];
    w.dilation[i] = dilations[d];
    const int64_t more = output_padding[d];
    if (more > 0 && more >= std::max(strides[d], dilations[d])) {
      return invalid_argument("output_padding ", more, " must be smaller than the stride or the dilation");
    }
    if (output_shape[d] >= 0) w.in[i] = output_shape[d];
    if (input_dims[d] < 0 || kernel[d] < 0) {
      if (output_shape[d] < 0) w.in[i] = kUnknownDim;
      continue;
    }
    if (input_dims[d] == 0) return invalid_argument("the input has a spatial dim of size 0");
    const auto reach = checked_mul(strides[d], input_dims[d] - 1);
    if (!reach || *reach > kMaxDim) return invalid_argument("stride ", strides[d], " times ", input_dims[d], " is too large");
    const int64_t full = *reach + more + w.extent(i);
    int64_t total = auto_pad == "NOTSET" || auto_pad.empty() ? pads[d] + pads[d + rank] : 0;
    w.pad[i] = total > 0 ? pads[d] : 0;
    if (output_shape[d] >= 0 || same) {
      const int64_t want = output_shape[d] >= 0 ? output_shape[d] : input_dims[d] * strides[d];
      total = std::max<int64_t>(full - want, 0);
      w.in[i] = want;
      w.pad[i] = same_upper ? total / 2 : total - total / 2;
    } else {
      w.in[i] = full - total;
      if (w.in[i] > kMaxDim) return invalid_argument("an output dim of ", w.in[i], " is above 2^40");
      if (w.in[i] < 1) return invalid_argument("pads of ", total, " leave nothing of ", full);
    }
    w.pad_end[i] = total - w.pad[i];
  }
  return w;
}

Result<ConvSizes> conv_sizes(const NodeView& v) {
  const Shape &x = v.shape(0), &w = v.shape(1);
  ConvSizes s;
  PERCALE_ASSIGN_OR_RETURN(s.window, make_window(v.attributes, x.dims().subspan(2), w.dims().subspan(2)));
  s.batch = x[0];
  s.in_c = x[1];
  s.out_c = w[0];
  s.groups = v.attributes.get_int("group", 1);
  s.dtype = v.dtype(0);
  s.has_bias = v.has_input(2);
  return s;
}

Result<ConvSizes> conv_transpose_sizes(const NodeView& v) {
  const Shape &x = v.shape(0), &w = v.shape(1);
  ConvSizes s;
  PERCALE_ASSIGN_OR_RETURN(s.window, transpose_window(v.attributes, x.dims().subspan(2), w.dims().subspan(2)));
  s.batch = x[0];
  s.in_c = v.output_shape(0)[1];
  s.out_c = x[1];
  s.groups = v.attributes.get_int("group", 1);
  s.dtype = v.dtype(0);
  s.has_bias = v.has_input(2);
  return s;
}

Result<ConvSizes> conv_grad_input_sizes(const NodeView& v) {
  const Shape &dx = v.output_shape(0), &w = v.shape(1);
  ConvSizes s;
  PERCALE_ASSIGN_OR_RETURN(s.window, make_window(v.attributes, dx.dims().subspan(2), w.dims().subspan(2)));
  s.batch = dx[0];
  s.in_c = dx[1];
  s.out_c = w[0];
  s.groups = v.attributes.get_int("group", 1);
  s.dtype = v.dtype(0);
  return s;
}

Result<ConvSizes> conv_grad_weight_sizes(const NodeView& v) {
  const Shape &x = v.shape(0), &dw = v.output_shape(0);
  ConvSizes s;
  PERCALE_ASSIGN_OR_RETURN(s.window, make_window(v.attributes, x.dims().subspan(2), dw.dims().subspan(2)));
  s.batch = x[0];
  s.in_c = x[1];
  s.out_c = dw[0];
  s.groups = v.attributes.get_int("group", 1);
  s.dtype = v.dtype(0);
  return s;
}

Status register_conv(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops(kSchemas));
  if (simd != nullptr) PERCALE_RETURN_IF_ERROR(register_conv_simd(registry, *simd));
  PERCALE_RETURN_IF_ERROR(
      (add_float_kernels<&plan_conv, &conv_run>(registry, "Conv", "", "portable.conv", "portable.conv_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_transpose, &conv_transpose_run>(
      registry, "ConvTranspose", "", "portable.conv_transpose", "portable.conv_transpose_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_grad_input, &conv_grad_input_run>(
      registry, "ConvGradInput", "percale", "portable.conv_grad_input", "portable.conv_grad_input_widened")));
  return add_float_kernels<&plan_grad_weight, &conv_grad_weight_run>(
      registry, "ConvGradWeight", "percale", "portable.conv_grad_weight", "portable.conv_grad_weight_widened");
}

}  // namespace percale
