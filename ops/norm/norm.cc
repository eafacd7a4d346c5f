// Batch and layer normalisation and their gradients.
#include <cmath>

#include "core/graph/emit/gradient.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"
#include "ops/support/simd_kernels.h"

namespace percale {
namespace {

Status batch_norm_shape(ShapeContext& c);
Status batch_norm_grad_shape(ShapeContext& c);
Status layer_norm_shape(ShapeContext& c);
Status layer_norm_grad_shape(ShapeContext& c);
Status batch_norm_grad(GradContext& g);
Status layer_norm_grad(GradContext& g);

constexpr OpSchema kSchemas[] = {
    {.name = "BatchNormalization",
     .since = 15,
     .doc = "Y = (X - mean) / sqrt(var + epsilon) * scale + B per channel of X [N,C,...]. In training mode, mean and "
            "(biased) variance are those of the batch, and running_x = input_x * momentum + batch_x * (1 - momentum).",
     .inputs = {in("X", 'T', dtypes::kFloat), in("scale", 'S', dtypes::kFloat), in("B", 'S', dtypes::kFloat),
                in("input_mean", 'U', dtypes::kFloat), in("input_var", 'U', dtypes::kFloat)},
     .attributes = {attr_float("epsilon", 1e-5, 0), attr_float("momentum", 0.9), attr_int("training_mode", 0, 0, 1)},
     .outputs = {out("Y", 'T'), out_opt("running_mean", 'U'), out_opt("running_var", 'U')},
     .flags = kPure | kBatchCoupled,
     .shape = &batch_norm_shape,
     .grad = &batch_norm_grad,
     .traits = {.role = Role::kBatchNormalization,
                .bf16 = {Bf16Rule::Kind::kFollows, 1, 1},
                .fusion = {.kind = FusionRule::Kind::kBegins, .only_training = true}}},
    {.domain = "percale",
     .name = "BatchNormalizationGrad",
     .doc =
         "Gradients of BatchNormalization with respect to X, scale and B. In training mode the statistics of the batch "
         "are recomputed from X and the gradient flows through them; otherwise they are the inputs mean and var.",
     .inputs = {in("dY", 'T', dtypes::kFloat), in("X", 'T', dtypes::kFloat), in("scale", 'S', dtypes::kFloat),
                in_opt("mean", 'U', dtypes::kFloat), in_opt("var", 'U', dtypes::kFloat)},
     .attributes = {attr_float("epsilon", 1e-5, 0), attr_int("training_mode", 0, 0, 1)},
     .outputs = {out("dX", 'T'), out("dscale", 'S'), out("dB", 'S')},
     .flags = kPure | kBatchCoupled,
     .shape = &batch_norm_grad_shape,
     .grad = grad::none,
     .traits = {.bf16 = {Bf16Rule::Kind::kFollows, 2, 1}, .fusion = {FusionRule::Kind::kEnds, 0, "percale:ReluGrad"}}},
    {.name = "LayerNormalization",
     .since = 17,
     .doc = "Y = (X - mean) / sqrt(var + epsilon) * Scale + B, with mean and biased variance over the dims from 'axis' "
            "on. Mean and InvStdDev are f32, or f64 for f64 inputs.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("Scale", 'T', dtypes::kFloat), in_opt("B", 'T', dtypes::kFloat)},
     .attributes = {attr_int("axis", -1), attr_float("epsilon", 1e-5, 0), attr_int("stash_type", 1)},
     .outputs = {out("Y", 'T'), OutputSpec{"Mean", 0, dtypes::kFloat, Presence::kOptional},
                 OutputSpec{"InvStdDev", 0, dtypes::kFloat, Presence::kOptional}},
     .shape = &layer_norm_shape,
     .grad = &layer_norm_grad,
     .traits = {.fusion = {FusionRule::Kind::kBegins}}},
    {.domain = "percale",
     .name = "LayerNormalizationGrad",
     .doc = "Gradients of LayerNormalization with respect to X, Scale and B. The statistics are recomputed from X.",
     .inputs = {in("dY", 'T', dtypes::kFloat), in("X", 'T', dtypes::kFloat), in("Scale", 'T', dtypes::kFloat)},
     .attributes = {attr_int("axis", -1), attr_float("epsilon", 1e-5, 0)},
     .outputs = {out("dX", 'T'), out("dScale", 'T'), out("dB", 'T')},
     .shape = &layer_norm_grad_shape,
     .grad = grad::none,
     .traits = {.fusion = {FusionRule::Kind::kEnds, 0, "Cast"}}},
};

// Checks that each of the inputs [from, to) is a vector with one element per channel of X (input
// `x`).
Status check_channels(ShapeContext& c, size_t x, size_t from, size_t to) {
  const Shape& images = c.shape(x);
  if (images.known_rank() && images.rank() < 2) return c.error("X has shape ", images, ", wanted [N,C,...]");
  const int64_t channels = images.known_rank() ? images[1] : kUnknownDim;
  for (size_t i = from; i < to; ++i) {
    if (!c.has_input(i) || compatible(c.shape(i), Shape{channels})) continue;
    return c.error("input '", c.schema.input(i).name, "' has shape ", c.shape(i), ", wanted ", Shape{channels});
  }
  return {};
}

Status batch_norm_shape(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_channels(c, 0, 1, 5));
  const bool training = c.attributes.get_int("training_mode") != 0;
  if (!training && c.outputs.size() > 1)
    return c.error("running_mean and running_var are outputs in training mode only");
  c.set_output(0, c.dtype(0), c.shape(0));
  c.set_output(1, c.dtype(3), c.shape(3));
  c.set_output(2, c.dtype(4), c.shape(4));
  return {};
}

Status batch_norm_grad_shape(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_channels(c, 1, 2, 5));
  if (c.attributes.get_int("training_mode") == 0 && (!c.has_input(3) || !c.has_input(4))) {
    return c.error("mean and var are required outside training mode");
  }
  if (!compatible(c.shape(0), c.shape(1))) return c.error("dY ", c.shape(0), " and X ", c.shape(1), " differ in shape");
  c.set_output(0, c.dtype(1), merge(c.shape(0), c.shape(1)));
  c.set_output(1, c.dtype(2), c.shape(2));
  c.set_output(2, c.dtype(2), c.shape(2));
  return {};
}

