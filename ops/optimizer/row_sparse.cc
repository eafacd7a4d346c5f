// Row-sparse gradients (row numbers and a value for each row), and the optimizer steps that touch
// only these rows.
#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "core/base/checked.h"
#include "core/registry/shape_context.h"
#include "devices/cpu/simd/simd.h"
#include "ops/optimizer/optimizer_step.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

// ---- Shapes

Status shape_sum_rows(ShapeContext& c) {
  const Shape &rows = c.shape(0), &values = c.shape(1);
  if (rows.known_rank() && rows.rank() != 1) return c.error("rows have shape ", rows, ", wanted [count]");
  int64_t count = rows.known_rank() ? rows[0] : -1;
  Shape sums = values;
  if (values.known_rank()) {
    if (values.rank() == 0) return c.error("values are a scalar, wanted [count, ...]");
    if (count >= 0 && values[0] >= 0 && values[0] != count) {
      return c.error("there are ", count, " rows, but values are ", values);
    }
    count = std::max(count, values[0]);
    sums[0] = count;
  }
  c.set_output(0, DType::kI64, Shape{count});
  c.set_output(1, c.dtype(1), sums);
  return {};
}

// Inputs: param, rows, grad, slots, scalars. Slots have the parameter's shape, and the gradient
// differs from it only in its first dim.
Status shape_sparse_step(ShapeContext& c) {
  const Shape &rows = c.shape(1), &grad = c.shape(2);
  Shape param = c.shape(0);
  if (rows.known_rank() && rows.rank() != 1) return c.error("rows have shape ", rows, ", wanted [count]");
  if (param.known_rank() && param.rank() == 0)
    return c.error("the parameter is a scalar and has no rows; wanted rank 1 or more");
  if (param.known_rank() && grad.known_rank()) {
    Shape want = param;
    want[0] = rows.known_rank() ? rows[0] : -1;
    if (!compatible(want, grad)) return c.error("grad has shape ", grad, ", wanted ", want, " for a parameter ", param);
  }
  for (size_t i = 3; i < c.num_inputs(); ++i) {
    if (!c.has_input(i)) continue;
    const bool slot = c.schema.input(i).group == 'T';
    if (!compatible(slot ? param : Shape{}, c.shape(i))) {
      return c.error("'", c.schema.input(i).name, "' has shape ", c.shape(i),
                     slot ? ", but the parameter has " : ", wanted ", slot ? param : Shape{});
    }
    if (slot) param = merge(param, c.shape(i));
  }
  for (size_t i = 0; i < c.outputs.size(); ++i) c.set_output(i, c.dtype(0), param);
  return {};
}

// ---- Schemas

constexpr InputSpec kRows = in("rows", 0, dtypes::kI64Only);

constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "SumRows",
     .doc = "Sums values [count, ...] that have the same row number, in their order. The outputs are the distinct row "
            "numbers in ascending order and their sums; unused rows at the end are -1 and zeros. Negative row numbers "
            "are ignored.",
     .inputs = {kRows, in("values", 'T', dtypes::kFloat)},
     .outputs = {out("unique", dtypes::kI64Only), out("sums", 'T')},
     .shape = shape_sum_rows,
     .grad = grad::none},
    {.domain = "percale",
     .name = "SparseApplySGD",
     .doc = "ApplySGD for the rows of param that `rows` lists, as SumRows returns them. Other rows are neither read "
            "nor written. The result equals ApplySGD with zero gradients for the other rows.",
     .inputs = {kParam, kRows, kGrad, kLearningRate, kGradScale},
     .outputs = {out("new_param", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = shape_sparse_step,
     .grad = grad::none},
    {.domain = "percale",
     .name = "SparseApplyMomentum",
     .doc = "ApplyMomentum for the rows of param and buffer that `rows` lists, as SumRows returns them (TensorFlow's "
            "SparseApplyMomentum). The momentum of other rows does not change.",
     .inputs = {kParam, kRows, kGrad, in("buffer", 'T', dtypes::kFloat), kLearningRate, kGradScale},
     .attributes = {attr_float("momentum", 0.9, 0), attr_int("nesterov", 0, 0, 1)},
     .outputs = {out("new_param", 'T'), out("new_buffer", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 3}},
     .shape = shape_sparse_step,
     .grad = grad::none},
    {.domain = "percale",
     .name = "SparseApplyAdam",
     .doc = "ApplyAdam for the rows of param, m and v that `rows` lists, as SumRows returns them (PyTorch's "
            "SparseAdam). The moments of other rows do not decay; the step applies to all rows.",
     .inputs = {kParam, kRows, kGrad, in("m", 'T', dtypes::kFloat), in("v", 'T', dtypes::kFloat), kLearningRate, kStep,
                kGradScale},
     .attributes = {attr_float("beta1", 0.9, 0, 1), attr_float("beta2", 0.999, 0, 1), attr_float("epsilon", 1e-8, 0)},
     .outputs = {out("new_param", 'T'), out("new_m", 'T'), out("new_v", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 3}, InPlace{2, 4}},
     .shape = shape_sparse_step,
     .grad = grad::none},
    {.domain = "percale",
     .name = "SparseApplyAdagrad",
     .doc = "ApplyAdagrad for the rows of param and square that `rows` lists, as SumRows returns them. Other rows are "
            "neither read nor written. The result equals ApplyAdagrad with zero gradients for the other rows.",
     .inputs = {kParam, kRows, kGrad, in("square", 'T', dtypes::kFloat), kLearningRate, kGradScale},
     .attributes = {attr_float("epsilon", 1e-10, 0)},
     .outputs = {out("new_param", 'T'), out("new_square", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 3}},
     .shape = shape_sparse_step,
     .grad = grad::none},
    {.domain = "percale",
     .name = "SparseApplyFtrl",
     .doc = "ApplyFtrl for the rows of param, accumulator and linear that `rows` lists, as SumRows returns them "
            "(TensorFlow's SparseApplyFtrl).",
     .inputs = {kParam, kRows, kGrad, in("accumulator", 'T', dtypes::kFloat), in("linear", 'T', dtypes::kFloat),
                kLearningRate, kGradScale},
     .attributes = {attr_float("learning_rate_power", -0.5, -1e6, 0), attr_float("l1", 0, 0), attr_float("l2", 0, 0),
                    attr_float("l2_shrinkage", 0, 0), attr_float("beta", 0, 0)},
     .outputs = {out("new_param", 'T'), out("new_accumulator", 'T'), out("new_linear", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 3}, InPlace{2, 4}},
     .shape = shape_sparse_step,
     .grad = grad::none},
};

// ---- SumRows

// A row number and the index of its value.
struct Keyed {
  int64_t row, at;
};

struct SumPlan {
  DType dtype = DType::kInvalid;
  int64_t count = 0, width = 0;
  int64_t other = 0, starts = 0;  // offsets in scratch: the second list, the starts of the segments
};

Result<SumPlan> plan_sum_rows(const NodeView& v, KernelPlan& plan) {
  SumPlan p{.dtype = v.dtype(1), .count = v.shape(0)[0], .width = v.shape(1).product(1, v.shape(1).rank())};
  constexpr int64_t kItem = sizeof(Keyed);
  const CheckedSize list = CheckedSize(p.count) * kItem, starts = list * 2,
                    end = starts + (CheckedSize(p.count) + 1) * 8;
  if (!end.valid()) return resource_exhausted("the list of rows exceeds 2^63 bytes");
  p.other = list.value();
  p.starts = starts.value();
  plan.scratch_bytes = end.value();
  return p;
}

// Sorts by row with a stable radix sort, from the lowest digit to the highest one in use. Returns
// `from` or `to`, whichever holds the result.
Keyed* sort_rows(Keyed* from, Keyed* to, int64_t count, int64_t greatest) {
  constexpr int kBits = 11;
  constexpr size_t kDigits = size_t{1} << kBits;
  for (int shift = 0; shift < 64 && greatest >> shift > 0; shift += kBits) {
    const auto digit = [shift](const Keyed& k) { return static_cast<size_t>(k.row >> shift) & (kDigits - 1); };
    std::array<int64_t, kDigits> place{};
    for (int64_t i = 0; i < count; ++i) ++place[digit(from[i])];
    int64_t next = 0;
    for (int64_t& p : place) {
      const int64_t own = p;
      p = next;
      next += own;
    }
    for (int64_t i = 0; i < count; ++i) to[place[digit(from[i])]++] = from[i];
    std::swap(from, to);
  }
  return from;
}

template <class T>
void sum_segments(const SumPlan& p, const Launch& l, const Keyed* sorted, const int64_t* starts, int64_t segments) {
  const T* values = l.in<T>(1);
  T* sums = l.out<T>(1);
  const int64_t pieces = piece_count(p.count, static_cast<double>(p.width));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.count, pieces, piece);
    for (int64_t s = range.begin; s < range.end; ++s) {
      T* to = sums + s * p.width;
      std::fill_n(to, p.width, T{});
      if (s >= segments) continue;
      for (int64_t i = starts[s]; i < starts[s + 1]; ++i) {
        const T* from = values + sorted[i].at * p.width;
        for (int64_t c = 0; c < p.width; ++c) to[c] += from[c];
      }
    }
  });
}

void run_sum_rows(const SumPlan& p, const Launch& l) {
  const int64_t* rows = l.in<int64_t>(0);
  int64_t* unique = l.out<int64_t>(0);
  char* scratch = l.scratch<char>();
  auto* first = reinterpret_cast<Keyed*>(scratch);
  auto* starts = reinterpret_cast<int64_t*>(scratch + p.starts);
  int64_t given = 0, greatest = 0;
  for (int64_t i = 0; i < p.count; ++i) {
    if (rows[i] < 0) continue;
    first[given++] = {rows[i], i};
    greatest = std::max(greatest, rows[i]);
  }
  const Keyed* sorted = sort_rows(first, reinterpret_cast<Keyed*>(scratch + p.other), given, greatest);
  int64_t segments = 0;
  for (int64_t i = 0; i < given; ++i) {
    if (i > 0 && sorted[i].row == sorted[i - 1].row) continue;
    starts[segments] = i;
    unique[segments++] = sorted[i].row;
  }
  starts[segments] = given;
  std::fill(unique + segments, unique + p.count, -1);
  with_float(p.dtype, [&]<class T>() { sum_segments<T>(p, l, sorted, starts, segments); });
}

