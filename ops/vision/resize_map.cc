#include "ops/vision/resize_map.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

// ---- Attributes

using Filter = ResizeOptions::Filter;
using Coordinates = ResizeOptions::Coordinates;
using Nearest = ResizeOptions::Nearest;
using Aspect = ResizeOptions::Aspect;

// Sets `out` to the index of a string attribute's value in `names`.
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

}  // namespace

Result<ResizeOptions> resize_options(const Attributes& a) {
  static constexpr std::string_view kFilters[] = {"nearest", "linear", "cubic"};
  static constexpr std::string_view kCoordinates[] = {
      "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",  "align_corners",
      "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn"};
  static constexpr std::string_view kNearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  static constexpr std::string_view kAspects[] = {"stretch", "not_larger", "not_smaller"};
  ResizeOptions o;
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

namespace {

// Returns the numbers of a known f16, f32 or f64 tensor.
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
  if (in == 0 && out > 0) return invalid_argument("dim ", static_cast<uint64_t>(dim), " has no elements to resize");
  return {};
}

Status sizes_by_scales(const Shape& x, const Tensor& given, std::span<AxisSize> axes) {
  const auto scales = given.span<float>();
  for (size_t i = 0; i < axes.size(); ++i) {
    AxisSize& a = axes[i];
    if (!(scales[i] > 0) || !std::isfinite(scales[i])) return invalid_argument("scales has ", double{scales[i]});
    a.scale = double{scales[i]};
    // Computed in f32 as in ONNX's shape inference: 10 * 0.7f is 7.
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

}  // namespace

Result<Shape> resized(const ResizeInputs& inputs, const ResizeOptions& o, const Shape& x,
                      std::vector<AxisSize>& sizes) {
  sizes.clear();
  if (!x.known_rank()) return Shape::unranked();
  std::vector<size_t> dims(x.rank());
  for (size_t d = 0; d < dims.size(); ++d) dims[d] = d;
  if (o.has_axes) {
    PERCALE_ASSIGN_OR_RETURN(dims, normalize_axes(o.axes, x.rank()));
  }
  // Models may also leave an input out by passing an empty tensor.
  const auto given = [](const ResizeInput& i) { return i.present && !(i.shape == Shape{0}); };
  const bool by_scales = given(inputs.scales), by_sizes = given(inputs.sizes);
  if (by_scales == by_sizes) {
    return invalid_argument("wanted either scales or sizes, got ", by_scales ? "both" : "neither");
  }
  if (o.crops() && !given(inputs.roi)) return invalid_argument("tf_crop_and_resize needs roi");
  const auto check_length = [](const ResizeInput& i, size_t length) -> Status {
    const Shape wanted{static_cast<int64_t>(length)};
    if (compatible(i.shape, wanted)) return {};
    return invalid_argument("'", i.name, "' is ", i.shape, ", wanted ", wanted);
  };
  const ResizeInput& by = by_scales ? inputs.scales : inputs.sizes;
  PERCALE_RETURN_IF_ERROR(check_length(by, dims.size()));
  if (o.crops()) PERCALE_RETURN_IF_ERROR(check_length(inputs.roi, 2 * dims.size()));

  Shape out = x;
  bool known = by.value != nullptr && (!o.crops() || inputs.roi.value != nullptr);
  for (size_t d : dims) {
    known = known && x[d] >= 0;
    out[d] = kUnknownDim;
  }
  if (!known) return out;
  for (size_t d : dims) sizes.push_back({.dim = d, .in = x[d]});
  PERCALE_RETURN_IF_ERROR(by_scales ? sizes_by_scales(x, *by.value, sizes)
                                    : sizes_by_sizes(x, o.aspect, *by.value, sizes));
  for (const AxisSize& a : sizes) out[a.dim] = a.out;
  if (!o.crops()) return out;
  const std::vector<double> roi = to_doubles(*inputs.roi.value);
  for (size_t i = 0; i < sizes.size(); ++i) {
    sizes[i].start = roi[i];
    sizes[i].end = roi[i + sizes.size()];
    if (!std::isfinite(sizes[i].start) || !std::isfinite(sizes[i].end)) return invalid_argument("roi must be finite");
  }
  return out;
}

// ---- Taps

namespace {

// Returns the position in x of element `index` of the result. ONNX divides by the requested length,
// which may be fractional.
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

// Returns the linear or the cubic filter (Keys 1981, equation 4) at distance d.
double filter_at(const ResizeOptions& o, double d) {
  d = std::fabs(d);
  if (o.filter == Filter::kLinear) return std::max(0.0, 1 - d);
  const double a = o.cubic_a;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// Limit for the taps of an axis, 16 bytes each. It exceeds the needs of any image and is quick to
// compute.
constexpr double kMaxTaps = 1 << 24;

}  // namespace

Result<Taps> resize_taps(const ResizeOptions& o, const AxisSize& a) {
  Taps taps;
  const auto last = static_cast<double>(a.in - 1);
  const double shrink = o.antialias ? std::min(a.scale, 1.0) : 1;
  const double reach = (o.filter == Filter::kLinear ? 1 : 2) / shrink;
  const double most = static_cast<double>(a.out) * (o.filter == Filter::kNearest ? 1 : 2 * reach + 1);
  if (!(most <= kMaxTaps)) {
    return resource_exhausted("axis ", static_cast<uint64_t>(a.dim), " of ", a.out, " elements at the scale ", a.scale,
                              " needs ", most, " weights, the limit is ", kMaxTaps);
  }
  for (int64_t y = 0; y < a.out; ++y) {
    // Coordinates far outside see only the edge, so they are clamped.
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

}  // namespace percale
