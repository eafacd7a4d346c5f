// Random numbers and dropout. The key is (seeds of the run and of the node, id), the counter (step,
// first_row + row, element within the row). The numbers therefore do not depend on threads, pieces,
// shards or the order of execution. Rows are the first dim.
#include <bit>
#include <cmath>
#include <numbers>

#include "core/graph/emit/gradient.h"
#include "ops/random/random_stream.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

Status dropout_shape(ShapeContext& c);
Status random_shape(ShapeContext& c);
Status random_onnx_shape(ShapeContext& c);
Status random_like_shape(ShapeContext& c);
Status dropout_grad(GradContext& g);

constexpr AttrSpec kId = attr_int("id", 0, 0);
constexpr AttrSpec kSeed = attr_int("seed", 0);
constexpr AttrSpec kFloatSeed = attr_float("seed", 0);
constexpr AttrSpec kDType = attr_int("dtype", 1);
constexpr AttrSpec kLikeDType = attr_optional("dtype", AttrKind::kInt);
constexpr AttrSpec kShape = {
    .name = "shape", .kind = AttrKind::kInts, .required = true, .min = 0, .max = static_cast<double>(kMaxDim)};
constexpr AttrSpec kMean = attr_float("mean", 0), kScale = attr_float("scale", 1);
constexpr AttrSpec kLow = attr_float("low", 0), kHigh = attr_float("high", 1);
constexpr uint32_t kDraws = kRandom | kReadsRow;

constexpr OpRow kSchemas[] = {
    {.name = "Dropout",
     .since = 22,
     .doc = "In training mode, each element is kept with probability 1 - ratio and divided by it, otherwise set to "
            "zero; mask says which. Outside training mode, the data unchanged. ratio is in [0, 1], by default 0.5.",
     .inputs = {in("data", 'T', dtypes::kFloat | kFloat8Types), in_opt("ratio", 'R', dtypes::kFloat | kFloat8Types),
                in_opt("training_mode", 0, dtypes::kBoolOnly)},
     .attributes = {kId, kSeed},
     .outputs = {out("output", 'T'), OutputSpec{"mask", 0, dtypes::kBoolOnly, Presence::kOptional}},
     .flags = kDraws,
     .shape = &dropout_shape,
     .grad = &dropout_grad,
     .traits = {.role = Role::kDropout}},
    {.domain = "percale",
     .name = "RandomUniform",
     .doc = "Uniformly distributed random numbers in [low, high), of a given shape.",
     .inputs = {in_shape("shape")},
     .attributes = {kDType, kHigh, kId, kLow, kSeed},
     .outputs = {out("output", dtypes::kFloat)},
     .flags = kDraws,
     .shape = &random_shape,
     .grad = grad::zero},
    {.domain = "percale",
     .name = "RandomNormal",
     .doc = "Normally distributed random numbers, of a given shape.",
     .inputs = {in_shape("shape")},
     .attributes = {kDType, kId, kMean, kScale, kSeed},
     .outputs = {out("output", dtypes::kFloat)},
     .flags = kDraws,
     .shape = &random_shape,
     .grad = grad::zero},
    {.name = "RandomUniform",
     .since = 22,
     .doc = "Uniformly distributed random numbers in [low, high).",
     .attributes = {kDType, kHigh, kId, kLow, kFloatSeed, kShape},
     .outputs = {out("output", dtypes::kFloat)},
     .flags = kDraws,
     .shape = &random_onnx_shape,
     .grad = grad::zero},
    {.name = "RandomNormal",
     .since = 22,
     .doc = "Normally distributed random numbers.",
     .attributes = {kDType, kId, kMean, kScale, kFloatSeed, kShape},
     .outputs = {out("output", dtypes::kFloat)},
     .flags = kDraws,
     .shape = &random_onnx_shape,
     .grad = grad::zero},
    {.name = "RandomUniformLike",
     .since = 22,
     .doc = "Uniformly distributed random numbers in [low, high), in the shape of the input and, unless dtype is "
            "given, its dtype.",
     .inputs = {in("input", 0, dtypes::kAny)},
     .attributes = {kLikeDType, kHigh, kId, kLow, kFloatSeed},
     .outputs = {out("output", dtypes::kFloat)},
     .flags = kDraws,
     .shape = &random_like_shape,
     .grad = grad::zero},
    {.name = "RandomNormalLike",
     .since = 22,
     .doc = "Normally distributed random numbers, in the shape of the input and, unless dtype is given, its dtype.",
     .inputs = {in("input", 0, dtypes::kAny)},
     .attributes = {kLikeDType, kId, kMean, kScale, kFloatSeed},
     .outputs = {out("output", dtypes::kFloat)},
     .flags = kDraws,
     .shape = &random_like_shape,
     .grad = grad::zero},
};

Status dropout_shape(ShapeContext& c) {
  for (size_t i = 1; i < 3; ++i) {
    if (!c.has_input(i) || compatible(c.shape(i), Shape{})) continue;
    return c.error("'", c.schema.input(i).name, "' must be a scalar, got ", c.shape(i));
  }
  c.set_output(0, c.dtype(0), c.shape(0));
  c.set_output(1, DType::kBool, c.shape(0));
  return {};
}

