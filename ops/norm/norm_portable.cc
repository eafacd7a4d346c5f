// Portable kernels of batch and layer normalisation and of their gradients. Statistics and sums are
// in f64. X, the scale and bias vectors, and the statistics may each be f32 or f64.
#include "ops/norm/norm_portable.h"

#include <cmath>

#include "ops/support/float_kernels.h"

namespace percale {
namespace {

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

Status register_norm_portable(Registry& registry) {
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
