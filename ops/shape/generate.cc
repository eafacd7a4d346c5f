// Tensors generated from numbers (Constant, ConstantOfShape, Range, EyeLike), and Trilu.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/small_types.h"

namespace percale {
namespace {

// ---- Constant

template <class T>
Tensor list_tensor(const std::vector<T>& values) {
  return Tensor::vector(std::span<const T>(values));
}

// Returns the tensor that the attributes of a Constant describe. There must be exactly one
// attribute.
Result<Tensor> constant_of(const Attributes& attributes) {
  if (attributes.size() != 1) return invalid_argument("wanted exactly one attribute, which holds the value");
  const AttrValue& value = attributes.begin()->second;
  if (const Tensor* tensor = value.get_if<Tensor>()) {
    if (!tensor->defined()) return invalid_argument("the value must not be empty");
    return *tensor;
  }
  if (const double* number = value.get_if<double>()) return Tensor::scalar(static_cast<float>(*number));
  if (const int64_t* number = value.get_if<int64_t>()) return Tensor::scalar(*number);
  if (const auto* numbers = value.get_if<std::vector<int64_t>>()) return list_tensor(*numbers);
  if (const auto* numbers = value.get_if<std::vector<double>>()) {
    return list_tensor(std::vector<float>(numbers->begin(), numbers->end()));
  }
  return unimplemented("constants of strings are not supported");
}

Status shape_constant(ShapeContext& context) {
  const auto value = constant_of(context.attributes);
  if (!value.ok()) return context.error(value.status());
  context.set_output(0, value->dtype(), value->shape());
  return {};
}

struct ConstantPlan {
  Tensor value;
};
Result<ConstantPlan> plan_constant(const NodeView& node, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(Tensor value, constant_of(node.attributes));
  return ConstantPlan{std::move(value)};
}
void run_constant(const ConstantPlan& plan, const Launch& launch) {
  std::memcpy(launch.out<char>(0), plan.value.data(), static_cast<size_t>(plan.value.bytes()));
}

// ---- ConstantOfShape

const Tensor* fill_value(const Attributes& attributes) {
  const AttrValue* value = attributes.find("value");
  return value != nullptr ? value->get_if<Tensor>() : nullptr;
}

Status shape_constant_of_shape(ShapeContext& context) {
  const Tensor* value = fill_value(context.attributes);
  if (value != nullptr && (!value->defined() || value->num_elements() != 1 || !kStorable.contains(value->dtype()))) {
    return context.error("value must hold one number or bool");
  }
  PERCALE_ASSIGN_OR_RETURN(const Shape out, shape_in_input(context, 0));
  context.set_output(0, value != nullptr ? value->dtype() : DType::kF32, out);
  return {};
}

// `bytes` holds one element, or one byte filled with elements of 4 or 2 bits, which is repeated
// `count` times. If the output does not fill its last byte, the rest of that byte is zero.
struct FillPlan {
  std::array<char, 8> bytes{};
  int64_t count = 0, item = 0;
  bool has_tail = false;
  char tail = 0;
};
Result<FillPlan> plan_fill(const NodeView& node, KernelPlan&) {
  FillPlan plan;
  const DType dtype = node.outputs[0].dtype;
  const int64_t elements = node.output_shape(0).num_elements();
  const Tensor* value = fill_value(node.attributes);
  plan.count = elements;
  plan.item = item_bytes(dtype);
  if (plan.item == 0) {
    const int64_t per_byte = 8 / dtype_bits(dtype);
    std::array<uint8_t, 4> codes{};
    unpack_small(dtype, value->data(), 0, 1, codes.data());
    codes.fill(codes[0]);
    plan.item = 1;
    plan.count = elements / per_byte + (elements % per_byte != 0 ? 1 : 0);
    plan.has_tail = elements % per_byte != 0;
    pack_small(dtype, codes.data(), 0, per_byte, plan.bytes.data());
    pack_small(dtype, codes.data(), 0, elements % per_byte, &plan.tail);
  } else if (value != nullptr) {
    std::memcpy(plan.bytes.data(), value->data(), static_cast<size_t>(plan.item));
  }
  return plan;
}
void run_fill(const FillPlan& plan, const Launch& launch) {
  if (plan.count == 0) return;
  const int64_t pieces = pieces_for(plan.count);
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.count, pieces, piece, 16);
    Row row;
    row.n = range.end - range.begin;
    row.in[0] = plan.bytes.data();
    row.out = launch.out<char>(0) + range.begin * plan.item;
    copy_row(plan.item)(row);
  });
  if (plan.has_tail) launch.out<char>(0)[plan.count - 1] = plan.tail;
}

// ---- Range

inline constexpr TypeList<float, double, int16_t, int32_t, int64_t, F16, BF16> kRangeList;