// Checks Scale and, if present, B of LayerNormalization. ONNX allows any shape that broadcasts to
// X; this engine requires the normalised dims.
Status check_scale(ShapeContext& c, const Shape& x, size_t axis, size_t from, size_t to) {
  const Shape want(x.dims().subspan(axis));
  for (size_t i = from; i < to; ++i) {
    if (!c.has_input(i) || compatible(c.shape(i), want)) continue;
    return c.error("input '", c.schema.input(i).name, "' has shape ", c.shape(i), ", wanted the normalised dims ",
                   want);
  }
  return {};
}

Status layer_norm_shape(ShapeContext& c) {
  const Shape& x = c.shape(0);
  Shape statistics = x;
  if (x.known_rank()) {
    const auto axis = normalize_axis(c.attributes.get_int("axis", -1), x.rank());
    if (!axis.ok()) return c.error(axis.status());
    PERCALE_RETURN_IF_ERROR(check_scale(c, x, *axis, 1, 3));
    for (size_t i = *axis; i < x.rank(); ++i) statistics[i] = 1;
  }
  const int64_t stash = c.attributes.get_int("stash_type", 1);
  if (stash != 1 && stash != 16) return c.error("attribute 'stash_type' is ", stash, ", wanted 1 (f32) or 16 (bf16)");
  const DType type = c.dtype(0) == DType::kF64 ? DType::kF64 : static_cast<DType>(stash);
  c.set_output(0, c.dtype(0), x);
  c.set_output(1, type, statistics);
  c.set_output(2, type, statistics);
  return {};
}

