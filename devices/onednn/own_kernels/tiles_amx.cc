// The implementation of tiles.h.
#include <algorithm>

#include "devices/onednn/own_kernels/tiles.h"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__GNUC__) && !defined(__clang__)
// GCC warns about undefined values in its own intrinsics when they are inlined here.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#define PERCALE_TILES __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512vl,avx512bf16")))
#define PERCALE_INLINE PERCALE_TILES inline __attribute__((always_inline))

namespace percale::onednn {
namespace {

constexpr int64_t kTileRows = 16, kTileBytes = 1024, kLine = 64;
// kBlocks blocks of a panel stay in the private cache of the core while all rows of a group are
// multiplied by them. The sums of a group of kGroup passes take 32 KiB of stack.
constexpr int64_t kBlocks = 8, kGroup = 8;

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 18.3: TILECFG.
struct alignas(64) TileConfig {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// Cuts the rows into passes of up to two tiles. All passes have the same number of rows, so the
// last one may overlap the one before. Each pass prefetches a share of the next panel.
struct Passes {
  explicit Passes(int64_t rows)
      : count((rows + 2 * kTileRows - 1) / (2 * kTileRows)),
        height((rows + count - 1) / count),
        upper((height + 1) / 2),
        lower(height - upper),
        last(rows - height),
        lines((kBlockBytes / kLine + count - 1) / count) {}
  int64_t begin(int64_t pass) const { return std::min(pass * height, last); }

  int64_t count, height, upper, lower, last, lines;  // lower is 0 if one tile is enough
};

// Tiles 0 and 1: sums of the upper rows for both halves of the columns. 2 and 3: the same for the
// lower rows. 4 and 5: weights. 6 and 7: rows.
TileConfig config_of(const Passes& passes) {
  TileConfig config;
  const auto set = [&](int tile, int64_t rows) {
    config.row_bytes[tile] = kLine;
    config.rows[tile] = static_cast<uint8_t>(rows);
  };
  for (int tile : {0, 1, 6}) set(tile, passes.upper);
  if (passes.lower > 0) {
    for (int tile : {2, 3, 7}) set(tile, passes.lower);
  }
  for (int tile : {4, 5}) set(tile, kTileRows);
  return config;
}

using Sums = float[2 * kTileRows][kPanelColumns];

// Adds the products with `blocks` blocks to the sums of a pass, whose first row is `first`. The
// sums start at zero if `begins`.
template <bool kTwo>
PERCALE_TILES void add_up(const TileRows& rows, const std::byte* first, const int64_t* offsets, int64_t blocks,
                          const std::byte* block, const std::byte* ahead, const Passes& passes, bool begins,
                          Sums& sums) {
  constexpr int64_t kPitch = kPanelColumns * sizeof(float);
  const int64_t lower = passes.upper * rows.pitch;
  float* const upper_sums = sums[0];
  float* const lower_sums = sums[passes.upper];
  if (begins) {
    _tile_zero(0);
    _tile_zero(1);
    if constexpr (kTwo) {
      _tile_zero(2);
      _tile_zero(3);
    }
  } else {
    _tile_loadd(0, upper_sums, kPitch);
    _tile_loadd(1, upper_sums + kTileRows, kPitch);
    if constexpr (kTwo) {
      _tile_loadd(2, lower_sums, kPitch);
      _tile_loadd(3, lower_sums + kTileRows, kPitch);
    }
  }
  for (int64_t i = 0; i < blocks; ++i, block += kBlockBytes) {
    for (int64_t line = 0; line < passes.lines; ++line, ahead += kLine) _mm_prefetch(ahead, _MM_HINT_T1);
    const std::byte* const row = first + offsets[i];
    _tile_loadd(4, block, kLine);
    _tile_loadd(6, row, rows.pitch);
    _tile_dpbf16ps(0, 6, 4);
    _tile_loadd(5, block + kTileBytes, kLine);
    _tile_dpbf16ps(1, 6, 5);
    if constexpr (kTwo) {
      _tile_loadd(7, row + lower, rows.pitch);
      _tile_dpbf16ps(2, 7, 4);
      _tile_dpbf16ps(3, 7, 5);
    }
  }
  _tile_stored(0, upper_sums, kPitch);
  _tile_stored(1, upper_sums + kTileRows, kPitch);
  if constexpr (kTwo) {
    _tile_stored(2, lower_sums, kPitch);
    _tile_stored(3, lower_sums + kTileRows, kPitch);
  }
}

// The columns of a panel in one row. Masks select the columns that exist.
struct Columns {
  __m512 left, right;
};
struct Masks {
  __mmask16 left, right;
  __mmask32 both;
};

PERCALE_INLINE Masks masks_of(int64_t columns) {
  const auto both = static_cast<__mmask32>((uint64_t{1} << columns) - 1);
  return {static_cast<__mmask16>(both), static_cast<__mmask16>(both >> kTileRows), both};
}

PERCALE_INLINE __m512 load_bf16(const uint16_t* from, __mmask16 mask) {
  const __m512i upper = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from));
  return _mm512_castsi512_ps(_mm512_slli_epi32(upper, 16));
}

template <bool kWide>
PERCALE_INLINE Columns load(const void* from, int64_t at, const Masks& masks) {
  if constexpr (kWide) {
    const float* const numbers = static_cast<const float*>(from) + at;
    return {_mm512_maskz_loadu_ps(masks.left, numbers), _mm512_maskz_loadu_ps(masks.right, numbers + kTileRows)};
  } else {
    const uint16_t* const numbers = static_cast<const uint16_t*>(from) + at;
    return {load_bf16(numbers, masks.left), load_bf16(numbers + kTileRows, masks.right)};
  }
}

template <bool kWide>
PERCALE_INLINE void store(Columns v, void* to, int64_t at, const Masks& masks) {
  if constexpr (kWide) {
    float* const numbers = static_cast<float*>(to) + at;
    _mm512_mask_storeu_ps(numbers, masks.left, v.left);
    _mm512_mask_storeu_ps(numbers + kTileRows, masks.right, v.right);
  } else {
    const auto numbers = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(v.right, v.left));
    _mm512_mask_storeu_epi16(static_cast<uint16_t*>(to) + at, masks.both, numbers);
  }
}

