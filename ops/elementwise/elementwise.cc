// Arithmetic on one, two or more operands, with broadcasting.
#include <array>
#include <cmath>
#include <vector>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/simd_kernels.h"

namespace percale {
namespace {

// ---- Gradients

Status grad_add(GradContext& g) {
  for (size_t i = 0; i < g.num_inputs(); ++i) {
    if (g.wants(i)) g.set(i, sum_to_shape_of(g, g.grad(0), g.input(i)));
  }
  return g.status();
}

Status grad_sub(GradContext& g) {
  if (g.wants(0)) g.set(0, sum_to_shape_of(g, g.grad(0), g.input(0)));
  if (g.wants(1)) g.set(1, neg(g, sum_to_shape_of(g, g.grad(0), g.input(1))));
  return g.status();
}

Status grad_mul(GradContext& g) {
  if (g.wants(0)) g.set(0, sum_to_shape_of(g, mul(g, g.grad(0), g.input(1)), g.input(0)));
  if (g.wants(1)) g.set(1, sum_to_shape_of(g, mul(g, g.grad(0), g.input(0)), g.input(1)));
  return g.status();
}

Status grad_div(GradContext& g) {
  if (!g.wants(0) && !g.wants(1)) return {};
  const ValueId share = div(g, g.grad(0), g.input(1));
  if (g.wants(0)) g.set(0, sum_to_shape_of(g, share, g.input(0)));
  if (g.wants(1)) g.set(1, neg(g, sum_to_shape_of(g, mul(g, share, g.output(0)), g.input(1))));
  return g.status();
}

// a mod b = a - b * q, where the integer q is piecewise constant.
Status grad_mod(GradContext& g) {
  if (g.wants(0)) g.set(0, sum_to_shape_of(g, g.grad(0), g.input(0)));
  if (g.wants(1)) {
    const ValueId q = g.emit("Round", {div(g, sub(g, g.input(0), g.output(0)), g.input(1))});
    g.set(1, neg(g, sum_to_shape_of(g, mul(g, g.grad(0), q), g.input(1))));
  }
  return g.status();
}

// d(x^e)/dx = e x^(e-1), 0 where e is 0. d(x^e)/de = x^e log x, 0 where x is 0 and e is not
// negative, as in PyTorch.
Status grad_pow(GradContext& g) {
  const ValueId x = g.input(0);
  const ValueId e = cast(g, g.input(1), g.dtype(x));
  const ValueId zero = scalar_like(g, x, 0);
  if (g.wants(0)) {
    const ValueId slope = mul(g, e, g.emit("Pow", {x, sub(g, e, scalar_like(g, x, 1))}));
    g.set(0, sum_to_shape_of(g, mul(g, g.grad(0), where(g, g.emit("Equal", {e, zero}), zero, slope)), x));
  }
  if (g.wants(1)) {
    const ValueId flat = g.emit("And", {g.emit("Equal", {x, zero}), g.emit("GreaterOrEqual", {e, zero})});
    const ValueId slope = mul(g, g.output(0), g.emit("Log", {x}));
    const ValueId grad = mul(g, g.grad(0), where(g, flat, zero, slope));
    g.set(1, sum_to_shape_of(g, cast(g, grad, g.dtype(g.input(1))), g.input(1)));
  }
  return g.status();
}

// Operands that tie for the extreme share its gradient equally.
Status grad_extreme(GradContext& g) {
  const ValueId y = g.output(0);
  const DType dtype = g.dtype(y);
  std::vector<ValueId> hits;
  ValueId count = kNoValue;
  for (size_t i = 0; i < g.num_inputs(); ++i) {
    hits.push_back(g.emit("Equal", {g.input(i), y}));
    const ValueId one = cast(g, hits.back(), dtype);
    count = i == 0 ? one : add(g, count, one);
  }
  const ValueId share = div(g, g.grad(0), count);
  for (size_t i = 0; i < g.num_inputs(); ++i) {
    if (g.wants(i)) g.set(i, sum_to_shape_of(g, where(g, hits[i], share, scalar_like(g, y, 0)), g.input(i)));
  }
  return g.status();
}

Status grad_mean(GradContext& g) {
  const ValueId share = div(g, g.grad(0), scalar_like(g, g.grad(0), static_cast<double>(g.num_inputs())));
  for (size_t i = 0; i < g.num_inputs(); ++i) {
    if (g.wants(i)) g.set(i, sum_to_shape_of(g, share, g.input(i)));
  }
  return g.status();
}

Status grad_neg(GradContext& g) {
  g.set(0, neg(g, g.grad(0)));
  return g.status();
}
Status grad_abs(GradContext& g) {
  g.set(0, mul(g, g.grad(0), g.emit("Sign", {g.input(0)})));
  return g.status();
}
Status grad_sqrt(GradContext& g) {
  g.set(0, div(g, mul(g, g.grad(0), scalar_like(g, g.grad(0), 0.5)), g.output(0)));
  return g.status();
}
Status grad_exp(GradContext& g) {
  g.set(0, mul(g, g.grad(0), g.output(0)));
  return g.status();
}
Status grad_log(GradContext& g) {
  g.set(0, div(g, g.grad(0), g.input(0)));
  return g.status();
}
Status grad_reciprocal(GradContext& g) {
  g.set(0, neg(g, mul(g, g.grad(0), mul(g, g.output(0), g.output(0)))));
  return g.status();
}
Status grad_sin(GradContext& g) {
  g.set(0, mul(g, g.grad(0), g.emit("Cos", {g.input(0)})));
  return g.status();
}
Status grad_cos(GradContext& g) {
  g.set(0, neg(g, mul(g, g.grad(0), g.emit("Sin", {g.input(0)}))));
  return g.status();
}

// ---- Schemas

constexpr DTypeSet kSignedOrFloat = dtypes::kFloat | dtypes::kSigned;
constexpr DTypeSet kPowBase = dtypes::kFloat | dtypes::kIndex;
constexpr uint32_t kMap = kPure | kElementwise;

constexpr OpRow unary(std::string_view name, int32_t since, DTypeSet types, std::string_view doc, GradFn grad) {
  return {.name = name,
          .since = since,
          .doc = doc,
          .inputs = {in("X", 'T', types)},
          .outputs = {out("Y", 'T')},
          .flags = kMap,
          .in_place = {InPlace{0, 0}},
          .shape = shape_same,
          .grad = grad};
}

constexpr OpRow binary(std::string_view name, int32_t since, std::string_view doc, GradFn grad, uint32_t flags = 0) {
  return {.name = name,
          .since = since,
          .doc = doc,
          .inputs = {in("A", 'T', dtypes::kNumeric), in("B", 'T', dtypes::kNumeric)},
          .outputs = {out("C", 'T')},
          .flags = kMap | flags,
          .in_place = {InPlace{0, 0}, InPlace{0, 1}},
          .shape = shape_broadcast,
          .grad = grad};
}

constexpr OpRow variadic(std::string_view name, DTypeSet types, std::string_view doc, GradFn grad) {
  return {.name = name,
          .since = 13,
          .doc = doc,
          .inputs = {in_variadic("data", 'T', types)},
          .outputs = {out("result", 'T')},
          .flags = kMap,
          .in_place = {InPlace{0, 0}},
          .shape = shape_broadcast,
          .grad = grad};
}

constexpr OpRow kSchemas[] = {
    binary("Add", 14, "A + B, broadcast; integers wrap.", grad_add, kCommutative),
    binary("Sub", 14, "A - B, broadcast; integers wrap.", grad_sub),
    binary("Mul", 14, "A * B, broadcast; integers wrap.", grad_mul, kCommutative),
    binary("Div", 14, "A / B, broadcast; integers truncate towards zero, and an integer zero in B is an error.",
           grad_div),
    {.name = "Mod",
     .since = 13,
     .doc = "The remainder of A / B, broadcast. It has the sign of B, or with fmod = 1 the sign of A; floats require "
            "fmod = 1.",
     .inputs = {in("A", 'T', dtypes::kNumeric), in("B", 'T', dtypes::kNumeric)},
     .attributes = {attr_int("fmod", 0, 0, 1)},
     .outputs = {out("C", 'T')},
     .flags = kMap,
     .in_place = {InPlace{0, 0}, InPlace{0, 1}},
     .shape = shape_broadcast,
     .grad = grad_mod},
    {.name = "Pow",
     .since = 15,
     .doc = "X to the power Y, broadcast, in the dtype of X; integers wrap.",
     .inputs = {in("X", 'T', kPowBase), in("Y", 'E', dtypes::kNumeric)},
     .outputs = {out("Z", 'T')},
     .flags = kMap,
     .in_place = {InPlace{0, 0}},
     .shape = shape_broadcast,
     .grad = grad_pow},
    variadic("Max", dtypes::kNumeric, "The greatest of the operands, broadcast; NaN if any operand is NaN.",
             grad_extreme),
    variadic("Min", dtypes::kNumeric, "The least of the operands, broadcast; NaN if any operand is NaN.", grad_extreme),
    variadic("Sum", dtypes::kFloat, "The sum of the operands from left to right, broadcast.", grad_add),
    variadic("Mean", dtypes::kFloat, "The mean of the operands, broadcast; they are summed from left to right.",
             grad_mean),
    unary("Neg", 13, kSignedOrFloat, "-X; integers wrap.", grad_neg),
    unary("Abs", 13, dtypes::kNumeric, "The absolute value of X; integers wrap.", grad_abs),
    unary("Sqrt", 13, dtypes::kFloat, "The square root of X; NaN for negative X.", grad_sqrt),
    unary("Exp", 13, dtypes::kFloat, "e to the power X.", grad_exp),
    unary("Log", 13, dtypes::kFloat, "The natural logarithm of X.", grad_log),
    unary("Reciprocal", 13, dtypes::kFloat, "1 / X.", grad_reciprocal),
    unary("Sin", 22, dtypes::kFloat, "The sine of X in radians.", grad_sin),
    unary("Cos", 22, dtypes::kFloat, "The cosine of X in radians.", grad_cos),
    unary("Sign", 13, dtypes::kNumeric, "The sign of X: -1, 0 or 1; NaN stays NaN.", grad::zero),
    unary("Floor", 13, dtypes::kFloat, "The greatest integer not above X.", grad::zero),
    unary("Ceil", 13, dtypes::kFloat, "The least integer not below X.", grad::zero),
    unary("Round", 22, dtypes::kFloat, "X rounded to the nearest integer, ties to even.", grad::zero),
};

// ---- Kernels

struct AddOp {
  template <class T>
  T operator()(T a, T b) const {
    return wrap::add(a, b);
  }
};
struct SubOp {
  template <class T>
  T operator()(T a, T b) const {
    return wrap::sub(a, b);
  }
};
struct MulOp {
  template <class T>
  T operator()(T a, T b) const {
    return wrap::mul(a, b);
  }
};
struct DivOp {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct FmodOp {
  template <class T>
  T operator()(T a, T b) const {
    return std::fmod(a, b);
  }
};
struct MaxOp {
  template <class T>
  T operator()(T a, T b) const {
    return a > b || a != a ? a : b;  // if b is NaN, the comparison is false and b is taken
  }
};
struct MinOp {
  template <class T>
  T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};
struct NegOp {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return wrap::sub(T{0}, x);
    } else {
      return -x;
    }
  }
};
struct AbsOp {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>) {
      return x;
    } else if constexpr (std::is_integral_v<T>) {
      return x < 0 ? wrap::sub(T{0}, x) : x;
    } else {
      return std::fabs(x);
    }
  }
};
struct SignOp {
  template <class T>
  T operator()(T x) const {
    if (x != x) return x;
    return static_cast<T>((x > T{0} ? 1 : 0) - (x < T{0} ? 1 : 0));
  }
};
struct SqrtOp {
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};
struct ReciprocalOp {
  template <class T>
  T operator()(T x) const {
    return T{1} / x;
  }
};
struct FloorOp {
  template <class T>
  T operator()(T x) const {
    return std::floor(x);
  }
};
struct CeilOp {
  template <class T>
  T operator()(T x) const {
    return std::ceil(x);
  }
};
struct RoundOp {
  template <class T>
  T operator()(T x) const {
    return std::nearbyint(x);
  }
};

