// SIMD kernels of reductions, ArgMax, ArgMin and Transpose.
#include <algorithm>
#include <array>
#include <limits>

#include "core/base/checked.h"
#include "ops/support/kernel_util.h"
#include "ops/support/simd_kernels.h"
#include "ops/support/strided_copy.h"

namespace percale {
namespace {

// ---- Reductions

// The form of the input after dims of 1 are dropped and adjacent dims of the same kind are merged.
// If results must not depend on the size of the batch, kept dims of 1 stay, because one may be the
// batch.
enum class Form : uint8_t {
  kAll,              // all dims are reduced
  kRows,             // [kept, reduced]
  kColumns,          // [kept, reduced, kept]; the first may be 1
  kRowsThenColumns,  // [reduced, kept, reduced]: the rows first, into scratch
};

struct ReducePlan {
  Form form = Form::kAll;
  const simd::ReduceFnsOf<float>* fns = nullptr;
  simd::Reduce op = simd::Reduce::kSum;
  int64_t outer = 1, rows = 1, cols = 1;
  int64_t pieces = 1;         // kColumns: number of parallel parts of `outer`
  int64_t piece_scratch = 0;  // bytes of scratch per piece
  simd::RowOrder order = simd::RowOrder::kFastest;
};

struct Runs {
  std::array<int64_t, kMaxRank> sizes{};
  std::array<bool, kMaxRank> reduced{};
  size_t count = 0;
};
Runs runs_of(const NodeView& node, const std::array<bool, kMaxRank>& mask) {
  const Shape& x = node.shape(0);
  Runs out;
  for (size_t d = 0; d < x.rank(); ++d) {
    if (x[d] == 1 && (mask[d] || !node.numerics.batch_invariant)) continue;
    if (out.count > 0 && out.reduced[out.count - 1] == mask[d]) {
      out.sizes[out.count - 1] *= x[d];
    } else {
      out.sizes[out.count] = x[d];
      out.reduced[out.count++] = mask[d];
    }
  }
  return out;
}

Status accepts_reduce(const NodeView& node) {
  if (node.dtype(0) != DType::kF32) return unimplemented("requires f32");
  if (node.shape(0).num_elements() == 0) return unimplemented("requires at least one element");
  PERCALE_ASSIGN_OR_RETURN(const auto mask, reduction_mask(node));
  const Runs runs = runs_of(node, mask);
  if (runs.count > 3) return unimplemented("reduced and kept dims alternate more than twice");
  if (runs.count == 0 || (runs.count == 1 && !runs.reduced[0])) return unimplemented("reduces no axis");
  return {};
}

Result<ReducePlan> make_reduce(const NodeView& node, simd::Reduce op, KernelPlan& booked) {
  PERCALE_ASSIGN_OR_RETURN(const auto mask, reduction_mask(node));
  const Runs runs = runs_of(node, mask);
  ReducePlan plan;
  if (node.numerics.batch_invariant) plan.order = simd::RowOrder::kByRows;
  plan.op = op;
  plan.fns = &static_cast<const simd::SimdTable*>(booked.user)->reduce->f32;
  const auto& sizes = runs.sizes;
  if (runs.count == 1) {
    plan.form = Form::kAll;
    plan.cols = sizes[0];
    booked.scratch_bytes = plan.fns->all_scratch_bytes(plan.cols);
  } else if (runs.count == 2 && !runs.reduced[0]) {
    plan.form = Form::kRows;
    plan.rows = sizes[0];
    plan.cols = sizes[1];
  } else if (runs.count == 3 && runs.reduced[0]) {
    plan.form = Form::kRowsThenColumns;
    plan.outer = sizes[0];
    plan.rows = sizes[1];
    plan.cols = sizes[2];
    const int64_t parts = round_up(plan.outer * plan.rows * int64_t{sizeof(float)}, kAlignment);
    booked.scratch_bytes = parts + plan.fns->along_cols_scratch_bytes(plan.outer, plan.rows, plan.order);
  } else {
    plan.form = Form::kColumns;
    const size_t first = runs.count - 2;
    plan.outer = runs.count == 3 ? sizes[0] : 1;
    plan.rows = sizes[first];
    plan.cols = sizes[first + 1];
    plan.pieces = std::min(plan.outer, pieces_for(node.shape(0).num_elements()));
    plan.piece_scratch = round_up(plan.fns->along_cols_scratch_bytes(plan.rows, plan.cols, plan.order), kAlignment);
    booked.scratch_bytes = plan.pieces * plan.piece_scratch;
  }
  return plan;
}

void run_reduce(const ReducePlan& plan, const Launch& launch) {
  const float* x = launch.in<float>(0);
  float* y = launch.out<float>(0);
  char* scratch = launch.scratch<char>();
  switch (plan.form) {
    case Form::kAll: return plan.fns->all(plan.op, x, plan.cols, y, scratch, launch.parallel());
    case Form::kRows: return plan.fns->along_rows(plan.op, x, plan.rows, plan.cols, plan.cols, y, launch.parallel());
    case Form::kRowsThenColumns: {
      // The mean of the means of equal parts is the overall mean.
      auto* parts = reinterpret_cast<float*>(scratch);
      const int64_t bytes = round_up(plan.outer * plan.rows * int64_t{sizeof(float)}, kAlignment);
      plan.fns->along_rows(plan.op, x, plan.outer * plan.rows, plan.cols, plan.cols, parts, launch.parallel());
      return plan.fns->along_cols(plan.op, parts, plan.outer, plan.rows, plan.rows, plan.order, y, scratch + bytes,
                                  launch.parallel());
    }
    case Form::kColumns: break;
  }
  // Several matrices run in parallel, each on one thread. A single matrix is cut within.
  launch.parallel()(plan.pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.outer, plan.pieces, piece);
    for (int64_t i = range.begin; i < range.end; ++i) {
      plan.fns->along_cols(plan.op, x + i * plan.rows * plan.cols, plan.rows, plan.cols, plan.cols, plan.order,
                           y + i * plan.cols, scratch + piece * plan.piece_scratch,
                           plan.pieces == 1 ? launch.parallel() : ParallelFor{});
    }
  });
}

