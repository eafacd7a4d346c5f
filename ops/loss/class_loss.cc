// Losses of scores against class indices, and their gradients.
#include <cmath>

#include "core/graph/emit/gradient.h"
#include "devices/cpu/simd/simd.h"
#include "ops/loss/loss_reduction.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

Status class_loss_shape(ShapeContext& c);
Status class_loss_grad_shape(ShapeContext& c);
Status cross_entropy_grad(GradContext& g);
Status log_likelihood_grad(GradContext& g);

constexpr AttrSpec kIgnoreIndex = attr_optional("ignore_index", AttrKind::kInt);

constexpr OpRow kSchemas[] = {
    {.name = "SoftmaxCrossEntropyLoss",
     .since = 13,
     .doc = "-weights[label] * log_softmax(scores)[label] over axis 1 of scores [N,C,D1,...], for labels [N,D1,...]. "
            "The mean divides by the sum of the weights used. Labels equal to ignore_index are ignored.",
     .inputs = {in("scores", 'T', dtypes::kFloat), in_index("labels"), in_opt("weights", 'T', dtypes::kFloat)},
     .attributes = {kIgnoreIndex, kReduction},
     .outputs = {out("output", 'T'), out_opt("log_prob", 'T')},
     .shape = &class_loss_shape,
     .grad = &cross_entropy_grad,
     .traits = {.fusion = {FusionRule::Kind::kEnds, 0, "Cast"}}},
    {.name = "NegativeLogLikelihoodLoss",
     .since = 22,
     .doc = "-weight[target] * input[target] over axis 1 of input [N,C,D1,...], for target [N,D1,...]. The mean "
            "divides by the sum of the weights used. Targets equal to ignore_index are ignored.",
     .inputs = {in("input", 'T', dtypes::kFloat), in_index("target"), in_opt("weight", 'T', dtypes::kFloat)},
     .attributes = {kIgnoreIndex, kReduction},
     .outputs = {out("loss", 'T')},
     .shape = &class_loss_shape,
     .grad = &log_likelihood_grad},
    {.domain = "percale",
     .name = "SoftmaxCrossEntropyGrad",
     .doc = "Gradient of SoftmaxCrossEntropyLoss with respect to scores: dloss * weights[label] * (softmax(scores) - "
            "onehot(label)). It is divided by the sum of the weights used if the loss is a mean.",
     .inputs = {in("dloss", 'T', dtypes::kFloat), in("scores", 'T', dtypes::kFloat), in_index("labels"),
                in_opt("weights", 'T', dtypes::kFloat)},
     .attributes = {kIgnoreIndex, kReduction},
     .outputs = {out("dscores", 'T')},
     .shape = &class_loss_grad_shape,
     .grad = grad::none,
     .traits = {.fusion = {FusionRule::Kind::kBegins, 1, "Cast"}}},
    {.domain = "percale",
     .name = "NegativeLogLikelihoodGrad",
     .doc = "Gradient of NegativeLogLikelihoodLoss with respect to input: -dloss * weight[target] at the target, zero "
            "elsewhere. It is divided by the sum of the weights used if the loss is a mean.",
     .inputs = {in("dloss", 'T', dtypes::kFloat), in("input", 'T', dtypes::kFloat), in_index("target"),
                in_opt("weight", 'T', dtypes::kFloat)},
     .attributes = {kIgnoreIndex, kReduction},
     .outputs = {out("dinput", 'T')},
     .shape = &class_loss_grad_shape,
     .grad = grad::none},
};

// Checks scores [N,C,D1,...], labels and weights, and sets `out` to the labels' shape as far as it
// is known.
Status labels_shape(ShapeContext& c, size_t scores, Shape& out) {
  const Shape &x = c.shape(scores), &labels = c.shape(scores + 1);
  out = labels;
  if (!x.known_rank()) return {};
  if (x.rank() < 2) return c.error("the scores have shape ", x, ", wanted [N,C,...]");
  Shape want{x[0]};
  for (size_t i = 2; i < x.rank(); ++i) want.push_back(x[i]);
  if (!compatible(want, labels)) return c.error("the labels have shape ", labels, ", wanted ", want);
  if (c.has_input(scores + 2) && !compatible(c.shape(scores + 2), Shape{x[1]})) {
    return c.error("the weights have shape ", c.shape(scores + 2), ", wanted ", Shape{x[1]});
  }
  out = merge(want, labels);
  return {};
}