// The polynomial with these coefficients, starting with the constant.
PERCALE_INLINE __m512 polynomial(__m512, float c) { return _mm512_set1_ps(c); }
template <class... Floats>
PERCALE_INLINE __m512 polynomial(__m512 x, float c, Floats... more) {
  return _mm512_fmadd_ps(polynomial(x, more...), x, _mm512_set1_ps(c));
}

// Computes e^x with a relative error of at most 2e-7, by the method of Cephes: 2^n times a
// polynomial of the remainder.
PERCALE_INLINE __m512 exp(__m512 x) {
  const __m512 n = _mm512_roundscale_ps(x * _mm512_set1_ps(1.44269504f), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m512 f = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693145752f), x);  // ln 2 in two parts
  f = _mm512_fnmadd_ps(n, _mm512_set1_ps(1.42860677e-6f), f);
  return _mm512_scalef_ps(polynomial(f, 1.0f, 1.0f, 0.5f, 1 / 6.0f, 1 / 24.0f, 1 / 120.0f, 1 / 720.0f), n);
}

// Computes 1 / x with a relative error of 2e-7 for x from 1 to 2^126: an estimate of 14 bits and
// one Newton step.
PERCALE_INLINE __m512 reciprocal(__m512 x) {
  const __m512 guess = _mm512_rcp14_ps(x);
  return guess * _mm512_fnmadd_ps(guess, x, _mm512_set1_ps(2));
}

