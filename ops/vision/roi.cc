// Regions of interest: RoiAlign, its gradient, and MaxRoiPool.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ops/support/families.h"
#include "ops/support/float_kernels.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

constexpr double kMostBins = 1 << 20;  // along one dim

// ---- Shapes

Status check_pictures(const ShapeContext& c, size_t x, size_t rois, int64_t columns) {
  const Shape any{kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim};
  if (!compatible(c.shape(x), any)) return c.error("wanted X [N,C,H,W], got ", c.shape(x));
  if (!compatible(c.shape(rois), Shape{kUnknownDim, columns})) {
    return c.error("wanted rois [R,", columns, "], got ", c.shape(rois));
  }
  return {};
}

Status check_align(const ShapeContext& c, size_t rois) {
  const Shape& indices = c.shape(rois + 1);
  if (!compatible(indices, Shape{c.shape(rois).known_rank() ? c.shape(rois)[0] : kUnknownDim})) {
    return c.error("batch_indices is ", indices, ", rois ", c.shape(rois));
  }
  const std::string_view mode = c.attributes.get_string("mode"),
                         coordinates = c.attributes.get_string("coordinate_transformation_mode");
  if (mode != "avg" && mode != "max") return c.error("mode is '", mode, "', wanted avg or max");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel") {
    return c.error("coordinate_transformation_mode is '", coordinates, "', wanted half_pixel or output_half_pixel");
  }
  return {};
}

int64_t first_dim(const Shape& a, const Shape& b) {
  const int64_t one = a.known_rank() ? a[0] : kUnknownDim, other = b.known_rank() ? b[0] : kUnknownDim;
  return std::max(one, other);
}
int64_t channels_of(const Shape& x) { return x.known_rank() ? x[1] : kUnknownDim; }

Status shape_roi_align(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_pictures(c, 0, 1, 4));
  PERCALE_RETURN_IF_ERROR(check_align(c, 1));
  c.set_output(0, c.dtype(0),
               Shape{first_dim(c.shape(1), c.shape(2)), channels_of(c.shape(0)), c.attributes.get_int("output_height"),
                     c.attributes.get_int("output_width")});
  return {};
}

Status shape_roi_align_grad(ShapeContext& c) {
  if (!compatible(c.shape(1), Shape{kUnknownDim, 4})) return c.error("wanted rois [R,4], got ", c.shape(1));
  PERCALE_RETURN_IF_ERROR(check_align(c, 1));
  const auto dims = known_ints(c, 3);
  const auto x = dims.has_value() ? Shape::make(*dims) : unknown_shape(4);
  if (!x.ok()) return c.error(x.status());
  const Shape wanted{first_dim(c.shape(1), c.shape(2)), x->rank() == 4 ? (*x)[1] : kUnknownDim,
                     c.attributes.get_int("output_height"), c.attributes.get_int("output_width")};
  if (x->rank() != 4 || (dims.has_value() && !x->is_static())) return c.error("X must not have the shape ", *x);
  if (!compatible(c.shape(0), wanted)) return c.error("grad is ", c.shape(0), ", wanted ", wanted);
  c.set_output(0, c.dtype(0), *x);
  return {};
}

Status shape_max_roi_pool(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_pictures(c, 0, 1, 5));
  const auto& pooled = c.attributes.get_ints("pooled_shape");
  if (pooled.size() != 2)
    return c.error("pooled_shape has ", static_cast<uint64_t>(pooled.size()), " numbers, wanted 2");
  const int64_t rois = c.shape(1).known_rank() ? c.shape(1)[0] : kUnknownDim;
  c.set_output(0, c.dtype(0), Shape{rois, channels_of(c.shape(0)), pooled[0], pooled[1]});
  return {};
}

// Only the images have a gradient; the regions are constants.
Status grad_roi_align(GradContext& g) {
  if (g.grad(0) == kNoValue || !g.wants(0)) return {};
  if (g.attributes().get_string("mode") != "avg") {
    return unimplemented("RoiAlign '", g.node().name, "': the gradient of mode max is not supported");
  }
  const std::vector<ValueId> inputs = {g.grad(0), g.input(1), g.input(2), shape_of(g, g.input(0))};
  g.set(0, g.emit("percale:RoiAlignGrad", inputs, g.attributes()));
  return g.status();
}

// ---- RoiAlign

struct RoiPlan {
  int64_t batch = 0, channels = 0, height = 0, width = 0, rois = 0, rows = 0, columns = 0, samples = 0;
  double scale = 1;
  bool max = false, half_pixel = true;
  DType dtype = DType::kInvalid;

  int64_t picture() const { return height * width; }
  int64_t bins() const { return rows * columns; }
};

