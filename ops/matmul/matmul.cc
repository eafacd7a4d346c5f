// Matrix products.
#include <limits>
#include <type_traits>

#include "core/graph/emit/gradient.h"
#include "core/registry/flops_context.h"
#include "ops/matmul/matmul_kernels.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

Status matmul_shape(ShapeContext& c);
Status gemm_shape(ShapeContext& c);
Status matmul_grad(GradContext& g);
Status batch_matmul_grad(GradContext& g);
Status gemm_grad(GradContext& g);
double matrix_product_flops(const FlopsContext& c);

constexpr DTypeSet kMatMulTypes = dtypes::kFloat | DTypeSet::of(DType::kI32, DType::kI64, DType::kU32, DType::kU64);

constexpr OpRow kSchemas[] = {
    {.name = "MatMul",
     .since = 13,
     .doc = "Matrix product as numpy.matmul: the last two dims are matrices, and the others broadcast. A rank-1 "
            "operand is a row on the left, a column on the right.",
     .inputs = {in("A", 'T', kMatMulTypes), in("B", 'T', kMatMulTypes)},
     .outputs = {out("Y", 'T')},
     .shape = &matmul_shape,
     .grad = &matmul_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kProduct},
                .fusion = {FusionRule::Kind::kProduct},
                .split = SplitRule::kProduct,
                .flops = &matrix_product_flops}},
    {.name = "Gemm",
     .since = 13,
     .doc = "Y = alpha * A' * B' + beta * C for matrices; A' and B' are A and B, transposed if transA or transB is "
            "set, and C broadcasts to Y.",
     .inputs = {in("A", 'T', kMatMulTypes), in("B", 'T', kMatMulTypes), in_opt("C", 'T', kMatMulTypes)},
     .attributes = {attr_float("alpha", 1), attr_float("beta", 1), attr_int("transA", 0), attr_int("transB", 0)},
     .outputs = {out("Y", 'T')},
     .shape = &gemm_shape,
     .grad = &gemm_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kProduct},
                .fusion = {FusionRule::Kind::kProduct},
                .split = SplitRule::kProduct,
                .flops = &matrix_product_flops}},
    {.domain = "percale",
     .name = "BatchMatMul",
     .doc = "MatMul of operands of rank 2 or more, with the matrices of A or B transposed if the attributes say so.",
     .inputs = {in("A", 'T', kMatMulTypes), in("B", 'T', kMatMulTypes)},
     .attributes = {attr_int("transA", 0, 0, 1), attr_int("transB", 0, 0, 1)},
     .outputs = {out("Y", 'T')},
     .shape = &matmul_shape,
     .grad = &batch_matmul_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kProduct}, .flops = &matrix_product_flops}},
};

// A multiplication and an addition per element of the result and per element of the inner dim.
double matrix_product_flops(const FlopsContext& c) {
  const size_t inner = c.attributes.get_int("transA") != 0 ? 2 : 1;
  return 2 * FlopsContext::elements(c.output(0)) * FlopsContext::dim(c.input(0), inner);
}

Status inner_sizes_differ(int64_t inner_a, int64_t inner_b, const Shape& a, const Shape& b) {
  return invalid_argument("inner sizes differ: ", inner_a, " and ", inner_b, " (lhs ", a, ", rhs ", b, ")");
}

// Shape function of MatMul and BatchMatMul.
Status matmul_shape(ShapeContext& c) {
  const Shape &a = c.shape(0), &b = c.shape(1);
  const bool plain = c.schema.name == "MatMul", known = a.known_rank() && b.known_rank();
  if (known && !plain && (a.rank() < 2 || b.rank() < 2)) {
    return c.error("operands need rank 2 or more, got ", a, " and ", b);
  }
  const auto y = product_shape(a, b, c.attributes.get_int("transA") != 0, c.attributes.get_int("transB") != 0);
  if (!y.ok()) return c.error(y.status());
  c.set_output(0, c.dtype(0), *y);
  return {};
}

