// LSTM of one sequence with packed weights. If the weights are the same in all runs, they are
// packed once. A step is one pass over them.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "ops/recurrent/recurrent.h"
#include "ops/support/kernel_util.h"

namespace percale {
namespace {

constexpr size_t kW = 1, kR = 2;
constexpr const char* kPackedF32 = "percale:lstm_f32";
constexpr const char* kPackedBF16 = "percale:lstm_bf16";

const char* packed_key(DType dtype) { return dtype == DType::kBF16 ? kPackedBF16 : kPackedF32; }

int64_t packed_bytes(DType dtype, int64_t hidden, int64_t k) {
  return simd::lstm_packed_bytes(hidden, k, dtype == DType::kBF16);
}

// ---- Packing: a Reorder of W or R, [directions, 4 * hidden, k].
struct PackPlan {
  int64_t directions, hidden, k;
  DType dtype;
};

Status accepts_pack(const NodeView& v) {
  const Format* to = v.output_format(0);
  if (v.input_format(0) == nullptr && to != nullptr && to->key == packed_key(v.dtype(0))) return {};
  return unimplemented("supports only packing of LSTM weights");
}

Result<PackPlan> plan_pack(const NodeView& v, KernelPlan&) {
  const Shape& s = v.shape(0);
  return PackPlan{s[0], s[1] / simd::kLstmGates, s[2], v.dtype(0)};
}

// Packs f32 weights as [units / 16, k, gate, 16] and bf16 ones as [units / 16, k / 2, gate, 16, 2].
template <class T>
void pack(const PackPlan& p, const T* weights, char* packed, const ParallelFor& parallel) {
  constexpr int64_t kUnits = simd::kLstmUnits, kGates = simd::kLstmGates, kColumns = sizeof(T) == 2 ? 2 : 1;
  const int64_t blocks = (p.hidden + kUnits - 1) / kUnits, each = packed_bytes(p.dtype, p.hidden, p.k);
  parallel(p.directions * blocks, [&](int64_t piece) {
    const int64_t d = piece / blocks, first = piece % blocks * kUnits, units = std::min(kUnits, p.hidden - first);
    T* to = reinterpret_cast<T*>(packed + d * each + piece % blocks * (each / blocks));
    if (units < kUnits || p.k % kColumns != 0) std::memset(to, 0, static_cast<size_t>(each / blocks));
    for (int64_t g = 0; g < kGates; ++g) {
      for (int64_t u = 0; u < units; ++u) {
        const T* from = weights + ((d * kGates + g) * p.hidden + first + u) * p.k;
        T* column = to + (g * kUnits + u) * kColumns;
        for (int64_t i = 0; i < p.k; ++i) column[i / kColumns * kGates * kUnits * kColumns + i % kColumns] = from[i];
      }
    }
  });
}

void run_pack(const PackPlan& p, const Launch& l) {
  if (p.dtype == DType::kBF16) {
    pack(p, l.in<BF16>(0), l.out<char>(0), l.parallel());
  } else {
    pack(p, l.in<float>(0), l.out<char>(0), l.parallel());
  }
}

// ---- The op. Offsets are in floats within one direction's part of the scratch.
struct LstmRow {
  RecurrentPlan p;
  int64_t width = 0;                                 // units, rounded up to 16
  int64_t x = 0, gates = 0, bias = 0, h = 0, c = 0;  // h holds two states: before and after a step
  int64_t size = 0;
  // True if W and R are not packed ahead of the runs. They are then packed into scratch, after the
  // parts of all directions.
  bool packs = false;
  int64_t packed_w = 0, packed_r = 0;

