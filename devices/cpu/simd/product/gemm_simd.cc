#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/product/gemm_simd.cc"
#include <hwy/foreach_target.h>

#include <utility>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/product/gemm.h"

#ifndef PERCALE_DEVICES_CPU_SIMD_GEMM_ONCE_
#define PERCALE_DEVICES_CPU_SIMD_GEMM_ONCE_
namespace percale::simd {
namespace {

// Maximal length of a block of k. A panel of B of this height and the corresponding panel of A fit
// into L1 and L2 of all relevant machines, and C is accessed once per block. Part of the numerics:
// the same for every target.
constexpr int64_t kMaxBlock = 256;
// As many blocks of k as fit into this size are packed from A at once, so that there are few passes
// and barriers.
constexpr int64_t kPackedABytes = int64_t{8} << 20;
constexpr int64_t kRowsPerPass = 4096;
constexpr int64_t kDotRows = 3;

// k divided into equal blocks (the last may be shorter).
struct Blocks {
  int64_t size, count;
};
inline Blocks blocks_of(int64_t k) {
  if (k == 0) return {0, 0};
  const int64_t size = ceil_div(k, ceil_div(k, kMaxBlock));
  return {size, ceil_div(k, size)};
}

}  // namespace
}  // namespace percale::simd
#endif

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

// The register tile: kTileRows x 2 vectors of accumulators, two vectors of B, and one broadcast
// element of A.
#if HWY_TARGET == HWY_AVX3
constexpr int kTileRows = 14;
#elif HWY_TARGET == HWY_AVX2
constexpr int kTileRows = 6;
#else
constexpr int kTileRows = 4;
#endif
template <class T>
constexpr int64_t kTileCols = 2 * kLanes<T>;

// m rows as equal panels of at most kTileRows.
struct RowPanels : Parts {
  explicit RowPanels(int64_t m) : Parts(m, ceil_div(m, kTileRows)) {}
};

template <class T>
struct Finish {
  bool add;         // add to C's current values
  const T* bias_n;  // of this tile's first column, or null
  const T* bias_m;  // of this tile's first row, or null
  Act act;

  bool plain() const { return bias_n == nullptr && bias_m == nullptr && act.kind == Act::Kind::kNone; }
};

// Applies the epilogue to the sums of a tile, [rows][vectors], and stores them to C. Not a template
// over tile sizes, which keeps the code small.
template <class T>
void finish_tile(int rows, int vectors, const T* sums, T* c, int64_t ldc, int64_t cols, const Finish<T>& finish) {
  constexpr int64_t kW = kLanes<T>;
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) {
      Vec<T> x = load<T>(sums + (i * vectors + v) * kW);
      T* out = c + i * ldc + v * kW;
      const int64_t n = min_of(cols - v * kW, kW);  // >= 1
      if (finish.add) x = hn::Add(load_n<T>(out, n), x);
      if (finish.bias_n) x = hn::Add(x, load_n<T>(finish.bias_n + v * kW, n));
      if (finish.bias_m) x = hn::Add(x, set<T>(finish.bias_m[i]));
      x = apply_act<T>(finish.act, x);
      store_n<T>(x, out, n);
    }
  }
}

// Computes C[MR, cols] of one tile. a: packed [kc][MR]; b: rows ldb apart, NV vectors wide.
template <class T, int MR, int NV>
void tile(int64_t kc, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, int64_t ldb, T* HWY_RESTRICT c, int64_t ldc,
          int64_t cols, const Finish<T>& finish) {
  using V = Vec<T>;
  constexpr int64_t kW = kLanes<T>;
  V acc[MR][NV];
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) acc[i][v] = zero<T>();
  }
  for (int64_t p = 0; p < kc; ++p) {
    V bv[NV];
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) bv[v] = load<T>(b + v * kW);
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
      const V av = set<T>(a[i]);
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) acc[i][v] = mul_add(av, bv[v], acc[i][v]);
    }
    a += MR;
    b += ldb;
  }
  if (cols == NV * kW && finish.plain()) {
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) {
        T* out = c + i * ldc + v * kW;
        store<T>(finish.add ? hn::Add(load<T>(out), acc[i][v]) : acc[i][v], out);
      }
    }
    return;
  }
  alignas(64) T sums[MR * NV * kW];
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) store<T>(acc[i][v], sums + (i * NV + v) * kW);
  }
  finish_tile<T>(MR, NV, sums, c, ldc, cols, finish);
}

