#include "ops/vision/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/base/checked.h"
#include "ops/support/kernel_util.h"

namespace percale {
namespace {

// Calls row(first tap, end of taps, offset of its slice of x, offset in y) for every output row of
// the pass, in pieces.
template <class F>
void for_rows(const Taps& taps, int64_t outer, int64_t from, int64_t inner, const ParallelFor& parallel, F&& row) {
  const int64_t to = taps.rows(), rows = outer * to;
  const int64_t mean_taps = 1 + static_cast<int64_t>(taps.index.size()) / std::max<int64_t>(to, 1);
  const int64_t pieces = std::min(rows, pieces_for(rows * inner, std::max<int64_t>(kGrain / mean_taps, 1)));
  parallel(std::max<int64_t>(pieces, 1), [&](int64_t piece) {
    const PieceRange range = piece_range(rows, std::max<int64_t>(pieces, 1), piece);
    for (int64_t r = range.begin; r < range.end; ++r) {
      const int64_t o = r / to, t = r % to;
      row(static_cast<size_t>(taps.begin[static_cast<size_t>(t)]),
          static_cast<size_t>(taps.begin[static_cast<size_t>(t) + 1]), o * from * inner, r * inner);
    }
  });
}

// Does the same for rows of one element, in runs: run(first row of taps, number of rows, offset of
// their slice of x, offset in y).
template <class F>
void for_runs(const Taps& taps, int64_t outer, int64_t from, const ParallelFor& parallel, F&& run) {
  const int64_t to = taps.rows(), rows = outer * to;
  const int64_t pieces = pieces_for(rows);
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(rows, pieces, piece);
    for (int64_t r = range.begin, n = 0; r < range.end; r += n) {
      const int64_t o = r / to, t = r % to;
      n = std::min(to - t, range.end - r);
      run(static_cast<size_t>(t), static_cast<size_t>(n), o * from, r);
    }
  });
}

template <class T>
void copy_pass(const Taps& taps, int64_t outer, int64_t from, int64_t inner, const void* given, void* out,
               const ParallelFor& parallel) {
  const T* x = static_cast<const T*>(given);
  T* y = static_cast<T*>(out);
  if (inner == 1 && taps.one_each()) {
    for_runs(taps, outer, from, parallel, [&](size_t first, size_t n, int64_t slice, int64_t at) {
      const int64_t* index = taps.index.data() + first;
      for (size_t i = 0; i < n; ++i) y[at + static_cast<int64_t>(i)] = x[slice + index[i]];
    });
    return;
  }
  for_rows(taps, outer, from, inner, parallel, [&](size_t first, size_t last, int64_t slice, int64_t at) {
    if (first == last) {
      std::fill_n(y + at, inner, T{});
    } else if (inner == 1) {
      y[at] = x[slice + taps.index[first]];
    } else {
      std::memcpy(y + at, x + slice + taps.index[first] * inner, static_cast<size_t>(inner) * sizeof(T));
    }
  });
}

template <class T>
void sum_pass(const Taps& taps, int64_t outer, int64_t from, int64_t inner, const void* given, void* out,
              const ParallelFor& parallel) {
  const T* all = static_cast<const T*>(given);
  T* result = static_cast<T*>(out);
  if (inner == 1) {
    for_runs(taps, outer, from, parallel, [&](size_t first, size_t n, int64_t slice, int64_t at) {
      const T* x = all + slice;
      auto k = static_cast<size_t>(taps.begin[first]);
      for (size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (const auto last = static_cast<size_t>(taps.begin[first + i + 1]); k < last; ++k) {
          sum += taps.weight[k] * static_cast<double>(x[taps.index[k]]);
        }
        result[at + static_cast<int64_t>(i)] = static_cast<T>(sum);
      }
    });
    return;
  }
  for_rows(taps, outer, from, inner, parallel, [&](size_t first, size_t last, int64_t slice, int64_t at) {
    const T* x = all + slice;
    T* y = result + at;
    size_t k = first;
    if ((last - first) % 2 == 1) {  // taps are processed in pairs, the odd one first
      const auto w = static_cast<T>(taps.weight[k]);
      const T* a = x + taps.index[k++] * inner;
      for (int64_t i = 0; i < inner; ++i) y[i] = w * a[i];
    } else {
      std::fill_n(y, inner, T{});
    }
    for (; k < last; k += 2) {
      const auto v = static_cast<T>(taps.weight[k]), w = static_cast<T>(taps.weight[k + 1]);
      const T *a = x + taps.index[k] * inner, *b = x + taps.index[k + 1] * inner;
      for (int64_t i = 0; i < inner; ++i) y[i] += v * a[i] + w * b[i];
    }
  });
}