// ---- Steps

struct SparsePlan {
  StepPlan step;
  // rows and row size of the parameter; number of row numbers
  int64_t rows = 0, width = 0, count = 0;
  const simd::OptimizerFns* fns = nullptr;
};

template <Rule kRule>
Result<SparsePlan> plan_sparse(const NodeView& v, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(const StepPlan step, make_step(kRule, v));
  const Shape& param = v.shape(0);
  return SparsePlan{step, param[0], param.product(1, param.rank()), v.shape(1)[0]};
}
template <Rule kRule>
Result<SparsePlan> plan_simd_sparse(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(SparsePlan p, plan_sparse<kRule>(v, plan));
  p.fns = static_cast<const simd::SimdTable*>(plan.user)->optimizer;
  return p;
}

// Returns the number of rows before the trailing -1 entries. If a row is out of range or the rows
// do not increase, the function fails the run and returns -1.
int64_t rising_rows(const SparsePlan& p, const Launch& l) {
  const int64_t* rows = l.in<int64_t>(1);
  int64_t given = 0;
  while (given < p.count && rows[given] >= 0) ++given;
  for (int64_t i = 0; i < p.count; ++i) {
    if (i < given ? rows[i] < p.rows && (i == 0 || rows[i] > rows[i - 1]) : rows[i] < 0) continue;
    l.fail(RunError::kIndexOutOfRange, rows[i]);
    return -1;
  }
  return given;
}

template <class T>
void run_sparse_of(const SparsePlan& p, const Launch& l) {
  StepNumbers numbers;
  if (!read_numbers(p.step, l, numbers)) return;
  const int64_t given = rising_rows(p, l);
  if (given < 0) return;
  const int64_t* rows = l.in<int64_t>(1);
  const StepSpans<T> all = step_spans<T>(p.step, l, 2);
  all.begin_as_inputs(p.step.size);
  const int64_t pieces = piece_count(given, work_of(8, p.width));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(given, pieces, piece);
    for (int64_t i = range.begin; i < range.end; ++i) {
      const StepSpans<T> row = all.from(i * p.width, rows[i] * p.width);
      if constexpr (std::is_same_v<T, float>) {
        if (p.fns != nullptr) {
          apply_simd_step(*p.fns, p.step, numbers, row, p.width);
          continue;
        }
      }
      apply_step<T>(p.step, numbers, row, p.width);
    }
  });
}

void run_sparse(const SparsePlan& p, const Launch& l) {
  with_float(p.step.dtype, [&]<class T>() { run_sparse_of<T>(p, l); });
}

template <Rule kRule>
[[gnu::always_inline]] inline Status add_sparse(Registry& registry, const simd::SimdTable* simd, OpName op,
                                                const char* fast, const char* portable, const char* widened) {
  if (simd != nullptr) {
    PERCALE_RETURN_IF_ERROR(registry.add_kernel(
        "cpu", make_kernel<&accepts_simd_step, &plan_simd_sparse<kRule>, &run_sparse>(fast, op, "percale", simd)));
  }
  return add_float_kernels<&plan_sparse<kRule>, &run_sparse>(registry, op, "percale", portable, widened);
}

}  // namespace

Status register_row_sparse(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_sum_rows, &run_sum_rows>(
      registry, "SumRows", "percale", "portable.SumRows", "portable.SumRows_widened")));
  PERCALE_RETURN_IF_ERROR(add_sparse<Rule::kSGD>(registry, simd, "SparseApplySGD", "simd.sparse_apply_sgd",
                                                 "portable.sparse_apply_sgd", "portable.sparse_apply_sgd_widened"));
  PERCALE_RETURN_IF_ERROR(add_sparse<Rule::kMomentum>(registry, simd, "SparseApplyMomentum",
                                                      "simd.sparse_apply_momentum", "portable.sparse_apply_momentum",
                                                      "portable.sparse_apply_momentum_widened"));
  PERCALE_RETURN_IF_ERROR(add_sparse<Rule::kAdam>(registry, simd, "SparseApplyAdam", "simd.sparse_apply_adam",
                                                  "portable.sparse_apply_adam", "portable.sparse_apply_adam_widened"));
  PERCALE_RETURN_IF_ERROR(add_sparse<Rule::kAdagrad>(registry, simd, "SparseApplyAdagrad", "simd.sparse_apply_adagrad",
                                                     "portable.sparse_apply_adagrad",
                                                     "portable.sparse_apply_adagrad_widened"));
  return add_sparse<Rule::kFtrl>(registry, simd, "SparseApplyFtrl", "simd.sparse_apply_ftrl",
                                 "portable.sparse_apply_ftrl", "portable.sparse_apply_ftrl_widened");
}

}  // namespace percale