Status layer_norm_grad_shape(ShapeContext& c) {
  const Shape& x = c.shape(1);
  if (x.known_rank()) {
    const auto axis = normalize_axis(c.attributes.get_int("axis", -1), x.rank());
    if (!axis.ok()) return c.error(axis.status());
    PERCALE_RETURN_IF_ERROR(check_scale(c, x, *axis, 2, 3));
  }
  if (!compatible(c.shape(0), x)) return c.error("dY ", c.shape(0), " and X ", x, " differ in shape");
  c.set_output(0, c.dtype(1), merge(c.shape(0), x));
  c.set_output(1, c.dtype(2), c.shape(2));
  c.set_output(2, c.dtype(2), c.shape(2));
  return {};
}

ValueId cast_to(GradContext& g, ValueId value, DType to) {
  return g.dtype(value) == to ? value : g.emit("Cast", {value}, {{"to", to}});
}

// Outside training mode, with r = 1 / sqrt(var + epsilon): dmean = -scale * r * dB, dvar = -scale *
// r^2 * dscale / 2. In training mode the running statistics depend on input_x * momentum.
Status batch_norm_grad(GradContext& g) {
  const bool training = g.attributes().get_int("training_mode") != 0;
  const double epsilon = g.attributes().get_float("epsilon", 1e-5);
  const double momentum = g.attributes().get_float("momentum", 0.9);
  if (training && (g.grad(1) != kNoValue || g.grad(2) != kNoValue) && g.wants(0)) {
    return unimplemented("BatchNormalization '", g.node().name,
                         "': the gradient of X through the running statistics is not supported");
  }
  ValueId dscale = kNoValue, db = kNoValue;
  if (g.grad(0) != kNoValue) {
    std::vector<ValueId> inputs = {g.grad(0), g.input(0), g.input(1)};
    if (!training) inputs.insert(inputs.end(), {g.input(3), g.input(4)});
    const auto grads =
        g.emit_many("percale:BatchNormalizationGrad", inputs, 3, {{"epsilon", epsilon}, {"training_mode", training}});
    for (size_t i = 0; i < 3; ++i) {
      if (g.wants(i)) g.set(i, grads[i]);
    }
    dscale = grads[1], db = grads[2];
  }
  if (training) {
    for (size_t i = 3; i < 5; ++i) {
      if (!g.wants(i) || g.grad(i - 2) == kNoValue) continue;
      g.set(i, g.emit("Mul", {g.grad(i - 2), g.scalar(g.dtype(g.grad(i - 2)), momentum)}));
    }
    return g.status();
  }
  if (g.grad(0) == kNoValue || (!g.wants(3) && !g.wants(4))) return g.status();
  const DType type = g.dtype(g.input(3));
  const ValueId variance = g.emit("Add", {g.input(4), g.scalar(type, epsilon)});
  const ValueId scale = cast_to(g, g.input(1), type);
  if (g.wants(3)) {
    const ValueId ratio = g.emit("Div", {scale, g.emit("Sqrt", {variance})});
    g.set(3, g.emit("Neg", {g.emit("Mul", {ratio, cast_to(g, db, type)})}));
  }
  if (g.wants(4)) {
    const ValueId ratio = g.emit("Div", {scale, variance});
    const ValueId half = g.emit("Mul", {cast_to(g, dscale, type), g.scalar(type, -0.5)});
    g.set(4, g.emit("Mul", {ratio, half}));
  }
  return g.status();
}

Status layer_norm_grad(GradContext& g) {
  if (g.grad(1) != kNoValue || g.grad(2) != kNoValue) {
    return unimplemented("LayerNormalization '", g.node().name,
                         "': the gradients of Mean and InvStdDev are not supported");
  }
  if (g.grad(0) == kNoValue) return {};
  const auto grads = g.emit_many(
      "percale:LayerNormalizationGrad", {g.grad(0), g.input(0), g.input(1)}, 3,
      {{"axis", g.attributes().get_int("axis", -1)}, {"epsilon", g.attributes().get_float("epsilon", 1e-5)}});
  for (size_t i = 0; i < 3; ++i) {
    if (g.wants(i)) g.set(i, grads[i]);
  }
  return g.status();
}