RoiPlan roi_plan(const NodeView& node, const Shape& x, const Shape& rois) {
  RoiPlan p;
  p.batch = x[0];
  p.channels = x[1];
  p.height = x[2];
  p.width = x[3];
  p.rois = rois[0];
  p.scale = node.attributes.get_float("spatial_scale");
  p.dtype = node.dtype(0);
  p.rows = node.attributes.get_int("output_height");
  p.columns = node.attributes.get_int("output_width");
  p.samples = node.attributes.get_int("sampling_ratio");
  p.max = node.attributes.get_string("mode") == "max";
  p.half_pixel = node.attributes.get_string("coordinate_transformation_mode") == "half_pixel";
  return p;
}

// One dim of a region: where its bins begin, the length of a bin, and the number of samples per
// bin.
struct Side {
  double start = 0, bin = 0;
  int64_t samples = 0;
  double at(int64_t which, int64_t sample) const {
    return start + static_cast<double>(which) * bin +
           (static_cast<double>(sample) + 0.5) * bin / static_cast<double>(samples);
  }
};
struct Region {
  int64_t image = 0;
  Side y, x;
};

constexpr double kMostSamples = 1 << 16;  // along one side of a bin

Side side_of(const RoiPlan& p, double from, double to, int64_t bins) {
  const double offset = p.half_pixel ? 0.5 : 0;
  Side s;
  s.start = from * p.scale - offset;
  double length = to * p.scale - offset - s.start;
  if (!p.half_pixel) length = std::max(length, 1.0);
  s.bin = length / static_cast<double>(bins);
  const double samples = p.samples > 0 ? static_cast<double>(p.samples) : std::ceil(s.bin);
  s.samples = samples > 0 && samples <= kMostSamples ? static_cast<int64_t>(samples) : samples > 0 ? -1 : 0;
  return s;
}

// Reads a region. If its image does not exist, or its numbers are not finite or too large, the
// function fails the run and returns false.
template <class T>
bool region_of(const RoiPlan& p, const T* rois, const int64_t* images, int64_t number, const Launch& l, Region& r) {
  r.image = images[number];
  if (r.image < 0 || r.image >= p.batch) {
    l.fail(RunError::kIndexOutOfRange, r.image);
    return false;
  }
  std::array<double, 4> c;
  for (size_t i = 0; i < 4; ++i) c[i] = static_cast<double>(rois[number * 4 + static_cast<int64_t>(i)]);
  r.y = side_of(p, c[1], c[3], p.rows);
  r.x = side_of(p, c[0], c[2], p.columns);
  if (r.y.samples < 0 || r.x.samples < 0 || !std::isfinite(r.y.start + r.y.bin + r.x.start + r.x.bin)) {
    l.fail(RunError::kBadSize, number);
    return false;
  }
  return true;
}

// The four elements around a position, with bilinear weights. Outside of the image all weights are
// 0.
struct Corners {
  std::array<int64_t, 4> at{};
  std::array<double, 4> weight{};
};
Corners corners_of(const RoiPlan& p, double y, double x) {
  Corners c;
  if (!(y >= -1 && y <= static_cast<double>(p.height) && x >= -1 && x <= static_cast<double>(p.width))) return c;
  const auto split = [](double v, int64_t dim, int64_t& low, int64_t& high) {
    v = std::clamp(v, 0.0, static_cast<double>(dim - 1));
    low = static_cast<int64_t>(v);
    high = std::min(low + 1, dim - 1);
    return v - static_cast<double>(low);
  };
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  const double down = split(y, p.height, top, bottom), along = split(x, p.width, left, right);
  c.at = {top * p.width + left, top * p.width + right, bottom * p.width + left, bottom * p.width + right};
  c.weight = {(1 - down) * (1 - along), (1 - down) * along, down * (1 - along), down * along};
  return c;
}

constexpr int64_t kTogether = 8;  // channels that share the corners of a sample

template <class T>
void align_bin(const RoiPlan& p, const Region& r, const T* pictures, int64_t channels, int64_t row, int64_t column,
               T* y) {
  std::array<double, kTogether> value{};
  bool first = true;
  for (int64_t i = 0; i < r.y.samples; ++i) {
    for (int64_t j = 0; j < r.x.samples; ++j) {
      const Corners k = corners_of(p, r.y.at(row, i), r.x.at(column, j));
      for (int64_t c = 0; c < channels; ++c) {
        const T* picture = pictures + c * p.picture();
        double& to = value[static_cast<size_t>(c)];
        double sum = 0, most = -std::numeric_limits<double>::infinity();
        for (size_t n = 0; n < 4; ++n) {
          const double part = k.weight[n] * static_cast<double>(picture[k.at[n]]);
          sum += part;
          most = std::max(most, part);
        }
        to = !p.max ? to + sum : first ? most : std::max(to, most);
      }
      first = false;
    }
  }
  const auto count = static_cast<double>(std::max<int64_t>(r.y.samples * r.x.samples, 1));
  for (int64_t c = 0; c < channels; ++c) {
    const double v = value[static_cast<size_t>(c)];
    y[c * p.bins()] = static_cast<T>(p.max ? v : v / count);
  }
}