Status class_loss_shape(ShapeContext& c) {
  Shape labels;
  PERCALE_RETURN_IF_ERROR(labels_shape(c, 0, labels));
  const auto reduction = reduction_of(c.attributes);
  if (!reduction.ok()) return c.error(reduction.status());
  c.set_output(0, c.dtype(0), *reduction == Reduction::kNone ? labels : Shape{});
  c.set_output(1, c.dtype(0), c.shape(0));
  return {};
}

Status class_loss_grad_shape(ShapeContext& c) {
  Shape labels;
  PERCALE_RETURN_IF_ERROR(labels_shape(c, 1, labels));
  const auto reduction = reduction_of(c.attributes);
  if (!reduction.ok()) return c.error(reduction.status());
  const Shape want = *reduction == Reduction::kNone ? labels : Shape{};
  if (!compatible(c.shape(0), want)) return c.error("dloss has shape ", c.shape(0), ", wanted ", want);
  c.set_output(0, c.dtype(1), c.shape(1));
  return {};
}

Status weights_have_no_gradient(const GradContext& g) {
  return unimplemented(g.node().op->name, " '", g.node().name, "': the gradient of the weights is not supported");
}

// log_prob is the log-softmax of the scores. Its gradient is added if the loss depends on it too.
Status cross_entropy_grad(GradContext& g) {
  if (g.wants(2)) return weights_have_no_gradient(g);
  if (!g.wants(0)) return {};
  ValueId dx = kNoValue;
  if (g.grad(0) != kNoValue) {
    dx = g.emit("percale:SoftmaxCrossEntropyGrad", {g.grad(0), g.input(0), g.input(1), g.input(2)}, g.attributes());
  }
  if (const ValueId dlog = g.grad(1); dlog != kNoValue) {
    const ValueId sum = g.emit("ReduceSum", {dlog, g.ints({1})}, {{"keepdims", 1}});
    const ValueId part = g.emit("Sub", {dlog, g.emit("Mul", {g.emit("Exp", {g.output(1)}), sum})});
    dx = dx == kNoValue ? part : g.emit("Add", {dx, part});
  }
  g.set(0, dx);
  return g.status();
}

Status log_likelihood_grad(GradContext& g) {
  if (g.wants(2)) return weights_have_no_gradient(g);
  if (!g.wants(0) || g.grad(0) == kNoValue) return {};
  g.set(0,
        g.emit("percale:NegativeLogLikelihoodGrad", {g.grad(0), g.input(0), g.input(1), g.input(2)}, g.attributes()));
  return g.status();
}

// ---- Portable kernels. Sums are in f64, and the sums of pieces are added in order.

struct ClassLossPlan {
  int64_t batch = 0, classes = 0, inner = 1;
  bool weights = false, ignores = false, log_prob = false, softmax = false;
  int64_t ignore_index = 0;
  Reduction reduction = Reduction::kMean;
  DType dtype = DType::kInvalid, labels = DType::kInvalid;
  const maths::Functions& functions;

  int64_t lines() const { return batch * inner; }
};

