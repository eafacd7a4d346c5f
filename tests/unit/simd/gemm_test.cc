#include <doctest/doctest.h>

#include <limits>

#include "tests/unit/simd/util.h"

namespace {

using namespace percale;                 // NOLINT
using namespace percale::simd;           // NOLINT
using namespace percale::simd::testing;  // NOLINT

template <class T>
const GemmFnsOf<T>& fns(const SimdTable& table) {
  if constexpr (sizeof(T) == 4) {
    return table.gemm->f32;
  } else {
    return table.gemm->f64;
  }
}

struct Case {
  int64_t m, n, k;
  bool trans_a = false, trans_b = false, accumulate = false, packed = false, bias_n = false, bias_m = false,
       relu = false;
  int64_t gap = 0;  // added to each row stride
  bool backwards = false;
};

template <class T>
void check_case(const Case& t) {
  CAPTURE(t.m);
  CAPTURE(t.n);
  CAPTURE(t.k);
  CAPTURE(t.trans_a);
  CAPTURE(t.trans_b);
  const int64_t lda = (t.trans_a ? t.m : t.k) + t.gap, ldb = (t.trans_b ? t.k : t.n) + t.gap, ldc = t.n + t.gap;
  const auto a = random_values<T>((t.trans_a ? t.k : t.m) * lda, 1),
             b = random_values<T>((t.trans_b ? t.n : t.k) * ldb, 2);
  const auto c0 = random_values<T>(t.m * ldc, 3), bias_n = random_values<T>(t.n, 4), bias_m = random_values<T>(t.m, 5);
  std::vector<double> want(c0.begin(), c0.end());
  for (int64_t i = 0; i < t.m; ++i) {
    for (int64_t j = 0; j < t.n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < t.k; ++p) {
        sum += static_cast<double>(a[static_cast<size_t>(t.trans_a ? p * lda + i : i * lda + p)]) *
               static_cast<double>(b[static_cast<size_t>(t.trans_b ? j * ldb + p : p * ldb + j)]);
      }
      double& out = want[static_cast<size_t>(i * ldc + j)];
      out = sum + (t.accumulate ? out : 0.0);
      if (t.bias_n) out += static_cast<double>(bias_n[static_cast<size_t>(j)]);
      if (t.bias_m) out += static_cast<double>(bias_m[static_cast<size_t>(i)]);
      if (t.relu) out = std::max(out, 0.0);
    }
  }
  const double tolerance =
      static_cast<double>(std::numeric_limits<T>::epsilon()) * (4 + 6 * std::sqrt(static_cast<double>(t.k)));
  CHECK(agrees(
      [&](const SimdTable& table, const ParallelFor& parallel) {
        std::vector<T> c = c0;
        Gemm<T> g;
        g.m = t.m, g.n = t.n, g.k = t.k;
        g.a = a.data(), g.lda = lda, g.trans_a = t.trans_a;
        g.b = b.data(), g.ldb = ldb, g.trans_b = t.trans_b;
        g.c = c.data(), g.ldc = ldc;
        g.accumulate = t.accumulate;
        g.bias_n = t.bias_n ? bias_n.data() : nullptr;
        g.bias_m = t.bias_m ? bias_m.data() : nullptr;
        g.act = t.relu ? Act::kRelu : Act::kNone;
        g.backwards = t.backwards;
        Scratch packed(fns<T>(table).packed_b_bytes(t.k, t.n));
        if (t.packed) {
          fns<T>(table).pack_b(t.k, t.n, g.b, ldb, t.trans_b, static_cast<T*>(packed.get()), parallel);
          g.packed_b = static_cast<const T*>(packed.get());
          g.b = nullptr;
        }
        Scratch scratch(fns<T>(table).scratch_bytes(g));
        fns<T>(table).run(g, scratch.get(), parallel);
        CHECK(scratch.intact());
        CHECK(packed.intact());
        return c;
      },
      [&](const std::vector<T>& got) { CHECK(worst_error(got, want, 1.0) < tolerance); }));
}