// Here and below, NaN stays NaN, because max and min return the second operand for NaN.
PERCALE_INLINE __m512 sigmoid(__m512 x) {
  const __m512 least = _mm512_set1_ps(-87);  // Below this, the result would not be a normal number.
  const __m512 y = reciprocal(_mm512_set1_ps(1) + exp(_mm512_setzero_ps() - _mm512_max_ps(least, x)));
  return x < least ? _mm512_setzero_ps() : y;
}

// Computes x times the normal distribution function. M. Abramowitz, I. Stegun, Handbook of
// Mathematical Functions, 7.1.26: 1 - erf to 1.5e-7.
PERCALE_INLINE __m512 gelu(__m512 x) {
  const __m512 one = _mm512_set1_ps(1), far = _mm512_set1_ps(10);
  const __m512 z = _mm512_min_ps(far, _mm512_abs_ps(x) * _mm512_set1_ps(0.707106781f));
  const __m512 t = reciprocal(_mm512_fmadd_ps(z, _mm512_set1_ps(0.3275911f), one));
  const __m512 p = t * polynomial(t, 0.254829592f, -0.284496736f, 1.421413741f, -1.453152027f, 1.061405429f);
  const __m512 above = p * exp(_mm512_setzero_ps() - z * z), half = x * _mm512_set1_ps(0.5f);
  return half * (x < _mm512_setzero_ps() ? above : _mm512_set1_ps(2) - above);
}

template <Epilogue::Function kFunction>
PERCALE_INLINE __m512 apply(const Epilogue& epilogue, __m512 x) {
  switch (kFunction) {
    case Epilogue::Function::kBounds:
      return _mm512_min_ps(_mm512_set1_ps(epilogue.high), _mm512_max_ps(_mm512_set1_ps(epilogue.low), x));
    case Epilogue::Function::kGelu: return gelu(x);
    // x / 2 (1 + tanh(z)) = x sigmoid(2 z), z = sqrt(2 / pi) (x + 0.044715 x^3)
    case Epilogue::Function::kGeluTanh:
      return x * sigmoid(x * _mm512_fmadd_ps(x * x, _mm512_set1_ps(0.0713548163f), _mm512_set1_ps(1.59576912f)));
    case Epilogue::Function::kSwish: return x * sigmoid(_mm512_set1_ps(epilogue.alpha) * x);
    case Epilogue::Function::kSigmoid: return sigmoid(x);
  }
}

// Computes the results of the rows `begin` to `last`. `sums` starts with row `first`.
template <bool kWide, Epilogue::Function kFunction>
PERCALE_TILES void finish(const TileShape& s, const TileRows& rows, int64_t panel, const TileEnd& end, const Sums& sums,
                          int64_t first, int64_t begin, int64_t last, void* y) {
  const int64_t column = panel * kPanelColumns;
  const Masks masks = masks_of(std::min(kPanelColumns, s.columns - column));
  Columns added{_mm512_setzero_ps(), _mm512_setzero_ps()};
  if (end.row != nullptr)
    added = end.wide_row ? load<true>(end.row, column, masks) : load<false>(end.row, column, masks);
  for (int64_t row = begin; row < last; ++row) {
    const int64_t result = rows.results[row];
    if (result < 0) continue;
    const int64_t at = result * s.columns + column;
    const float* const sum = sums[row - first];
    Columns v{_mm512_loadu_ps(sum) + added.left, _mm512_loadu_ps(sum + kTileRows) + added.right};
    if (end.addend != nullptr) {
      const Columns addend = load<kWide>(end.addend, at, masks);
      v = {v.left + addend.left, v.right + addend.right};
    }
    store<kWide>({apply<kFunction>(end.epilogue, v.left), apply<kFunction>(end.epilogue, v.right)}, y, at, masks);
  }
}