template <class T>
using TileFn = void (*)(int64_t, const T*, const T*, int64_t, T*, int64_t, int64_t, const Finish<T>&);

template <class T, int NV, int... kRows>
constexpr TileFn<T> tile_of(int64_t rows, std::integer_sequence<int, kRows...>) {
  constexpr TileFn<T> kTiles[] = {tile<T, kRows + 1, NV>...};
  return kTiles[rows - 1];
}
template <class T>
TileFn<T> tile_for(int64_t rows, int64_t cols) {
  using Rows = std::make_integer_sequence<int, kTileRows>;
  return cols > kLanes<T> ? tile_of<T, 2>(rows, Rows()) : tile_of<T, 1>(rows, Rows());
}

// Packs rows [0, mr) of op(A), columns [0, kc), as [kc][mr].
template <class T>
void pack_a_panel(const T* a, int64_t lda, bool trans, int64_t mr, int64_t kc, T* HWY_RESTRICT out) {
  if (trans) {
    for (int64_t p = 0; p < kc; ++p) {
      for (int64_t i = 0; i < mr; ++i) out[p * mr + i] = a[p * lda + i];
    }
    return;
  }
  int64_t p = 0;
  if constexpr (sizeof(T) == 4 && kTileRows <= kL) {
    // Each transposed row is written kL wide, and the next row overwrites the excess. The last rows
    // of the panel are left to the plain loop.
    for (; p + kL <= kc && (p + kL - 1) * mr + kL <= kc * mr; p += kL) {
      Vec<T> r[kL];
#pragma GCC unroll 16
      for (int i = 0; i < kL; ++i) r[i] = i < mr ? load<T>(a + i * lda + p) : zero<T>();
      transpose_block(r);
#pragma GCC unroll 16
      for (int i = 0; i < kL; ++i) store<T>(r[i], out + (p + i) * mr);
    }
  }
  for (; p < kc; ++p) {
    for (int64_t i = 0; i < mr; ++i) out[p * mr + i] = a[i * lda + p];
  }
}

// Packs rows [0, kc) of op(B), columns [0, cols), as [kc][kTileCols], padded with zeros.
template <class T>
void pack_b_panel(const T* b, int64_t ldb, bool trans, int64_t kc, int64_t cols, T* HWY_RESTRICT out) {
  constexpr int64_t kW = kLanes<T>, kCols = kTileCols<T>;
  if (!trans) {
    if (cols == kCols) {
      for (int64_t p = 0; p < kc; ++p) {
        store<T>(load<T>(b + p * ldb), out + p * kCols);
        store<T>(load<T>(b + p * ldb + kW), out + p * kCols + kW);
      }
      return;
    }
    const int64_t lo = min_of(cols, kW), hi = max_of(cols - kW, 0);
    for (int64_t p = 0; p < kc; ++p) {
      store<T>(load_n<T>(b + p * ldb, lo), out + p * kCols);
      store<T>(hi ? load_n<T>(b + p * ldb + kW, hi) : zero<T>(), out + p * kCols + kW);
    }
    return;
  }
  for (int64_t j0 = 0; j0 < kCols; j0 += kW) {
    const int64_t width = max_of(min_of(cols - j0, kW), 0);
    int64_t p = 0;
    if constexpr (sizeof(T) == 4) {
      for (; p + kL <= kc; p += kL) {
        Vec<T> r[kL];
#pragma GCC unroll 16
        for (int j = 0; j < kL; ++j) r[j] = j < width ? load<T>(b + (j0 + j) * ldb + p) : zero<T>();
        transpose_block(r);
#pragma GCC unroll 16
        for (int j = 0; j < kL; ++j) store<T>(r[j], out + (p + j) * kCols + j0);
      }
    }
    for (; p < kc; ++p) {
      for (int64_t j = 0; j < kW; ++j) out[p * kCols + j0 + j] = j < width ? b[(j0 + j) * ldb + p] : T{0};
    }
  }
}

template <class T>
int64_t packed_b_bytes(int64_t k, int64_t n) {
  return k * round_up(n, kTileCols<T>) * static_cast<int64_t>(sizeof(T));
}