enum class Quotient { kDiv, kFloorMod, kTruncMod };

// Integer division. A zero divisor fails the run; the lowest number divided by -1 wraps.
template <class T, Quotient kWhat>
void integer_division_row(const Row& row) {
  const T* a = row.x<T>(0);
  const T* b = row.x<T>(1);
  T* y = row.y<T>();
  constexpr auto kItem = static_cast<int64_t>(sizeof(T));
  const int64_t sa = row.stride[0] / kItem, sb = row.stride[1] / kItem;
  for (int64_t i = 0; i < row.n; ++i) {
    const T left = a[i * sa], right = b[i * sb];
    T out = 0;
    if (right == 0) {
      row.launch->fail(RunError::kDivisionByZero, row.first + i);
    } else if (std::is_signed_v<T> && right == static_cast<T>(-1)) {
      if constexpr (kWhat == Quotient::kDiv) out = wrap::sub(T{0}, left);
    } else if constexpr (kWhat == Quotient::kDiv) {
      out = static_cast<T>(left / right);
    } else {
      out = static_cast<T>(left % right);
      if (kWhat == Quotient::kFloorMod && out != 0 && (out < 0) != (right < 0)) out = static_cast<T>(out + right);
    }
    y[i] = out;
  }
}

Result<MapPlan> plan_div(const NodeView& node, KernelPlan&) {
  RowFn row = nullptr;
  dispatch(kFloatList, node.dtype(0), [&]<class T>() { row = binary_row<DivOp, T>; });
  dispatch(kIntegerList, node.dtype(0), [&]<class T>() { row = integer_division_row<T, Quotient::kDiv>; });
  return make_map(node, 2, row);
}

