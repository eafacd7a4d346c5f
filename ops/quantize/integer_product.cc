// MatMulInteger and ConvInteger: products of 8-bit integers. The operands are widened to i16 with
// their zero points subtracted, so that one loop serves all four pairs of types. Sums are i32 and
// wrap.
#include <algorithm>
#include <array>
#include <vector>

#include "core/base/checked.h"
#include "ops/conv/conv_kernels.h"
#include "ops/matmul/matmul_kernels.h"
#include "ops/quantize/quantize.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/window.h"

namespace percale {
namespace {

// ---- Shapes

bool is_number(const Shape& shape) { return shape.is_static() && shape.num_elements() == 1; }

// Returns the shape with which the zero point of a matrix operand broadcasts to it. A has one zero
// point per row, B one per column.
Shape zero_shape(const Shape& zero, const Shape& operand, bool rows) {
  if (is_number(zero)) return Shape{};
  if (rows && zero.known_rank() && zero.rank() == 1 && operand.rank() > 1) return Shape{zero[0], 1};
  return zero;
}

Status check_zero(const ShapeContext& c, size_t i, const Shape& operand, bool rows) {
  if (!c.has_input(i) || !c.shape(i).known_rank() || !operand.known_rank()) return {};
  const Shape zero = zero_shape(c.shape(i), operand, rows);
  const auto both = broadcast(operand, zero);
  const bool one_per_line =
      zero.rank() == 0 ||
      (operand.rank() > 1 && (rows ? zero.back() == 1 : zero.rank() == 1 || zero[zero.rank() - 2] == 1));
  if (both.ok() && compatible(*both, operand) && one_per_line) return {};
  return c.error("'", c.schema.input(i).name, "' is ", c.shape(i), ", wanted one number or one per ",
                 rows ? "row of " : "column of ", operand);
}

Status shape_matmul_integer(ShapeContext& c) {
  const auto y = product_shape(c.shape(0), c.shape(1));
  if (!y.ok()) return c.error(y.status());
  PERCALE_RETURN_IF_ERROR(check_zero(c, 2, c.shape(0), true));
  PERCALE_RETURN_IF_ERROR(check_zero(c, 3, c.shape(1), false));
  c.set_output(0, DType::kI32, *y);
  return {};
}

Status shape_conv_integer(ShapeContext& c) {
  const auto y = conv_result_shape(c.attributes, c.shape(0), c.shape(1));
  if (!y.ok()) return c.error(y.status());
  if (c.has_input(2) && c.shape(2).known_rank() && c.shape(2).rank() > 0 && !is_number(c.shape(2))) {
    return c.error("'x_zero_point' is ", c.shape(2), ", wanted one number");
  }
  PERCALE_RETURN_IF_ERROR(check_per_axis(c, 3, y->known_rank() ? (*y)[1] : kUnknownDim));
  c.set_output(0, DType::kI32, *y);
  return {};
}

// ---- Operands as i16

using WidenFn = void (*)(const char* from, int64_t step, const char* zero, int64_t zero_step, int16_t* to,
                         int64_t to_step, int64_t count);
template <class T>
void widen_row(const char* from, int64_t step, const char* zero, int64_t zero_step, int16_t* to, int64_t to_step,
               int64_t count) {
  const T *x = reinterpret_cast<const T*>(from), *z = reinterpret_cast<const T*>(zero);
  for (int64_t i = 0; i < count; ++i) to[i * to_step] = static_cast<int16_t>(x[i * step] - z[i * zero_step]);
}

// An operand widened to i16 with its zero point, and its offset and layout in scratch.
struct WideOperand {
  StridedLoop loop;  // operands: to, from, zero
  WidenFn widen = nullptr;
  size_t input = 0, zero = 0;
  bool has_zero = false;
  int64_t offset = 0;
};

// Plans a widened operand. `to` holds its strides in scratch, in elements.
Result<WideOperand> wide_operand(const NodeView& v, KernelPlan& plan, size_t input, size_t zero, const Shape& zero_dims,
                                 std::array<int64_t, kMaxRank> to) {
  const Shape& shape = v.shape(input);
  WideOperand o;
  o.input = input;
  o.zero = zero;
  o.has_zero = v.has_input(zero);
  o.widen = v.dtype(input) == DType::kI8 ? widen_row<int8_t> : widen_row<uint8_t>;
  for (int64_t& stride : to) stride *= 2;
  const std::array<std::array<int64_t, kMaxRank>, 3> strides = {
      to, contiguous_strides(shape, 1),
      o.has_zero ? broadcast_strides(zero_dims, shape, 1) : std::array<int64_t, kMaxRank>{}};
  o.loop = StridedLoop::make(shape, strides);
  o.offset = plan.scratch_bytes;
  const CheckedSize bytes = CheckedSize(shape.num_elements()) * 2 + plan.scratch_bytes + 63;
  if (!bytes.valid()) return resource_exhausted("the widened operands exceed 2^63 bytes");
  plan.scratch_bytes = bytes.value() & ~int64_t{63};
  return o;
}

const int16_t* widen_operand(const WideOperand& o, const Launch& l) {
  static constexpr char kNone = 0;
  char* to = l.scratch<char>() + o.offset;
  const char *from = l.in<char>(o.input), *zero = o.has_zero ? l.in<char>(o.zero) : &kNone;
  const auto& step = o.loop.strides[o.loop.rank - 1];
  o.loop.run_parallel(l.parallel(), [&](const StridedLoop::Offsets& at, int64_t n, int64_t) {
    o.widen(from + at[1], step[1], zero + at[2], step[2], reinterpret_cast<int16_t*>(to + at[0]), step[0] / 2, n);
  });
  return reinterpret_cast<const int16_t*>(to);
}

// ---- MatMulInteger

struct IntegerMatMul {
  BatchPlan product;
  WideOperand a, b;  // the matrices of B are stored by columns
};

Result<IntegerMatMul> plan_matmul_integer(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(BatchPlan product, plan_matmul(v, plan));
  const Shape &a = v.shape(0), &b = v.shape(1);
  const auto zero = [&](size_t i, const Shape& operand, bool rows) {
    return v.has_input(i) ? zero_shape(v.shape(i), operand, rows) : Shape{};
  };
  PERCALE_ASSIGN_OR_RETURN(WideOperand wide_a, wide_operand(v, plan, 0, 2, zero(2, a, true), contiguous_strides(a, 1)));
  auto by_columns = contiguous_strides(b, 1);
  if (b.rank() > 1) {
    by_columns[b.rank() - 2] = 1;
    by_columns[b.rank() - 1] = b[b.rank() - 2];
  }
  PERCALE_ASSIGN_OR_RETURN(WideOperand wide_b, wide_operand(v, plan, 1, 3, zero(3, b, false), by_columns));
  return IntegerMatMul{product, wide_a, wide_b};
}

// Sums in runs that fit into i32 for any operands: |a b| <= 255^2.
int32_t dot(const int16_t* a, const int16_t* b, int64_t count) {
  constexpr int64_t kRun = 16384;
  uint32_t total = 0;
  for (int64_t from = 0; from < count; from += kRun) {
    const int64_t end = std::min(from + kRun, count);
    int32_t sum = 0;
    for (int64_t i = from; i < end; ++i) sum += int32_t{a[i]} * int32_t{b[i]};
    total += static_cast<uint32_t>(sum);
  }
  return static_cast<int32_t>(total);
}

void run_matmul_integer(const IntegerMatMul& p, const Launch& l) {
  const int16_t *a = widen_operand(p.a, l), *b = widen_operand(p.b, l);
  const Product& q = p.product.product;
  int32_t* y = l.out<int32_t>(0);
  const int64_t rows = p.product.batch * q.m;
  if (rows == 0 || q.n == 0) return;
  const int64_t pieces = piece_count(rows, work_of(q.n, q.k));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(rows, pieces, piece);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const auto [ia, ib] = p.product.operands(row / q.m);
      const int16_t* left = a + (ia * q.m + row % q.m) * q.k;
      const int16_t* right = b + ib * q.k * q.n;
      for (int64_t j = 0; j < q.n; ++j) y[row * q.n + j] = dot(left, right + j * q.k, q.k);
    }
  });
}