Status gemm_shape(ShapeContext& c) {
  const Shape &a = c.shape(0), &b = c.shape(1);
  Shape y{kUnknownDim, kUnknownDim};
  const bool trans_a = c.attributes.get_int("transA") != 0, trans_b = c.attributes.get_int("transB") != 0;
  if ((a.known_rank() && a.rank() != 2) || (b.known_rank() && b.rank() != 2)) {
    return c.error("operands must be matrices, got ", a, " and ", b);
  }
  if (a.known_rank()) y[0] = a[trans_a ? 1 : 0];
  if (b.known_rank()) y[1] = b[trans_b ? 0 : 1];
  if (a.known_rank() && b.known_rank()) {
    const int64_t ka = a[trans_a ? 0 : 1], kb = b[trans_b ? 1 : 0];
    if (ka >= 0 && kb >= 0 && ka != kb) return c.error(inner_sizes_differ(ka, kb, a, b));
  }
  if (c.has_input(2) && c.shape(2).known_rank()) {
    const Shape& bias = c.shape(2);
    const auto sum = broadcast(y, bias);
    if (!sum.ok() || bias.rank() > 2 || (y.is_static() && !(*sum == y))) {
      return c.error("C ", bias, " does not broadcast to ", y);
    }
  }
  c.set_output(0, c.dtype(0), y);
  return {};
}

// Reduces the gradient `grad` of a broadcast operand to the shape of `input`. No reduction is
// needed if neither operand has batch dims.
ValueId reduced(GradContext& g, ValueId grad, ValueId input, bool same_batch) {
  return same_batch ? grad : sum_to_shape_of(g, grad, input);
}

// True for A [..., m, k] and W [k, n] of known rank. Then dW = A^T dY is one product over all rows.
bool is_dense_layer(const Shape& a, const Shape& b) {
  return a.known_rank() && b.known_rank() && a.rank() >= 2 && b.rank() == 2 && a.back() > 0 && b[1] > 0;
}

ValueId as_matrix(GradContext& g, ValueId value, int64_t columns) {
  if (g.shape(value).rank() == 2) return value;
  return g.emit("Reshape", {value, g.ints({-1, columns})});
}

Status matmul_grad(GradContext& g) {
  ValueId dy = g.grad(0);
  if (dy == kNoValue) return {};
  ValueId a = g.input(0), b = g.input(1);
  const Shape sa = g.shape(a), sb = g.shape(b);
  if (!sa.known_rank() || !sb.known_rank()) {
    return unimplemented("MatMul '", g.node().name, "': its gradient requires operands of known rank");
  }
  if (is_dense_layer(sa, sb)) {
    if (g.wants(0)) {
      g.set(0, sa.rank() == 2 ? g.emit("Gemm", {dy, b}, {{"transB", 1}})
                              : g.emit("percale:BatchMatMul", {dy, b}, {{"transB", 1}}));
    }
    if (g.wants(1)) {
      g.set(1, g.emit("Gemm", {as_matrix(g, a, sa.back()), as_matrix(g, dy, sb[1])}, {{"transA", 1}}));
    }
    return g.status();
  }
  // Rank-1 operands become a row and a column, and dY gets the dims that they lack.
  if (sb.rank() == 1) {
    b = g.emit("Unsqueeze", {b, g.ints({1})});
    dy = g.emit("Unsqueeze", {dy, g.ints({-1})});
  }
  if (sa.rank() == 1) {
    a = g.emit("Unsqueeze", {a, g.ints({0})});
    dy = g.emit("Unsqueeze", {dy, g.ints({-2})});
  }
  const bool none = sa.rank() <= 2 && sb.rank() <= 2;
  if (g.wants(0)) {
    ValueId da = reduced(g, g.emit("percale:BatchMatMul", {dy, b}, {{"transB", 1}}), a, none);
    if (sa.rank() == 1) da = g.emit("Squeeze", {da, g.ints({0})});
    g.set(0, da);
  }
  if (g.wants(1)) {
    ValueId db = reduced(g, g.emit("percale:BatchMatMul", {a, dy}, {{"transA", 1}}), b, none);
    if (sb.rank() == 1) db = g.emit("Squeeze", {db, g.ints({1})});
    g.set(1, db);
  }
  return g.status();
}