// ---- Portable kernels. Statistics and sums are in f64. X, the scale and bias vectors, and the
// statistics may each be f32 or f64.
double read(DType dtype, const Launch& l, size_t input, int64_t index) {
  return dtype == DType::kF64 ? l.in<double>(input)[index] : static_cast<double>(l.in<float>(input)[index]);
}
void write(DType dtype, const Launch& l, size_t output, int64_t index, double value) {
  if (dtype == DType::kF64) {
    l.out<double>(output)[index] = value;
  } else {
    l.out<float>(output)[index] = static_cast<float>(value);
  }
}

struct BatchNormPlan {
  int64_t batch = 0, channels = 0, image = 1;
  DType x = DType::kInvalid, scale = DType::kInvalid, statistics = DType::kInvalid;
  bool training = false, running_mean = false, running_var = false;
  double epsilon = 0, momentum = 0;
};

BatchNormPlan batch_norm_plan(const NodeView& v, size_t x) {
  const Shape& shape = v.shape(x);
  return {.batch = shape[0],
          .channels = shape[1],
          .image = shape.product(2, shape.rank()),
          .x = v.dtype(x),
          .scale = v.dtype(x + 1),
          .training = v.attributes.get_int("training_mode") != 0,
          .epsilon = v.attributes.get_float("epsilon", 1e-5),
          .momentum = v.attributes.get_float("momentum", 0.9)};
}

Result<BatchNormPlan> plan_batch_norm(const NodeView& v, KernelPlan&) {
  BatchNormPlan p = batch_norm_plan(v, 0);
  p.statistics = v.dtype(3);
  p.running_mean = v.has_output(1);
  p.running_var = v.has_output(2);
  return p;
}
Result<BatchNormPlan> plan_batch_norm_grad(const NodeView& v, KernelPlan&) {
  BatchNormPlan p = batch_norm_plan(v, 1);
  p.statistics = p.training ? DType::kF32 : v.dtype(3);
  return p;
}

// Calls f(index) for the elements of a channel in order.
template <class F>
void for_channel(const BatchNormPlan& p, int64_t channel, F&& f) {
  for (int64_t n = 0; n < p.batch; ++n) {
    const int64_t at = (n * p.channels + channel) * p.image;
    for (int64_t i = at; i < at + p.image; ++i) f(i);
  }
}

struct Moments {
  double mean, variance;
};
template <class T>
Moments moments_of_channel(const BatchNormPlan& p, const T* x, int64_t channel) {
  const double count = work_of(p.batch, p.image);
  double sum = 0, squares = 0;
  for_channel(p, channel, [&](int64_t i) { sum += static_cast<double>(x[i]); });
  const double mean = sum / count;
  for_channel(p, channel, [&](int64_t i) {
    const double d = static_cast<double>(x[i]) - mean;
    squares += d * d;
  });
  return {mean, squares / count};
}

template <class F>
void for_channels(const BatchNormPlan& p, const Launch& l, F&& f) {
  const int64_t pieces = piece_count(p.channels, work_of(4, p.batch, p.image));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.channels, pieces, piece);
    for (int64_t c = range.begin; c < range.end; ++c) f(c);
  });
}

template <class T>
void batch_norm(const BatchNormPlan& p, const Launch& l) {
  const T* x = l.in<T>(0);
  T* y = l.out<T>(0);
  for_channels(p, l, [&](int64_t c) {
    const Moments given{read(p.statistics, l, 3, c), read(p.statistics, l, 4, c)};
    const Moments used = p.training ? moments_of_channel(p, x, c) : given;
    const double ratio = read(p.scale, l, 1, c) / std::sqrt(used.variance + p.epsilon);
    const double bias = read(p.scale, l, 2, c);
    for_channel(p, c,
                [&](int64_t i) { y[i] = static_cast<T>((static_cast<double>(x[i]) - used.mean) * ratio + bias); });
    const double keep = p.momentum, take = 1 - p.momentum;
    if (p.running_mean) write(p.statistics, l, 1, c, given.mean * keep + used.mean * take);
    if (p.running_var) write(p.statistics, l, 2, c, given.variance * keep + used.variance * take);
  });
}