// ---- ConvInteger

struct IntegerConv {
  ConvSizes sizes;
  WideOperand x, w;
};

Result<IntegerConv> plan_conv_integer(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const ConvSizes sizes, conv_sizes(v));
  Shape per_filter;
  if (v.has_input(3) && !is_number(v.shape(3))) {
    per_filter = Shape{v.shape(3)[0]};
    while (per_filter.rank() < v.shape(1).rank()) per_filter.push_back(1);
  }
  PERCALE_ASSIGN_OR_RETURN(WideOperand x, wide_operand(v, plan, 0, 2, Shape{}, contiguous_strides(v.shape(0), 1)));
  PERCALE_ASSIGN_OR_RETURN(WideOperand w, wide_operand(v, plan, 1, 3, per_filter, contiguous_strides(v.shape(1), 1)));
  return IntegerConv{sizes, x, w};
}

// Images are padded with the zero point, so taps outside of them add nothing.
void run_conv_integer(const IntegerConv& p, const Launch& l) {
  const int16_t *x = widen_operand(p.x, l), *w = widen_operand(p.w, l);
  const ConvSizes& s = p.sizes;
  const int64_t in_size = s.window.in_size(), out_size = s.window.out_size(), taps = s.window.kernel_size();
  const int64_t per_group = s.in_per_group(), images = s.batch * s.out_c;
  if (images == 0 || out_size == 0) return;
  const int64_t pieces = piece_count(images, work_of(out_size, taps, per_group));
  // Sums wrap modulo 2^32.
  auto* y = l.out<uint32_t>(0);
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(images, pieces, piece);
    for (int64_t image = range.begin; image < range.end; ++image) {
      const int64_t n = image / s.out_c, o = image % s.out_c, group = o / s.out_per_group();
      uint32_t* to = y + image * out_size;
      std::fill_n(to, out_size, 0u);
      for (int64_t c = 0; c < per_group; ++c) {
        const int16_t* from = x + (n * s.in_c + group * per_group + c) * in_size;
        const int16_t* filter = w + (o * per_group + c) * taps;
        for_taps(s.window, [&](int64_t tap, int64_t k0, int64_t k1, int64_t k2) {
          const int32_t weight = filter[tap];
          for_rows_of_tap(s.window, k0, k1, k2, [&](int64_t in_at, int64_t step, int64_t out_at, int64_t count) {
            const int16_t* row = from + in_at;
            for (int64_t i = 0; i < count; ++i) to[out_at + i] += static_cast<uint32_t>(weight * row[i * step]);
          });
        });
      }
    }
  });
}