Result<ClassLossPlan> class_loss_plan(const NodeView& v, size_t scores, bool softmax, KernelPlan& plan) {
  const Shape& x = v.shape(scores);
  ClassLossPlan p{.batch = x[0], .classes = x[1], .inner = x.product(2, x.rank()), .functions = v.numerics.functions()};
  p.softmax = softmax;
  p.weights = v.has_input(scores + 2);
  p.log_prob = scores == 0 && v.has_output(1);
  p.ignores = v.attributes.contains("ignore_index");
  p.ignore_index = v.attributes.get_int("ignore_index");
  p.dtype = v.dtype(scores);
  p.labels = v.dtype(scores + 1);
  PERCALE_ASSIGN_OR_RETURN(p.reduction, reduction_of(v.attributes));
  plan.scratch_bytes = 2 * kMaxLossSums * static_cast<int64_t>(sizeof(double));
  return p;
}
Result<ClassLossPlan> plan_cross_entropy(const NodeView& v, KernelPlan& plan) {
  return class_loss_plan(v, 0, true, plan);
}
Result<ClassLossPlan> plan_log_likelihood(const NodeView& v, KernelPlan& plan) {
  return class_loss_plan(v, 0, false, plan);
}
Result<ClassLossPlan> plan_cross_entropy_grad(const NodeView& v, KernelPlan& plan) {
  return class_loss_plan(v, 1, true, plan);
}
Result<ClassLossPlan> plan_log_likelihood_grad(const NodeView& v, KernelPlan& plan) {
  return class_loss_plan(v, 1, false, plan);
}

int64_t label_at(const ClassLossPlan& p, const Launch& l, size_t input, int64_t line) {
  return p.labels == DType::kI64 ? l.in<int64_t>(input)[line] : l.in<int32_t>(input)[line];
}

// Returns the weight of a label, or 0 if it is ignored. A label that is not a class fails the run
// and has weight 0.
template <class T>
double weight_of(const ClassLossPlan& p, const Launch& l, size_t labels, int64_t label) {
  if (p.ignores && label == p.ignore_index) return 0;
  if (label < 0 || label >= p.classes) {
    l.fail(RunError::kIndexOutOfRange, label);
    return 0;
  }
  return p.weights ? static_cast<double>(l.in<T>(labels + 1)[label]) : 1;
}

// The maximum of one line of scores, which are `step` apart, and the log of the sum of exp(x -
// maximum).
struct LogSum {
  double most, log_sum;
};
template <class T>
LogSum log_sum_of(const maths::Functions& f, const T* x, int64_t count, int64_t step) {
  if (count == 0) return {0, 0};
  double most = static_cast<double>(x[0]), sum = 0;
  for (int64_t i = 1; i < count; ++i) most = std::max(most, static_cast<double>(x[i * step]));
  for (int64_t i = 0; i < count; ++i) sum += f.exp(static_cast<double>(x[i * step]) - most);
  return {most, f.log(sum)};
}

// Returns the offset of a line's first score.
int64_t line_start(const ClassLossPlan& p, int64_t line) {
  return line / p.inner * p.classes * p.inner + line % p.inner;
}

template <class T>
void class_loss(const ClassLossPlan& p, const Launch& l) {
  const T* x = l.in<T>(0);
  const int64_t lines = p.lines(), pieces = piece_count(lines, work_of(p.classes, p.softmax ? 16 : 1));
  double* sums = l.scratch<double>();
  double* weights = sums + kMaxLossSums;
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(lines, pieces, piece);
    double sum = 0, total = 0;
    for (int64_t line = range.begin; line < range.end; ++line) {
      const T* from = x + line_start(p, line);
      const int64_t label = label_at(p, l, 1, line);
      const double weight = weight_of<T>(p, l, 1, label);
      const bool counts = label >= 0 && label < p.classes && !(p.ignores && label == p.ignore_index);
      const LogSum s =
          p.softmax && (counts || p.log_prob) ? log_sum_of(p.functions, from, p.classes, p.inner) : LogSum{0, 0};
      if (p.log_prob) {
        T* to = l.out<T>(1) + line_start(p, line);
        for (int64_t i = 0; i < p.classes; ++i) {
          to[i * p.inner] = static_cast<T>(static_cast<double>(from[i * p.inner]) - s.most - s.log_sum);
        }
      }
      const double loss = counts ? -weight * (static_cast<double>(from[label * p.inner]) - s.most - s.log_sum) : 0;
      if (p.reduction == Reduction::kNone) l.out<T>(0)[line] = static_cast<T>(loss);
      sum += loss;
      total += weight;
    }
    sums[piece] = sum;
    weights[piece] = total;
  });
  if (p.reduction == Reduction::kNone) return;
  double sum = 0, total = 0;
  for (int64_t i = 0; i < pieces; ++i) {
    sum += sums[i];
    total += weights[i];
  }
  *l.out<T>(0) = static_cast<T>(p.reduction == Reduction::kMean ? sum / total : sum);
}