template <class From, class To, class F>
void convert(const void* from, void* to, int64_t count, const ParallelFor& parallel, F&& f) {
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  const int64_t pieces = pieces_for(count);
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(count, pieces, piece);
    for (int64_t i = range.begin; i < range.end; ++i) y[i] = f(x[i]);
  });
}

// The type in which elements of T are summed.
template <class T>
using SumOf = std::conditional_t<std::is_integral_v<T>, double, Wide<T>>;

template <class T>
void widen_all(const void* from, void* to, int64_t count, const ParallelFor& parallel) {
  convert<T, SumOf<T>>(from, to, count, parallel, [](T x) { return static_cast<SumOf<T>>(widen(x)); });
}
template <class T>
void narrow_all(const void* from, void* to, int64_t count, const ParallelFor& parallel) {
  convert<SumOf<T>, T>(from, to, count, parallel, [](SumOf<T> x) {
    if constexpr (std::is_integral_v<T>) {
      return saturate<T>(std::nearbyint(x));
    } else {
      return narrow<T>(x);
    }
  });
}

}  // namespace

void Taps::add(int64_t at, double w) {
  if (static_cast<int64_t>(index.size()) > begin.back() && index.back() == at) {
    weight.back() += w;
  } else {
    index.push_back(at);
    weight.push_back(w);
  }
}

Taps transposed(const Taps& taps, int64_t columns) {
  Taps out;
  out.begin.assign(static_cast<size_t>(columns) + 1, 0);
  for (int64_t at : taps.index) ++out.begin[static_cast<size_t>(at) + 1];
  for (size_t c = 0; c < static_cast<size_t>(columns); ++c) out.begin[c + 1] += out.begin[c];
  out.index.resize(taps.index.size());
  out.weight.resize(taps.index.size());
  std::vector<int64_t> next(out.begin.begin(), out.begin.end() - 1);
  for (size_t r = 0; r < static_cast<size_t>(taps.rows()); ++r) {
    for (auto k = static_cast<size_t>(taps.begin[r]); k < static_cast<size_t>(taps.begin[r + 1]); ++k) {
      const auto to = static_cast<size_t>(next[static_cast<size_t>(taps.index[k])]++);
      out.index[to] = static_cast<int64_t>(r);
      out.weight[to] = taps.weight[k];
    }
  }
  return out;
}

void Resample::choose_pass(DType dtype, bool weights) {
  tensor_item_ = item_ = item_bytes(dtype);
  if (weights) {
    const bool half = dtype == DType::kF16 || dtype == DType::kBF16;
    const bool single = half || dtype == DType::kF32;
    if (half || is_integer(dtype)) {
      dispatch(kNumericList, dtype, [&]<class T>() {
        widen_ = widen_all<T>;
        narrow_ = narrow_all<T>;
      });
    }
    item_ = single ? 4 : 8;
    pass_ = [](const Pass& p, const void* from, void* to, const ParallelFor& parallel) {
      sum_pass<double>(p.taps, p.outer, p.from, p.inner, from, to, parallel);
    };
    if (single) {
      pass_ = [](const Pass& p, const void* from, void* to, const ParallelFor& parallel) {
        sum_pass<float>(p.taps, p.outer, p.from, p.inner, from, to, parallel);
      };
    }
    return;
  }
  const auto copy = [&]<class T>(T) {
    pass_ = [](const Pass& p, const void* from, void* to, const ParallelFor& parallel) {
      copy_pass<T>(p.taps, p.outer, p.from, p.inner, from, to, parallel);
    };
  };
  switch (item_) {
    case 1: copy(uint8_t{}); break;
    case 2: copy(uint16_t{}); break;
    case 4: copy(uint32_t{}); break;
    default: copy(uint64_t{}); break;
  }
}

