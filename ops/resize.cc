// Resize and its transpose. ONNX's coordinates and filters become taps per axis; resample.h applies them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "ops/families.h"
#include "ops/grad_util.h"
#include "ops/kernel_util.h"
#include "ops/resample.h"
#include "ops/shape_util.h"

namespace percale {
namespace {

// ---- Attributes

enum class Filter : uint8_t { kNearest, kLinear, kCubic };
enum class Coordinates : uint8_t {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kCrop,
  kHalfPixelForNn
};
enum class Nearest : uint8_t { kPreferFloor, kPreferCeil, kFloor, kCeil };
enum class Aspect : uint8_t { kStretch, kNotLarger, kNotSmaller };

// The place of a string attribute's value among `names`.
template <class E>
Status choose(const Attributes& attributes, const char* attribute, std::span<const std::string_view> names, E& out) {
  const std::string_view value = attributes.get_string(attribute);
  std::string wanted;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == value) {
      out = static_cast<E>(i);
      return {};
    }
    wanted += str_cat(i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  }
  return invalid_argument(attribute, " is '", value, "', wanted ", wanted);
}

struct Options {
  Filter filter = Filter::kNearest;
  Coordinates coordinates = Coordinates::kHalfPixel;
  Nearest nearest = Nearest::kPreferFloor;
  Aspect aspect = Aspect::kStretch;
  bool antialias = false, exclude_outside = false, has_axes = false;
  double cubic_a = -0.75;
  std::vector<int64_t> axes;

  bool crops() const { return coordinates == Coordinates::kCrop; }
};
Result<Options> options_of(const Attributes& a) {
  static constexpr std::string_view kFilters[] = {"nearest", "linear", "cubic"};
  static constexpr std::string_view kCoordinates[] = {
      "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",  "align_corners",
      "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn"};
  static constexpr std::string_view kNearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  static constexpr std::string_view kAspects[] = {"stretch", "not_larger", "not_smaller"};
  Options o;
  PERCALE_RETURN_IF_ERROR(choose(a, "mode", kFilters, o.filter));
  PERCALE_RETURN_IF_ERROR(choose(a, "coordinate_transformation_mode", kCoordinates, o.coordinates));
  PERCALE_RETURN_IF_ERROR(choose(a, "nearest_mode", kNearest, o.nearest));
  PERCALE_RETURN_IF_ERROR(choose(a, "keep_aspect_ratio_policy", kAspects, o.aspect));
  o.antialias = a.get_int("antialias") != 0;
  o.exclude_outside = a.get_int("exclude_outside") != 0;
  o.cubic_a = a.get_float("cubic_coeff_a");
  o.has_axes = a.contains("axes");
  o.axes = a.get_ints("axes");
  return o;
}

// ---- Shapes

// One axis that is resized. `scale` is what was asked for: out may be less than in * scale.
struct AxisSize {
  size_t dim = 0;
  int64_t in = 0, out = 0;
  double scale = 1, start = 0, end = 1;  // start, end: of the region of interest
};

// The numbers of a known f16, f32 or f64 tensor.
std::vector<double> to_doubles(const Tensor& tensor) {
  std::vector<double> out;
  dispatch(kFloatList, tensor.dtype(), [&]<class T>() {
    for (const T& x : tensor.span<T>()) out.push_back(static_cast<double>(widen(x)));
  });
  return out;
}

Status check_size(int64_t in, double out, size_t dim) {
  if (!(out >= 0 && out <= static_cast<double>(kMaxDim))) {
    return invalid_argument("dim ", static_cast<uint64_t>(dim), " of ", in, " would become ", out,
                            ", wanted 0 to 2^40");
  }
  if (in == 0 && out > 0) return invalid_argument("dim ", static_cast<uint64_t>(dim), " has no element to resize");
  return {};
}

Status sizes_by_scales(const Shape& x, const Tensor& given, std::span<AxisSize> axes) {
  const auto scales = given.span<float>();
  for (size_t i = 0; i < axes.size(); ++i) {
    AxisSize& a = axes[i];
    if (!(scales[i] > 0) || !std::isfinite(scales[i])) return invalid_argument("scales has ", double{scales[i]});
    a.scale = double{scales[i]};
    // In f32, as ONNX's shape inference: 10 * 0.7f is 7.
    const double out = std::floor(double{static_cast<float>(x[a.dim]) * scales[i]});
    PERCALE_RETURN_IF_ERROR(check_size(x[a.dim], out, a.dim));
    a.out = static_cast<int64_t>(out);
  }
  return {};
}

Status sizes_by_sizes(const Shape& x, Aspect aspect, const Tensor& given, std::span<AxisSize> axes) {
  const std::vector<int64_t> sizes = to_int64s(given);
  double common = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    AxisSize& a = axes[i];
    PERCALE_RETURN_IF_ERROR(check_size(x[a.dim], static_cast<double>(sizes[i]), a.dim));
    a.out = sizes[i];
    a.scale = x[a.dim] == 0 ? 1 : static_cast<double>(sizes[i]) / static_cast<double>(x[a.dim]);
    const bool better = aspect == Aspect::kNotLarger ? a.scale < common : a.scale > common;
    if (i == 0 || better) common = a.scale;
  }
  if (aspect == Aspect::kStretch) return {};
  for (AxisSize& a : axes) {
    const double out = std::floor(common * static_cast<double>(x[a.dim]) + 0.5);
    PERCALE_RETURN_IF_ERROR(check_size(x[a.dim], out, a.dim));
    a.scale = common;
    a.out = static_cast<int64_t>(out);
  }
  return {};
}

