#include <doctest/doctest.h>

#include <limits>

#include "tests/unit/simd/util.h"

namespace {

using namespace percale;                 // NOLINT
using namespace percale::simd;           // NOLINT
using namespace percale::simd::testing;  // NOLINT

template <class T>
const ReduceFnsOf<T>& fns(const SimdTable& table) {
  if constexpr (sizeof(T) == 4) {
    return table.reduce->f32;
  } else {
    return table.reduce->f64;
  }
}

template <class T>
double reference(Reduce op, const std::vector<T>& values) {
  double sum = 0, squares = 0, max = -std::numeric_limits<double>::infinity(), min = -max;
  for (T t : values) {
    const double v = static_cast<double>(t);
    sum += v;
    squares += v * v;
    max = std::max(max, v);
    min = std::min(min, v);
  }
  switch (op) {
    case Reduce::kSum: return sum;
    case Reduce::kMean: return sum / static_cast<double>(values.size());
    case Reduce::kSumSquares: return squares;
    case Reduce::kMax: return max;
    case Reduce::kMin: return min;
  }
  return 0;
}

template <class T>
void check_reductions(int64_t rows, int64_t cols, int64_t gap) {
  CAPTURE(rows);
  CAPTURE(cols);
  const int64_t stride = cols + gap;
  const auto x = random_values<T>(rows * stride, 6);
  const double tolerance = static_cast<double>(std::numeric_limits<T>::epsilon()) * 40;
  for (Reduce op : {Reduce::kSum, Reduce::kMean, Reduce::kSumSquares, Reduce::kMax, Reduce::kMin}) {
    CAPTURE(static_cast<int>(op));
    std::vector<double> by_row, by_col;
    for (int64_t r = 0; r < rows; ++r) {
      by_row.push_back(reference(op, std::vector<T>(x.begin() + r * stride, x.begin() + r * stride + cols)));
    }
    for (int64_t c = 0; c < cols; ++c) {
      std::vector<T> column;
      for (int64_t r = 0; r < rows; ++r) column.push_back(x[static_cast<size_t>(r * stride + c)]);
      by_col.push_back(reference(op, column));
    }
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor& parallel) {
          std::vector<T> y(by_row.size());
          fns<T>(table).along_rows(op, x.data(), rows, cols, stride, y.data(), parallel);
          return y;
        },
        [&](const std::vector<T>& got) { CHECK(worst_error(got, by_row, 10.0) < tolerance); }));
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor& parallel) {
          std::vector<T> y(by_col.size());
          Scratch scratch(fns<T>(table).along_cols_scratch_bytes(rows, cols, RowOrder::kFastest));
          fns<T>(table).along_cols(op, x.data(), rows, cols, stride, RowOrder::kFastest, y.data(), scratch.get(),
                                   parallel);
          CHECK(scratch.intact());
          return y;
        },
        [&](const std::vector<T>& got) { CHECK(worst_error(got, by_col, 10.0) < tolerance); }));
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor& parallel) {
          std::vector<T> y(1);
          const int64_t count = static_cast<int64_t>(x.size());
          Scratch scratch(fns<T>(table).all_scratch_bytes(count));
          fns<T>(table).all(op, x.data(), count, y.data(), scratch.get(), parallel);
          CHECK(scratch.intact());
          return y;
        },
        [&](const std::vector<T>& got) {
          CHECK(worst_error(got, std::vector<double>{reference(op, x)}, 100.0) < tolerance);
        }));
  }
}

TEST_CASE("reductions over rows, columns and everything are right, with the same bits in any order of pieces") {
  for (int64_t rows : {1, 2, 7, 100}) {
    for (int64_t cols : {1, 3, 8, 15, 16, 17, 40, 129, 300}) {
      check_reductions<float>(rows, cols, 0);
      check_reductions<double>(rows, cols, 5);
    }
  }
  check_reductions<float>(3, 20000, 1);
  check_reductions<float>(5000, 100, 0);
  check_reductions<double>(2000, 33, 0);
}

TEST_CASE("reductions of nothing are the neutral element, and the mean of nothing is NaN") {
  for (const SimdTable* table : tables()) {
    float y[3] = {5, 5, 5};
    table->reduce->f32.along_rows(Reduce::kSum, nullptr, 3, 0, 0, y, ParallelFor());
    CHECK((y[0] == 0 && y[2] == 0));
    table->reduce->f32.along_rows(Reduce::kMax, nullptr, 3, 0, 0, y, ParallelFor());
    CHECK(y[1] == -std::numeric_limits<float>::infinity());
    table->reduce->f32.all(Reduce::kMean, nullptr, 0, y, nullptr, ParallelFor());
    CHECK(std::isnan(y[0]));
    Scratch scratch(table->reduce->f32.along_cols_scratch_bytes(0, 3, RowOrder::kFastest));
    table->reduce->f32.along_cols(Reduce::kMin, nullptr, 0, 3, 3, RowOrder::kFastest, y, scratch.get(), ParallelFor());
    CHECK(y[2] == std::numeric_limits<float>::infinity());
  }
}

TEST_CASE("one NaN anywhere makes sum, maximum and minimum NaN") {
  for (const SimdTable* table : tables()) {
    for (int64_t n : {1, 5, 16, 21, 50}) {
      for (int64_t at = 0; at < n; ++at) {
        auto x = random_values(n, 8);
        x[static_cast<size_t>(at)] = std::numeric_limits<float>::quiet_NaN();
        for (Reduce op : {Reduce::kSum, Reduce::kMax, Reduce::kMin}) {
          float y = 0;
          table->reduce->f32.along_rows(op, x.data(), 1, n, n, &y, ParallelFor());
          CHECK(std::isnan(y));
          Scratch scratch(table->reduce->f32.along_cols_scratch_bytes(n, 1, RowOrder::kFastest));
          y = 0;
          table->reduce->f32.along_cols(op, x.data(), n, 1, 1, RowOrder::kFastest, &y, scratch.get(), ParallelFor());
          CHECK(std::isnan(y));
        }
      }
    }
  }
}

TEST_CASE("argmax and argmin give the first of equals, and the first NaN before all") {
  for (const SimdTable* table : tables()) {
    for (int64_t cols : {1, 2, 10, 16, 37, 100}) {
      std::vector<float> x = random_values(20 * cols, 2);
      for (float& v : x) v = std::round(v * 4);  // many equal elements
      x[static_cast<size_t>(3 * cols + cols / 2)] = std::numeric_limits<float>::quiet_NaN();
      x[static_cast<size_t>(3 * cols + cols - 1)] = std::numeric_limits<float>::quiet_NaN();
      std::vector<int64_t> max(20), min(20);
      table->reduce->argmax_rows(x.data(), 20, cols, cols, max.data(), ParallelFor());
      table->reduce->argmin_rows(x.data(), 20, cols, cols, min.data(), ParallelFor());
      for (int64_t r = 0; r < 20; ++r) {
        const auto row = x.begin() + r * cols;
        if (r == 3) {
          CHECK(max[3] == cols / 2);
          CHECK(min[3] == cols / 2);
          continue;
        }
        CHECK(max[static_cast<size_t>(r)] == std::max_element(row, row + cols) - row);
        CHECK(min[static_cast<size_t>(r)] == std::min_element(row, row + cols) - row);
      }
    }
  }
}

}  // namespace