// Packs B as [block of k][panel][kc][kTileCols].
template <class T>
void pack_b(int64_t k, int64_t n, const T* b, int64_t ldb, bool trans, T* packed, const ParallelFor& parallel) {
  constexpr int64_t kCols = kTileCols<T>;
  const Blocks blocks = blocks_of(k);
  const int64_t panels = ceil_div(n, kCols);
  const int64_t pieces = min_of(panels, pieces_for(static_cast<double>(k * n) * 4));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(panels, pieces, piece);
    for (int64_t block = 0; block < blocks.count; ++block) {
      const int64_t k0 = block * blocks.size, kc = min_of(blocks.size, k - k0);
      for (int64_t panel = range.begin; panel < range.end; ++panel) {
        const int64_t j = panel * kCols;
        pack_b_panel<T>(trans ? b + j * ldb + k0 : b + k0 * ldb + j, ldb, trans, kc, min_of(kCols, n - j),
                        packed + k0 * panels * kCols + panel * kCols * kc);
      }
    }
  });
}

// Few rows times B transposed: dot products, four columns at a time.
template <class T, int MR>
void dot_rows(const Gemm<T>& g, int64_t j0, int64_t j1) {
  using V = Vec<T>;
  constexpr int64_t kW = kLanes<T>, kStep = kVirtual<T>;
  constexpr int kP = kParts<T>, kCols = 4;
  for (int64_t j = j0; j < j1; j += kCols) {
    const int64_t cols = min_of(kCols, j1 - j);
    const T* rows[kCols];
    for (int i = 0; i < kCols; ++i) rows[i] = g.b + (j + min_of(i, cols - 1)) * g.ldb;
    V acc[MR][kCols][kP];
    for (auto& of_row : acc) {
      for (auto& of_col : of_row) {
        for (V& v : of_col) v = zero<T>();
      }
    }
    int64_t p = 0;
    for (; p + kStep <= g.k; p += kStep) {
      for (int part = 0; part < kP; ++part) {
        for (int i = 0; i < MR; ++i) {
          const V a = load<T>(g.a + i * g.lda + p + part * kW);
          for (int col = 0; col < kCols; ++col) {
            acc[i][col][part] = mul_add(a, load<T>(rows[col] + p + part * kW), acc[i][col][part]);
          }
        }
      }
    }
    if (p < g.k) {
      for (int part = 0; part < kP; ++part) {
        const int64_t left = max_of(min_of(g.k - p - part * kW, kW), 0);
        for (int i = 0; i < MR; ++i) {
          const V a = load_n<T>(g.a + i * g.lda + p + part * kW, left);
          for (int col = 0; col < kCols; ++col) {
            acc[i][col][part] = mul_add(a, load_n<T>(rows[col] + p + part * kW, left), acc[i][col][part]);
          }
        }
      }
    }
    for (int i = 0; i < MR; ++i) {
      for (int64_t col = 0; col < cols; ++col) {
        T* out = g.c + i * g.ldc + j + col;
        T x = sum_lanes<T>(acc[i][col]);
        if (g.accumulate) x = *out + x;
        if (g.bias_n) x += g.bias_n[j + col];
        if (g.bias_m) x += g.bias_m[i];
        if (g.act.kind != Act::Kind::kNone) x = hn::GetLane(apply_act<T>(g.act, set<T>(x)));
        *out = x;
      }
    }
  }
}

template <class T>
bool uses_dots(const Gemm<T>& g) {
  return g.m <= kDotRows && g.trans_b && !g.trans_a && !g.packed_b && !g.row_invariant;
}

template <class T>
void run_dots(const Gemm<T>& g, const ParallelFor& parallel) {
  const int64_t groups = ceil_div(g.n, 4);
  // Reading B dominates, so each of its elements counts as eight operations.
  const int64_t pieces = min_of(groups, pieces_for(8 * static_cast<double>(g.n) * static_cast<double>(g.k)));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(g.n, pieces, piece, 4);
    switch (g.m) {
      case 1: return dot_rows<T, 1>(g, range.begin, range.end);
      case 2: return dot_rows<T, 2>(g, range.begin, range.end);
      default: return dot_rows<T, 3>(g, range.begin, range.end);
    }
  });
}

// The division of one run into passes over A.
template <class T>
struct Passes {
  Blocks blocks;
  int64_t rows;   // rows of A packed at a time
  int64_t depth;  // columns (k) packed at a time, a multiple of blocks.size
  explicit Passes(const Gemm<T>& g) : blocks(blocks_of(g.k)), rows(min_of(g.m, kRowsPerPass)), depth(g.k) {
    const int64_t row_block_bytes = max_of(rows * blocks.size * static_cast<int64_t>(sizeof(T)), 1);
    depth = min_of(g.k, max_of(kPackedABytes / row_block_bytes, 1) * blocks.size);
  }
};