// The shape that x gets by the inputs roi, scales and sizes, which stand in this order from `first` on; unknown dims, and
// `sizes` empty, where they or dims of x are not known.
template <class Context>
Result<Shape> resized(const Context& c, const Options& o, const Shape& x, size_t first, std::vector<AxisSize>& sizes) {
  sizes.clear();
  if (!x.known_rank()) return Shape::unranked();
  std::vector<size_t> dims(x.rank());
  for (size_t d = 0; d < dims.size(); ++d) dims[d] = d;
  if (o.has_axes) {
    PERCALE_ASSIGN_OR_RETURN(dims, normalize_axes(o.axes, x.rank()));
  }
  // Models leave an input out by an empty tensor too.
  const auto given = [&](size_t i) { return c.has_input(i) && !(c.shape(i) == Shape{0}); };
  const bool by_scales = given(first + 1), by_sizes = given(first + 2);
  if (by_scales == by_sizes) {
    return invalid_argument("wanted either scales or sizes, got ", by_scales ? "both" : "neither");
  }
  if (o.crops() && !given(first)) return invalid_argument("tf_crop_and_resize needs roi");
  const auto check_length = [&](size_t i, size_t length) -> Status {
    const Shape wanted{static_cast<int64_t>(length)};
    if (compatible(c.shape(i), wanted)) return {};
    return invalid_argument("'", c.schema.input(i).name, "' is ", c.shape(i), ", wanted ", wanted);
  };
  const size_t by = by_scales ? first + 1 : first + 2;
  PERCALE_RETURN_IF_ERROR(check_length(by, dims.size()));
  if (o.crops()) PERCALE_RETURN_IF_ERROR(check_length(first, 2 * dims.size()));

  Shape out = x;
  bool known = c.value(by) != nullptr && (!o.crops() || c.value(first) != nullptr);
  for (size_t d : dims) {
    known = known && x[d] >= 0;
    out[d] = kUnknownDim;
  }
  if (!known) return out;
  for (size_t d : dims) sizes.push_back({.dim = d, .in = x[d]});
  PERCALE_RETURN_IF_ERROR(by_scales ? sizes_by_scales(x, *c.value(by), sizes)
                                    : sizes_by_sizes(x, o.aspect, *c.value(by), sizes));
  for (const AxisSize& a : sizes) out[a.dim] = a.out;
  if (!o.crops()) return out;
  const std::vector<double> roi = to_doubles(*c.value(first));
  for (size_t i = 0; i < sizes.size(); ++i) {
    sizes[i].start = roi[i];
    sizes[i].end = roi[i + sizes.size()];
    if (!std::isfinite(sizes[i].start) || !std::isfinite(sizes[i].end)) return invalid_argument("roi is not finite");
  }
  return out;
}

Status shape_resize(ShapeContext& c) {
  const auto options = options_of(c.attributes);
  if (!options.ok()) return c.error(options.status());
  const DType dtype = c.dtype(0);
  if (options->filter != Filter::kNearest && !dtypes::kNumeric.contains(dtype)) {
    return c.error("mode ", c.attributes.get_string("mode"), " makes means, which ", dtype, " has not");
  }
  std::vector<AxisSize> sizes;
  const auto out = resized(c, *options, c.shape(0), 1, sizes);
  if (!out.ok()) return c.error(out.status());
  c.set_output(0, dtype, *out);
  return {};
}

Status shape_resize_grad(ShapeContext& c) {
  const auto options = options_of(c.attributes);
  if (!options.ok()) return c.error(options.status());
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, vector_length(c, 1));
  const auto dims = known_ints(c, 1);
  const auto x = dims.has_value() ? Shape::make(*dims) : unknown_shape(rank);
  if (!x.ok()) return c.error(x.status());
  if (dims.has_value()) {
    if (!x->is_static()) return c.error("the shape ", *x, " has a negative dim");
    std::vector<AxisSize> sizes;
    const auto wanted = resized(c, *options, *x, 2, sizes);
    if (!wanted.ok()) return c.error(wanted.status());
    if (!compatible(*wanted, c.shape(0))) return c.error("grad is ", c.shape(0), ", wanted ", *wanted);
  }
  c.set_output(0, c.dtype(0), *x);
  return {};
}

