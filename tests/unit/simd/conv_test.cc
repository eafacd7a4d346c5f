#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "tests/unit/simd/util.h"

namespace {

using namespace percale;                 // NOLINT
using namespace percale::simd;           // NOLINT
using namespace percale::simd::testing;  // NOLINT

int64_t weights_of(const Conv2d& c) { return c.out_c * (c.in_c / c.groups) * c.kernel_h * c.kernel_w; }
int64_t input_of(const Conv2d& c) { return c.batch * c.in_c * c.in_h * c.in_w; }
int64_t output_of(const Conv2d& c) { return c.batch * c.out_c * c.out_h * c.out_w; }

// The definition of the convolution: calls f(index in x, index in w, index in y) for every product.
void for_each_product(const Conv2d& c, const std::function<void(size_t, size_t, size_t)>& f) {
  const int64_t per_in = c.in_c / c.groups, per_out = c.out_c / c.groups;
  for (int64_t n = 0; n < c.batch; ++n) {
    for (int64_t o = 0; o < c.out_c; ++o) {
      for (int64_t p = 0; p < c.out_h; ++p) {
        for (int64_t q = 0; q < c.out_w; ++q) {
          for (int64_t k = 0; k < per_in; ++k) {
            for (int64_t i = 0; i < c.kernel_h; ++i) {
              for (int64_t j = 0; j < c.kernel_w; ++j) {
                const int64_t row = p * c.stride_h + i * c.dilation_h - c.pad_top;
                const int64_t col = q * c.stride_w + j * c.dilation_w - c.pad_left;
                if (row < 0 || row >= c.in_h || col < 0 || col >= c.in_w) continue;
                const int64_t channel = o / per_out * per_in + k;
                f(static_cast<size_t>(((n * c.in_c + channel) * c.in_h + row) * c.in_w + col),
                  static_cast<size_t>(((o * per_in + k) * c.kernel_h + i) * c.kernel_w + j),
                  static_cast<size_t>(((n * c.out_c + o) * c.out_h + p) * c.out_w + q));
              }
            }
          }
        }
      }
    }
  }
}

void check_conv(const Conv2d& c) {
  CAPTURE(c.batch);
  CAPTURE(c.in_c);
  CAPTURE(c.in_h);
  CAPTURE(c.out_c);
  CAPTURE(c.kernel_h);
  CAPTURE(c.kernel_w);
  CAPTURE(c.stride_w);
  CAPTURE(c.dilation_w);
  CAPTURE(c.groups);
  const auto x = random_values(input_of(c), 1), w = random_values(weights_of(c), 2),
             dy = random_values(output_of(c), 3);
  const auto bias = random_values(c.out_c, 4);
  const auto u = [](auto v) { return static_cast<double>(v); };
  std::vector<double> y(dy.size()), dx(x.size()), dw(w.size()), db(bias.size());
  for_each_product(c, [&](size_t xi, size_t wi, size_t yi) {
    y[yi] += u(x[xi]) * u(w[wi]);
    dx[xi] += u(dy[yi]) * u(w[wi]);
    dw[wi] += u(dy[yi]) * u(x[xi]);
  });
  std::vector<double> with_bias = y;
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t o = i / static_cast<size_t>(c.out_h * c.out_w) % static_cast<size_t>(c.out_c);
    with_bias[i] = std::max(y[i] + u(bias[o]), 0.0);
    db[o] += u(dy[i]);
  }
  const double eps = std::numeric_limits<float>::epsilon();
  const double taps = u(weights_of(c)) / u(c.out_c), sums = u(c.batch * c.out_h * c.out_w);
  const double back_taps = taps * u(c.out_c) / u(c.in_c);