TEST_CASE("a product is right and has the same bits on each instruction set and in any order of its pieces") {
  for (int64_t m : {1, 2, 3, 5, 13, 14, 15, 29, 64, 131}) {
    for (int64_t n : {1, 7, 10, 16, 17, 33, 70, 200}) {
      for (int64_t k : {1, 3, 16, 37, 256, 300}) {
        for (int trans = 0; trans < 4; ++trans) {
          Case t{m, n, k};
          t.trans_a = trans & 1;
          t.trans_b = trans & 2;
          check_case<float>(t);
        }
      }
    }
  }
}

TEST_CASE("a large product runs in many pieces and still has the same bits") {
  for (int trans = 0; trans < 4; ++trans) {
    Case t{300, 260, 600};
    t.trans_a = trans & 1;
    t.trans_b = trans & 2;
    check_case<float>(t);
    check_case<double>(t);
  }
  check_case<float>({5000, 40, 30});
  check_case<float>({4, 3000, 700});
}

TEST_CASE("bias, relu, accumulation, strides and a packed B combine") {
  for (int flags = 0; flags < 64; ++flags) {
    Case t{flags & 1 ? 2 : 47, 53, flags & 2 ? 19 : 270};
    t.accumulate = flags & 4;
    t.bias_n = flags & 8;
    t.bias_m = flags & 16;
    t.relu = flags & 32;
    t.gap = 3;
    check_case<float>(t);
    check_case<double>(t);
    t.trans_b = true;
    check_case<float>(t);
    t.packed = true;
    check_case<float>(t);
    t.trans_b = false;
    check_case<double>(t);
  }
}

TEST_CASE("one row times a packed B is what tiles make of it, read from either end, to the last bit") {
  for (int64_t n : {60, 128, 333, 1024}) {
    for (int64_t k : {19, 256, 600}) {
      for (int flags = 0; flags < 8; ++flags) {
        Case t{1, n, k};
        t.packed = t.trans_b = true;
        t.accumulate = flags & 1;
        t.bias_n = t.bias_m = t.relu = flags & 2;
        t.backwards = flags & 4;
        check_case<float>(t);
        check_case<double>(t);
      }
      const SimdTable* table = simd_table(detect_isa());
      if (table == nullptr) continue;
      const auto a = random_values<float>(2 * k, 1), b = random_values<float>(n * k, 2);
      Scratch packed(table->gemm->f32.packed_b_bytes(k, n));
      table->gemm->f32.pack_b(k, n, b.data(), k, true, static_cast<float*>(packed.get()), {});
      const auto product = [&](int64_t rows, bool backwards) {
        std::vector<float> c(static_cast<size_t>(rows * n));
        Gemm<float> g;
        g.m = rows, g.n = n, g.k = k;
        g.a = a.data(), g.lda = k;
        g.packed_b = static_cast<const float*>(packed.get());
        g.c = c.data(), g.ldc = n;
        g.backwards = backwards;
        Scratch scratch(table->gemm->f32.scratch_bytes(g));
        table->gemm->f32.run(g, scratch.get(), {});
        c.resize(static_cast<size_t>(n));
        return c;
      };
      CHECK((product(1, false) == product(2, false)));
      CHECK((product(1, true) == product(2, false)));
    }
  }
}

TEST_CASE("an empty sum is zero and still gets its epilogue") {
  Case t{20, 35, 0};
  t.bias_n = t.bias_m = true;
  check_case<float>(t);
  t.accumulate = t.relu = true;
  check_case<float>(t);
  check_case<float>({0, 5, 3});
  check_case<float>({5, 0, 3});
}

TEST_CASE("relu in the epilogue keeps NaN") {
  for (const SimdTable* table : tables()) {
    for (bool trans_b : {false, true}) {
      const float nan = std::numeric_limits<float>::quiet_NaN();
      const float a[2] = {1, nan}, b[2] = {2, 3};
      float c[4] = {};
      Gemm<float> g;
      g.m = 2, g.n = 2, g.k = 1;
      g.a = a, g.lda = 1, g.b = b, g.ldb = trans_b ? 1 : 2, g.trans_b = trans_b, g.c = c, g.ldc = 2;
      g.act = Act::kRelu;
      Scratch scratch(table->gemm->f32.scratch_bytes(g));
      table->gemm->f32.run(g, scratch.get(), ParallelFor());
      CHECK(c[0] == 2);
      CHECK(c[1] == 3);
      CHECK(std::isnan(c[2]));
      CHECK(std::isnan(c[3]));
    }
  }
}

}  // namespace
