#include <doctest/doctest.h>

#include "tests/unit/simd/util.h"

namespace {

using namespace percale;                 // NOLINT
using namespace percale::simd;           // NOLINT
using namespace percale::simd::testing;  // NOLINT

// The result must equal that of the general convolution bit by bit.
void check_depthwise(const Conv2d& c, Act act, bool with_bias) {
  CAPTURE(c.in_h);
  CAPTURE(c.in_w);
  CAPTURE(c.out_w);
  CAPTURE(c.kernel_h);
  CAPTURE(c.stride_h);
  CAPTURE(c.stride_w);
  CAPTURE(c.pad_left);
  const auto x = random_values(c.batch * c.in_c * c.in_h * c.in_w, 1), bias = random_values(c.out_c, 3);
  const auto w = random_values(c.out_c * c.kernel_h * c.kernel_w, 2);
  const auto size = static_cast<size_t>(c.batch * c.out_c * c.out_h * c.out_w);
  const float* added = with_bias ? bias.data() : nullptr;
  for (const SimdTable* table : tables()) {
    REQUIRE(table->depthwise->takes(c));
    std::vector<float> want(size);
    Scratch general(table->conv->forward_scratch_bytes(c));
    table->conv->forward(c, x.data(), w.data(), nullptr, added, act, want.data(), general.get(), ParallelFor());
    uint32_t seed = 3;
    for (const ParallelFor& parallel : {ParallelFor(), ParallelFor{run_shuffled, &seed}}) {
      std::vector<float> got(size, -7);
      Scratch scratch(table->depthwise->scratch_bytes(c));
      table->depthwise->forward(c, x.data(), w.data(), added, act, got.data(), scratch.get(), parallel);
      CHECK(scratch.intact());
      CHECK(same_bits(got, want));
    }
  }
}

TEST_CASE("a depthwise convolution gives the bits of the general one, whatever its size, stride, pads and activation") {
  const Act acts[] = {Act::kNone, Act::kRelu, Act::clip(-0.5f, 0.75f), Act::kHardSwish};
  int64_t number = 0;
  for (int64_t kernel : {3, 5, 7}) {
    for (int64_t stride_h : {1, 2}) {
      for (int64_t stride_w : {1, 2}) {
        for (int64_t pad : {int64_t{0}, int64_t{1}, kernel / 2, kernel - 1}) {
          for (const auto& [h, w] : {std::pair{8, 7}, {7, 7}, {14, 17}, {9, 40}, {33, 16}}) {
            Conv2d c{.batch = 2, .in_c = 3, .in_h = h, .in_w = w, .out_c = 3};
            c.kernel_h = c.kernel_w = kernel;
            c.stride_h = stride_h;
            c.stride_w = stride_w;
            c.pad_top = c.pad_left = pad;
            c.groups = 3;
            c.out_h = (h + 2 * pad - kernel) / stride_h + 1;
            c.out_w = (w + 2 * pad - kernel) / stride_w + 1;
            check_depthwise(c, acts[number % 4], number % 3 != 0);
            ++number;
          }
        }
      }
    }
  }
}

TEST_CASE("one row of taps is one spatial dim, or a row of a window of two") {
  int64_t number = 0;
  for (int64_t taps : {3, 5, 7}) {
    for (int64_t stride : {1, 2}) {
      for (const auto& [h, w] : {std::pair{1, 25}, {1, 7}, {1, 300}, {6, 40}}) {
        Conv2d c{.batch = 2, .in_c = 5, .in_h = h, .in_w = w, .out_c = 5};
        c.kernel_h = 1, c.kernel_w = taps;
        c.stride_w = stride;
        c.pad_left = taps / 2;
        c.groups = 5;
        c.out_h = h;
        c.out_w = (w + 2 * (taps / 2) - taps) / stride + 1;
        check_depthwise(c, number % 2 == 0 ? Act::kNone : Act::kRelu, number % 3 != 0);
        ++number;
      }
    }
  }
}

TEST_CASE("planes that do not fit into a band, and end pads that differ from the begin pads, are right too") {
  for (int64_t stride : {1, 2}) {
    Conv2d c{.batch = 1, .in_c = 20, .in_h = 50, .in_w = 300, .out_c = 20};
    c.kernel_h = c.kernel_w = 5;
    c.stride_h = c.stride_w = stride;
    c.pad_top = 0, c.pad_left = 1;
    c.groups = 20;
    c.out_h = (50 + 3 - 5) / stride + 1;
    c.out_w = (300 + 4 - 5) / stride + 1;
    check_depthwise(c, Act::kRelu, true);
    c.in_h = 1, c.in_w = 2000;
    c.pad_top = 4;
    c.out_h = 1, c.out_w = 1996 / stride;
    check_depthwise(c, Act::kNone, true);
  }
}

TEST_CASE("other convolutions are left to the general function") {
  Conv2d c{.batch = 1, .in_c = 4, .in_h = 9, .in_w = 9, .out_c = 4, .out_h = 7, .out_w = 7};
  c.kernel_h = c.kernel_w = 3;
  c.groups = 4;
  for (const SimdTable* table : tables()) {
    CHECK(table->depthwise->takes(c));
    Conv2d other = c;
    other.groups = 2;
    CHECK_FALSE(table->depthwise->takes(other));
    other = c;
    other.dilation_w = 2;
    CHECK_FALSE(table->depthwise->takes(other));
    other = c;
    other.kernel_w = 1;
    CHECK_FALSE(table->depthwise->takes(other));
    other = c;
    other.stride_h = 3;
    CHECK_FALSE(table->depthwise->takes(other));
  }
}

}  // namespace
