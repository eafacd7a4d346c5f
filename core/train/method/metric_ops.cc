#include "core/train/method/metric_ops.h"

#include <algorithm>
#include <array>

#include "core/base/similar_name.h"
#include "core/registry/registry.h"
#include "core/train/method/json_keys.h"

namespace percale {
namespace {

ValueId as_number(Emitter& e, ValueId flag, DType dtype) { return e.emit("Cast", {flag}, {{"to", dtype}}); }

ValueId sum_rows(Emitter& e, ValueId x) { return e.emit("ReduceSum", {x, e.ints({0})}, {{"keepdims", 0}}); }

MetricTotals accuracy(Emitter& e, std::string_view name, const LossOptions& loss, ValueId predictions, ValueId labels) {
  const DType t = e.dtype(predictions);
  ValueId hits = kNoValue;
  if (name == "binary_accuracy") {
    const ValueId target = labels_like(e, predictions, labels);
    const ValueId guess = e.emit("Greater", {predictions, e.scalar(t, loss.from_logits ? 0 : 0.5)});
    hits = e.emit("Equal", {e.emit("Cast", {guess}, {{"to", t}}), target});
  } else {
    ValueId wanted = labels;
    if (name == "categorical_accuracy") {
      wanted = e.emit("ArgMax", {labels_like(e, predictions, labels)}, {{"axis", -1}, {"keepdims", 0}});
    } else {
      const ScoredRows rows = rows_of_classes(e, predictions, labels);
      predictions = rows.scores;
      wanted = e.dtype(rows.labels) == DType::kI64 ? rows.labels : e.emit("Cast", {rows.labels}, {{"to", DType::kI64}});
    }
    hits = e.emit("Equal", {e.emit("ArgMax", {predictions}, {{"axis", -1}, {"keepdims", 0}}), wanted});
  }
  return {{sum_all(e, e.emit("Cast", {hits}, {{"to", t}})), count_elements(e, hits, t)}};
}

// Returns the scores [rows, classes] and the label class of each row.
ScoredRows wanted_classes(Emitter& e, bool sparse, ValueId predictions, ValueId labels) {
  if (sparse) return rows_of_classes(e, predictions, labels);
  const ValueId target = labels_like(e, predictions, labels);
  if (!e.status().ok()) return {predictions, labels};
  const ValueId flat = e.ints({-1, e.shape(predictions).back()});
  return {e.emit("Reshape", {predictions, flat}),
          e.emit("ArgMax", {e.emit("Reshape", {target, flat})}, {{"axis", -1}, {"keepdims", 0}})};
}

MetricTotals top_k(Emitter& e, const MetricOptions& metric, ValueId predictions, ValueId labels) {
  const DType t = e.dtype(predictions);
  const ScoredRows rows = wanted_classes(e, metric.name.starts_with("sparse"), predictions, labels);
  const ValueId own =
      e.emit("GatherElements", {rows.scores, e.emit("Unsqueeze", {rows.labels, e.ints({1})})}, {{"axis", 1}});
  const ValueId larger = as_number(e, e.emit("Greater", {rows.scores, own}), t);
  const ValueId before = e.emit("ReduceSum", {larger, e.ints({1})}, {{"keepdims", 0}});
  const ValueId hits = e.emit("Less", {before, e.scalar(t, static_cast<double>(metric.k))});
  return {{sum_all(e, as_number(e, hits, t)), count_elements(e, hits, t)}};
}

// Probabilities and labels (0 or 1), both [rows, classes].
struct Answers {
  ValueId given, wanted;
  int64_t classes;
};
Answers answers(Emitter& e, const LossOptions& loss, ValueId predictions, ValueId labels) {
  const DType t = e.dtype(predictions);
  Answers out{predictions, labels, 1};
  if (wants_class_numbers(loss)) {
    const ScoredRows rows = rows_of_classes(e, predictions, labels);
    if (!e.status().ok()) return out;
    out.classes = e.shape(rows.scores)[1];
    const std::vector<float> narrow = {0, 1};
    const std::vector<double> wide = {0, 1};
    const Tensor off_on = t == DType::kF64 ? Tensor::vector(std::span<const double>(wide))
                                           : Tensor::vector(std::span<const float>(narrow));
    out.given = rows.scores;
    out.wanted = e.emit("OneHot", {rows.labels, e.constant(Tensor::scalar(out.classes)), e.constant(off_on)});
  } else {
    const ValueId target = labels_like(e, predictions, labels);
    if (!e.status().ok()) return out;
    const Shape& shape = e.shape(predictions);
    if (!shape.known_rank() || shape.rank() == 0 || (shape.rank() > 1 && shape.back() < 1)) {
      e.fail(invalid_argument("predictions must be [batch, ..., classes], they have shape ", shape));
      return out;
    }
    out.classes = shape.rank() > 1 ? shape.back() : 1;
    const ValueId flat = e.ints({-1, out.classes});
    out.given = e.emit("Reshape", {predictions, flat});
    out.wanted = e.emit("Reshape", {target, flat});
  }
  if (!loss.from_logits) return out;
  if (loss.name == "binary_crossentropy") {
    out.given = e.emit("Sigmoid", {out.given});
  } else if (loss.name.ends_with("categorical_crossentropy")) {
    out.given = e.emit("Softmax", {out.given}, {{"axis", -1}});
  }
  return out;
}

MetricTotals of_counts(Emitter& e, const MetricOptions& metric, const LossOptions& loss, ValueId predictions,
                       ValueId labels) {
  const DType t = e.dtype(predictions);
  const Answers a = answers(e, loss, predictions, labels);
  if (!e.status().ok()) return {};
  ValueId said = kNoValue;
  if (metric.name == "f1_score" && !metric.threshold && a.classes > 1) {
    const std::vector<float> narrow = {0, 1};
    const std::vector<double> wide = {0, 1};
    const Tensor off_on = t == DType::kF64 ? Tensor::vector(std::span<const double>(wide))
                                           : Tensor::vector(std::span<const float>(narrow));
    const ValueId largest = e.emit("ArgMax", {a.given}, {{"axis", -1}, {"keepdims", 0}});
    said = e.emit("OneHot", {largest, e.constant(Tensor::scalar(a.classes)), e.constant(off_on)});
  } else {
    said = as_number(e, e.emit("Greater", {a.given, e.scalar(t, metric.threshold.value_or(0.5))}), t);
  }
  const ValueId hits = e.emit("Mul", {said, a.wanted});
  if (metric.name == "f1_score") {
    const MetricRule rule = metric.average == "micro"      ? MetricRule::kF1Micro
                            : metric.average == "weighted" ? MetricRule::kF1Weighted
                                                           : MetricRule::kF1Macro;
    return {{sum_rows(e, hits), sum_rows(e, said), sum_rows(e, a.wanted)}, rule};
  }
  return {{sum_all(e, hits), sum_all(e, metric.name == "precision" ? said : a.wanted)}, MetricRule::kRatio};
}

// Uses Keras' thresholds: evenly spaced from 0 to 1, with the two ends slightly outside.
MetricTotals auc(Emitter& e, const MetricOptions& metric, const LossOptions& loss, ValueId predictions,
                 ValueId labels) {
  const DType t = e.dtype(predictions);
  const Answers a = answers(e, loss, predictions, labels);
  if (!e.status().ok()) return {};
  std::vector<double> thresholds;
  for (int64_t i = 0; i < metric.num_thresholds; ++i) {
    thresholds.push_back(static_cast<double>(i) / static_cast<double>(metric.num_thresholds - 1));
  }
  thresholds.front() = -1e-7;
  thresholds.back() = 1 + 1e-7;
  const Shape row{1, metric.num_thresholds};
  const std::vector<float> narrow(thresholds.begin(), thresholds.end());
  const ValueId table = e.constant(t == DType::kF64 ? Tensor::of(row, std::span<const double>(thresholds))
                                                    : Tensor::of(row, std::span<const float>(narrow)));
  const ValueId column = e.ints({-1, 1});
  const ValueId above = as_number(e, e.emit("Greater", {e.emit("Reshape", {a.given, column}), table}), t);
  const ValueId wanted = e.emit("Reshape", {a.wanted, column});
  const ValueId others = e.emit("Sub", {e.scalar(t, 1), wanted});
  return {{sum_rows(e, e.emit("Mul", {above, wanted})), sum_rows(e, e.emit("Mul", {above, others}))}, MetricRule::kAuc};
}

Result<MetricTotals> mean_loss(FunctionBuilder& f, LossOptions loss, MetricRule rule, ValueId predictions,
                               ValueId labels) {
  loss.class_weight.clear();
  loss.label_smoothing = 0;
  PERCALE_ASSIGN_OR_RETURN(const WeightedSum sums, add_loss(f, loss, predictions, labels));
  return MetricTotals{{sums.sum, sums.weight}, rule};
}

}  // namespace

Result<MetricTotals> add_metric(FunctionBuilder& f, const MetricOptions& metric, const LossOptions& loss,
                                ValueId predictions, ValueId labels) {
  std::string name = metric.name;
  LossOptions own = loss;
  MetricRule rule = MetricRule::kMean;
  if (name == "perplexity") {
    if (!loss.name.ends_with("crossentropy")) {
      return invalid_argument("metric 'perplexity' cannot be used with loss '", loss.name, "'");
    }
    return mean_loss(f, own, MetricRule::kExpMean, predictions, labels);
  }
  if (name == "root_mean_squared_error") rule = MetricRule::kRootMean;
  if (name == "root_mean_squared_error") name = "mean_squared_error";
  if (name == "acc") name = "accuracy";
  name = whole_loss_name(name);
  if (is_loss(name)) {
    own.name = name;
    if (!wants_class_numbers(own)) own.ignore_class.reset();
    return mean_loss(f, own, rule, predictions, labels);
  }
  if (name == "accuracy") {
    if (loss.name == "sparse_categorical_crossentropy") {
      name = "sparse_categorical_accuracy";
    } else if (loss.name == "categorical_crossentropy") {
      name = "categorical_accuracy";
    } else if (loss.name == "binary_crossentropy") {
      name = "binary_accuracy";
    } else {
      return invalid_argument("metric 'accuracy' cannot be used with loss '", loss.name, "'");
    }
  }
  // Accuracies count ignored rows as wrong, as Keras does. The other metrics would need the class
  // of such a row.
  if (loss.ignore_class && (!name.ends_with("accuracy") || name.find("top_k") != std::string::npos)) {
    return unimplemented("metric '", metric.label(),
                         "' with 'ignore_class' is not implemented; use 'accuracy', or compute it from the predictions "
                         "of the model");
  }
  Emitter e(f);
  MetricTotals out;
  if (name.ends_with("top_k_categorical_accuracy")) {
    out = top_k(e, metric, predictions, labels);
  } else if (name.ends_with("accuracy")) {
    out = accuracy(e, name, loss, predictions, labels);
  } else if (name == "auc") {
    out = auc(e, metric, loss, predictions, labels);
  } else {
    out = of_counts(e, metric, loss, predictions, labels);
  }
  if (!e.status().ok()) return e.status().with_context(str_cat("metric '", metric.label(), "'"));
  return out;
}

}  // namespace percale