  for (bool full : {false, true}) {
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor& parallel) {
          std::vector<float> got(y.size(), -7);
          Scratch scratch(table.conv->forward_scratch_bytes(c)), packed(table.conv->packed_weights_bytes(c));
          if (full) table.conv->pack_weights(c, w.data(), static_cast<float*>(packed.get()), parallel);
          table.conv->forward(c, x.data(), full ? nullptr : w.data(),
                              full ? static_cast<const float*>(packed.get()) : nullptr, full ? bias.data() : nullptr,
                              full ? Act::kRelu : Act::kNone, got.data(), scratch.get(), parallel);
          CHECK(scratch.intact());
          CHECK(packed.intact());
          return got;
        },
        [&](const std::vector<float>& got) {
          CHECK(worst_error(got, full ? with_bias : y, 1.0) < eps * (4 + 6 * std::sqrt(taps)));
        }));
  }
  CHECK(agrees(
      [&](const SimdTable& table, const ParallelFor& parallel) {
        std::vector<float> got(dx.size(), -7);
        Scratch scratch(table.conv->input_grad_scratch_bytes(c));
        table.conv->input_grad(c, dy.data(), w.data(), got.data(), scratch.get(), parallel);
        CHECK(scratch.intact());
        return got;
      },
      [&](const std::vector<float>& got) { CHECK(worst_error(got, dx, 1.0) < eps * (4 + 6 * std::sqrt(back_taps))); }));
  CHECK(agrees(
      [&](const SimdTable& table, const ParallelFor& parallel) {
        std::vector<float> got(dw.size(), -7);
        Scratch scratch(table.conv_weight->scratch_bytes(c));
        table.conv_weight->weight_grad(c, x.data(), dy.data(), got.data(), scratch.get(), parallel);
        CHECK(scratch.intact());
        return got;
      },
      [&](const std::vector<float>& got) { CHECK(worst_error(got, dw, 1.0) < eps * (4 + 6 * std::sqrt(sums))); }));
  CHECK(agrees(
      [&](const SimdTable& table, const ParallelFor& parallel) {
        std::vector<float> got(db.size(), -7);
        table.conv_weight->bias_grad(c, dy.data(), got.data(), parallel);
        return got;
      },
      [&](const std::vector<float>& got) { CHECK(worst_error(got, db, 1.0) < eps * (4 + 6 * std::sqrt(sums))); }));
}

Conv2d conv(int64_t batch, int64_t in_c, int64_t h, int64_t w, int64_t out_c, int64_t kh, int64_t kw, int64_t stride,
            int64_t dilation, int64_t pad, int64_t groups) {
  Conv2d c;
  c.batch = batch, c.in_c = in_c, c.in_h = h, c.in_w = w, c.out_c = out_c;
  c.kernel_h = kh, c.kernel_w = kw;
  c.stride_h = c.stride_w = stride;
  c.dilation_h = c.dilation_w = dilation;
  c.pad_top = c.pad_left = pad;
  c.out_h = (h + 2 * pad - (kh - 1) * dilation - 1) / stride + 1;
  c.out_w = (w + 2 * pad - (kw - 1) * dilation - 1) / stride + 1;
  c.groups = groups;
  return c;
}

TEST_CASE("a convolution and its gradients are right for every kernel, stride, dilation and group") {
  for (int64_t stride : {1, 2, 3}) {
    for (int64_t dilation : {1, 2}) {
      for (int64_t kernel : {1, 2, 3, 5}) {
        for (int64_t pad : {int64_t{0}, kernel / 2, kernel}) {
          check_conv(conv(2, 3, 13, 17, 5, kernel, kernel, stride, dilation, pad, 1));
          check_conv(conv(1, 6, 12, 11, 4, kernel, kernel, stride, dilation, pad, 2));
        }
      }
    }
  }
  check_conv(conv(2, 4, 20, 9, 7, 4, 3, 2, 1, 1, 1));
}

TEST_CASE("wide channels, narrow images and whole tiles agree with the definition") {
  check_conv(conv(1, 20, 14, 14, 48, 3, 3, 1, 1, 1, 1));
  check_conv(conv(1, 33, 7, 7, 70, 3, 3, 1, 1, 1, 1));
  check_conv(conv(2, 40, 8, 28, 33, 1, 1, 1, 1, 0, 1));
  check_conv(conv(2, 40, 9, 9, 33, 1, 1, 2, 1, 0, 1));
  // Stride 2, whose gradient is written in pairs of columns: odd and even widths, one column,
  // phases without taps.
  for (int64_t width : {1, 2, 17, 28, 57, 60}) {
    check_conv(conv(2, 35, 4, width, 40, 1, 1, 2, 1, 0, 1));
    check_conv(conv(9, 20, 5, width, 24, 3, 3, 2, 1, 1, 1));
  }
  check_conv(conv(1, 30, 1, 1, 17, 1, 1, 1, 1, 0, 1));
  check_conv(conv(1, 3, 45, 47, 16, 7, 7, 2, 1, 3, 1));
  // Rows that edge tiles cover, with one channel in the last block and with half of a block.
  for (int64_t width : {4, 7, 11, 12, 13, 14, 17, 28, 42}) {
    check_conv(conv(2, 9, 5, width, 64, 3, 3, 1, 1, 1, 1));
    check_conv(conv(1, 20, 3, width, 50, 2, 3, 1, 1, 1, 1));
  }
  // Whole images as pieces, and a vertical dilation and stride of 2.
  Conv2d c = conv(9, 24, 6, 14, 24, 3, 3, 1, 1, 1, 1);
  c.dilation_h = 2, c.pad_top = 2, c.stride_h = 2, c.out_h = 3;
  check_conv(c);
  check_conv(conv(1, 2, 3, 500, 6, 1, 5, 1, 1, 0, 1));
}