template <simd::Reduce kOp>
Result<ReducePlan> plan_reduce(const NodeView& node, KernelPlan& booked) {
  return make_reduce(node, kOp, booked);
}
template <simd::Reduce kOp>
[[gnu::always_inline]] inline Kernel reduction(KernelName name, const simd::SimdTable& simd, const char* domain = "") {
  return make_kernel<accepts_reduce, plan_reduce<kOp>, run_reduce>(name.text, name.op, domain, &simd);
}

// ---- ArgMax and ArgMin

struct ArgPlan {
  decltype(simd::ReduceFns::argmax_rows) fn = nullptr;
  int64_t rows = 0, cols = 0;
};
Result<size_t> arg_axis(const NodeView& node) {
  return normalize_axis(node.attributes.get_int("axis"), node.shape(0).rank());
}
Status accepts_arg(const NodeView& node) {
  if (node.dtype(0) != DType::kF32) return unimplemented("requires f32");
  if (node.attributes.get_int("select_last_index") != 0) return unimplemented("requires select_last_index 0");
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, arg_axis(node));
  if (node.shape(0).product(axis + 1, node.shape(0).rank()) != 1) return unimplemented("requires the innermost dim");
  return {};
}
template <bool kMax>
Result<ArgPlan> plan_arg(const NodeView& node, KernelPlan& booked) {
  const auto& fns = *static_cast<const simd::SimdTable*>(booked.user)->reduce;
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, arg_axis(node));
  return ArgPlan{kMax ? fns.argmax_rows : fns.argmin_rows, node.shape(0).product(0, axis), node.shape(0)[axis]};
}
void run_arg(const ArgPlan& plan, const Launch& launch) {
  plan.fn(launch.in<float>(0), plan.rows, plan.cols, plan.cols, launch.out<int64_t>(0), launch.parallel());
}