Status accepts_mod(const NodeView& node) {
  if (is_float(node.dtype(0)) && node.attributes.get_int("fmod") == 0) {
    return invalid_argument("fmod must be 1 for ", node.dtype(0));
  }
  return {};
}
Result<MapPlan> plan_mod(const NodeView& node, KernelPlan&) {
  RowFn row = nullptr;
  const bool fmod = node.attributes.get_int("fmod") == 1;
  dispatch(kFloatList, node.dtype(0), [&]<class T>() { row = binary_row<FmodOp, T>; });
  dispatch(kIntegerList, node.dtype(0), [&]<class T>() {
    row = fmod ? integer_division_row<T, Quotient::kTruncMod> : integer_division_row<T, Quotient::kFloorMod>;
  });
  return make_map(node, 2, row);
}

// An exponent of any dtype. Integers are kept exactly.
struct Exponent {
  double real = 0;
  bool whole = false, negative = false;
  uint64_t magnitude = 0;
};
Exponent read_exponent(DType dtype, const char* at) {
  Exponent out;
  dispatch(kNumericList, dtype, [&]<class T>() {
    const auto value = widen(*reinterpret_cast<const T*>(at));
    out.real = static_cast<double>(value);
    if constexpr (!is_float_like<T>) {
      out.whole = true;
      out.negative = value < 0;
      out.magnitude = out.negative ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    }
  });
  return out;
}