// Returns max(ceil((limit - start) / delta), 0), computed exactly for integers.
template <class T>
Result<int64_t> range_length(T start, T limit, T delta) {
  if (delta == T{0}) return invalid_argument("delta must not be 0");
  if constexpr (std::is_integral_v<T>) {
    const bool up = delta > 0;
    if (up ? start >= limit : start <= limit) return int64_t{0};
    const uint64_t span = up ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                             : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
    const uint64_t step = up ? static_cast<uint64_t>(delta) : uint64_t{0} - static_cast<uint64_t>(delta);
    const uint64_t count = span / step + (span % step != 0 ? 1 : 0);
    if (count > static_cast<uint64_t>(kMaxDim)) return invalid_argument("the range has more than 2^40 elements");
    return static_cast<int64_t>(count);
  } else {
    const double count =
        std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
    if (!(count <= static_cast<double>(kMaxDim))) return invalid_argument("the range has more than 2^40 elements");
    return count > 0 ? static_cast<int64_t>(count) : int64_t{0};
  }
}

Status shape_range(ShapeContext& context) {
  for (size_t i = 0; i < 3; ++i) {
    const Shape& shape = context.shape(i);
    const bool single =
        !shape.known_rank() || shape.rank() == 0 || (shape.rank() == 1 && (shape[0] == 1 || shape[0] == kUnknownDim));
    if (!single) {
      return context.error("input '", context.schema.input(i).name, "' must be a scalar, got ", shape);
    }
  }
  int64_t length = kUnknownDim;
  const Tensor *start = context.value(0), *limit = context.value(1), *delta = context.value(2);
  if (start != nullptr && limit != nullptr && delta != nullptr) {
    Result<int64_t> known = int64_t{0};
    dispatch(kRangeList, context.dtype(0), [&]<class T>() {
      known = range_length(widen(*start->span<T>().data()), widen(*limit->span<T>().data()),
                           widen(*delta->span<T>().data()));
    });
    if (!known.ok()) return context.error(known.status());
    length = *known;
  }
  context.set_output(0, context.dtype(0), Shape{length});
  return {};
}

struct CountPlan {
  int64_t count = 0;
  void (*run)(int64_t count, const Launch&) = nullptr;
};
template <class T>
void run_range_of(int64_t count, const Launch& launch) {
  const Wide<T> start = widen(*launch.in<T>(0)), delta = widen(*launch.in<T>(2));
  T* y = launch.out<T>(0);
  for (int64_t i = 0; i < count; ++i) {
    y[i] = narrow<T>(wrap::add(start, wrap::mul(static_cast<Wide<T>>(i), delta)));
  }
}
Result<CountPlan> plan_range(const NodeView& node, KernelPlan&) {
  CountPlan plan{node.output_shape(0).num_elements()};
  dispatch(kRangeList, node.dtype(0), [&]<class T>() { plan.run = run_range_of<T>; });
  return plan;
}
void run_count(const CountPlan& plan, const Launch& launch) { plan.run(plan.count, launch); }

// ---- EyeLike and Trilu

Status shape_eye(ShapeContext& context) {
  const Shape& x = context.shape(0);
  if (x.known_rank() && x.rank() != 2) return context.error("wanted a matrix, got ", x);
  const int64_t to = context.attributes.get_int("dtype", static_cast<int64_t>(context.dtype(0)));
  const auto dtype = static_cast<DType>(is_valid_dtype(static_cast<int32_t>(to)) ? to : 0);
  if (!dtypes::kAny.contains(dtype)) return context.error("attribute 'dtype' is not a dtype: ", to);
  context.set_output(0, dtype, x);
  return {};
}

Status shape_trilu(ShapeContext& context) {
  const Shape& x = context.shape(0);
  if (x.known_rank() && x.rank() < 2) return context.error("wanted matrices, got ", x);
  if (context.has_input(1) && context.shape(1).known_rank() && context.shape(1).rank() != 0 &&
      context.shape(1) != Shape{1}) {
    return context.error("k must be a scalar, got ", context.shape(1));
  }
  return shape_same(context);
}

Status grad_trilu(GradContext& g) {
  if (g.wants(0)) {
    std::vector<ValueId> inputs = {g.grad(0)};
    if (g.input(1) != kNoValue) inputs.push_back(g.input(1));
    g.set(0, g.emit("Trilu", inputs, {{"upper", g.attributes().get_int("upper")}}));
  }
  return g.status();
}