template <class T>
void class_loss_backward(const ClassLossPlan& p, const Launch& l) {
  const T *dloss = l.in<T>(0), *x = l.in<T>(1);
  T* dx = l.out<T>(0);
  const int64_t lines = p.lines(), pieces = piece_count(lines, work_of(p.classes, p.softmax ? 16 : 1));
  double scale = 1;
  if (p.reduction == Reduction::kMean) {
    double total = 0;
    for (int64_t line = 0; line < lines; ++line) total += weight_of<T>(p, l, 2, label_at(p, l, 2, line));
    scale = 1 / total;
  }
  if (p.reduction != Reduction::kNone) scale *= static_cast<double>(*dloss);
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(lines, pieces, piece);
    for (int64_t line = range.begin; line < range.end; ++line) {
      const int64_t at = line_start(p, line), label = label_at(p, l, 2, line);
      const T* from = x + at;
      T* to = dx + at;
      const double weight = weight_of<T>(p, l, 2, label);
      const bool counts = label >= 0 && label < p.classes && !(p.ignores && label == p.ignore_index);
      if (!counts || !p.softmax) {
        for (int64_t i = 0; i < p.classes; ++i) to[i * p.inner] = T{0};
        if (!counts) continue;
      }
      const double d = weight * scale * (p.reduction == Reduction::kNone ? static_cast<double>(dloss[line]) : 1);
      if (!p.softmax) {
        to[label * p.inner] = static_cast<T>(-d);
        continue;
      }
      const LogSum s = log_sum_of(p.functions, from, p.classes, p.inner);
      for (int64_t i = 0; i < p.classes; ++i) {
        const double probability = p.functions.exp(static_cast<double>(from[i * p.inner]) - s.most - s.log_sum);
        to[i * p.inner] = static_cast<T>(d * (probability - (i == label ? 1 : 0)));
      }
    }
  });
}

void class_loss_run(const ClassLossPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { class_loss<T>(p, l); });
}
void class_loss_grad_run(const ClassLossPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { class_loss_backward<T>(p, l); });
}

// ---- SIMD kernels of softmax and cross-entropy: f32 scores [N,C], or with trailing dims of 1.
Status accepts_rows(const NodeView& v, size_t scores) {
  if (v.dtype(scores) != DType::kF32) return unimplemented("requires f32");
  const Shape& x = v.shape(scores);
  if (x.product(2, x.rank()) != 1) return unimplemented("requires scores [N,C]");
  return {};
}
Status accepts_loss_rows(const NodeView& v) { return accepts_rows(v, 0); }
Status accepts_grad_rows(const NodeView& v) { return accepts_rows(v, 1); }

struct RowsPlan {
  ClassLossPlan loss;
  const simd::SoftmaxFns* fns;
};
Result<RowsPlan> plan_rows(const NodeView& v, size_t scores, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const ClassLossPlan loss, class_loss_plan(v, scores, true, plan));
  plan.scratch_bytes = loss.batch * static_cast<int64_t>(sizeof(float));
  return RowsPlan{loss, static_cast<const simd::SimdTable*>(plan.user)->softmax};
}
Result<RowsPlan> plan_loss_rows(const NodeView& v, KernelPlan& plan) { return plan_rows(v, 0, plan); }
Result<RowsPlan> plan_grad_rows(const NodeView& v, KernelPlan& plan) { return plan_rows(v, 1, plan); }

