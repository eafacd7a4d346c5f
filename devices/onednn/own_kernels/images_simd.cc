// Compiled once for each instruction set by hwy/foreach_target.h, and once for the baseline, which
// adds nothing.
#include <algorithm>
#include <bit>

#include "devices/onednn/own_kernels/images.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/onednn/own_kernels/images_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
namespace percale::onednn::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct ToF32 {
  using Lane = float;
  using Tag = hn::ScalableTag<float>;
  static auto load(const float* p) { return hn::LoadU(Tag(), p); }
  static float one(float x) { return x; }
};

struct ToBf16 {
  using Lane = uint16_t;
  using Tag = hn::Rebind<uint16_t, hn::ScalableTag<uint32_t>>;
  // Adds just under half of the last place that is kept, plus one if that place is odd. NaN is
  // handled separately, because its bits would overflow into infinity.
  static constexpr uint32_t kHalf = 0x7fff, kQuiet = 0x400000;
  static auto load(const float* p) {
    const hn::ScalableTag<uint32_t> bits;
    const auto x = hn::LoadU(hn::ScalableTag<float>(), p);
    const auto b = hn::BitCast(bits, x);
    const auto odd = hn::And(hn::ShiftRight<16>(b), hn::Set(bits, 1));
    const auto rounded = hn::Add(b, hn::Add(odd, hn::Set(bits, kHalf)));
    const auto nan = hn::RebindMask(bits, hn::IsNaN(x));
    return hn::TruncateTo(Tag(), hn::ShiftRight<16>(hn::IfThenElse(nan, hn::Or(b, hn::Set(bits, kQuiet)), rounded)));
  }
  static uint16_t one(float x) {
    const auto b = std::bit_cast<uint32_t>(x);
    return static_cast<uint16_t>((x != x ? b | kQuiet : b + (b >> 16 & 1) + kHalf) >> 16);
  }
};

template <class To, int kChannels>
void interleave(const float* from, int64_t apart, int64_t pixels, typename To::Lane* to) {
  const typename To::Tag tag;
  constexpr int64_t kLanes = HWY_LANES(float);
  int64_t i = 0;
  for (; i + kLanes <= pixels; i += kLanes) {
    const auto a = To::load(from + i), b = To::load(from + apart + i);
    if constexpr (kChannels == 2) hn::StoreInterleaved2(a, b, tag, to + 2 * i);
    if constexpr (kChannels == 3) hn::StoreInterleaved3(a, b, To::load(from + 2 * apart + i), tag, to + 3 * i);
    if constexpr (kChannels == 4) {
      hn::StoreInterleaved4(a, b, To::load(from + 2 * apart + i), To::load(from + 3 * apart + i), tag, to + 4 * i);
    }
  }
  for (; i < pixels; ++i) {
    for (int64_t c = 0; c < kChannels; ++c) to[i * kChannels + c] = To::one(from[c * apart + i]);
  }
}

template <class To>
void by_pixel(const float* from, int64_t channels, int64_t apart, int64_t pixels, typename To::Lane* to) {
  (channels == 2 ? interleave<To, 2> : channels == 3 ? interleave<To, 3> : interleave<To, 4>)(from, apart, pixels, to);
}

// Transposes a square of 16 bytes a side: from[i][j] to to[j][i]. Rows are `from_row` and `to_row`
// elements apart.
void transpose_square(const uint32_t* from, int64_t from_row, uint32_t* to, int64_t to_row) {
  const hn::FixedTag<uint32_t, 4> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_row);
  const auto c = hn::LoadU(d, from + 2 * from_row), e = hn::LoadU(d, from + 3 * from_row);
  const auto ab = hn::BitCast(wide, hn::InterleaveLower(d, a, b)), ce = hn::BitCast(wide, hn::InterleaveLower(d, c, e));
  const auto AB = hn::BitCast(wide, hn::InterleaveUpper(d, a, b)), CE = hn::BitCast(wide, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, ab, ce)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, ab, ce)), d, to + to_row);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, AB, CE)), d, to + 2 * to_row);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, AB, CE)), d, to + 3 * to_row);
}
void transpose_square(const uint16_t* from, int64_t from_row, uint16_t* to, int64_t to_row) {
  const hn::FixedTag<uint16_t, 8> d;
  const hn::RepartitionToWide<decltype(d)> pairs;
  const hn::RepartitionToWide<decltype(pairs)> fours;
  using Row = hn::Vec<decltype(d)>;
  Row row[8], by_two[8], by_four[8];
  for (int i = 0; i < 8; ++i) row[i] = hn::LoadU(d, from + i * from_row);
  for (int i = 0; i < 4; ++i) {
    // columns 0 to 3 of a pair of rows
    by_two[i] = hn::InterleaveLower(d, row[2 * i], row[2 * i + 1]);
    by_two[i + 4] = hn::InterleaveUpper(d, row[2 * i], row[2 * i + 1]);
  }
  for (int i = 0; i < 4; ++i) {  // columns 2 i and 2 i + 1 of four rows, then of the other four
    for (int half = 0; half < 2; ++half) {
      const auto a = hn::BitCast(pairs, by_two[i / 2 * 4 + 2 * half]),
                 b = hn::BitCast(pairs, by_two[i / 2 * 4 + 2 * half + 1]);
      by_four[2 * i + half] =
          hn::BitCast(d, i % 2 == 0 ? hn::InterleaveLower(pairs, a, b) : hn::InterleaveUpper(pairs, a, b));
    }
  }
  for (int i = 0; i < 4; ++i) {
    const auto a = hn::BitCast(fours, by_four[2 * i]), b = hn::BitCast(fours, by_four[2 * i + 1]);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(fours, a, b)), d, to + 2 * i * to_row);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(fours, a, b)), d, to + (2 * i + 1) * to_row);
  }
}

// Writes columns `first` to `last` of from [rows][columns] as rows of to [columns][rows]. Lines of
// 64 bytes are written whole.
template <class T>
void transpose(const T* from, int64_t rows, int64_t columns, int64_t first, int64_t last, T* to) {
  constexpr int64_t kSide = 16 / sizeof(T), kLine = 64 / sizeof(T);
  const int64_t whole = first + (last - first) / kSide * kSide;
  for (int64_t line = 0; line < rows; line += kLine) {
    const int64_t end = std::min(rows, line + kLine), squares = line + (end - line) / kSide * kSide;
    for (int64_t c = first; c < whole; c += kSide) {
      for (int64_t r = line; r < squares; r += kSide) {
        transpose_square(from + r * columns + c, columns, to + c * rows + r, rows);
      }
    }
    for (int64_t r = line; r < end; ++r) {
      for (int64_t c = r < squares ? whole : first; c < last; ++c) to[c * rows + r] = from[r * columns + c];
    }
  }
}

}  // namespace

extern const ImagesFns kImages;
const ImagesFns kImages{by_pixel<ToF32>, by_pixel<ToBf16>, transpose<uint32_t>, transpose<uint16_t>};

}  // namespace percale::onednn::HWY_NAMESPACE
#endif
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::onednn {

const ImagesFns* images_fns(std::string_view isa) {
#if defined(__x86_64__)
  if (isa == "avx512") return &N_AVX3::kImages;
  if (isa == "avx2") return &N_AVX2::kImages;
#endif
  return nullptr;
}

}  // namespace percale::onednn
#endif