TEST_CASE("depthwise and grouped convolutions agree with the definition") {
  for (int64_t stride : {1, 2, 3}) {
    check_conv(conv(2, 9, 19, 35, 9, 3, 3, stride, 1, 1, 9));
    check_conv(conv(1, 5, 14, 14, 10, 5, 5, stride, 1, 2, 5));
    check_conv(conv(1, 40, 10, 10, 80, 3, 3, stride, 1, 1, 2));
  }
}

TEST_CASE("a batch is cut into pieces of images, and sums over it into fixed splits") {
  check_conv(conv(37, 1, 28, 28, 16, 5, 5, 1, 1, 2, 1));
  check_conv(conv(19, 16, 14, 14, 32, 5, 5, 1, 1, 2, 1));
  check_conv(conv(9, 8, 30, 30, 8, 3, 3, 1, 1, 1, 8));
  check_conv(conv(9, 256, 3, 3, 256, 3, 3, 1, 1, 1, 1));  // weights too large for many partial sums
  check_conv(conv(35, 12, 7, 7, 40, 3, 3, 1, 1, 1, 1));   // several images form one band
  check_conv(conv(21, 6, 5, 9, 20, 3, 2, 2, 1, 1, 1));
  check_conv(conv(13, 36, 4, 4, 20, 3, 3, 1, 2, 2, 2));
  // Whole rows and columns of taps in the padding.
  check_conv(conv(6, 8, 30, 23, 18, 3, 5, 1, 1, 4, 1));
}

TEST_CASE("end pads that differ from the begin pads follow from the output's size") {
  Conv2d c = conv(2, 4, 10, 10, 6, 3, 3, 1, 1, 0, 1);
  c.pad_top = 2;
  c.out_h = 13;  // 2 before, 3 after
  c.out_w = 5;   // the last columns are not read
  check_conv(c);
  c.stride_h = c.stride_w = 2;
  c.out_h = 7;
  check_conv(c);
}

TEST_CASE("an empty batch has an empty output and zero weight gradients") {
  Conv2d c = conv(0, 3, 5, 5, 4, 3, 3, 1, 1, 1, 1);
  check_conv(c);
}

TEST_CASE("a kernel without taps gives the bias, and needs no scratch") {
  Conv2d c = conv(8, 2, 4, 4, 3, 1, 1, 1, 1, 0, 1);
  c.kernel_w = 0;
  check_conv(c);
}

TEST_CASE("NaN in one image reaches its own outputs only, and relu keeps it") {
  const Conv2d c = conv(2, 2, 9, 9, 20, 3, 3, 1, 1, 1, 1);
  auto x = random_values(input_of(c), 1);
  const auto w = random_values(weights_of(c), 2);
  x[40] = std::numeric_limits<float>::quiet_NaN();  // image 0, channel 0, row 4, column 4
  for (const SimdTable* table : tables()) {
    std::vector<float> y(static_cast<size_t>(output_of(c)));
    Scratch scratch(table->conv->forward_scratch_bytes(c));
    table->conv->forward(c, x.data(), w.data(), nullptr, nullptr, Act::kRelu, y.data(), scratch.get(), ParallelFor());
    bool right = true;
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t row = i / 9 % 9, col = i % 9;
      const bool touched = i < y.size() / 2 && row >= 3 && row <= 5 && col >= 3 && col <= 5;
      right = right && std::isnan(y[i]) == touched;
    }
    CHECK(right);
  }
}

}  // namespace