template <bool kWide>
auto finish_for(Epilogue::Function function) {
  using Function = Epilogue::Function;
  switch (function) {
    case Function::kBounds: return finish<kWide, Function::kBounds>;
    case Function::kGelu: return finish<kWide, Function::kGelu>;
    case Function::kGeluTanh: return finish<kWide, Function::kGeluTanh>;
    case Function::kSwish: return finish<kWide, Function::kSwish>;
    case Function::kSigmoid: break;
  }
  return finish<kWide, Function::kSigmoid>;
}

// Packs a block of 16-bit numbers. The rows of a tile are pairs of channels.
void pack_block(const uint16_t* from, WeightSteps steps, int64_t columns, uint16_t* to) {
  const auto place = [&](int64_t column, int64_t channel) {
    const int64_t tile = column / kTileRows;
    return to + tile * (kTileBytes / 2) + channel / 2 * (kLine / 2) + column % kTileRows * 2 + channel % 2;
  };
  if (columns < kPanelColumns) std::fill_n(to, kBlockBytes / 2, uint16_t{0});
  if (steps.column == 1) {  // in memory order
    for (int64_t channel = 0; channel < kBlockChannels; ++channel) {
      for (int64_t column = 0; column < columns; ++column)
        *place(column, channel) = from[channel * steps.channel + column];
    }
  } else {
    for (int64_t column = 0; column < columns; ++column) {
      for (int64_t channel = 0; channel < kBlockChannels; ++channel) {
        *place(column, channel) = from[column * steps.column + channel * steps.channel];
      }
    }
  }
}

void pack_panel(const TileShape& s, const void* weights, WeightSteps steps, int64_t panel, std::byte* packed) {
  auto* to = reinterpret_cast<uint16_t*>(packed + panel * s.panel_bytes());
  const int64_t first = panel * kPanelColumns, columns = std::min(kPanelColumns, s.columns - first);
  const auto* const from = static_cast<const uint16_t*>(weights) + first * steps.column;
  for (int64_t i = 0; i < s.blocks; ++i, to += kBlockBytes / 2) {
    pack_block(from + i / steps.taps * kBlockChannels * steps.channel + i % steps.taps * steps.tap, steps, columns, to);
  }
}

PERCALE_TILES void multiply_panel(const TileShape& s, const TileRows& rows, const std::byte* packed, int64_t panel,
                                  const TileEnd& end, void* y) {
  const Passes passes(s.rows);
  const TileConfig config = config_of(passes);
  const std::byte* const weights = packed + panel * s.panel_bytes();
  const std::byte* ahead = weights + s.panel_bytes();
  const auto add = passes.lower > 0 ? add_up<true> : add_up<false>;
  const auto finish_rows =
      end.wide ? finish_for<true>(end.epilogue.function) : finish_for<false>(end.epilogue.function);
  alignas(64) Sums sums[kGroup];
  _tile_loadconfig(&config);
  for (int64_t group = 0; group < passes.count; group += kGroup) {
    const int64_t group_end = std::min(group + kGroup, passes.count);
    for (int64_t block = 0; block < s.blocks; block += kBlocks) {
      const int64_t blocks = std::min(kBlocks, s.blocks - block);
      for (int64_t pass = group; pass < group_end; ++pass) {
        const std::byte* const first = rows.first + passes.begin(pass) * rows.pitch;
        add(rows, first, rows.offsets + block, blocks, weights + block * kBlockBytes, ahead, passes, block == 0,
            sums[pass - group]);
        ahead += blocks * passes.lines * kLine;
      }
    }
    for (int64_t pass = group; pass < group_end; ++pass) {
      const int64_t first = passes.begin(pass);
      finish_rows(s, rows, panel, end, sums[pass - group], first, pass * passes.height, first + passes.height, y);
    }
  }
  _tile_release();
}

}  // namespace

const TileFns* tile_fns() {
  static constexpr TileFns kFns{pack_panel, multiply_panel};
  return &kFns;
}

}  // namespace percale::onednn

#else

namespace percale::onednn {

const TileFns* tile_fns() { return nullptr; }

}  // namespace percale::onednn

#endif
