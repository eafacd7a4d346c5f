#include "devices/onednn/own_kernels/conv_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace percale::onednn {
namespace {

// One dim of a window, with the positions of its taps. A tap reads the pixels of one phase, which
// are `stride` pixels apart.
struct Axis {
  Axis(int64_t image, int64_t out, int64_t window, int64_t step, int64_t dilation, int64_t begin)
      : size(image), results(out), stride(step) {
    for (int64_t k = 0; k < window; ++k) {
      const int64_t offset = k * (dilation + 1) - begin, phase = (offset % step + step) % step;
      phases.push_back(phase);
      shifts.push_back((offset - phase) / step);
    }
    low = *std::min_element(shifts.begin(), shifts.end());
    high = results - 1 + *std::max_element(shifts.begin(), shifts.end());
  }

  // Returns the pixel at a position of a phase, or -1 for padding.
  int64_t pixel(int64_t phase, int64_t place) const {
    const int64_t at = place * stride + phase;
    return place < 0 || at >= size ? -1 : at;
  }
  int64_t places() const { return high - low + 1; }
  // The distance from one row of positions to the next. The right padding of one row doubles as the
  // left padding of the next.
  int64_t pitch() const {
    int64_t most = results;
    for (int64_t phase : phases) {
      const int64_t last = (size - 1 - phase) / stride, begin = std::max<int64_t>(low, 0),
                    end = std::min(high, last) + 1;
      most = std::max(most, end - begin + std::max(begin - low, high + 1 - end));
    }
    return std::min(most, places());
  }

  // low and high: the first and the last position
  int64_t size, results, stride, low = 0, high = 0;
  std::vector<int64_t> phases, shifts;  // for each tap
};

}  // namespace

ConvRows unchanged_rows(int64_t count) {
  ConvRows rows{{0}, std::vector<int64_t>(static_cast<size_t>(count)), {}};
  std::iota(rows.results.begin(), rows.results.end(), int64_t{0});
  return rows;
}

ConvRows rows_of(const ConvDims& conv) {
  const Window& w = conv.window;
  const auto axis = [&](size_t d) {
    return Axis(conv.x[2 + d], conv.y[2 + d], conv.weights[2 + d], w.strides[d], w.dilations[d], w.begins[d]);
  };
  const Axis down = axis(0), across = axis(1);
  ConvRows rows;
  const int64_t images = conv.x[0];
  const auto as_it_is = [](const Axis& a) {
    return a.shifts.size() == 1 && a.stride == 1 && a.low == 0 && a.results == a.size;
  };
  if (as_it_is(down) && as_it_is(across)) return unchanged_rows(images * down.size * across.size);
  const int64_t pitch = across.pitch(), height = down.places();
  // The rows of positions of all images, plus the rest of the last row's full width.
  const int64_t plane = images * height * pitch + across.places() - pitch;
  std::vector<std::pair<int64_t, int64_t>> planes;  // the phases of each plane
  for (size_t i = 0; i < down.shifts.size(); ++i) {
    for (size_t j = 0; j < across.shifts.size(); ++j) {
      const std::pair phases(down.phases[i], across.phases[j]);
      const auto found = std::find(planes.begin(), planes.end(), phases);
      rows.taps.push_back((found - planes.begin()) * plane + (down.shifts[i] - down.low) * pitch + across.shifts[j] -
                          across.low);
      if (found == planes.end()) planes.push_back(phases);
    }
  }
  rows.pixels.assign(planes.size() * static_cast<size_t>(plane), -1);
  for (size_t p = 0; p < planes.size(); ++p) {
    for (int64_t y = 0; y < images * height; ++y) {
      for (int64_t x = 0; x < across.places(); ++x) {
        const int64_t i = down.pixel(planes[p].first, y % height + down.low),
                      j = across.pixel(planes[p].second, x + across.low);
        if (i < 0 || j < 0) continue;
        rows.pixels[p * static_cast<size_t>(plane) + static_cast<size_t>(y * pitch + x)] =
            (y / height * down.size + i) * across.size + j;
      }
    }
  }
  const int64_t count = ((images - 1) * height + down.results - 1) * pitch + across.results;
  for (int64_t row = 0; row < count; ++row) {
    const int64_t x = row % pitch, y = row / pitch % height, image = row / pitch / height;
    rows.results.push_back(x < across.results && y < down.results ? (image * down.results + y) * across.results + x
                                                                  : -1);
  }
  return rows;
}

void copy_rows(const ConvRows& rows, const std::byte* image, size_t bytes, size_t pitch, int64_t first, int64_t last,
               std::byte* to) {
  for (int64_t row = first; row < last; ++row) {
    std::byte* const there = to + static_cast<size_t>(row) * pitch;
    const int64_t pixel = rows.pixels[static_cast<size_t>(row)];
    if (pixel < 0) {
      std::fill_n(there, bytes, std::byte{0});
    } else {
      std::copy_n(image + static_cast<size_t>(pixel) * bytes, bytes, there);
    }
  }
}

}  // namespace percale::onednn