  PackPlan packing(int64_t k) const { return {p.directions, p.hidden, k, p.dtype}; }
};

Status accepts_row(const NodeView& v) {
  if (v.dtype(0) != DType::kF32 && v.dtype(0) != DType::kBF16) return unimplemented("requires f32 or bf16");
  if (v.numerics.batch_invariant) return unimplemented("does not give the bits of a larger batch");
  PERCALE_ASSIGN_OR_RETURN(const RecurrentPlan p, read_recurrent(v));
  constexpr int64_t kWorthPacking = 4;  // steps
  if (p.steps < kWorthPacking && !(v.is_precomputed(kW) && v.is_precomputed(kR))) {
    return unimplemented("the sequence is short and the weights are not constant");
  }
  if (p.batch != 1) return unimplemented("requires a batch of one");
  if (p.steps == 0 || p.hidden == 0) return unimplemented("an operand has no elements");
  if (p.has_input[4] || p.has_input[7]) return unimplemented("does not support sequence_lens and peepholes");
  if (p.clip > 0 || p.input_forget) return unimplemented("does not support clip and input_forget");
  for (int64_t d = 0; d < p.directions; ++d) {
    const auto& a = p.activations[static_cast<size_t>(d)];
    if (a[0].fn != CellFn::kSigmoid || a[1].fn != CellFn::kTanh || a[2].fn != CellFn::kTanh) {
      return unimplemented("requires the default activations");
    }
  }
  return {};
}

Result<LstmRow> plan_row(const NodeView& v, KernelPlan& plan) {
  LstmRow row;
  PERCALE_ASSIGN_OR_RETURN(row.p, read_recurrent(v));
  const RecurrentPlan& p = row.p;
  row.p.simd = static_cast<const simd::SimdTable*>(plan.user);
  row.width = (p.hidden + simd::kLstmUnits - 1) / simd::kLstmUnits * simd::kLstmUnits;
  const int64_t ld = row.width * simd::kLstmGates;
  const auto book = [&](int64_t floats) {
    const int64_t at = row.size;
    row.size += (floats + 15) / 16 * 16;
    return at;
  };
  row.gates = book(p.steps * ld);
  row.bias = book(ld);
  row.h = book(2 * row.width);
  row.c = book(row.width);
  if (p.gathers() || p.dtype == DType::kBF16) row.x = book(p.steps * p.input);
  const int64_t w_bytes = p.directions * packed_bytes(p.dtype, p.hidden, p.input);
  const int64_t r_bytes = p.directions * packed_bytes(p.dtype, p.hidden, p.hidden);
  row.packs = !plan.grants_formats;
  row.packed_w = p.directions * row.size * 4;
  row.packed_r = row.packed_w + w_bytes;
  plan.scratch_bytes = row.packs ? row.packed_r + r_bytes : row.packed_w;
  if (row.packs) return row;
  plan.formats.push_back({kW, Format{packed_key(p.dtype), w_bytes}});
  plan.formats.push_back({kR, Format{packed_key(p.dtype), r_bytes}});
  return row;
}

template <class T>
class RowPass {
 public:
  RowPass(const LstmRow& row, const Launch& l, int64_t direction)
      : row_(row), p_(row.p), l_(l), d_(direction), scratch_(l.scratch<float>() + direction * row.size) {}

  void run() {
    float *gates = scratch_ + row_.gates, *bias = scratch_ + row_.bias, *c = scratch_ + row_.c;
    const int64_t ld = row_.width * simd::kLstmGates;
    join_biases(bias);
    fns().project(rows_of_x(), p_.steps, p_.input, packed(kW, p_.input), bias, p_.hidden, gates, l_.parallel());
    load(5, state(0));
    load(6, c);
    for (int64_t s = 0; s < p_.steps; ++s) {
      fns().step(gates + s * ld, state(s), packed(kR, p_.hidden), p_.hidden, c, state(s + 1), s % 2 == 1,
                 l_.parallel());
      if (p_.has_output[0]) copy(state(s + 1), p_.hidden, l_.out<T>(0) + (time(s) * p_.directions + d_) * p_.hidden);
    }
    if (p_.has_output[1]) copy(state(p_.steps), p_.hidden, l_.out<T>(1) + d_ * p_.hidden);
    if (p_.has_output[2]) copy(c, p_.hidden, l_.out<T>(2) + d_ * p_.hidden);
  }

