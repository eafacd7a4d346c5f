// Resize and its transpose: applies the taps of resize_map.h with resample.h.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/vision/resample.h"
#include "ops/vision/resize_map.h"

namespace percale {
namespace {

// ---- Shapes

Status shape_resize(ShapeContext& c) {
  const auto options = resize_options(c.attributes);
  if (!options.ok()) return c.error(options.status());
  const DType dtype = c.dtype(0);
  if (options->filter != ResizeOptions::Filter::kNearest && !dtypes::kNumeric.contains(dtype)) {
    return c.error("mode ", c.attributes.get_string("mode"), " interpolates, which is not possible for ", dtype);
  }
  std::vector<AxisSize> sizes;
  const auto out = resized(resize_inputs(c, 1), *options, c.shape(0), sizes);
  if (!out.ok()) return c.error(out.status());
  c.set_output(0, dtype, *out);
  return {};
}

Status shape_resize_grad(ShapeContext& c) {
  const auto options = resize_options(c.attributes);
  if (!options.ok()) return c.error(options.status());
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, vector_length(c, 1));
  const auto dims = known_ints(c, 1);
  const auto x = dims.has_value() ? Shape::make(*dims) : unknown_shape(rank);
  if (!x.ok()) return c.error(x.status());
  if (dims.has_value()) {
    if (!x->is_static()) return c.error("the shape ", *x, " has a negative dim");
    std::vector<AxisSize> sizes;
    const auto wanted = resized(resize_inputs(c, 2), *options, *x, sizes);
    if (!wanted.ok()) return c.error(wanted.status());
    if (!compatible(*wanted, c.shape(0))) return c.error("grad is ", c.shape(0), ", wanted ", *wanted);
  }
  c.set_output(0, c.dtype(0), *x);
  return {};
}

// ---- Gradients

// The map is linear except for the extrapolation value, which is a constant.
Attributes linear_part(const GradContext& g) {
  Attributes out = g.attributes();
  out.erase("extrapolation_value");
  return out;
}
Status grad_resize(GradContext& g) {
  if (!g.wants(0)) return {};
  const std::vector<ValueId> inputs = {g.grad(0), shape_of(g, g.input(0)), g.input(1), g.input(2), g.input(3)};
  g.set(0, g.emit("percale:ResizeGrad", inputs, linear_part(g)));
  return g.status();
}
Status grad_resize_grad(GradContext& g) {
  if (!g.wants(0)) return {};
  g.set(0, g.emit("Resize", {g.grad(0), g.input(2), g.input(3), g.input(4)}, linear_part(g)));
  return g.status();
}

// ---- Schemas

constexpr DTypeSet kRoi = DTypeSet::of(DType::kF16, DType::kF32, DType::kF64);
constexpr InputSpec kRoiInput = in_shape("roi", Presence::kOptional, kRoi),
                    kScales = in_shape("scales", Presence::kOptional, DTypeSet::of(DType::kF32)),
                    kSizes = in_shape("sizes", Presence::kOptional);

constexpr OpRow kSchemas[] = {
    {.name = "Resize",
     .since = 19,
     .doc =
         "x resampled along its axes to scales * dims or to sizes, by nearest, linear or cubic interpolation, with "
         "ONNX's coordinate modes (and tf_half_pixel_for_nn of opset 11). antialias widens the filter where x shrinks.",
     .inputs = {in("X", 'T', dtypes::kAny), kRoiInput, kScales, kSizes},
     .attributes = {attr_int("antialias", 0, 0, 1), attr_optional("axes", AttrKind::kInts),
                    attr_string("coordinate_transformation_mode", "half_pixel"), attr_float("cubic_coeff_a", -0.75),
                    attr_int("exclude_outside", 0, 0, 1), attr_float("extrapolation_value", 0),
                    attr_string("keep_aspect_ratio_policy", "stretch"), attr_string("mode", "nearest"),
                    attr_string("nearest_mode", "round_prefer_floor")},
     .outputs = {out("Y", 'T')},
     .shape = shape_resize,
     .grad = grad_resize,
     .body = resize_body,
     .traits = {.bf16 = {Bf16Rule::Kind::kMovesNearest, 1, 1}}},
    {.domain = "percale",
     .name = "ResizeGrad",
     .doc = "The gradient of Resize with respect to X, of shape `shape`: each element of grad is added to the elements "
            "that Resize read, with the same weights.",
     .inputs = {in("grad", 'T', dtypes::kNumeric), in_shape("shape"), kRoiInput, kScales, kSizes},
     .attributes = {attr_int("antialias", 0, 0, 1), attr_optional("axes", AttrKind::kInts),
                    attr_string("coordinate_transformation_mode", "half_pixel"), attr_float("cubic_coeff_a", -0.75),
                    attr_int("exclude_outside", 0, 0, 1), attr_string("keep_aspect_ratio_policy", "stretch"),
                    attr_string("mode", "nearest"), attr_string("nearest_mode", "round_prefer_floor")},
     .outputs = {out("x_grad", 'T')},
     .shape = shape_resize_grad,
     .grad = grad_resize_grad,
     .body = resize_grad_body},
};

// ---- Kernels

// Rows of the result, viewed as [outer, rows, inner], that hold the extrapolation value.
struct Outside {
  int64_t outer = 1, rows = 0, inner = 1;
  std::vector<int64_t> which;
};

struct ResizePlan {
  Resample resample;
  std::vector<Outside> outside;
  std::array<char, 8> value{};  // the extrapolation value in the element type
  int64_t item = 1;
};

Result<ResizePlan> plan_resize(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const ResizeOptions o, resize_options(v.attributes));
  std::vector<AxisSize> sizes;
  PERCALE_ASSIGN_OR_RETURN(const Shape y, resized(resize_inputs(v, 1), o, v.shape(0), sizes));
  if (y != v.output_shape(0)) return internal_error("the sizes must be known when the kernel is planned");
  ResizePlan out;
  out.item = item_bytes(v.dtype(0));
  const double value = v.attributes.get_float("extrapolation_value");
  dispatch(kAnyList, v.dtype(0), [&]<class T>() {
    T element;
    if constexpr (std::is_same_v<T, bool>) {
      element = value != 0;
    } else if constexpr (std::is_integral_v<T>) {
      element = saturate<T>(std::nearbyint(value));
    } else {
      element = narrow<T>(static_cast<Wide<T>>(value));
    }
    std::memcpy(out.value.data(), &element, sizeof element);
  });
  std::vector<Resample::Axis> axes;
  const bool empty = y.num_elements() == 0;
  for (const AxisSize& a : sizes) {
    if (empty || !a.changes(o)) continue;
    PERCALE_ASSIGN_OR_RETURN(Taps taps, resize_taps(o, a));
    Outside outside{y.product(0, a.dim), a.out, y.product(a.dim + 1, y.rank()), {}};
    for (int64_t r = 0; r < a.out; ++r) {
      if (taps.begin[static_cast<size_t>(r)] == taps.begin[static_cast<size_t>(r) + 1]) outside.which.push_back(r);
    }
    if (!outside.which.empty()) out.outside.push_back(std::move(outside));
    axes.push_back({a.dim, std::move(taps)});
  }
  PERCALE_ASSIGN_OR_RETURN(
      out.resample, Resample::make(empty ? y : v.shape(0), v.dtype(0), o.filter != ResizeOptions::Filter::kNearest,
                                   std::move(axes), plan));
  return out;
}