struct MatrixPlan {
  int64_t batch = 1, rows = 0, cols = 0, item = 0;
  int64_t k = 0;
  bool has_k = false, upper = false;
  std::array<char, 8> one{};
};
MatrixPlan make_matrix(const Shape& x, int64_t item) {
  const size_t rank = x.rank();
  return {x.product(0, rank - 2), x[rank - 2], x[rank - 1], item};
}
Result<MatrixPlan> plan_eye(const NodeView& node, KernelPlan&) {
  const DType dtype = node.outputs[0].dtype;
  MatrixPlan plan = make_matrix(node.output_shape(0), item_bytes(dtype));
  plan.k = node.attributes.get_int("k");
  const Tensor one = scalar_tensor(dtype, 1);
  std::memcpy(plan.one.data(), one.data(), static_cast<size_t>(plan.item));
  return plan;
}
void run_eye(const MatrixPlan& plan, const Launch& launch) {
  char* y = launch.out<char>(0);
  std::fill_n(y, plan.rows * plan.cols * plan.item, char{0});
  if (plan.k >= plan.cols || plan.k <= -plan.rows) return;
  for (int64_t r = std::max<int64_t>(0, -plan.k); r < plan.rows && r + plan.k < plan.cols; ++r) {
    std::copy_n(plan.one.data(), plan.item, y + (r * plan.cols + r + plan.k) * plan.item);
  }
}
Result<MatrixPlan> plan_trilu(const NodeView& node, KernelPlan&) {
  MatrixPlan plan = make_matrix(node.shape(0), item_bytes(node.dtype(0)));
  plan.has_k = node.has_input(1);
  plan.upper = node.attributes.get_int("upper") != 0;
  return plan;
}
void run_trilu(const MatrixPlan& plan, const Launch& launch) {
  const char* x = launch.in<char>(0);
  char* y = launch.out<char>(0);
  // All k beyond the matrix have the same effect.
  const int64_t k = std::clamp(plan.has_k ? *launch.in<int64_t>(1) : 0, -plan.rows - 1, plan.cols + 1);
  const int64_t rows = plan.batch * plan.rows, width = plan.cols * plan.item;
  if (rows == 0) return;
  const int64_t pieces = std::min(rows, pieces_for(rows * plan.cols));
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(rows, pieces, piece);
    for (int64_t r = range.begin; r < range.end; ++r) {
      // The upper triangle keeps columns from row + k on, the lower one columns up to row + k.
      const int64_t diagonal = r % plan.rows + k + (plan.upper ? 0 : 1);
      const int64_t cut = std::clamp<int64_t>(diagonal, 0, plan.cols) * plan.item;
      const char* from = x + r * width;
      char* to = y + r * width;
      if (from != to) std::memcpy(to, from, static_cast<size_t>(width));
      std::fill(plan.upper ? to : to + cut, plan.upper ? to + cut : to + width, char{0});
    }
  });
}

// ---- Schemas

constexpr DTypeSet kRangeTypes = dtypes::kFloat | DTypeSet::of(DType::kI16, DType::kI32, DType::kI64);

constexpr OpRow kSchemas[] = {
    {.name = "Constant",
     .since = 25,
     .doc = "The value of its only attribute.",
     .attributes = {attr_optional("value", AttrKind::kTensor), attr_optional("value_float", AttrKind::kFloat),
                    attr_optional("value_floats", AttrKind::kFloats), attr_optional("value_int", AttrKind::kInt),
                    attr_optional("value_ints", AttrKind::kInts)},
     .outputs = {out("output", kStorable)},
     .shape = shape_constant,
     .grad = grad::zero},
    {.name = "ConstantOfShape",
     .since = 25,
     .doc = "A tensor of the given shape, filled with `value` (default: an f32 zero).",
     .inputs = {in_shape("input")},
     .attributes = {attr_optional("value", AttrKind::kTensor)},
     .outputs = {out("output", kStorable)},
     .shape = shape_constant_of_shape,
     .grad = grad::zero},
    {.name = "Range",
     .since = 11,
     .doc = "start, start + delta, and so on, up to but not including limit.",
     .inputs = {InputSpec{"start", 'T', kRangeTypes, Presence::kRequired, Bounds::kShape},
                InputSpec{"limit", 'T', kRangeTypes, Presence::kRequired, Bounds::kShape},
                InputSpec{"delta", 'T', kRangeTypes, Presence::kRequired, Bounds::kShape}},
     .outputs = {out("output", 'T')},
     .shape = shape_range,
     .grad = grad::none},
    {.name = "EyeLike",
     .since = 22,
     .doc = "A matrix of the input's shape, with ones on diagonal k and zeros elsewhere.",
     .inputs = {in("input", 'T', dtypes::kAny)},
     .attributes = {attr_optional("dtype", AttrKind::kInt), attr_int("k", 0)},
     .outputs = {out("output", dtypes::kAny)},
     .shape = shape_eye,
     .grad = grad::zero},
    {.name = "Trilu",
     .since = 14,
     .doc = "The input's matrices with zeros below (upper) or above (lower) diagonal k.",
     .inputs = {in("input", 'T', dtypes::kAny), in_opt("k", 'K', dtypes::kI64Only)},
     .attributes = {attr_int("upper", 1, 0, 1)},
     .outputs = {out("output", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = shape_trilu,
     .grad = grad_trilu},
};

}  // namespace

Status register_generate(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry, {
                    make_kernel<accepts_all, plan_constant, run_constant>("portable.Constant", "Constant"),
                    make_kernel<accepts_all, plan_fill, run_fill>("portable.ConstantOfShape", "ConstantOfShape"),
                    make_kernel<accepts_types<kRangeList>, plan_range, run_count>("portable.Range", "Range"),
                    make_kernel<accepts_all, plan_eye, run_eye>("portable.EyeLike", "EyeLike"),
                    make_kernel<accepts_types<kAnyList>, plan_trilu, run_trilu>("portable.Trilu", "Trilu"),
                });
}

}  // namespace percale