constexpr AttrSpec kWindowAttributes[] = {attr_string("auto_pad", "NOTSET"),
                                          attr_optional("dilations", AttrKind::kInts, 1, kMaxWindow),
                                          attr_int("group", 1, 1, kMaxWindow),
                                          attr_optional("kernel_shape", AttrKind::kInts, 1, kMaxWindow),
                                          attr_optional("pads", AttrKind::kInts, 0, kMaxWindow),
                                          attr_optional("strides", AttrKind::kInts, 1, kMaxWindow)};

constexpr OpRow kSchemas[] = {
    {.name = "ConvInteger",
     .since = 10,
     .doc = "Conv of x - x_zero_point and w - w_zero_point (one zero point, or one per filter), summed in i32.",
     .inputs = {in("x", 'X', kByteTypes), in("w", 'W', kByteTypes), in_opt("x_zero_point", 'X', kByteTypes),
                in_opt("w_zero_point", 'W', kByteTypes)},
     .attributes = {kWindowAttributes[0], kWindowAttributes[1], kWindowAttributes[2], kWindowAttributes[3],
                    kWindowAttributes[4], kWindowAttributes[5]},
     .outputs = {out("y", DTypeSet::of(DType::kI32))},
     .shape = shape_conv_integer,
     .grad = grad::none},
    {.name = "MatMulInteger",
     .since = 10,
     .doc = "MatMul of A - a_zero_point (one zero point, or one per row) and B - b_zero_point (one, or one per "
            "column), summed in i32.",
     .inputs = {in("A", 'A', kByteTypes), in("B", 'B', kByteTypes), in_opt("a_zero_point", 'A', kByteTypes),
                in_opt("b_zero_point", 'B', kByteTypes)},
     .outputs = {out("Y", DTypeSet::of(DType::kI32))},
     .shape = shape_matmul_integer,
     .grad = grad::none},
};

}  // namespace

Status register_integer_product(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry,
      {make_kernel<accepts_all, plan_conv_integer, run_conv_integer>("portable.ConvInteger", "ConvInteger"),
       make_kernel<accepts_all, plan_matmul_integer, run_matmul_integer>("portable.MatMulInteger", "MatMulInteger")});
}

}  // namespace percale