// ---- Gradients

// The map is linear but for the extrapolation value, a constant.
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

constexpr OpSchema kSchemas[] = {
    {.name = "Resize",
     .since = 19,
     .doc = "x resampled along its axes to scales * dims or to sizes: nearest, linear or cubic, with ONNX's coordinate "
            "modes "
            "(and tf_half_pixel_for_nn of opset 11); antialias stretches the filter where x shrinks.",
     .inputs = {in("X", 'T', dtypes::kAny), kRoiInput, kScales, kSizes},
     .attributes = {attr_int("antialias", 0, 0, 1), attr_optional("axes", AttrKind::kInts),
                    attr_string("coordinate_transformation_mode", "half_pixel"), attr_float("cubic_coeff_a", -0.75),
                    attr_int("exclude_outside", 0, 0, 1), attr_float("extrapolation_value", 0),
                    attr_string("keep_aspect_ratio_policy", "stretch"), attr_string("mode", "nearest"),
                    attr_string("nearest_mode", "round_prefer_floor")},
     .outputs = {out("Y", 'T')},
     .shape = shape_resize,
     .grad = grad_resize},
    {.domain = "percale",
     .name = "ResizeGrad",
     .doc = "The gradient of Resize with respect to X, of shape `shape`: each element of grad goes to where Resize "
            "took it "
            "from, by the same weights.",
     .inputs = {in("grad", 'T', dtypes::kNumeric), in_shape("shape"), kRoiInput, kScales, kSizes},
     .attributes = {attr_int("antialias", 0, 0, 1), attr_optional("axes", AttrKind::kInts),
                    attr_string("coordinate_transformation_mode", "half_pixel"), attr_float("cubic_coeff_a", -0.75),
                    attr_int("exclude_outside", 0, 0, 1), attr_string("keep_aspect_ratio_policy", "stretch"),
                    attr_string("mode", "nearest"), attr_string("nearest_mode", "round_prefer_floor")},
     .outputs = {out("x_grad", 'T')},
     .shape = shape_resize_grad,
     .grad = grad_resize_grad},
};

// ---- Taps

// Where element y of the result lies in x. ONNX divides by the length that was asked for, which may be fractional.
double coordinate(Coordinates mode, const AxisSize& a, int64_t index) {
  const auto y = static_cast<double>(index), in = static_cast<double>(a.in), length = a.scale * in;
  switch (mode) {
    case Coordinates::kAlignCorners: return length == 1 ? 0 : y * (in - 1) / (length - 1);
    case Coordinates::kAsymmetric: return y / a.scale;
    case Coordinates::kHalfPixelForNn: return (y + 0.5) / a.scale;
    case Coordinates::kPytorchHalfPixel:
      if (length == 1) return 0;
      break;
    case Coordinates::kHalfPixelSymmetric:
      return in / 2 * (1 - static_cast<double>(a.out) / length) + (y + 0.5) / a.scale - 0.5;
    case Coordinates::kCrop:
      if (length == 1) return 0.5 * (a.start + a.end) * (in - 1);
      return a.start * (in - 1) + y * (a.end - a.start) * (in - 1) / (length - 1);
    case Coordinates::kHalfPixel: break;
  }
  return (y + 0.5) / a.scale - 0.5;
}

double nearest(Nearest mode, double x) {
  switch (mode) {
    case Nearest::kPreferFloor: return std::ceil(x - 0.5);
    case Nearest::kPreferCeil: return std::floor(x + 0.5);
    case Nearest::kFloor: return std::floor(x);
    case Nearest::kCeil: break;
  }
  return std::ceil(x);
}