// A product of two values, each of which may be transposed.
struct Term {
  ValueId left, right;
  bool trans_left, trans_right;
  Attributes attributes() const { return {{"transA", trans_left}, {"transB", trans_right}}; }
};
// dA = dY op(B)^T and dB = op(A)^T dY, transposed as A and B are stored.
Term grad_a(const GradContext& g, ValueId dy) {
  const bool trans_a = g.attributes().get_int("transA") != 0, trans_b = g.attributes().get_int("transB") != 0;
  if (trans_a) return {g.input(1), dy, trans_b, true};
  return {dy, g.input(1), false, !trans_b};
}
Term grad_b(const GradContext& g, ValueId dy) {
  const bool trans_a = g.attributes().get_int("transA") != 0, trans_b = g.attributes().get_int("transB") != 0;
  if (trans_b) return {dy, g.input(0), true, trans_a};
  return {g.input(0), dy, !trans_a, false};
}

Status batch_matmul_grad(GradContext& g) {
  const ValueId dy = g.grad(0);
  if (dy == kNoValue) return {};
  const Shape sa = g.shape(g.input(0)), sb = g.shape(g.input(1));
  const bool none = sa.known_rank() && sb.known_rank() && sa.rank() == 2 && sb.rank() == 2;
  const Term terms[] = {grad_a(g, dy), grad_b(g, dy)};
  for (size_t i = 0; i < 2; ++i) {
    if (!g.wants(i)) continue;
    const ValueId grad = g.emit("percale:BatchMatMul", {terms[i].left, terms[i].right}, terms[i].attributes());
    g.set(i, reduced(g, grad, g.input(i), none));
  }
  return g.status();
}

Status gemm_grad(GradContext& g) {
  const ValueId dy = g.grad(0);
  if (dy == kNoValue) return {};
  const double alpha = g.attributes().get_float("alpha", 1), beta = g.attributes().get_float("beta", 1);
  const Term terms[] = {grad_a(g, dy), grad_b(g, dy)};
  for (size_t i = 0; i < 2; ++i) {
    if (!g.wants(i)) continue;
    Attributes attributes = terms[i].attributes();
    attributes.set("alpha", alpha);
    g.set(i, g.emit("Gemm", {terms[i].left, terms[i].right}, std::move(attributes)));
  }
  if (g.wants(2)) {
    const ValueId dc = sum_to_shape_of(g, dy, g.input(2));
    g.set(2, beta == 1 ? dc : g.emit("Mul", {dc, g.scalar(g.dtype(dc), beta)}));
  }
  return g.status();
}

Shape batch_steps(const Shape& operand, size_t batch_rank, size_t rank) {
  Shape steps;
  for (size_t d = 0; d < rank; ++d) steps.push_back(0);
  int64_t step = 1;
  for (size_t d = batch_rank; d-- > 0;) {
    const size_t at = rank - batch_rank + d;
    steps[at] = operand[d] == 1 ? 0 : step;
    step *= operand[d];
  }
  return steps;
}

}  // namespace

