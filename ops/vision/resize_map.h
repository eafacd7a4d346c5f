// Options and sizes of Resize and its transpose: the axes that change and the taps of each element
// along them.
#ifndef PERCALE_OPS_VISION_RESIZE_MAP_H_
#define PERCALE_OPS_VISION_RESIZE_MAP_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/registry/op_schema.h"
#include "ops/vision/resample.h"

namespace percale {

struct ResizeOptions {
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

  Filter filter = Filter::kNearest;
  Coordinates coordinates = Coordinates::kHalfPixel;
  Nearest nearest = Nearest::kPreferFloor;
  Aspect aspect = Aspect::kStretch;
  bool antialias = false, exclude_outside = false, has_axes = false;
  double cubic_a = -0.75;
  std::vector<int64_t> axes;

  bool crops() const { return coordinates == Coordinates::kCrop; }
};
Result<ResizeOptions> resize_options(const Attributes& attributes);

// One axis that is resized. `scale` is the requested scale, so `out` may be less than in * scale.
struct AxisSize {
  size_t dim = 0;
  int64_t in = 0, out = 0;
  double scale = 1, start = 0, end = 1;  // start, end: region of interest

  bool changes(const ResizeOptions& o) const { return in != out || scale != 1 || o.crops(); }
};

// An optional input: absent, known by its shape only, or known with its value.
struct ResizeInput {
  std::string_view name;
  bool present = false;
  Shape shape;
  const Tensor* value = nullptr;
};
struct ResizeInputs {
  ResizeInput roi, scales, sizes;
};
// Returns the inputs of a node, a ShapeContext or a NodeView, whose roi, scales and sizes are the
// inputs from `first` on.
template <class Context>
ResizeInputs resize_inputs(const Context& c, size_t first) {
  const auto input = [&](size_t i) -> ResizeInput {
    if (!c.has_input(i)) return {};
    return {c.schema.input(i).name, true, c.shape(i), c.value(i)};
  };
  return {input(first), input(first + 1), input(first + 2)};
}

// Returns the shape after resizing x. If inputs or dims of x are unknown, the dims are unknown and
// `sizes` is empty.
Result<Shape> resized(const ResizeInputs& inputs, const ResizeOptions& o, const Shape& x, std::vector<AxisSize>& sizes);

// Returns the taps of every element along the axis. Rows outside of a crop have none. Returns
// RESOURCE_EXHAUSTED if there would be too many, because a file can request any scale and dim.
Result<Taps> resize_taps(const ResizeOptions& o, const AxisSize& a);

// Bodies of Resize and ResizeGrad.
Status resize_body(BodyContext& c);
Status resize_grad_body(BodyContext& c);

}  // namespace percale

#endif  // PERCALE_OPS_VISION_RESIZE_MAP_H_