Status set_random_output(ShapeContext& c, int64_t dtype, const Shape& shape) {
  if (dtype < 0 || dtype >= kNumDTypes || !dtypes::kFloat.contains(static_cast<DType>(dtype))) {
    return c.error("attribute 'dtype' is ", dtype, ", wanted f32, f64, f16 or bf16");
  }
  c.set_output(0, static_cast<DType>(dtype), shape);
  return {};
}

Status random_shape(ShapeContext& c) {
  Shape shape = Shape::unranked();
  if (const Tensor* value = c.value(0)) {
    const auto given = Shape::make(to_int64s(*value));
    if (!given.ok()) return c.error(given.status());
    if (!given->is_static()) return c.error("the shape ", *given, " has a negative dim");
    shape = *given;
  } else if (c.shape(0).is_static()) {
    if (c.shape(0).rank() != 1 || c.shape(0)[0] > static_cast<int64_t>(kMaxRank)) {
      return c.error("the shape must be a vector of at most 8 dims, got ", c.shape(0));
    }
    shape = Shape{};
    for (int64_t i = 0; i < c.shape(0)[0]; ++i) shape.push_back(kUnknownDim);
  }
  return set_random_output(c, c.attributes.get_int("dtype", 1), shape);
}

Status random_onnx_shape(ShapeContext& c) {
  const auto shape = Shape::make(c.attributes.get_ints("shape"));
  if (!shape.ok()) return c.error(shape.status());
  return set_random_output(c, c.attributes.get_int("dtype", 1), *shape);
}

Status random_like_shape(ShapeContext& c) {
  return set_random_output(c, c.attributes.get_int("dtype", static_cast<int64_t>(c.dtype(0))), c.shape(0));
}

// Dropout of dY with the same id draws the same mask again, so nothing is kept from the forward
// pass.
Status dropout_grad(GradContext& g) {
  if (g.grad(0) == kNoValue || !g.wants(0)) return {};
  g.set(0, g.emit("Dropout", {g.grad(0), g.input(1), g.input(2)}, g.attributes()));
  return g.status();
}

struct RandomPlan {
  int64_t rows = 1, row_size = 1;
  int64_t seed = 0, id = 0;
  double low = 0, high = 1, mean = 0, scale = 1;
  DType dtype = DType::kInvalid;
  const maths::Functions& functions;
  // Used by Dropout:
  DType ratio = DType::kInvalid;  // kInvalid: 0.5
  bool training = false, mask = false;
};

RandomPlan random_plan(const NodeView& v) {
  RandomPlan p{.dtype = v.outputs[0].dtype, .functions = v.numerics.functions()};
  const Shape& shape = v.output_shape(0);
  if (shape.rank() > 0) {
    p.rows = shape[0];
    p.row_size = shape.product(1, shape.rank());
  }
  p.id = v.attributes.get_int("id");
  // In ONNX, the seeds of random generators are floats. Each seed has its own stream.
  const AttrValue* seed = v.attributes.find("seed");
  if (seed != nullptr && seed->get_if<double>() != nullptr) {
    p.seed = std::bit_cast<int64_t>(*seed->get_if<double>());
  } else {
    p.seed = v.attributes.get_int("seed");
  }
  return p;
}

Result<RandomPlan> plan_uniform(const NodeView& v, KernelPlan&) {
  RandomPlan p = random_plan(v);
  p.low = v.attributes.get_float("low", 0);
  p.high = v.attributes.get_float("high", 1);
  return p;
}
Result<RandomPlan> plan_normal(const NodeView& v, KernelPlan&) {
  RandomPlan p = random_plan(v);
  p.mean = v.attributes.get_float("mean", 0);
  p.scale = v.attributes.get_float("scale", 1);
  return p;
}
Result<RandomPlan> plan_dropout(const NodeView& v, KernelPlan&) {
  RandomPlan p = random_plan(v);
  p.training = v.has_input(2);
  p.mask = v.has_output(1);
  if (v.has_input(1)) p.ratio = v.dtype(1);
  return p;
}

// Calls f(element index, row, element within the row, count) for runs of elements of one row, cut
// into pieces.
template <class F>
void for_row_runs(const RandomPlan& p, const ParallelFor& parallel, F&& f) {
  const int64_t total = p.rows * p.row_size, pieces = piece_count(total, 16);
  if (total == 0) return;
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(total, pieces, piece);
    for (int64_t at = range.begin; at < range.end;) {
      const int64_t row = at / p.row_size, first = at % p.row_size;
      const int64_t count = std::min(p.row_size - first, range.end - at);
      f(at, row, first, count);
      at += count;
    }
  });
}

// The words of a row's elements in order. An f64 number takes two words, so its row uses twice as
// many blocks.
class Words {
 public:
  Words(const RandomStream& stream, int64_t row) : stream_(stream), row_(row) {}
  uint32_t operator[](int64_t element) {
    if (element / 4 != block_) {
      block_ = element / 4;
      words_ = stream_.block(row_, block_);
    }
    return words_[static_cast<size_t>(element % 4)];
  }