template <class T>
int64_t scratch_bytes(const Gemm<T>& g) {
  if (uses_dots(g)) return 0;
  const Passes<T> passes(g);
  return round_up(passes.rows * passes.depth * static_cast<int64_t>(sizeof(T)), 64);
}

// One row of A times kRowPanels panels of packed B, kc * kTileCols apart. They are processed
// together, because the additions of a single panel would wait for each other. The sums equal those
// of the tile.
constexpr int64_t kRowPanels = 4;
template <class T>
void row_of_panels(int64_t kc, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, T* c, const Finish<T>& finish) {
  using V = Vec<T>;
  constexpr int64_t kW = kLanes<T>, kCols = kTileCols<T>;
  constexpr int kVectors = 2 * static_cast<int>(kRowPanels);
  V acc[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) acc[v] = zero<T>();
  for (int64_t p = 0; p < kc; ++p) {
    const V av = set<T>(a[p]);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      acc[v] = mul_add(av, load<T>(b + (v / 2) * kc * kCols + p * kCols + (v % 2) * kW), acc[v]);
    }
  }
  alignas(64) T sums[kVectors * kW];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) store<T>(acc[v], sums + v * kW);
  finish_tile<T>(1, kVectors, sums, c, 0, kRowPanels * kCols, finish);
}

// Computes the complete groups of kRowPanels panels in [q0, q1) for one row of packed A. Returns
// the first remaining panel.
template <class T>
int64_t run_row(const Gemm<T>& g, const Passes<T>& passes, int64_t row0, int64_t k0, int64_t k1, const T* packed_a,
                int64_t q0, int64_t q1) {
  constexpr int64_t kCols = kTileCols<T>;
  const int64_t groups = max_of(min_of(q1, g.n / kCols) - q0, 0) / kRowPanels, padded_n = round_up(g.n, kCols);
  for (int64_t i = 0; i < groups; ++i) {
    const int64_t q = q0 + kRowPanels * (g.backwards ? groups - 1 - i : i), j = q * kCols;
    for (int64_t kb = k0; kb < k1; kb += passes.blocks.size) {
      const int64_t kc = min_of(passes.blocks.size, g.k - kb);
      const bool last = kb + kc == g.k;
      const Finish<T> finish{g.accumulate || kb > 0, last && g.bias_n ? g.bias_n + j : nullptr,
                             last && g.bias_m ? g.bias_m + row0 : nullptr, last ? g.act : Act::kNone};
      row_of_panels<T>(kc, packed_a + (kb - k0), g.packed_b + kb * padded_n + j * kc, g.c + row0 * g.ldc + j, finish);
    }
  }
  return q0 + groups * kRowPanels;
}

// One piece of a pass: rows of panels [p0, p1), columns of panels [q0, q1).
template <class T>
void run_piece(const Gemm<T>& g, const Passes<T>& passes, const RowPanels& panels, int64_t row0, int64_t k0, int64_t k1,
               const T* packed_a, int64_t p0, int64_t p1, int64_t q0, int64_t q1) {
  constexpr int64_t kCols = kTileCols<T>;
  alignas(64) T b_panel[kMaxBlock * kCols];
  const int64_t padded_n = round_up(g.n, kCols), rows = min_of(passes.rows, g.m - row0);
  if (g.packed_b && rows == 1) q0 = run_row<T>(g, passes, row0, k0, k1, packed_a, q0, q1);
  for (int64_t q = q0; q < q1; ++q) {
    const int64_t j = q * kCols, cols = min_of(kCols, g.n - j);
    for (int64_t kb = k0; kb < k1; kb += passes.blocks.size) {
      const int64_t kc = min_of(passes.blocks.size, g.k - kb);
      const bool last = kb + kc == g.k;
      const T* b = b_panel;
      int64_t ldb = kCols;
      if (g.packed_b) {
        b = g.packed_b + kb * padded_n + q * kCols * kc;
      } else if (!g.trans_b && panels.count == 1 && cols == kCols) {
        b = g.b + kb * g.ldb + j;  // used once: not worth packing
        ldb = g.ldb;
      } else {
        pack_b_panel<T>(g.trans_b ? g.b + j * g.ldb + kb : g.b + kb * g.ldb + j, g.ldb, g.trans_b, kc, cols, b_panel);
      }
      Finish<T> finish;
      finish.add = g.accumulate || kb > 0;
      finish.bias_n = last && g.bias_n ? g.bias_n + j : nullptr;
      finish.act = last ? g.act : Act::kNone;
      for (int64_t p = p0; p < p1; ++p) {
        const int64_t i = panels.begin(p), mr = panels.size(p);
        finish.bias_m = last && g.bias_m ? g.bias_m + row0 + i : nullptr;
        tile_for<T>(mr, cols)(kc, packed_a + (kb - k0) * rows + i * kc, b, ldb, g.c + (row0 + i) * g.ldc + j, g.ldc,
                              cols, finish);
      }
    }
  }
}