 private:
  // With a batch of one, both layouts are the same.
  int64_t time(int64_t s) const { return p_.reversed(d_) ? p_.steps - 1 - s : s; }
  float* state(int64_t s) const { return scratch_ + row_.h + s % 2 * row_.width; }

  const simd::LstmFnsOf<std::conditional_t<std::is_same_v<T, float>, float, uint16_t>>& fns() const {
    if constexpr (std::is_same_v<T, float>) {
      return p_.simd->lstm->f32;
    } else {
      return p_.simd->lstm->bf16;
    }
  }
  auto packed(size_t i, int64_t k) const {
    using Weight = std::conditional_t<std::is_same_v<T, float>, float, uint16_t>;
    const char* all = row_.packs ? l_.scratch<char>() + (i == kW ? row_.packed_w : row_.packed_r) : l_.in<char>(i);
    return reinterpret_cast<const Weight*>(all + d_ * packed_bytes(p_.dtype, p_.hidden, k));
  }

  template <class A, class B>
  static void copy(const A* from, int64_t count, B* to) {
    for (int64_t i = 0; i < count; ++i) to[i] = narrow<B>(widen(from[i]));
  }

  const float* rows_of_x() const {
    const T* from = l_.in<T>(0);
    float* to = scratch_ + row_.x;
    if constexpr (std::is_same_v<T, float>) {
      if (!p_.reversed(d_)) return from;
    }
    for (int64_t s = 0; s < p_.steps; ++s) copy(from + time(s) * p_.input, p_.input, to + s * p_.input);
    return to;
  }

  // Sums the biases of W and R, B [direction, 8 * hidden], into the layout [units, gate, 16].
  void join_biases(float* to) const {
    std::fill_n(to, row_.width * simd::kLstmGates, 0.0f);
    if (!p_.has_input[3]) return;
    const T* of_w = l_.in<T>(3) + d_ * 2 * p_.width();
    for (int64_t g = 0; g < simd::kLstmGates; ++g) {
      for (int64_t u = 0; u < p_.hidden; ++u) {
        const T *w = of_w + g * p_.hidden + u, *r = w + p_.width();
        const int64_t block = u / simd::kLstmUnits, unit = u % simd::kLstmUnits;
        to[(block * simd::kLstmGates + g) * simd::kLstmUnits + unit] = widen(*w) + widen(*r);
      }
    }
  }

  void load(size_t input, float* to) const {
    std::fill_n(to, row_.width, 0.0f);
    if (p_.has_input[input]) copy(l_.in<T>(input) + d_ * p_.hidden, p_.hidden, to);
  }

  const LstmRow& row_;
  const RecurrentPlan& p_;
  const Launch& l_;
  const int64_t d_;
  float* const scratch_;
};

template <class T>
void run_rows(const LstmRow& row, const Launch& l) {
  if (row.packs) {
    pack(row.packing(row.p.input), l.in<T>(kW), l.scratch<char>() + row.packed_w, l.parallel());
    pack(row.packing(row.p.hidden), l.in<T>(kR), l.scratch<char>() + row.packed_r, l.parallel());
  }
  l.parallel()(row.p.directions, [&](int64_t d) { RowPass<T>(row, l, d).run(); });
}

void run_row(const LstmRow& row, const Launch& l) {
  row.p.dtype == DType::kBF16 ? run_rows<BF16>(row, l) : run_rows<float>(row, l);
}

}  // namespace

Status register_lstm_row(Registry& registry, const simd::SimdTable* simd) {
  if (simd == nullptr) return {};
  return add_cpu_kernels(registry, {make_kernel<accepts_row, plan_row, run_row>("simd.lstm_row", "LSTM", "", simd)});
}

Status register_lstm_packing(Registry& registry) {
  return add_cpu_kernels(registry,
                         {make_kernel<accepts_pack, plan_pack, run_pack>("core.pack_lstm", "Reorder", "percale")});
}

}  // namespace percale