void run_resize(const ResizePlan& p, const Launch& l) {
  p.resample.run(l);
  for (const Outside& o : p.outside) {
    const int64_t bytes = o.inner * p.item;
    for (int64_t slice = 0; slice < o.outer; ++slice) {
      for (int64_t row : o.which) {
        char* to = l.out<char>(0) + (slice * o.rows + row) * bytes;
        for (int64_t at = 0; at < bytes; at += p.item)
          std::memcpy(to + at, p.value.data(), static_cast<size_t>(p.item));
      }
    }
  }
}

struct ResizeGradPlan {
  Resample resample;
  int64_t zeros = 0;  // bytes of a result that receives no gradient
};

Result<ResizeGradPlan> plan_resize_grad(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const ResizeOptions o, resize_options(v.attributes));
  std::vector<AxisSize> sizes;
  const Shape& x = v.output_shape(0);
  PERCALE_ASSIGN_OR_RETURN(const Shape y, resized(resize_inputs(v, 2), o, x, sizes));
  if (y != v.shape(0)) return internal_error("the sizes must be known when the kernel is planned");
  ResizeGradPlan out;
  if (y.num_elements() == 0 || x.num_elements() == 0) {
    out.zeros = x.num_elements() * item_bytes(v.dtype(0));
    return out;
  }
  std::vector<Resample::Axis> axes;
  for (const AxisSize& a : sizes) {
    if (!a.changes(o)) continue;
    PERCALE_ASSIGN_OR_RETURN(const Taps taps, resize_taps(o, a));
    axes.push_back({a.dim, transposed(taps, a.in)});
  }
  PERCALE_ASSIGN_OR_RETURN(out.resample, Resample::make(y, v.dtype(0), true, std::move(axes), plan));
  return out;
}

void run_resize_grad(const ResizeGradPlan& p, const Launch& l) {
  std::memset(l.out<char>(0), 0, static_cast<size_t>(p.zeros));
  p.resample.run(l);
}

}  // namespace

Status register_resize(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry, {make_kernel<accepts_types<kAnyList>, plan_resize, run_resize>("portable.Resize", "Resize"),
                 make_kernel<accepts_types<kNumericList>, plan_resize_grad, run_resize_grad>("portable.ResizeGrad",
                                                                                             "ResizeGrad", "percale")});
}

}  // namespace percale
