// Convolution, transposed convolution, and the gradients of both.
#include "core/base/checked.h"
#include "core/graph/emit/gradient.h"
#include "core/registry/flops_context.h"
#include "ops/conv/conv_kernels.h"
#include "ops/support/families.h"

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

double conv_flops(const FlopsContext& c);
double conv_transpose_flops(const FlopsContext& c);
double conv_grad_weight_flops(const FlopsContext& c);

constexpr OpRow kSchemas[] = {
    {.name = "Conv",
     .since = 22,
     .doc =
         "Convolution (cross-correlation) of images X [N,C,D1,...] with filters W [M,C/group,k1,...], plus B [M] per "
         "output channel; 1 to 3 spatial dims.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("W", 'T', dtypes::kFloat), in_opt("B", 'T', dtypes::kFloat)},
     .attributes = {kAutoPad, kDilations, kGroup, kKernelShape, kPads, kStrides},
     .outputs = {out("Y", 'T')},
     .shape = &conv_shape,
     .grad = &conv_grad,
     .traits = {.role = Role::kConv,
                .bf16 = {Bf16Rule::Kind::kProduct},
                .fusion = {FusionRule::Kind::kProduct},
                .flops = &conv_flops}},
    {.name = "ConvTranspose",
     .since = 22,
     .doc = "Transposed convolution of X [N,C,D1,...] with filters W [C,M/group,k1,...], plus B [M]. It is the "
            "gradient of Conv with respect to its input; output dim = stride * (in - 1) + output_padding + (k - 1) * "
            "dilation + 1 - pads.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("W", 'T', dtypes::kFloat), in_opt("B", 'T', dtypes::kFloat)},
     .attributes = {kAutoPad, kDilations, kGroup, kKernelShape,
                    attr_optional("output_padding", AttrKind::kInts, 0, kMaxWindow),
                    attr_optional("output_shape", AttrKind::kInts, 1, static_cast<double>(kMaxDim)), kPads, kStrides},
     .outputs = {out("Y", 'T')},
     .shape = &conv_transpose_shape,
     .grad = &conv_transpose_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kProduct}, .flops = &conv_transpose_flops}},
    {.domain = "percale",
     .name = "ConvGradInput",
     .doc = "Gradient of Conv with respect to X, from dY and W. The spatial dims of X come from the attribute "
            "'spatial_shape' or from the input 'shape', the shape of X.",
     .inputs = {in("dY", 'T', dtypes::kFloat), in("W", 'T', dtypes::kFloat), in_shape("shape", Presence::kOptional)},
     .attributes = {kAutoPad, kDilations, kGroup, kKernelShape, kPads, kStrides,
                    attr_optional("spatial_shape", AttrKind::kInts, 0, static_cast<double>(kMaxDim))},
     .outputs = {out("dX", 'T')},
     .shape = &conv_grad_input_shape,
     .grad = &conv_grad_input_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kProduct, 2, 1}, .flops = &conv_transpose_flops}},
    {.domain = "percale",
     .name = "ConvGradWeight",
     .doc = "Gradients of Conv with respect to W and B, from X and dY. The spatial dims of W come from the attribute "
            "'kernel_shape' or from the input 'shape', the shape of W.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("dY", 'T', dtypes::kFloat), in_shape("shape", Presence::kOptional)},
     .attributes = {kAutoPad, kDilations, kGroup, kKernelShape, kPads, kStrides},
     .outputs = {out("dW", 'T'), out_opt("dB", 'T')},
     .shape = &conv_grad_weight_shape,
     .grad = &conv_grad_weight_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kProduct, 2, 2}, .flops = &conv_grad_weight_flops}},
};

// A multiplication and an addition per element of `images` and per weight of one filter.
double window_flops(const Shape& images, const Shape& filters) {
  if (!filters.known_rank() || filters.rank() == 0 || filters[0] <= 0) return 0;
  return 2 * FlopsContext::elements(images) * FlopsContext::elements(filters) / static_cast<double>(filters[0]);
}
double conv_flops(const FlopsContext& c) { return window_flops(c.output(0), c.input(1)); }
double conv_transpose_flops(const FlopsContext& c) { return window_flops(c.input(0), c.input(1)); }
double conv_grad_weight_flops(const FlopsContext& c) { return window_flops(c.input(1), c.output(0)); }