template <class T>
void align(const RoiPlan& p, const T* x, const T* rois, const int64_t* images, T* y, const Launch& l) {
  const int64_t groups = (p.channels + kTogether - 1) / kTogether, items = p.rois * groups;
  if (items == 0 || p.bins() == 0) return;
  const int64_t pieces = piece_count(items, work_of(p.bins(), kTogether, 16));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(items, pieces, piece);
    for (int64_t item = range.begin; item < range.end; ++item) {
      Region r;
      const int64_t number = item / groups, channel = item % groups * kTogether;
      if (!region_of(p, rois, images, number, l, r)) return;
      const T* pictures = x + (r.image * p.channels + channel) * p.picture();
      T* to = y + (number * p.channels + channel) * p.bins();
      for (int64_t bin = 0; bin < p.bins() && !l.cancelled(); ++bin) {
        align_bin(p, r, pictures, std::min(kTogether, p.channels - channel), bin / p.columns, bin % p.columns,
                  to + bin);
      }
    }
  });
}

// Computes dX of mode avg. Each piece owns some channels of all images.
template <class T>
void align_grad(const RoiPlan& p, const T* dy, const T* rois, const int64_t* images, T* dx, const Launch& l) {
  if (p.batch * p.channels * p.picture() == 0) return;
  const int64_t pieces = piece_count(p.channels, work_of(p.rois, p.bins(), 16));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.channels, pieces, piece);
    for (int64_t n = 0; n < p.batch; ++n) {
      std::fill(dx + (n * p.channels + range.begin) * p.picture(), dx + (n * p.channels + range.end) * p.picture(),
                T{0});
    }
    for (int64_t number = 0; number < p.rois; ++number) {
      Region r;
      if (!region_of(p, rois, images, number, l, r)) return;
      const auto count = static_cast<double>(std::max<int64_t>(r.y.samples * r.x.samples, 1));
      for (int64_t bin = 0; bin < p.bins() && !l.cancelled(); ++bin) {
        for (int64_t s = 0; s < r.y.samples * r.x.samples; ++s) {
          const Corners k =
              corners_of(p, r.y.at(bin / p.columns, s / r.x.samples), r.x.at(bin % p.columns, s % r.x.samples));
          for (int64_t c = range.begin; c < range.end; ++c) {
            const double grad = static_cast<double>(dy[(number * p.channels + c) * p.bins() + bin]) / count;
            T* to = dx + (r.image * p.channels + c) * p.picture();
            for (size_t n = 0; n < 4; ++n) to[k.at[n]] += static_cast<T>(grad * k.weight[n]);
          }
        }
      }
    }
  });
}

Status check_not_empty(const RoiPlan& p) {
  if (p.picture() > 0 || p.rois * p.channels * p.bins() == 0) return {};
  return invalid_argument("X must not be empty");
}

Result<RoiPlan> plan_roi_align(const NodeView& node, KernelPlan&) {
  const RoiPlan p = roi_plan(node, node.shape(0), node.shape(1));
  PERCALE_RETURN_IF_ERROR(check_not_empty(p));
  return p;
}
void run_roi_align(const RoiPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { align<T>(p, l.in<T>(0), l.in<T>(1), l.in<int64_t>(2), l.out<T>(0), l); });
}

Result<RoiPlan> plan_roi_align_grad(const NodeView& node, KernelPlan&) {
  return roi_plan(node, node.output_shape(0), node.shape(1));
}
void run_roi_align_grad(const RoiPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { align_grad<T>(p, l.in<T>(0), l.in<T>(1), l.in<int64_t>(2), l.out<T>(0), l); });
}

// ---- MaxRoiPool

Result<RoiPlan> plan_max_roi_pool(const NodeView& node, KernelPlan&) {
  RoiPlan p = roi_plan(node, node.shape(0), node.shape(1));
  p.rows = node.attributes.get_ints("pooled_shape")[0];
  p.columns = node.attributes.get_ints("pooled_shape")[1];
  return p;
}

// Returns the elements [first, second) of bin `which` of `bins` along a dim. Bins consist of whole
// elements, and both ends of the region are included.
std::pair<int64_t, int64_t> whole_bin(double from, double to, int64_t which, int64_t bins, int64_t dim) {
  constexpr double kFar = 1e12;
  const double start = std::clamp(std::round(from), -kFar, kFar), end = std::clamp(std::round(to), -kFar, kFar);
  const double bin = std::max(end - start + 1, 1.0) / static_cast<double>(bins);
  const auto inside = [&](double v) { return static_cast<int64_t>(std::clamp(v, 0.0, static_cast<double>(dim))); };
  return {inside(std::floor(static_cast<double>(which) * bin) + start),
          inside(std::ceil(static_cast<double>(which + 1) * bin) + start)};
}

