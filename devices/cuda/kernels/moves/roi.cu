// RoiAlign, its gradient for the pictures, and MaxRoiPool. They compute the same values in the same
// order as the library's own kernels. As in GridSample, the gradient is gathered: each thread of a
// block owns some elements of a picture and visits all samples for them.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/move_args.h"

namespace percale::cuda {
namespace {

// One side of a region: where its bins begin along a dim, the length of a bin, and the number of
// samples.
struct Side {
  double start, bin;
  int64_t samples;
};
__device__ double sample_at(const Side& s, int64_t which, int64_t sample) {
  return s.start + static_cast<double>(which) * s.bin + (static_cast<double>(sample) + 0.5) * s.bin / static_cast<double>(s.samples);
}
struct Region {
  int64_t image;
  Side y, x;
};

constexpr double kMostSamples = 65536;  // along one side of a bin

__device__ Side side_of(const RoiArgs& a, double from, double to, int64_t bins) {
  const double offset = a.half_pixel ? 0.5 : 0;
  Side s;
  s.start = from * a.scale - offset;
  double length = to * a.scale - offset - s.start;
  if (!a.half_pixel && length < 1) length = 1;
  s.bin = length / static_cast<double>(bins);
  const double samples = a.samples > 0 ? static_cast<double>(a.samples) : ceil(s.bin);
  s.samples = samples > 0 && samples <= kMostSamples ? static_cast<int64_t>(samples) : samples > 0 ? -1 : 0;
  return s;
}

// Returns false and fails the run if the region is invalid.
template <class T>
__device__ bool region_of(const RoiArgs& a, int64_t number, Region* r) {
  r->image = at<const int64_t>(a.images)[number];
  if (r->image < 0 || r->image >= a.batch) {
    fail(a.errors, kIndexOutOfRange, r->image);
    return false;
  }
  const T* corners = at<const T>(a.rois) + number * 4;
  double c[4];
  for (int i = 0; i < 4; ++i) c[i] = static_cast<double>(widen(corners[i]));
  r->y = side_of(a, c[1], c[3], a.rows);
  r->x = side_of(a, c[0], c[2], a.columns);
  const double all = r->y.start + r->y.bin + r->x.start + r->x.bin;
  if (r->y.samples < 0 || r->x.samples < 0 || all - all != 0) {
    fail(a.errors, kBadSize, number);
    return false;
  }
  return true;
}

// The four elements around a position with their weights for linear interpolation. Outside of the
// picture, the weights are 0.
struct Corners {
  int64_t at[4];
  double weight[4];
};
struct Split {
  int64_t low, high;
  double rest;
};
__device__ Split split(double v, int64_t dim) {
  const double last = static_cast<double>(dim - 1);
  v = v < 0 ? 0 : v > last ? last : v;
  Split out;
  out.low = static_cast<int64_t>(v);
  out.high = out.low + 1 < dim ? out.low + 1 : dim - 1;
  out.rest = v - static_cast<double>(out.low);
  return out;
}
__device__ Corners corners_of(const RoiArgs& a, double y, double x) {
  Corners c{};
  if (!(y >= -1 && y <= static_cast<double>(a.height) && x >= -1 && x <= static_cast<double>(a.width))) return c;
  const Split down = split(y, a.height), along = split(x, a.width);
  c.at[0] = down.low * a.width + along.low, c.at[1] = down.low * a.width + along.high;
  c.at[2] = down.high * a.width + along.low, c.at[3] = down.high * a.width + along.high;
  c.weight[0] = (1 - down.rest) * (1 - along.rest), c.weight[1] = (1 - down.rest) * along.rest;
  c.weight[2] = down.rest * (1 - along.rest), c.weight[3] = down.rest * along.rest;
  return c;
}

// One thread computes each bin of each channel.
template <class T>
__device__ void align(const RoiArgs& a) {
  const int64_t bins = a.rows * a.columns;
  for (int64_t i = thread_number(); i < a.count * a.channels * bins; i += thread_count()) {
    const Divided of = divide(i, bins), line = divide(of.quotient, a.channels), place = divide(of.rest, a.columns);
    Region r;
    if (!region_of<T>(a, line.quotient, &r)) continue;
    const T* picture = at<const T>(a.x) + (r.image * a.channels + line.rest) * a.height * a.width;
    double value = 0;
    for (int64_t s = 0; s < r.y.samples; ++s) {
      for (int64_t t = 0; t < r.x.samples; ++t) {
        const Corners k = corners_of(a, sample_at(r.y, place.quotient, s), sample_at(r.x, place.rest, t));
        double sum = 0, most = -INFINITY;
        for (int n = 0; n < 4; ++n) {
          const double part = k.weight[n] * static_cast<double>(widen(picture[k.at[n]]));
          sum += part;
          most = most < part ? part : most;
        }
        value = !a.maximum ? value + sum : (s == 0 && t == 0) || value < most ? most : value;
      }
    }
    const int64_t samples = r.y.samples * r.x.samples;
    const double mean = value / static_cast<double>(samples > 0 ? samples : 1);
    at<T>(a.y)[i] = narrow<T>(static_cast<Wide<T>>(a.maximum ? value : mean));
  }
}

constexpr int kStage = 64;  // samples whose corners are held in shared memory at once

// The gradient of mode avg. One block handles each picture. A thread owns the elements whose offset
// modulo the block size is its number. Sums are accumulated in y, or in `sums` for narrow types.
template <class T>
__device__ void align_gradient(const RoiArgs& a) {
  using W = Wide<T>;
  __shared__ Corners stage[kStage];
  const int64_t bins = a.rows * a.columns, size = a.height * a.width;
  for (int64_t image = blockIdx.x; image < a.batch * a.channels; image += gridDim.x) {
    const int64_t n = image / a.channels, c = image - n * a.channels;
    W* sums = at<W>(a.sums) + image * size;
    for (int64_t e = threadIdx.x; e < size; e += blockDim.x) sums[e] = 0;
    for (int64_t number = 0; number < a.count; ++number) {
      Region r;
      if (!region_of<T>(a, number, &r) || r.image != n) continue;  // the same for all threads
      const int64_t each = r.y.samples * r.x.samples;
      const T* grad = at<const T>(a.x) + (number * a.channels + c) * bins;
      for (int64_t begin = 0; begin < bins * each; begin += kStage) {
        __syncthreads();  // Other threads may still read the previous samples.
        if (threadIdx.x < kStage && begin + threadIdx.x < bins * each) {
          const int64_t bin = (begin + threadIdx.x) / each, s = (begin + threadIdx.x) - bin * each;
          stage[threadIdx.x] = corners_of(a, sample_at(r.y, bin / a.columns, s / r.x.samples),
                                          sample_at(r.x, bin % a.columns, s % r.x.samples));
        }
        __syncthreads();
        for (int p = 0; p < kStage && begin + p < bins * each; ++p) {
          const double own = static_cast<double>(widen(grad[(begin + p) / each])) / static_cast<double>(each > 0 ? each : 1);
          for (int k = 0; k < 4; ++k) {
            const int64_t offset = stage[p].at[k];
            if (offset % blockDim.x == threadIdx.x) sums[offset] += static_cast<W>(own * stage[p].weight[k]);
          }
        }
      }
    }
    if constexpr (sizeof(T) != sizeof(W)) {
      T* dx = at<T>(a.y) + image * size;
      for (int64_t e = threadIdx.x; e < size; e += blockDim.x) dx[e] = narrow<T>(sums[e]);
    }
  }
}

// ---- MaxRoiPool

// The elements [first, end) of bin `which` of `bins` along a dim. Bins have whole elements, and
// both ends of the region are included.
struct WholeBin {
  int64_t first, end;
};
__device__ double held(double v, double low, double high) { return v < low ? low : v > high ? high : v; }
__device__ WholeBin whole_bin(double from, double to, int64_t which, int64_t bins, int64_t dim) {
  constexpr double kFar = 1e12;
  const double start = held(round(from), -kFar, kFar), length = held(round(to), -kFar, kFar) - start + 1;
  const double bin = (length < 1 ? 1 : length) / static_cast<double>(bins);
  return {static_cast<int64_t>(held(floor(static_cast<double>(which) * bin) + start, 0, static_cast<double>(dim))),
          static_cast<int64_t>(held(ceil(static_cast<double>(which + 1) * bin) + start, 0, static_cast<double>(dim)))};
}

// Returns the region's image in [0, batch). Returns -1 and fails the run if the region is invalid.
template <class T>
__device__ int64_t image_of(const RoiPoolArgs& a, int64_t number, double* corners) {
  const T* roi = at<const T>(a.rois) + number * 5;
  const double image = static_cast<double>(widen(roi[0]));
  if (!(image >= 0 && image < static_cast<double>(a.batch))) {
    const double told = image != image ? 0 : held(image, -9.2e18, 9.2e18);
    fail(a.errors, kIndexOutOfRange, static_cast<int64_t>(told));
    return -1;
  }
  bool numbers = true;
  for (int i = 0; i < 4; ++i) {
    corners[i] = static_cast<double>(widen(roi[i + 1])) * a.scale;
    numbers = numbers && corners[i] == corners[i];
  }
  if (!numbers) fail(a.errors, kBadSize, number);
  return numbers ? static_cast<int64_t>(image) : -1;
}

template <class T>
__device__ void max_pool(const RoiPoolArgs& a) {
  const int64_t size = a.count * a.channels * a.rows * a.columns;
  for (int64_t i = thread_number(); i < size; i += thread_count()) {
    const Divided column = divide(i, a.columns), row = divide(column.quotient, a.rows), of = divide(row.quotient, a.channels);
    double c[4];
    const int64_t image = image_of<T>(a, of.quotient, c);
    Wide<T> most = 0;
    if (image >= 0) {
      const WholeBin down = whole_bin(c[1], c[3], row.rest, a.rows, a.height),
                     along = whole_bin(c[0], c[2], column.rest, a.columns, a.width);
      const T* picture = at<const T>(a.x) + (image * a.channels + of.rest) * a.height * a.width;
      if (down.first < down.end && along.first < along.end) most = widen(picture[down.first * a.width + along.first]);
      for (int64_t y = down.first; y < down.end; ++y) {
        for (int64_t x = along.first; x < along.end; ++x) {
          const Wide<T> value = widen(picture[y * a.width + x]);
          if (most < value) most = value;
        }
      }
    }
    at<T>(a.y)[i] = narrow<T>(most);
  }
}

}  // namespace

#define PERCALE_ROI(name, T)                                                 \
  PERCALE_KERNEL(percale_roi_align_##name, RoiArgs, 256) { align<T>(a); }     \
  PERCALE_KERNEL(percale_max_roi_pool_##name, RoiPoolArgs, 256) { max_pool<T>(a); } \
  PERCALE_KERNEL(percale_roi_align_grad_##name, RoiArgs, 256) { align_gradient<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_ROI)

}  // namespace percale::cuda