Result<Shape> product_shape(const Shape& a, const Shape& b, bool trans_a, bool trans_b) {
  if (!a.known_rank() || !b.known_rank()) return Shape::unranked();
  if (a.rank() == 0 || b.rank() == 0) return invalid_argument("operands need rank 1 or more, got ", a, " and ", b);
  const bool row = a.rank() == 1, column = b.rank() == 1;
  const int64_t ka = trans_a ? a[a.rank() - 2] : a.back();
  const int64_t kb = column ? b[0] : b[b.rank() - (trans_b ? 1 : 2)];
  if (ka >= 0 && kb >= 0 && ka != kb) return inner_sizes_differ(ka, kb, a, b);
  const Shape batch_a(a.dims().first(row ? 0 : a.rank() - 2)), batch_b(b.dims().first(column ? 0 : b.rank() - 2));
  PERCALE_ASSIGN_OR_RETURN(Shape y, broadcast(batch_a, batch_b));
  if (!row) y.push_back(a[a.rank() - (trans_a ? 1 : 2)]);
  if (!column) y.push_back(b[b.rank() - (trans_b ? 2 : 1)]);
  return y;
}

Result<BatchPlan> plan_matmul(const NodeView& v, KernelPlan&) {
  const Shape &a = v.shape(0), &b = v.shape(1), &y = v.output_shape(0);
  BatchPlan p;
  p.dtype = v.dtype(0);
  p.product.trans_a = v.attributes.get_int("transA") != 0;
  p.product.trans_b = v.attributes.get_int("transB") != 0;
  p.product.row_invariant = v.numerics.batch_invariant;
  const bool row = a.rank() == 1, column = b.rank() == 1;
  p.product.m = row ? 1 : a[a.rank() - (p.product.trans_a ? 1 : 2)];
  p.product.k = p.product.trans_a ? a[a.rank() - 2] : a.back();
  p.product.n = column ? 1 : b[b.rank() - (p.product.trans_b ? 2 : 1)];
  p.dims = Shape(y.dims().first(y.rank() - (row ? 0 : 1) - (column ? 0 : 1)));
  p.batch = p.dims.num_elements();
  p.a_steps = batch_steps(a, row ? 0 : a.rank() - 2, p.dims.rank());
  p.b_steps = batch_steps(b, column ? 0 : b.rank() - 2, p.dims.rank());
  // A single matrix B for all of A: compute one product over all rows.
  const bool shared = column || b.rank() == 2;
  if (shared && !p.product.trans_a && a.rank() > 2) {
    p.product.m *= p.batch;
    p.batch = 1;
    p.dims = p.a_steps = p.b_steps = Shape{};
  }
  return p;
}

namespace {

// Computes one row of C = op(A) op(B). f32 sums are in f32 in the order of k; integers wrap modulo
// 2^bits.
template <class T>
void multiply_row(const Product& p, int64_t i, const T* a, const T* b, T* c) {
  using Sum = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  std::fill_n(c, p.n, T{0});
  for (int64_t k = 0; k < p.k; ++k) {
    const auto left = static_cast<Sum>(a[i * p.a_row() + k * p.a_column()]);
    const T* right = b + k * p.b_row();
    const int64_t step = p.b_column();
    for (int64_t j = 0; j < p.n; ++j) {
      c[j] = static_cast<T>(static_cast<Sum>(c[j]) + left * static_cast<Sum>(right[j * step]));
    }
  }
}

template <class T>
void multiply_batch(const BatchPlan& p, const T* a, const T* b, T* c, const ParallelFor& parallel) {
  const Product& q = p.product;
  const int64_t rows = p.batch * q.m;
  if (rows == 0 || q.n == 0) return;
  const int64_t pieces = piece_count(rows, work_of(q.n, q.k));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(rows, pieces, piece);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const auto [ia, ib] = p.operands(row / q.m);
      multiply_row(q, row % q.m, a + ia * q.m * q.k, b + ib * q.k * q.n, c + row * q.n);
    }
  });
}

// Calls f.operator()<T>() for every supported type except f16 and bf16, which are widened before.
template <class F>
void with_number(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kI32: return f.template operator()<int32_t>();
    case DType::kI64: return f.template operator()<int64_t>();
    case DType::kU32: return f.template operator()<uint32_t>();
    case DType::kU64: return f.template operator()<uint64_t>();
    default: return with_float(dtype, f);
  }
}