// With h = (x - mean) r, dB = sum dY, dscale = sum dY h: dX = scale r dY, and in training mode dX =
// scale r (dY - dB / n - h dscale / n).
template <class T>
void batch_norm_backward(const BatchNormPlan& p, const Launch& l) {
  const T* dy = l.in<T>(0);
  const T* x = l.in<T>(1);
  T* dx = l.out<T>(0);
  const double count = work_of(p.batch, p.image);
  for_channels(p, l, [&](int64_t c) {
    const Moments m =
        p.training ? moments_of_channel(p, x, c) : Moments{read(p.statistics, l, 3, c), read(p.statistics, l, 4, c)};
    const double r = 1 / std::sqrt(m.variance + p.epsilon), scale = read(p.scale, l, 2, c);
    double dscale = 0, db = 0;
    for_channel(p, c, [&](int64_t i) {
      const auto d = static_cast<double>(dy[i]);
      db += d;
      dscale += d * (static_cast<double>(x[i]) - m.mean) * r;
    });
    const double mean_d = p.training ? db / count : 0, mean_h = p.training ? dscale / count : 0;
    for_channel(p, c, [&](int64_t i) {
      const double h = (static_cast<double>(x[i]) - m.mean) * r;
      dx[i] = static_cast<T>(scale * r * (static_cast<double>(dy[i]) - mean_d - h * mean_h));
    });
    write(p.scale, l, 1, c, dscale);
    write(p.scale, l, 2, c, db);
  });
}

void batch_norm_run(const BatchNormPlan& p, const Launch& l) {
  with_float(p.x, [&]<class T>() { batch_norm<T>(p, l); });
}
void batch_norm_grad_run(const BatchNormPlan& p, const Launch& l) {
  with_float(p.x, [&]<class T>() { batch_norm_backward<T>(p, l); });
}

struct LayerNormPlan {
  int64_t rows = 1, size = 1;
  DType x = DType::kInvalid;
  bool bias = false, mean = false, inverse = false;
  double epsilon = 0;
};

Result<LayerNormPlan> plan_layer_norm_at(const NodeView& v, size_t x) {
  const Shape& shape = v.shape(x);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(v.attributes.get_int("axis", -1), shape.rank()));
  return LayerNormPlan{.rows = shape.product(0, axis),
                       .size = shape.product(axis, shape.rank()),
                       .x = v.dtype(x),
                       .epsilon = v.attributes.get_float("epsilon", 1e-5)};
}
Result<LayerNormPlan> plan_layer_norm(const NodeView& v, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(LayerNormPlan p, plan_layer_norm_at(v, 0));
  p.bias = v.has_input(2);
  p.mean = v.has_output(1);
  p.inverse = v.has_output(2);
  return p;
}
Result<LayerNormPlan> plan_layer_norm_grad(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const LayerNormPlan p, plan_layer_norm_at(v, 1));
  // the statistics of the rows
  plan.scratch_bytes = p.rows * 2 * static_cast<int64_t>(sizeof(double));
  return p;
}

// Returns the mean and 1 / sqrt(variance + epsilon) of a row.
template <class T>
std::pair<double, double> statistics_of_row(const LayerNormPlan& p, const T* x) {
  const auto count = static_cast<double>(p.size);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < p.size; ++i) sum += static_cast<double>(x[i]);
  const double mean = sum / count;
  for (int64_t i = 0; i < p.size; ++i) {
    const double d = static_cast<double>(x[i]) - mean;
    squares += d * d;
  }
  return {mean, 1 / std::sqrt(squares / count + p.epsilon)};
}

template <class T>
void layer_norm(const LayerNormPlan& p, const Launch& l) {
  const T *x = l.in<T>(0), *scale = l.in<T>(1), *bias = p.bias ? l.in<T>(2) : nullptr;
  const int64_t pieces = piece_count(p.rows, work_of(4, p.size));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.rows, pieces, piece);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const T* from = x + row * p.size;
      T* to = l.out<T>(0) + row * p.size;
      const auto [mean, r] = statistics_of_row(p, from);
      for (int64_t i = 0; i < p.size; ++i) {
        const double h = (static_cast<double>(from[i]) - mean) * r * static_cast<double>(scale[i]);
        to[i] = static_cast<T>(bias != nullptr ? h + static_cast<double>(bias[i]) : h);
      }
      if (p.mean) write(p.x, l, 1, row, mean);
      if (p.inverse) write(p.x, l, 2, row, r);
    }
  });
}