Result<int64_t> Resample::add_passes(const Shape& x, std::vector<Axis> axes) {
  // Shrinking axes come first, so that the others have less work.
  const auto growth = [&](const Axis& a) {
    return static_cast<double>(a.taps.rows()) / static_cast<double>(std::max<int64_t>(x[a.dim], 1));
  };
  // Among axes with equal growth, the innermost comes first: single elements are moved before their
  // number grows.
  std::reverse(axes.begin(), axes.end());
  std::stable_sort(axes.begin(), axes.end(), [&](const Axis& a, const Axis& b) { return growth(a) < growth(b); });

  Shape now = x;
  int64_t largest = 0;
  const auto see = [&]() -> Status {
    CheckedSize bytes = 8;
    for (size_t d = 0; d < now.rank(); ++d) bytes = bytes * now[d];
    if (!bytes.valid()) return resource_exhausted("the intermediate result of shape ", now, " exceeds 2^63 bytes");
    largest = std::max(largest, now.num_elements());
    return {};
  };
  PERCALE_RETURN_IF_ERROR(see());
  x_elements_ = now.num_elements();
  for (Axis& axis : axes) {
    Pass pass;
    pass.outer = now.product(0, axis.dim);
    pass.from = now[axis.dim];
    pass.inner = now.product(axis.dim + 1, now.rank());
    now[axis.dim] = axis.taps.rows();
    pass.taps = std::move(axis.taps);
    PERCALE_RETURN_IF_ERROR(see());
    passes_.push_back(std::move(pass));
  }
  y_elements_ = now.num_elements();
  return largest;
}

Result<Resample> Resample::make(const Shape& x, DType dtype, bool weights, std::vector<Axis> axes, KernelPlan& plan) {
  Resample out;
  out.choose_pass(dtype, weights);
  PERCALE_ASSIGN_OR_RETURN(const int64_t largest, out.add_passes(x, std::move(axes)));
  if (out.passes_.size() > 1 || out.widen_ != nullptr) {
    const CheckedSize both = (CheckedSize(largest * out.item_) + 63) * 2;
    if (!both.valid()) return resource_exhausted("the intermediate results exceed 2^63 bytes");
    out.buffer_bytes_ = round_up(largest * out.item_, 64);
    plan.scratch_bytes = 2 * out.buffer_bytes_;
  }
  return out;
}

void Resample::run(const Launch& launch) const {
  if (y_elements_ == 0) return;
  const ParallelFor& parallel = launch.parallel();
  if (passes_.empty()) {
    const int64_t bytes = y_elements_ * tensor_item_;
    if (launch.out<char>(0) != launch.in<char>(0)) {
      std::memcpy(launch.out<char>(0), launch.in<char>(0), static_cast<size_t>(bytes));
    }
    return;
  }
  char* buffers[2] = {launch.scratch<char>(), launch.scratch<char>() + buffer_bytes_};
  const char* from = launch.in<char>(0);
  size_t next = 0;
  if (widen_ != nullptr) {
    widen_(from, buffers[next], x_elements_, parallel);
    from = buffers[next];
    next = 1 - next;
  }
  for (size_t i = 0; i < passes_.size(); ++i) {
    const bool last = i + 1 == passes_.size() && narrow_ == nullptr;
    char* to = last ? launch.out<char>(0) : buffers[next];
    pass_(passes_[i], from, to, parallel);
    from = to;
    next = 1 - next;
  }
  if (narrow_ != nullptr) narrow_(from, launch.out<char>(0), y_elements_, parallel);
}

}  // namespace percale