void run_matmul(const BatchPlan& p, const Launch& l) {
  with_number(p.dtype, [&]<class T>() { multiply_batch<T>(p, l.in<T>(0), l.in<T>(1), l.out<T>(0), l.parallel()); });
}

}  // namespace

Result<GemmPlan> plan_gemm(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(BatchPlan product, plan_matmul(v, plan));
  GemmPlan p{
      .product = product, .alpha = v.attributes.get_float("alpha", 1), .beta = v.attributes.get_float("beta", 1)};
  p.has_c = v.has_input(2);
  if (p.has_c) {
    const Shape& c = v.shape(2);
    const int64_t columns = c.rank() > 0 ? c.back() : 1, rows = c.rank() > 1 ? c[0] : 1;
    p.c_column = columns == 1 ? 0 : 1;
    p.c_row = rows == 1 ? 0 : columns;
  }
  return p;
}

namespace {

// Truncates `value` towards zero, clamps it to the range of T and returns it as U.
template <class U, class T>
U saturated(double value) {
  constexpr double kMin = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double kEnd = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
  if (std::isnan(value)) return 0;
  if (value >= kEnd) return static_cast<U>(std::numeric_limits<T>::max());
  return static_cast<U>(static_cast<T>(std::max(value, kMin)));
}

// Computes y = alpha * y + beta * c.
template <class T>
void add_c(const GemmPlan& p, const T* c, T* y, const ParallelFor& parallel) {
  const Product& q = p.product.product;
  if (p.alpha == 1 && !p.has_c) return;
  if (q.m == 0 || q.n == 0) return;
  using Number = std::conditional_t<std::is_floating_point_v<T>, T, double>;
  const auto alpha = static_cast<Number>(p.alpha), beta = static_cast<Number>(p.beta);
  const int64_t pieces = piece_count(q.m, work_of(q.n));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(q.m, pieces, piece);
    for (int64_t i = range.begin; i < range.end; ++i) {
      for (int64_t j = 0; j < q.n; ++j) {
        T& to = y[i * q.n + j];
        const T add = p.has_c ? c[i * p.c_row + j * p.c_column] : T{0};
        if constexpr (std::is_integral_v<T>) {
          // A factor of 1 must be exact for every integer.
          using U = std::make_unsigned_t<T>;
          const U left = alpha == 1 ? static_cast<U>(to) : saturated<U, T>(alpha * static_cast<Number>(to));
          const U right = beta == 1 ? static_cast<U>(add) : saturated<U, T>(beta * static_cast<Number>(add));
          to = static_cast<T>(left + right);
        } else {
          to = p.has_c ? alpha * to + beta * add : alpha * to;
        }
      }
    }
  });
}

}  // namespace

void scale_and_add_c(const GemmPlan& p, const Launch& l) {
  with_number(p.product.dtype,
              [&]<class T>() { add_c<T>(p, p.has_c ? l.in<T>(2) : nullptr, l.out<T>(0), l.parallel()); });
}

namespace {

void run_gemm(const GemmPlan& p, const Launch& l) {
  with_number(p.product.dtype,
              [&]<class T>() { multiply_batch<T>(p.product, l.in<T>(0), l.in<T>(1), l.out<T>(0), l.parallel()); });
  scale_and_add_c(p, l);
}

}  // namespace

Status register_matmul(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) PERCALE_RETURN_IF_ERROR(register_matmul_simd(registry, *simd));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_matmul, &run_matmul>(registry, "MatMul", "", "portable.matmul",
                                                                        "portable.matmul_widened")));
  PERCALE_RETURN_IF_ERROR(
      (add_float_kernels<&plan_gemm, &run_gemm>(registry, "Gemm", "", "portable.gemm", "portable.gemm_widened")));
  return add_float_kernels<&plan_matmul, &run_matmul>(registry, "BatchMatMul", "percale", "portable.batch_matmul",
                                                      "portable.batch_matmul_widened");
}

}  // namespace percale