// With g = dY Scale and h = (x - mean) r: dX = r (g - mean(g) - h mean(g h)). dScale is the sum
// over rows of dY h, dB that of dY.
template <class T>
void layer_norm_backward(const LayerNormPlan& p, const Launch& l) {
  const T *dy = l.in<T>(0), *x = l.in<T>(1), *scale = l.in<T>(2);
  double* statistics = l.scratch<double>();
  const int64_t pieces = piece_count(p.rows, work_of(6, p.size));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.rows, pieces, piece);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const T *from = x + row * p.size, *grad = dy + row * p.size;
      T* to = l.out<T>(0) + row * p.size;
      const auto [mean, r] = statistics_of_row(p, from);
      statistics[2 * row] = mean;
      statistics[2 * row + 1] = r;
      double sum = 0, weighted = 0;
      for (int64_t i = 0; i < p.size; ++i) {
        const double g = static_cast<double>(grad[i]) * static_cast<double>(scale[i]);
        sum += g;
        weighted += g * (static_cast<double>(from[i]) - mean) * r;
      }
      const double mean_g = sum / static_cast<double>(p.size), mean_gh = weighted / static_cast<double>(p.size);
      for (int64_t i = 0; i < p.size; ++i) {
        const double g = static_cast<double>(grad[i]) * static_cast<double>(scale[i]);
        const double h = (static_cast<double>(from[i]) - mean) * r;
        to[i] = static_cast<T>(r * (g - mean_g - h * mean_gh));
      }
    }
  });
  // For dScale and dB, each piece owns columns and visits all rows, so that each sum has one order.
  const int64_t column_pieces = piece_count(p.size, work_of(4, p.rows));
  l.parallel()(column_pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.size, column_pieces, piece, 16);
    for (int64_t i = range.begin; i < range.end; ++i) {
      double dscale = 0, db = 0;
      for (int64_t row = 0; row < p.rows; ++row) {
        const auto d = static_cast<double>(dy[row * p.size + i]);
        const double h = (static_cast<double>(x[row * p.size + i]) - statistics[2 * row]) * statistics[2 * row + 1];
        dscale += d * h;
        db += d;
      }
      l.out<T>(1)[i] = static_cast<T>(dscale);
      l.out<T>(2)[i] = static_cast<T>(db);
    }
  });
}

void layer_norm_run(const LayerNormPlan& p, const Launch& l) {
  with_float(p.x, [&]<class T>() { layer_norm<T>(p, l); });
}
void layer_norm_grad_run(const LayerNormPlan& p, const Launch& l) {
  with_float(p.x, [&]<class T>() { layer_norm_backward<T>(p, l); });
}

}  // namespace

Status register_norm(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops(kSchemas));
  if (simd != nullptr) {
    PERCALE_RETURN_IF_ERROR(register_layer_norm_simd(registry, *simd));
    PERCALE_RETURN_IF_ERROR(register_batch_norm_simd(registry, *simd));
  }
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_batch_norm, &batch_norm_run>(
      registry, "BatchNormalization", "", "portable.batch_norm", "portable.batch_norm_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_batch_norm_grad, &batch_norm_grad_run>(
      registry, "BatchNormalizationGrad", "percale", "portable.batch_norm_grad", "portable.batch_norm_grad_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_layer_norm, &layer_norm_run>(
      registry, "LayerNormalization", "", "portable.layer_norm", "portable.layer_norm_widened")));
  return add_float_kernels<&plan_layer_norm_grad, &layer_norm_grad_run>(
      registry, "LayerNormalizationGrad", "percale", "portable.layer_norm_grad", "portable.layer_norm_grad_widened");
}

}  // namespace percale
