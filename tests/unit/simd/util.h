// Shared helpers of the SIMD kernel tests: data, a ParallelFor with shuffled order, bitwise
// comparison.
#ifndef PERCALE_TESTS_UNIT_SIMD_UTIL_H_
#define PERCALE_TESTS_UNIT_SIMD_UTIL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "devices/cpu/simd/simd.h"

namespace percale::simd::testing {

// Returns the tables that this machine can run: fused multiply-add, then without, lowest
// instruction set first.
inline std::vector<const SimdTable*> tables() {
  std::vector<const SimdTable*> all;
  for (const MultiplyAdd how : {MultiplyAdd::kFused, MultiplyAdd::kRoundedTwice}) {
    for (int i = 0; i <= static_cast<int>(detect_isa()); ++i) {
      const auto isa = static_cast<Isa>(i);
      if (capped(isa, isa) != isa) continue;  // of another architecture
      if (how == MultiplyAdd::kFused || portable_isa(isa) == isa) all.push_back(simd_table(isa, how));
    }
  }
  return all;
}

template <class T = float>
std::vector<T> random_values(int64_t n, uint32_t seed, double low = -1, double high = 1) {
  std::mt19937 engine(seed);
  std::vector<T> values(static_cast<size_t>(n));
  for (T& v : values) v = static_cast<T>(low + (high - low) * (static_cast<double>(engine()) + 0.5) / 4294967296.0);
  return values;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Runs the pieces in a shuffled order.
inline void run_shuffled(void* pool, int64_t pieces, ParallelFor::Body body, void* arg) {
  std::vector<int64_t> order(static_cast<size_t>(pieces));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 engine(++*static_cast<uint32_t*>(pool));
  std::shuffle(order.begin(), order.end(), engine);
  for (int64_t piece : order) body(arg, piece);
}

// 64-byte aligned scratch memory followed by a canary.
class Scratch {
 public:
  explicit Scratch(int64_t bytes) : bytes_(static_cast<size_t>(bytes)), memory_(bytes_ + 192, 0xA5) {
    start_ = memory_.data() + (64 - reinterpret_cast<uintptr_t>(memory_.data()) % 64) % 64;
  }
  // Returns null for 0 bytes, as a run does.
  void* get() { return bytes_ == 0 ? nullptr : start_; }
  bool intact() const {
    for (size_t i = 0; i < 64; ++i) {
      if (start_[bytes_ + i] != 0xA5) return false;
    }
    return true;
  }

 private:
  size_t bytes_;
  std::vector<unsigned char> memory_;
  unsigned char* start_;
};

// Returns the largest |got - want| / (|want| + scale).
template <class T>
double worst_error(const std::vector<T>& got, const std::vector<double>& want, double scale) {
  double worst = got.size() == want.size() ? 0 : 1e300;
  for (size_t i = 0; i < got.size() && i < want.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - want[i]) / (std::abs(want[i]) + scale);
    if (!(error <= worst)) worst = error;  // NaN counts as the worst error
  }
  return worst;
}

// Calls `run(table, parallel)`, which returns a vector, on every table, inline and shuffled, and
// check(result) on each table's result. Returns true if shuffling never changes a bit, the tables
// with fused multiply-add agree, and so do those without.
template <class Run, class Check>
bool agrees(Run&& run, Check&& check) {
  using Result = decltype(run(*tables()[0], ParallelFor()));
  bool good = true;
  std::optional<Result> fused, unfused;
  uint32_t seed = 7;
  for (const SimdTable* table : tables()) {
    const Result inline_result = run(*table, ParallelFor());
    check(inline_result);
    for (int round = 0; round < 2; ++round) {
      good = same_bits(run(*table, ParallelFor{run_shuffled, &seed}), inline_result) && good;
    }
    const bool fuses = table->multiply_add == MultiplyAdd::kFused && has_fused_multiply_add(table->isa);
    std::optional<Result>& first = fuses ? fused : unfused;
    if (!first) first = inline_result;
    good = same_bits(*first, inline_result) && good;
  }
  return good;
}

}  // namespace percale::simd::testing

#endif  // PERCALE_TESTS_UNIT_SIMD_UTIL_H_