 private:
  const RandomStream& stream_;
  int64_t row_, block_ = -1;
  PhiloxCounter words_{};
};

// Uniform in [0, 1): multiples of 2^-24 for f32 and of 2^-53 for f64.
template <class T>
T unit(Words& words, int64_t element) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<T>(words[element] >> 8) * static_cast<T>(0x1p-24);
  } else {
    const uint64_t high = words[2 * element] >> 5, low = words[2 * element + 1] >> 6;
    return static_cast<T>(high << 26 | low) * 0x1p-53;
  }
}

template <class T>
void uniform(const RandomPlan& p, const Launch& l) {
  const RandomStream stream(l.run().seed, p.seed, p.id, l.run().step);
  const auto low = static_cast<T>(p.low), width = static_cast<T>(p.high - p.low);
  // Rounding must not reach `high`, which is excluded.
  const T last = std::max(low, std::nextafter(static_cast<T>(p.high), low));
  for_row_runs(p, l.parallel(), [&](int64_t at, int64_t row, int64_t first, int64_t count) {
    Words words(stream, l.run().first_row + row);
    T* y = l.out<T>(0) + at;
    for (int64_t i = 0; i < count; ++i) y[i] = std::min(low + width * unit<T>(words, first + i), last);
  });
}

// Box-Muller transform: elements 2k and 2k + 1 are the coordinates of one point.
template <class T>
void normal(const RandomPlan& p, const Launch& l) {
  const RandomStream stream(l.run().seed, p.seed, p.id, l.run().step);
  const maths::Functions& f = p.functions;
  for_row_runs(p, l.parallel(), [&](int64_t at, int64_t row, int64_t first, int64_t count) {
    Words words(stream, l.run().first_row + row);
    T* y = l.out<T>(0) + at;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t even = (first + i) & ~int64_t{1};
      // 1 - u is in (0, 1], where the logarithm is finite.
      const double radius = std::sqrt(-2 * f.log(1 - static_cast<double>(unit<T>(words, even))));
      const double angle = 2 * std::numbers::pi * static_cast<double>(unit<T>(words, even + 1));
      const double number = radius * ((first + i) == even ? f.cos(angle) : f.sin(angle));
      y[i] = static_cast<T>(p.mean + p.scale * number);
    }
  });
}

template <class T>
void dropout(const RandomPlan& p, const Launch& l) {
  const T* x = l.in<T>(0);
  T* y = l.out<T>(0);
  bool* mask = p.mask ? l.out<bool>(1) : nullptr;
  double ratio = 0.5;
  if (p.ratio == DType::kF64) ratio = *l.in<double>(1);
  if (p.ratio == DType::kF32) ratio = static_cast<double>(*l.in<float>(1));
  const bool training = p.training && *l.in<bool>(2);
  if (training && !(ratio >= 0 && ratio <= 1)) {
    return l.fail(RunError::kBadSize, std::isnan(ratio) ? 0 : static_cast<int64_t>(std::clamp(ratio, -1e9, 1e9)));
  }
  const bool drop = training && ratio > 0;
  const RandomStream stream(l.run().seed, p.seed, p.id, l.run().step);
  const auto threshold = static_cast<uint64_t>(ratio * 0x1p32);
  const auto factor = ratio < 1 ? static_cast<T>(1 / (1 - ratio)) : T{0};
  for_row_runs(p, l.parallel(), [&](int64_t at, int64_t row, int64_t first, int64_t count) {
    Words words(stream, l.run().first_row + row);
    for (int64_t i = 0; i < count; ++i) {
      const bool keep = !drop || words[first + i] >= threshold;
      y[at + i] = !drop ? x[at + i] : keep ? x[at + i] * factor : T{0};
      if (mask != nullptr) mask[at + i] = keep;
    }
  });
}

void uniform_run(const RandomPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { uniform<T>(p, l); });
}
void normal_run(const RandomPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { normal<T>(p, l); });
}
void dropout_run(const RandomPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { dropout<T>(p, l); });
}

}  // namespace

Status register_random(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_dropout, &dropout_run>(registry, "Dropout", "", "portable.dropout",
                                                                          "portable.dropout_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_uniform, &uniform_run>(
      registry, "RandomUniform", "percale", "portable.random_uniform", "portable.random_uniform_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_normal, &normal_run>(
      registry, "RandomNormal", "percale", "portable.random_normal", "portable.random_normal_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_uniform, &uniform_run>(
      registry, "RandomUniform", "", "portable.random_uniform", "portable.random_uniform_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_normal, &normal_run>(
      registry, "RandomNormal", "", "portable.random_normal", "portable.random_normal_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_uniform, &uniform_run>(
      registry, "RandomUniformLike", "", "portable.random_uniform", "portable.random_uniform_widened")));
  return add_float_kernels<&plan_normal, &normal_run>(registry, "RandomNormalLike", "", "portable.random_normal",
                                                      "portable.random_normal_widened");
}

}  // namespace percale