// Returns a * b if a is known, else kUnknownDim.
int64_t known_product(int64_t a, int64_t b) { return a < 0 ? kUnknownDim : a * b; }

// Checks the channels and filters of X [N,C,...] and W [M,C/group,...].
Status check_channels(const Shape& x, const Shape& w, int64_t group) {
  if (x[1] >= 0 && w[1] >= 0 && (w[1] > kMaxDim / group || x[1] != w[1] * group)) {
    return invalid_argument("the input ", x, " has ", x[1], " channels, but the weights ", w, " with group ", group,
                            " take ", w[1], " per group");
  }
  if (x[1] >= 0 && x[1] % group != 0) return invalid_argument(x[1], " channels are not divisible by group ", group);
  if (w[0] >= 0 && w[0] % group != 0) return invalid_argument(w[0], " filters are not divisible by group ", group);
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
  PERCALE_ASSIGN_OR_RETURN(const Shape y, conv_result_shape(c.attributes, c.shape(0), c.shape(1)));
  if (y.known_rank()) PERCALE_RETURN_IF_ERROR(check_bias(c, y[1]));
  c.set_output(0, c.dtype(0), y);
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
    return invalid_argument("the input ", x, " has ", x[1], " channels, but the weights ", w, " take ", w[0]);
  }
  if (std::max(x[1], w[0]) % group > 0) {
    return invalid_argument(std::max(x[1], w[0]), " channels are not divisible by group ", group);
  }
  if (w[1] > kMaxDim / group)
    return invalid_argument("the weights ", w, " times group ", group, " exceed 2^40 channels");
  const int64_t channels = known_product(w[1], group);
  PERCALE_RETURN_IF_ERROR(check_bias(c, channels));
  PERCALE_ASSIGN_OR_RETURN(const Window window, transpose_window(c.attributes, x.dims().subspan(2), kernel));
  c.set_output(0, c.dtype(0), with_spatial(x[0], channels, window.in_dims()));
  return {};
}
Status conv_transpose_shape(ShapeContext& c) { return c.error(conv_transpose_shape_of(c)); }