void run_loss_rows(const RowsPlan& rows, const Launch& l) {
  const ClassLossPlan& p = rows.loss;
  const float* x = l.in<float>(0);
  const bool wide = p.labels == DType::kI64;
  float* losses = l.scratch<float>();
  if (p.log_prob) rows.fns->log_softmax(x, p.batch, p.classes, l.out<float>(1), l.parallel());
  rows.fns->cross_entropy(x, wide ? nullptr : l.in<int32_t>(1), wide ? l.in<int64_t>(1) : nullptr, p.batch, p.classes,
                          losses, nullptr, l.parallel());
  double sum = 0, total = 0;
  for (int64_t row = 0; row < p.batch; ++row) {
    const int64_t label = label_at(p, l, 1, row);
    const bool ignored = p.ignores && label == p.ignore_index;
    const double weight = weight_of<float>(p, l, 1, label);
    const double loss = ignored ? 0 : weight * static_cast<double>(losses[row]);
    if (p.reduction == Reduction::kNone) l.out<float>(0)[row] = static_cast<float>(loss);
    sum += loss;
    total += weight;
  }
  if (p.reduction == Reduction::kNone) return;
  *l.out<float>(0) = static_cast<float>(p.reduction == Reduction::kMean ? sum / total : sum);
}

void run_grad_rows(const RowsPlan& rows, const Launch& l) {
  const ClassLossPlan& p = rows.loss;
  const float* dloss = l.in<float>(0);
  const bool wide = p.labels == DType::kI64;
  float *factors = l.scratch<float>(), *dx = l.out<float>(0);
  double total = 0;
  for (int64_t row = 0; row < p.batch; ++row) total += weight_of<float>(p, l, 2, label_at(p, l, 2, row));
  const double scale = p.reduction == Reduction::kMean ? 1 / total : 1;
  for (int64_t row = 0; row < p.batch; ++row) {
    const double weight = weight_of<float>(p, l, 2, label_at(p, l, 2, row));
    const float d = dloss[p.reduction == Reduction::kNone ? row : 0];
    factors[row] = static_cast<float>(weight * scale * static_cast<double>(d));
  }
  rows.fns->softmax(l.in<float>(1), p.batch, p.classes, dx, l.parallel());
  rows.fns->cross_entropy_grad(dx, wide ? nullptr : l.in<int32_t>(2), wide ? l.in<int64_t>(2) : nullptr, factors, false,
                               p.batch, p.classes, dx, l.parallel());
  if (!p.ignores) return;
  for (int64_t row = 0; row < p.batch; ++row) {
    if (label_at(p, l, 2, row) == p.ignore_index) std::fill_n(dx + row * p.classes, p.classes, 0.0f);
  }
}

}  // namespace

Status register_class_loss(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) {
    PERCALE_RETURN_IF_ERROR(
        registry.add_kernel("cpu", make_kernel<&accepts_loss_rows, &plan_loss_rows, &run_loss_rows>(
                                       "simd.softmax_cross_entropy", "SoftmaxCrossEntropyLoss", "", simd)));
    PERCALE_RETURN_IF_ERROR(
        registry.add_kernel("cpu", make_kernel<&accepts_grad_rows, &plan_grad_rows, &run_grad_rows>(
                                       "simd.softmax_cross_entropy_grad", "SoftmaxCrossEntropyGrad", "percale", simd)));
  }
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_cross_entropy, &class_loss_run>(
      registry, "SoftmaxCrossEntropyLoss", "", "portable.softmax_cross_entropy",
      "portable.softmax_cross_entropy_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_log_likelihood, &class_loss_run>(
      registry, "NegativeLogLikelihoodLoss", "", "portable.log_likelihood", "portable.log_likelihood_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_cross_entropy_grad, &class_loss_grad_run>(
      registry, "SoftmaxCrossEntropyGrad", "percale", "portable.softmax_cross_entropy_grad",
      "portable.softmax_cross_entropy_grad_widened")));
  return add_float_kernels<&plan_log_likelihood_grad, &class_loss_grad_run>(registry, "NegativeLogLikelihoodGrad",
                                                                            "percale", "portable.log_likelihood_grad",
                                                                            "portable.log_likelihood_grad_widened");
}

}  // namespace percale