template <class T>
T integer_power(T base, const Exponent& e, const Row& row, int64_t i) {
  if (!e.whole) return saturate<T>(row.functions->pow(static_cast<double>(base), e.real));
  if (e.negative) {  // 1 / base^|e|, truncated towards zero
    if (base == 0) row.launch->fail(RunError::kDivisionByZero, row.first + i);
    if (base == 1) return 1;
    if (base == -1) return e.magnitude % 2 == 0 ? T{1} : T{-1};
    return 0;
  }
  T out = 1;
  for (uint64_t rest = e.magnitude; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) out = wrap::mul(out, base);
    base = wrap::mul(base, base);
  }
  return out;
}

struct PowOp {
  const maths::Functions& functions;
  explicit PowOp(const maths::Functions& f) : functions(f) {}
  template <class T>
  T operator()(T a, T b) const {
    return functions.pow(a, b);
  }
};

// params[0] is the dtype of the exponent.
template <class T>
void mixed_power_row(const Row& row) {
  const auto dtype = static_cast<DType>(static_cast<int32_t>(row.params[0]));
  const T* x = row.x<T>(0);
  T* y = row.y<T>();
  const int64_t sx = row.stride[0] / static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i < row.n; ++i) {
    const Exponent e = read_exponent(dtype, row.in[1] + i * row.stride[1]);
    if constexpr (is_float_like<T>) {
      y[i] = narrow<T>(static_cast<Wide<T>>(row.functions->pow(static_cast<double>(widen(x[i * sx])), e.real)));
    } else {
      y[i] = integer_power(x[i * sx], e, row, i);
    }
  }
}

inline constexpr TypeList<int32_t, int64_t> kPowIntegers;
inline constexpr auto kPowBases = kFloatList + kPowIntegers;
Result<MapPlan> plan_pow(const NodeView& node, KernelPlan&) {
  RowFn row = nullptr;
  dispatch(kPowBases, node.dtype(0), [&]<class T>() { row = mixed_power_row<T>; });
  if (node.dtype(0) == node.dtype(1)) {
    dispatch(kFloatList, node.dtype(0), [&]<class T>() { row = binary_row<PowOp, T>; });
  }
  return make_map(node, 2, row, {static_cast<double>(node.dtype(1))});
}

// ---- Many operands: the result so far is the left operand of the next step

struct DivideBy {
  double divisor;
  explicit DivideBy(const double* params) : divisor(params[0]) {}
  template <class T>
  T operator()(T x) const {
    return x / static_cast<T>(divisor);
  }
};

struct ChainPlan {
  // operands: output, left, right; with a single input: output, input
  std::vector<StridedLoop> steps;
  RowFn row = nullptr, last = nullptr;
  double count = 0;
};