// ---- Transpose

struct TransposePlan {
  decltype(simd::TransposeFns::transpose32) fn = nullptr;
  int64_t batch = 1, rows = 1, cols = 1;
};

// Expresses the node as a batch of transposed matrices: [batch, rows, cols] -> [batch, cols, rows].
Result<TransposePlan> as_matrices(const NodeView& node) {
  const Shape& x = node.shape(0);
  if (item_bytes(node.dtype(0)) != 4) return unimplemented("requires elements of 4 bytes");
  if (x.num_elements() == 0) return unimplemented("requires at least one element");
  // Runs of input dims that stay adjacent, in the order of the output.
  std::array<size_t, kMaxRank> first{}, last{};
  size_t runs = 0;
  const auto& perm = node.attributes.get_ints("perm");
  size_t previous = kMaxRank;  // the previous input dim that is not 1
  const auto next_of = [&](size_t axis) {
    for (++axis; axis < x.rank() && x[axis] == 1;) ++axis;
    return axis;
  };
  for (size_t d = 0; d < x.rank(); ++d) {
    const size_t axis = node.attributes.contains("perm") ? static_cast<size_t>(perm[d]) : x.rank() - 1 - d;
    if (x[axis] == 1) continue;
    if (previous == kMaxRank || next_of(previous) != axis) {
      if (runs == 3) return unimplemented("requires a transpose of matrices");
      first[runs++] = axis;
    }
    last[runs - 1] = axis;
    previous = axis;
  }
  const auto size = [&](size_t run) { return x.product(first[run], last[run] + 1); };
  if (runs == 2) return TransposePlan{nullptr, 1, size(1), size(0)};
  if (runs == 3 && first[0] < first[2] && first[2] < first[1]) {
    return TransposePlan{nullptr, size(0), size(2), size(1)};
  }
  return unimplemented("requires a transpose of matrices");
}
Status accepts_transpose(const NodeView& node) { return as_matrices(node).status(); }
Result<TransposePlan> plan_transpose(const NodeView& node, KernelPlan& booked) {
  PERCALE_ASSIGN_OR_RETURN(TransposePlan plan, as_matrices(node));
  plan.fn = static_cast<const simd::SimdTable*>(booked.user)->transpose->transpose32;
  return plan;
}
void run_transpose(const TransposePlan& plan, const Launch& launch) {
  plan.fn(launch.in<char>(0), plan.batch, plan.rows, plan.cols, launch.out<char>(0), launch.parallel());
}

}  // namespace

Status register_reduce_simd(Registry& registry, const simd::SimdTable& simd) {
  using simd::Reduce;
  return add_cpu_kernels(registry, {
                                       reduction<Reduce::kSum>("simd.ReduceSum", simd),
                                       reduction<Reduce::kMean>("simd.ReduceMean", simd),
                                       reduction<Reduce::kMax>("simd.ReduceMax", simd),
                                       reduction<Reduce::kMin>("simd.ReduceMin", simd),
                                       reduction<Reduce::kSum>("simd.SumToShape", simd, "percale"),
                                   });
}

Status register_argextreme_simd(Registry& registry, const simd::SimdTable& simd) {
  return add_cpu_kernels(registry,
                         {
                             make_kernel<accepts_arg, plan_arg<true>, run_arg>("simd.ArgMax", "ArgMax", "", &simd),
                             make_kernel<accepts_arg, plan_arg<false>, run_arg>("simd.ArgMin", "ArgMin", "", &simd),
                         });
}

Status register_layout_simd(Registry& registry, const simd::SimdTable& simd) {
  return add_cpu_kernels(registry, {make_kernel<accepts_transpose, plan_transpose, run_transpose>(
                                       "simd.Transpose", "Transpose", "", &simd)});
}

}  // namespace percale