template <class T>
void max_pool(const RoiPlan& p, const T* x, const T* rois, T* y, const Launch& l) {
  const int64_t items = p.rois * p.channels;
  if (items == 0 || p.bins() == 0) return;
  const int64_t pieces = piece_count(items, work_of(p.bins(), 16));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(items, pieces, piece);
    for (int64_t item = range.begin; item < range.end; ++item) {
      const T* roi = rois + item / p.channels * 5;
      const auto image = static_cast<double>(roi[0]);
      if (!(image >= 0 && image < static_cast<double>(p.batch))) {
        return l.fail(RunError::kIndexOutOfRange, saturate<int64_t>(image));
      }
      std::array<double, 4> c;
      for (size_t i = 0; i < 4; ++i) c[i] = static_cast<double>(roi[i + 1]) * p.scale;
      if (c[0] != c[0] || c[1] != c[1] || c[2] != c[2] || c[3] != c[3])
        return l.fail(RunError::kBadSize, item / p.channels);
      const T* picture = x + (static_cast<int64_t>(image) * p.channels + item % p.channels) * p.picture();
      for (int64_t bin = 0; bin < p.bins(); ++bin) {
        const auto [top, bottom] = whole_bin(c[1], c[3], bin / p.columns, p.rows, p.height);
        const auto [left, right] = whole_bin(c[0], c[2], bin % p.columns, p.columns, p.width);
        T most = top < bottom && left < right ? picture[top * p.width + left] : T{0};
        for (int64_t i = top; i < bottom; ++i) {
          for (int64_t j = left; j < right; ++j) most = std::max(most, picture[i * p.width + j]);
        }
        y[item * p.bins() + bin] = most;
      }
    }
  });
}
void run_max_roi_pool(const RoiPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { max_pool<T>(p, l.in<T>(0), l.in<T>(1), l.out<T>(0), l); });
}

constexpr AttrSpec kCoordinates = attr_string("coordinate_transformation_mode", "half_pixel"),
                   kMode = attr_string("mode", "avg"), kHeight = attr_int("output_height", 1, 1, kMostBins),
                   kWidth = attr_int("output_width", 1, 1, kMostBins),
                   kRatio = attr_int("sampling_ratio", 0, 0, kMostSamples), kScale = attr_float("spatial_scale", 1);

constexpr OpRow kSchemas[] = {
    {.name = "MaxRoiPool",
     .since = 22,
     .doc = "The largest element in each bin of regions (image, x1, y1, x2, y2), whose corners times spatial_scale are "
            "rounded to elements (Girshick 2015); 0 for an empty bin.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("rois", 'T', dtypes::kFloat)},
     .attributes = {attr_required("pooled_shape", AttrKind::kInts), kScale},
     .outputs = {out("Y", 'T')},
     .shape = shape_max_roi_pool,
     .grad = grad::none},
    {.name = "RoiAlign",
     .since = 22,
     .doc = "The mean or maximum of samples in each bin of regions (x1, y1, x2, y2) of X, with linear interpolation "
            "(He et al. 2017). Each bin has sampling_ratio samples per dim (0: its length, rounded up).",
     .inputs = {in("X", 'T', dtypes::kFloat), in("rois", 'T', dtypes::kFloat),
                in_index("batch_indices", dtypes::kI64Only)},
     .attributes = {kCoordinates, kMode, kHeight, kWidth, kRatio, kScale},
     .outputs = {out("Y", 'T')},
     .shape = shape_roi_align,
     .grad = grad_roi_align},
    {.domain = "percale",
     .name = "RoiAlignGrad",
     .doc = "The gradient of RoiAlign with mode avg with respect to X, of shape `shape`.",
     .inputs = {in("grad", 'T', dtypes::kFloat), in("rois", 'T', dtypes::kFloat),
                in_index("batch_indices", dtypes::kI64Only), in_shape("shape")},
     .attributes = {kCoordinates, kMode, kHeight, kWidth, kRatio, kScale},
     .outputs = {out("dX", 'T')},
     .shape = shape_roi_align_grad,
     .grad = grad::none},
};

}  // namespace

Status register_roi(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_max_roi_pool, &run_max_roi_pool>(
      registry, "MaxRoiPool", "", "portable.MaxRoiPool", "portable.MaxRoiPool_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_roi_align, &run_roi_align>(
      registry, "RoiAlign", "", "portable.RoiAlign", "portable.RoiAlign_widened")));
  return add_float_kernels<&plan_roi_align_grad, &run_roi_align_grad>(
      registry, "RoiAlignGrad", "percale", "portable.RoiAlignGrad", "portable.RoiAlignGrad_widened");
}

}  // namespace percale