Result<ChainPlan> make_chain(const NodeView& node, RowFn row, RowFn last) {
  ChainPlan plan;
  plan.row = row;
  plan.last = last;
  plan.count = static_cast<double>(node.inputs.size());
  const Shape& shape = node.output_shape(0);
  const int64_t item = item_bytes(node.dtype(0));
  const std::array<int64_t, 3> items = {item, item, item};
  if (node.inputs.size() == 1) {
    plan.row = copy_row(item);
    plan.steps.push_back(StridedLoop::broadcast(shape, std::array{node.shape(0)}, items));
  }
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    plan.steps.push_back(
        StridedLoop::broadcast(shape, std::array{i == 1 ? node.shape(0) : shape, node.shape(i)}, items));
  }
  return plan;
}

void run_chain(const ChainPlan& plan, const Launch& launch) {
  char* y = launch.out<char>(0);
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const StridedLoop& loop = plan.steps[s];
    loop.run_parallel(launch.parallel(), [&](const StridedLoop::Offsets& offsets, int64_t n, int64_t first) {
      Row row;
      row.n = n;
      row.first = first;
      row.out = y + offsets[0];
      row.in[0] = (s == 0 ? launch.in<char>(0) : y) + offsets[1];
      row.stride[0] = loop.strides[loop.rank - 1][1];
      if (loop.operands > 2) {
        row.in[1] = launch.in<char>(s + 1) + offsets[2];
        row.stride[1] = loop.strides[loop.rank - 1][2];
      }
      row.launch = &launch;
      plan.row(row);
      if (plan.last != nullptr && s + 1 == plan.steps.size()) {
        row.in[0] = row.out;
        row.params = &plan.count;
        plan.last(row);
      }
    });
  }
}

template <class Op, const auto& List, bool kMean = false>
struct ChainKernel {
  static Result<ChainPlan> plan(const NodeView& node, KernelPlan&) {
    RowFn row = nullptr, last = nullptr;
    dispatch(List, node.dtype(0), [&]<class T>() {
      row = binary_row<Op, T>;
      if constexpr (kMean) last = unary_row<DivideBy, T>;
    });
    return make_chain(node, row, last);
  }
  [[gnu::always_inline]] static Kernel make(KernelName name) {
    return make_kernel<accepts_types<List>, plan, run_chain>(name.text, name.op);
  }
};

inline constexpr auto kSignedOrFloatList = kFloatList + kSignedList;

}  // namespace

Status register_elementwise(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) PERCALE_RETURN_IF_ERROR(register_elementwise_simd(registry, *simd));
  return add_cpu_kernels(registry,
                         {
                             binary_kernel<AddOp, kNumericList>("portable.Add"),
                             binary_kernel<SubOp, kNumericList>("portable.Sub"),
                             binary_kernel<MulOp, kNumericList>("portable.Mul"),
                             make_kernel<accepts_types<kNumericList>, plan_div, run_map>("portable.Div", "Div"),
                             make_kernel<accepts_mod, plan_mod, run_map>("portable.Mod", "Mod"),
                             make_kernel<accepts_types<kPowBases>, plan_pow, run_map>("portable.Pow", "Pow"),
                             ChainKernel<MaxOp, kNumericList>::make("portable.Max"),
                             ChainKernel<MinOp, kNumericList>::make("portable.Min"),
                             ChainKernel<AddOp, kFloatList>::make("portable.Sum"),
                             ChainKernel<AddOp, kFloatList, true>::make("portable.Mean"),
                             unary_kernel<NegOp, kSignedOrFloatList>("portable.Neg"),
                             unary_kernel<AbsOp, kNumericList>("portable.Abs"),
                             unary_kernel<SqrtOp, kFloatList>("portable.Sqrt"),
                             unary_kernel<ElementaryOp<&maths::Functions::exp>, kFloatList>("portable.Exp"),
                             unary_kernel<ElementaryOp<&maths::Functions::log>, kFloatList>("portable.Log"),
                             unary_kernel<ReciprocalOp, kFloatList>("portable.Reciprocal"),
                             unary_kernel<ElementaryOp<&maths::Functions::sin>, kFloatList>("portable.Sin"),
                             unary_kernel<ElementaryOp<&maths::Functions::cos>, kFloatList>("portable.Cos"),
                             unary_kernel<SignOp, kNumericList>("portable.Sign"),
                             unary_kernel<FloorOp, kFloatList>("portable.Floor"),
                             unary_kernel<CeilOp, kFloatList>("portable.Ceil"),
                             unary_kernel<RoundOp, kFloatList>("portable.Round"),
                         });
}

}  // namespace percale