// Checks the shape of dY for a convolution with this window.
Status check_dy(const Window& window, const Shape& dy) {
  const auto want = window.out_dims();
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i] >= 0 && dy[i + 2] >= 0 && want[i] != dy[i + 2]) {
      return invalid_argument("dY has shape ", dy, ", but the window gives ", want[i], " at dim ",
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
    return invalid_argument("dY ", dy, " has ", dy[1], " channels, but the weights ", w, " make ", w[0]);
  }
  if (w[1] > kMaxDim / group)
    return invalid_argument("the weights ", w, " times group ", group, " exceed 2^40 channels");
  PERCALE_ASSIGN_OR_RETURN(auto spatial, ints_or(c.attributes, "spatial_shape", rank, kUnknownDim));
  Shape dx = with_spatial(dy[0], known_product(w[1], group), spatial);
  if (const Tensor* value = c.value(2)) {
    PERCALE_ASSIGN_OR_RETURN(const Shape given, Shape::make(to_int64s(*value)));
    if (!compatible(dx, given)) return invalid_argument("the shape of X is ", given, ", wanted ", dx);
    dx = merge(dx, given);
  } else if (!c.has_input(2) && c.attributes.get_ints("spatial_shape").empty()) {
    return invalid_argument("the shape of X must be given by 'shape' or 'spatial_shape'");
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
    return invalid_argument("X ", x, " and dY ", dy, " do not match");
  }
  const int64_t group = c.attributes.get_int("group", 1);
  PERCALE_ASSIGN_OR_RETURN(const auto kernel, ints_or(c.attributes, "kernel_shape", rank, kUnknownDim));
  Shape dw = with_spatial(dy[1], x[1] < 0 ? kUnknownDim : x[1] / group, kernel);
  if (const Tensor* value = c.value(2)) {
    PERCALE_ASSIGN_OR_RETURN(const Shape given, Shape::make(to_int64s(*value)));
    if (!compatible(dw, given)) return invalid_argument("the shape of W is ", given, ", wanted ", dw);
    dw = merge(dw, given);
  } else if (!c.has_input(2) && c.attributes.get_ints("kernel_shape").empty()) {
    return invalid_argument("the shape of W must be given by 'shape' or 'kernel_shape'");
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

// Returns the attributes of a convolution for a related op, without those that only one of them
// has.
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

// Emits ConvGradInput with the spatial shape of `x`. It is an attribute if it is known already.
ValueId emit_grad_input(GradContext& g, ValueId dy, ValueId w, ValueId x, Attributes attributes) {
  if (static_spatial(g.shape(x))) {
    attributes.set("spatial_shape", spatial_of(g.shape(x)));
    return g.emit("percale:ConvGradInput", {dy, w}, std::move(attributes));
  }
  return g.emit("percale:ConvGradInput", {dy, w, g.emit("Shape", {x})}, std::move(attributes));
}

// Emits dW, and dB if `num_outputs` is 2, of the convolution of `x` with weights shaped like `w`.
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

// Returns the sums of `dy`, [N,C,...], per channel. `equal_ranks` holds shapes of values that have
// the same rank as `dy`.
ValueId sum_per_channel(GradContext& g, ValueId dy, std::initializer_list<Shape> equal_ranks) {
  const auto ranked =
      std::find_if(equal_ranks.begin(), equal_ranks.end(), [](const Shape& s) { return s.known_rank(); });
  if (ranked == equal_ranks.end()) dy = g.emit("Reshape", {dy, g.ints({0, 0, -1})});
  const size_t rank = ranked == equal_ranks.end() ? 3 : ranked->rank();
  std::vector<int64_t> axes = {0};
  for (size_t i = 2; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  return g.emit("ReduceSum", {dy, g.ints(axes)}, {{"keepdims", 0}});
}

// The gradients use ConvTranspose's window as explicit pads if that is possible before the run.
// Otherwise they use its attributes, which the reversed convolution interprets in the same way
// unless 'output_shape' is set.
Status conv_transpose_grad(GradContext& g) {
  const ValueId dy = g.grad(0);
  if (dy == kNoValue) return {};
  const Shape x = g.shape(g.input(0)), w = g.shape(g.input(1));
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
                         "': its gradient with 'output_shape' requires an input of known shape");
  }
  if (g.wants(0)) g.set(0, g.emit("Conv", {dy, g.input(1)}, attributes));
  if (g.wants(1)) g.set(1, emit_grad_weight(g, dy, g.input(0), g.input(1), 1, attributes)[0]);
  if (g.wants(2)) g.set(2, sum_per_channel(g, dy, {g.shape(dy), x, w}));
  return g.status();
}

// ConvGradInput is linear in dY and in W: d(dY) = Conv(ddX, W), dW = ConvGradWeight(ddX, dY).
Status conv_grad_input_grad(GradContext& g) {
  const ValueId ddx = g.grad(0);
  if (ddx == kNoValue) return {};
  if (g.wants(0)) g.set(0, g.emit("Conv", {ddx, g.input(1)}, conv_attributes(g)));
  if (g.wants(1)) g.set(1, emit_grad_weight(g, ddx, g.input(0), g.input(1), 1, conv_attributes(g))[0]);
  return g.status();
}

// ConvGradWeight is linear in X and in dY: dX = ConvGradInput(dY, ddW), d(dY) = Conv(X, ddW, ddB).
Status conv_grad_weight_grad(GradContext& g) {
  const ValueId ddw = g.grad(0), ddb = g.grad(1);
  if (ddw == kNoValue && ddb == kNoValue) return {};
  if (g.wants(0) && ddw != kNoValue) {
    g.set(0, emit_grad_input(g, g.input(1), ddw, g.input(0), conv_attributes(g)));
  }
  if (g.wants(1)) g.set(1, g.emit("Conv", {g.input(0), g.grad_or_zeros(0), ddb}, conv_attributes(g)));
  return g.status();
}

}  // namespace

Result<Shape> conv_result_shape(const Attributes& attributes, const Shape& x, const Shape& w) {
  if (!x.known_rank() || !w.known_rank()) return Shape::unranked();
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, spatial_rank(x));
  PERCALE_ASSIGN_OR_RETURN(const auto kernel, kernel_dims(attributes, w, rank));
  PERCALE_RETURN_IF_ERROR(check_channels(x, w, attributes.get_int("group", 1)));
  PERCALE_ASSIGN_OR_RETURN(const Window window, make_window(attributes, x.dims().subspan(2), kernel));
  return with_spatial(x[0], w[0], window.out_dims());
}

Status register_conv(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) PERCALE_RETURN_IF_ERROR(register_conv_simd(registry, *simd));
  return register_conv_portable(registry);
}

}  // namespace percale
