// LpPool and GlobalLpPool: the p-norm of a window, computed from a mean of powers.
#include "ops/support/body_util.h"
#include "ops/support/families.h"
#include "ops/support/window.h"

namespace percale {
namespace {

Result<Window> window_of(const Attributes& attributes, const Shape& x) {
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, spatial_rank(x));
  PERCALE_ASSIGN_OR_RETURN(const auto kernel, ints_or(attributes, "kernel_shape", rank, 0));
  if (attributes.get_ints("kernel_shape").empty())
    return invalid_argument("attribute 'kernel_shape' must not be empty");
  return make_window(attributes, x.dims().subspan(2), kernel);
}

Status shape_lp_pool(ShapeContext& context) {
  const Shape& x = context.shape(0);
  Shape y = Shape::unranked();
  if (x.known_rank()) {
    const auto window = window_of(context.attributes, x);
    if (!window.ok()) return context.error(window.status());
    y = Shape{x[0], x[1]};
    for (int64_t d : window->out_dims()) y.push_back(d);
  }
  context.set_output(0, context.dtype(0), y);
  return {};
}

Status shape_global_lp_pool(ShapeContext& context) {
  const Shape& x = context.shape(0);
  Shape y = x;
  if (x.known_rank() && x.rank() < 2) return context.error("the input has shape ", x, ", wanted [N,C,...]");
  for (size_t d = 2; d < y.rank(); ++d) y[d] = 1;
  context.set_output(0, context.dtype(0), y);
  return {};
}

ValueId power(BodyContext& c, ValueId x) {
  const int64_t p = c.attributes().get_int("p");
  if (p == 2) return mul(c, x, x);
  const ValueId magnitude = c.emit("Abs", {x});
  return p == 1 ? magnitude : c.emit("Pow", {magnitude, scalar_like(c, x, static_cast<double>(p))});
}
// Returns the p-th root. Its slope at 0 is 0, like that of a magnitude.
ValueId root(BodyContext& c, ValueId sum) {
  const int64_t p = c.attributes().get_int("p");
  if (p == 1) return sum;
  if (p == 2) return root_of_sum(c, sum);
  const ValueId zero = scalar_like(c, sum, 0), is_zero = c.emit("Equal", {sum, zero});
  const ValueId above = where(c, is_zero, scalar_like(c, sum, 1), sum);
  return where(c, is_zero, zero, c.emit("Pow", {above, scalar_like(c, sum, 1 / static_cast<double>(p))}));
}

// If the dims are known, the pads are extended so that every window lies within the padded input.
// The mean over all elements, with pads as zeros, is then the sum divided by a constant.
Status lp_pool(BodyContext& c) {
  const ValueId given = c.input(0);
  const DType dtype = c.dtype(given);
  const Shape shape = c.shape(given);
  PERCALE_RETURN_IF_ERROR(rank_of(c, given).status());
  PERCALE_ASSIGN_OR_RETURN(const Window window, window_of(c.attributes(), shape));
  Attributes attributes = c.attributes();
  attributes.erase("p");
  attributes.set("count_include_pad", int64_t{1});
  bool known = true;
  double elements = 1;
  std::vector<int64_t> before, after;
  for (size_t d = window.first(); d < kMaxSpatial; ++d) {
    elements *= static_cast<double>(window.kernel[d]);
    known = known && window.in[d] >= 0;
    before.push_back(window.pad[d]);
    after.push_back(
        std::max<int64_t>(0, (window.out[d] - 1) * window.stride[d] + window.extent(d) - window.in[d] - window.pad[d]));
  }
  if (known) {
    before.insert(before.end(), after.begin(), after.end());
    attributes.set("pads", before);
    attributes.set("auto_pad", "NOTSET");
    attributes.set("ceil_mode", int64_t{0});
  } else if (c.attributes().get_int("ceil_mode") != 0) {
    return unimplemented("ceil_mode requires known spatial dims, got ", shape);
  }
  const ValueId x = cast(c, given, compute_type(dtype));
  const ValueId mean = c.emit("AveragePool", {power(c, x)}, std::move(attributes));
  const ValueId y = root(c, mul(c, mean, scalar_like(c, x, elements)));
  c.set(0, y == kNoValue ? y : cast(c, y, dtype));
  return c.status();
}

Status global_lp_pool(BodyContext& c) {
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, rank_of(c, c.input(0)));
  const DType dtype = c.dtype(c.input(0));
  std::vector<int64_t> axes;
  for (size_t d = 2; d < rank; ++d) axes.push_back(static_cast<int64_t>(d));
  const ValueId x = cast(c, c.input(0), compute_type(dtype));
  const ValueId sum = c.emit("ReduceSum", {power(c, x), c.ints(axes)}, {{"keepdims", 1}, {"noop_with_empty_axes", 1}});
  const ValueId y = root(c, sum);
  c.set(0, y == kNoValue ? y : cast(c, y, dtype));
  return c.status();
}

constexpr AttrSpec kP = attr_int("p", 2, 1, 1 << 20);

constexpr OpRow kSchemas[] = {
    {.name = "GlobalLpPool",
     .since = 22,
     .doc = "The p-norm of each channel of X [N,C,D1,...]; Y is [N,C,1,...].",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .attributes = {kP},
     .outputs = {out("Y", 'T')},
     .shape = shape_global_lp_pool,
     .grad = grad::body,
     .body = global_lp_pool},
    {.name = "LpPool",
     .since = 22,
     .doc = "The p-norm of the elements under each position of a sliding window over X [N,C,D1,...].",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .attributes = {attr_string("auto_pad", "NOTSET"), attr_int("ceil_mode", 0, 0, 1),
                    attr_optional("dilations", AttrKind::kInts, 1, kMaxWindow),
                    AttrSpec{
                        .name = "kernel_shape", .kind = AttrKind::kInts, .required = true, .min = 1, .max = kMaxWindow},
                    kP, attr_optional("pads", AttrKind::kInts, 0, kMaxWindow),
                    attr_optional("strides", AttrKind::kInts, 1, kMaxWindow)},
     .outputs = {out("Y", 'T')},
     .shape = shape_lp_pool,
     .grad = grad::body,
     .body = lp_pool},
};

}  // namespace

Status register_lp_pool(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
