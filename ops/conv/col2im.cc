// Col2Im: sums columns back into the images from whose windows they were taken.
#include <algorithm>
#include <array>
#include <vector>

#include "core/base/checked.h"
#include "ops/support/families.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/window.h"

namespace percale {
namespace {

// Maps columns to image elements: output position o and tap k of the block refer to o * stride + k
// * dilation - pad.
struct Columns {
  size_t rank = 0;
  std::array<int64_t, kMaxRank> image{}, block{}, places{}, strides{}, dilations{}, pads{};
  int64_t taps = 1, positions = 1;
};
Result<Columns> columns_of(const Attributes& attributes, const std::vector<int64_t>& image,
                           const std::vector<int64_t>& block) {
  Columns out;
  out.rank = image.size();
  if (block.size() != out.rank) return invalid_argument("image_shape and block_shape must have the same length");
  if (out.rank == 0 || out.rank > kMaxRank - 2) return invalid_argument("wanted images with 1 to 6 spatial dims");
  PERCALE_ASSIGN_OR_RETURN(const auto strides, ints_or(attributes, "strides", out.rank, 1));
  PERCALE_ASSIGN_OR_RETURN(const auto dilations, ints_or(attributes, "dilations", out.rank, 1));
  PERCALE_ASSIGN_OR_RETURN(const auto pads, ints_or(attributes, "pads", 2 * out.rank, 0));
  CheckedSize taps = 1, positions = 1;
  for (size_t d = 0; d < out.rank; ++d) {
    if (image[d] < 0 || image[d] > kMaxDim)
      return invalid_argument("image_shape has the dim ", image[d], ", which is out of range");
    if (block[d] < 1 || block[d] > kMaxDim / 512)
      return invalid_argument("block_shape has the dim ", block[d], ", which is out of range");
    const int64_t room = image[d] + pads[d] + pads[out.rank + d] - (block[d] - 1) * dilations[d] - 1;
    if (room < 0) return invalid_argument("a block of ", block[d], " does not fit into an image of ", image[d]);
    out.image[d] = image[d];
    out.block[d] = block[d];
    out.strides[d] = strides[d];
    out.dilations[d] = dilations[d];
    out.pads[d] = pads[d];
    out.places[d] = room / strides[d] + 1;
    taps = taps * block[d];
    positions = positions * out.places[d];
  }
  if (!taps.valid() || !positions.valid()) return invalid_argument("image_shape or block_shape is too large");
  out.taps = taps.value();
  out.positions = positions.value();
  return out;
}

Status shape_col2im(ShapeContext& context) {
  const Shape& x = context.shape(0);
  if (x.known_rank() && x.rank() != 3) return context.error("wanted an input [N, C * block, L], got ", x);
  PERCALE_ASSIGN_OR_RETURN(const int64_t length, vector_length(context, 1));
  PERCALE_RETURN_IF_ERROR(vector_length(context, 2).status());
  const auto image = known_ints(context, 1), block = known_ints(context, 2);
  auto y = unknown_shape(length < 0 ? length : length + 2);
  if (!y.ok()) return context.error(y.status());
  if (image.has_value() && block.has_value()) {
    const auto columns = columns_of(context.attributes, *image, *block);
    if (!columns.ok()) return context.error(columns.status());
    *y = Shape{kUnknownDim, kUnknownDim};
    for (int64_t d : *image) y->push_back(d);
    if (x.known_rank()) {
      if (x[1] >= 0 && x[1] % columns->taps != 0) {
        return context.error("blocks of ", columns->taps, " elements do not divide the ", x[1], " rows");
      }
      if (x[2] >= 0 && x[2] != columns->positions) {
        return context.error("the input has ", x[2], " columns, but the image has positions for ", columns->positions);
      }
      (*y)[0] = x[0];
      (*y)[1] = x[1] < 0 ? kUnknownDim : x[1] / columns->taps;
    }
  }
  context.set_output(0, context.dtype(0), *y);
  return {};
}

struct Col2ImPlan {
  Columns columns;
  int64_t planes = 0, pixels = 1;  // images times channels; elements of each
  void (*add)(const Col2ImPlan&, const char* x, char* y, int64_t plane) = nullptr;
};

template <class T>
void add_plane(const Col2ImPlan& plan, const char* in, char* out, int64_t plane) {
  const Columns& c = plan.columns;
  const T* x = reinterpret_cast<const T*>(in) + plane * c.taps * c.positions;
  T* y = reinterpret_cast<T*>(out) + plane * plan.pixels;
  std::fill_n(y, plan.pixels, T{});
  for (int64_t tap = 0; tap < c.taps; ++tap) {
    for (int64_t position = 0; position < c.positions; ++position) {
      int64_t rest_tap = tap, rest = position, at = 0, stride = 1;
      bool inside = true;
      for (size_t d = c.rank; d-- > 0;) {
        const int64_t p = rest % c.places[d] * c.strides[d] + rest_tap % c.block[d] * c.dilations[d] - c.pads[d];
        inside = inside && p >= 0 && p < c.image[d];
        at += p * stride;
        stride *= c.image[d];
        rest /= c.places[d];
        rest_tap /= c.block[d];
      }
      if (!inside) continue;
      const T value = x[tap * c.positions + position];
      if constexpr (std::is_same_v<T, bool>) {
        y[at] = y[at] || value;
      } else {
        y[at] = narrow<T>(wrap::add(widen(y[at]), widen(value)));
      }
    }
  }
}

Result<Col2ImPlan> plan_col2im(const NodeView& node, KernelPlan&) {
  if (node.value(1) == nullptr || node.value(2) == nullptr)
    return internal_error("the shapes must be known when the kernel is planned");
  Col2ImPlan plan;
  PERCALE_ASSIGN_OR_RETURN(plan.columns,
                           columns_of(node.attributes, to_int64s(*node.value(1)), to_int64s(*node.value(2))));
  const Shape& y = node.output_shape(0);
  plan.planes = y[0] * y[1];
  plan.pixels = y.product(2, y.rank());
  dispatch(kAnyList, node.dtype(0), [&]<class T>() { plan.add = add_plane<T>; });
  return plan;
}
void run_col2im(const Col2ImPlan& plan, const Launch& launch) {
  if (plan.planes == 0 || plan.pixels == 0) return;
  const int64_t pieces = std::min(plan.planes, pieces_for(plan.planes * plan.columns.taps * plan.columns.positions));
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.planes, pieces, piece);
    for (int64_t p = range.begin; p < range.end; ++p) plan.add(plan, launch.in<char>(0), launch.out<char>(0), p);
  });
}

constexpr OpRow kSchemas[] = {
    {.name = "Col2Im",
     .since = 18,
     .doc = "Sums columns [N, C * block, L] into images [N,C,D1,...] of image_shape: each column goes where a sliding "
            "window of block_shape took it from. Integers wrap; bools are combined by or.",
     .inputs = {in("input", 'T', dtypes::kAny), in_shape("image_shape"), in_shape("block_shape")},
     .attributes = {attr_optional("dilations", AttrKind::kInts, 1, kMaxWindow),
                    attr_optional("pads", AttrKind::kInts, 0, kMaxWindow),
                    attr_optional("strides", AttrKind::kInts, 1, kMaxWindow)},
     .outputs = {out("output", 'T')},
     .shape = shape_col2im,
     .grad = grad::none},
};

}  // namespace

Status register_col2im(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(registry,
                         {make_kernel<accepts_types<kAnyList>, plan_col2im, run_col2im>("portable.Col2Im", "Col2Im")});
}

}  // namespace percale