// The linear and the cubic filter (Keys 1981, equation 4) at distance d.
double filter_at(const Options& o, double d) {
  d = std::fabs(d);
  if (o.filter == Filter::kLinear) return std::max(0.0, 1 - d);
  const double a = o.cubic_a;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// Of an axis, 16 bytes each. Larger than any picture needs, small enough to be made in a moment.
constexpr double kMaxTaps = 1 << 24;

// The taps of every element along the axis; rows that lie outside of a crop have none. RESOURCE_EXHAUSTED when they would be
// too many: a scale may be as small, and a dim as large, as the file says.
Result<Taps> make_taps(const Options& o, const AxisSize& a) {
  Taps taps;
  const auto last = static_cast<double>(a.in - 1);
  const double shrink = o.antialias ? std::min(a.scale, 1.0) : 1;
  const double reach = (o.filter == Filter::kLinear ? 1 : 2) / shrink;
  const double most = static_cast<double>(a.out) * (o.filter == Filter::kNearest ? 1 : 2 * reach + 1);
  if (!(most <= kMaxTaps)) {
    return resource_exhausted("axis ", static_cast<uint64_t>(a.dim), " of ", a.out, " elements at the scale ", a.scale,
                              " needs ", most, " weights, at most ", kMaxTaps, " are made");
  }
  for (int64_t y = 0; y < a.out; ++y) {
    // Far outside all coordinates see the edge alone.
    const double x = std::clamp(coordinate(o.coordinates, a, y), -4 - 2 * reach, last + 4 + 2 * reach);
    const auto inside = [&](double at) { return static_cast<int64_t>(std::clamp(at, 0.0, last)); };
    if (o.crops() && (x < 0 || x > last)) {
      taps.end_row();
      continue;
    }
    if (o.filter == Filter::kNearest) {
      taps.add(inside(nearest(o.nearest, x)), 1);
      taps.end_row();
      continue;
    }
    const auto first = taps.weight.size();
    double sum = 0;
    for (double at = std::ceil(x - reach); at <= x + reach; ++at) {
      const double weight = filter_at(o, (at - x) * shrink);
      if (weight == 0 || (o.exclude_outside && (at < 0 || at > last))) continue;
      taps.add(inside(at), weight);
      sum += weight;
    }
    if (taps.weight.size() == first) {
      taps.add(inside(x), 1);
    } else if (o.antialias || o.exclude_outside) {
      for (size_t k = first; k < taps.weight.size(); ++k) taps.weight[k] /= sum;
    }
    taps.end_row();
  }
  return taps;
}

// ---- Kernels

// Rows of the result, seen as [outer, rows, inner], that hold the extrapolation value.
struct Outside {
  int64_t outer = 1, rows = 0, inner = 1;
  std::vector<int64_t> which;
};

struct ResizePlan {
  Resample resample;
  std::vector<Outside> outside;
  std::array<char, 8> value{};  // the extrapolation value as an element
  int64_t item = 1;
};

bool changes(const Options& o, const AxisSize& a) { return a.in != a.out || a.scale != 1 || o.crops(); }

Result<ResizePlan> plan_resize(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const Options o, options_of(v.attributes));
  std::vector<AxisSize> sizes;
  PERCALE_ASSIGN_OR_RETURN(const Shape y, resized(v, o, v.shape(0), 1, sizes));
  if (y != v.output_shape(0)) return internal_error("the sizes are not known");
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
    if (empty || !changes(o, a)) continue;
    PERCALE_ASSIGN_OR_RETURN(Taps taps, make_taps(o, a));
    Outside outside{y.product(0, a.dim), a.out, y.product(a.dim + 1, y.rank()), {}};
    for (int64_t r = 0; r < a.out; ++r) {
      if (taps.begin[static_cast<size_t>(r)] == taps.begin[static_cast<size_t>(r) + 1]) outside.which.push_back(r);
    }
    if (!outside.which.empty()) out.outside.push_back(std::move(outside));
    axes.push_back({a.dim, std::move(taps)});
  }
  PERCALE_ASSIGN_OR_RETURN(out.resample, Resample::make(empty ? y : v.shape(0), v.dtype(0),
                                                        o.filter != Filter::kNearest, std::move(axes), plan));
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
  int64_t zeros = 0;  // bytes of a result that nothing flows to
};

Result<ResizeGradPlan> plan_resize_grad(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const Options o, options_of(v.attributes));
  std::vector<AxisSize> sizes;
  const Shape& x = v.output_shape(0);
  PERCALE_ASSIGN_OR_RETURN(const Shape y, resized(v, o, x, 2, sizes));
  if (y != v.shape(0)) return internal_error("the sizes are not known");
  ResizeGradPlan out;
  if (y.num_elements() == 0 || x.num_elements() == 0) {
    out.zeros = x.num_elements() * item_bytes(v.dtype(0));
    return out;
  }
  std::vector<Resample::Axis> axes;
  for (const AxisSize& a : sizes) {
    if (!changes(o, a)) continue;
    PERCALE_ASSIGN_OR_RETURN(const Taps taps, make_taps(o, a));
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
  PERCALE_RETURN_IF_ERROR(registry.add_ops(kSchemas));
  return add_cpu_kernels(
      registry, {make_kernel<accepts_types<kAnyList>, plan_resize, run_resize>("portable.Resize", "Resize"),
                 make_kernel<accepts_types<kNumericList>, plan_resize_grad, run_resize_grad>("portable.ResizeGrad",
                                                                                             "ResizeGrad", "percale")});
}

}  // namespace percale