template <class T>
void run(const Gemm<T>& g, void* scratch, const ParallelFor& parallel) {
  if (g.m == 0 || g.n == 0) return;
  if (uses_dots(g)) return run_dots(g, parallel);
  constexpr int64_t kCols = kTileCols<T>;
  if (g.k == 0) {  // an empty product still has its epilogue
    const RowPanels panels(g.m);
    for (int64_t p = 0; p < panels.count; ++p) {
      for (int64_t j = 0; j < g.n; j += kCols) {
        const int64_t i = panels.begin(p);
        const Finish<T> finish{g.accumulate, g.bias_n ? g.bias_n + j : nullptr, g.bias_m ? g.bias_m + i : nullptr,
                               g.act};
        const int64_t cols = min_of(kCols, g.n - j);
        tile_for<T>(panels.size(p), cols)(0, g.a, g.b, 0, g.c + i * g.ldc + j, g.ldc, cols, finish);
      }
    }
    return;
  }
  const Passes<T> passes(g);
  T* packed_a = static_cast<T*>(scratch);
  const int64_t col_panels = ceil_div(g.n, kCols);
  for (int64_t row0 = 0; row0 < g.m; row0 += passes.rows) {
    const int64_t rows = min_of(passes.rows, g.m - row0);
    const RowPanels panels(rows);
    for (int64_t k0 = 0; k0 < g.k; k0 += passes.depth) {
      const int64_t depth = min_of(passes.depth, g.k - k0), k1 = k0 + depth;
      const int64_t packers = min_of(panels.count, pieces_for(4 * static_cast<double>(rows * depth)));
      parallel(packers, [&](int64_t piece) {
        const PieceRange range = piece_range(panels.count, packers, piece);
        for (int64_t kb = k0; kb < k1; kb += passes.blocks.size) {
          const int64_t kc = min_of(passes.blocks.size, g.k - kb);
          for (int64_t p = range.begin; p < range.end; ++p) {
            const int64_t i = row0 + panels.begin(p);
            pack_a_panel<T>(g.trans_a ? g.a + kb * g.lda + i : g.a + i * g.lda + kb, g.lda, g.trans_a, panels.size(p),
                            kc, packed_a + (kb - k0) * rows + panels.begin(p) * kc);
          }
        }
      });
      // Columns are divided first, because a piece packs the panels of B that it uses. Rows are
      // divided only if there are too few columns, and then not so finely that packing would
      // dominate.
      const int64_t wanted =
          pieces_for(2 * static_cast<double>(rows) * static_cast<double>(g.n) * static_cast<double>(depth));
      const int64_t by_cols = min_of(col_panels, wanted);
      const int64_t by_rows = min_of(ceil_div(wanted, by_cols), max_of(rows / 112, 1));
      parallel(by_cols * by_rows, [&](int64_t piece) {
        const PieceRange q = piece_range(col_panels, by_cols, piece / by_rows);
        const PieceRange p = piece_range(panels.count, by_rows, piece % by_rows);
        run_piece<T>(g, passes, panels, row0, k0, k1, packed_a, p.begin, p.end, q.begin, q.end);
      });
    }
  }
}

template <class T>
constexpr GemmFnsOf<T> kFnsOf = {scratch_bytes<T>, run<T>, packed_b_bytes<T>, pack_b<T>};

}  // namespace

constexpr GemmFns kFns = {kFnsOf<float>, kFnsOf<double>};

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(GemmFns);
}  // namespace percale::simd
#endif
