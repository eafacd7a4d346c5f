#include "core/train/losses.h"

#include <algorithm>
#include <array>

#include "core/registry/registry.h"

namespace percale {
namespace {

constexpr std::array<std::string_view, 6> kLosses = {
    "sparse_categorical_crossentropy", "categorical_crossentropy", "binary_crossentropy", "mean_squared_error",
    "mean_absolute_error",             "huber"};
constexpr std::array<std::string_view, 8> kLaterLosses = {
    "poisson", "kl_divergence", "cosine_similarity", "hinge",
    "squared_hinge", "log_cosh", "ctc", "mean_absolute_percentage_error"};
constexpr std::array<std::string_view, 8> kMetrics = {
    "accuracy", "sparse_categorical_accuracy", "categorical_accuracy", "binary_accuracy",
    "mean_squared_error", "mse", "mean_absolute_error", "mae"};
constexpr std::array<std::string_view, 7> kLaterMetrics = {
    "auc", "f1_score", "top_k_categorical_accuracy", "sparse_top_k_categorical_accuracy", "precision", "recall",
    "perplexity"};

template <size_t N, size_t M>
Status check_name(std::string_view kind, std::string_view name, const std::array<std::string_view, N>& known,
                  const std::array<std::string_view, M>& later) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  if (std::find(later.begin(), later.end(), name) != later.end()) {
    return unimplemented(kind, " '", name, "' is not there yet");
  }
  const std::string nearest = nearest_name(name, {known.begin(), known.end()});
  return invalid_argument("no ", kind, " '", name, "'",
                          nearest.empty() ? std::string() : str_cat(", did you mean '", nearest, "'?"));
}

ValueId sum_all(Emitter& e, ValueId x) { return e.emit("ReduceSum", {x}, {{"keepdims", 0}}); }

// The number of elements, as a number of `dtype`.
ValueId count(Emitter& e, ValueId x, DType dtype) { return e.emit("Cast", {e.emit("Size", {x})}, {{"to", dtype}}); }

ValueId clipped_log(Emitter& e, ValueId p) {
  const DType t = e.dtype(p);
  return e.emit("Log", {e.emit("Clip", {p, e.scalar(t, 1e-7), e.scalar(t, 1 - 1e-7)})});
}

// Fails unless both have one shape; a trailing 1 that the labels lack is added.
ValueId labels_like(Emitter& e, ValueId predictions, ValueId labels) {
  const Shape& p = e.shape(predictions);
  const Shape& l = e.shape(labels);
  if (e.dtype(labels) != e.dtype(predictions)) {
    labels = e.emit("Cast", {labels}, {{"to", e.dtype(predictions)}});
  }
  if (p.known_rank() && l.known_rank() && p.rank() == l.rank() + 1 && p.back() == 1) {
    return e.emit("Unsqueeze", {labels, e.ints({-1})});
  }
  if (!compatible(p, l)) e.fail(invalid_argument("labels have shape ", l, ", predictions ", p));
  return labels;
}

// Predictions as [rows, classes] and class numbers as [rows].
struct Rows {
  ValueId scores, labels;
};
Rows rows_of(Emitter& e, ValueId predictions, ValueId labels) {
  const Shape p = e.shape(predictions), l = e.shape(labels);
  if (!p.known_rank() || p.rank() < 2 || p.back() < 1) {
    e.fail(invalid_argument("predictions must be [batch, ..., classes], they have shape ", p));
    return {predictions, labels};
  }
  const bool column = l.known_rank() && l.rank() == p.rank() && l.back() == 1;
  if (!column && l.known_rank() && l.rank() + 1 != p.rank()) {
    e.fail(invalid_argument("labels have shape ", l, "; for predictions ", p, " wanted class numbers of rank ",
                            static_cast<uint64_t>(p.rank() - 1)));
    return {predictions, labels};
  }
  if (!is_integer(e.dtype(labels))) {
    e.fail(invalid_argument("labels are ", e.dtype(labels), ", wanted class numbers (i32 or i64)"));
    return {predictions, labels};
  }
  if (e.dtype(labels) != DType::kI32 && e.dtype(labels) != DType::kI64) {
    labels = e.emit("Cast", {labels}, {{"to", DType::kI64}});
  }
  if (p.rank() > 2) predictions = e.emit("Reshape", {predictions, e.ints({-1, p.back()})});
  if (column || p.rank() > 2) labels = e.emit("Reshape", {labels, e.ints({-1})});
  return {predictions, labels};
}

WeightedSum sparse_crossentropy(Emitter& e, const LossOptions& loss, ValueId predictions, ValueId labels) {
  const Rows rows = rows_of(e, predictions, labels);
  const ValueId sum =
      loss.from_logits
          ? e.emit("SoftmaxCrossEntropyLoss", {rows.scores, rows.labels}, {{"reduction", "sum"}})
          : e.emit("NegativeLogLikelihoodLoss", {clipped_log(e, rows.scores), rows.labels}, {{"reduction", "sum"}});
  return {sum, count(e, rows.labels, e.dtype(predictions))};
}

WeightedSum crossentropy(Emitter& e, const LossOptions& loss, ValueId predictions, ValueId labels) {
  const ValueId target = labels_like(e, predictions, labels);
  ValueId log_p = kNoValue;
  if (loss.from_logits) {
    log_p = e.emit("LogSoftmax", {predictions}, {{"axis", -1}});
  } else {
    log_p = clipped_log(e, e.emit("Div", {predictions, e.emit("ReduceSum", {predictions, e.ints({-1})})}));
  }
  const ValueId rows = e.emit("ReduceSum", {e.emit("Mul", {target, log_p}), e.ints({-1})}, {{"keepdims", 0}});
  return {e.emit("Neg", {sum_all(e, rows)}), count(e, rows, e.dtype(predictions))};
}

WeightedSum binary_crossentropy(Emitter& e, const LossOptions& loss, ValueId predictions, ValueId labels) {
  const DType t = e.dtype(predictions);
  const ValueId target = labels_like(e, predictions, labels);
  const ValueId weight = count(e, predictions, t);
  if (loss.from_logits) {
    return {e.emit("percale:BinaryCrossEntropyWithLogits", {predictions, target}, {{"reduction", "sum"}}), weight};
  }
  const ValueId one = e.scalar(t, 1);
  const ValueId log_p = clipped_log(e, predictions), log_q = clipped_log(e, e.emit("Sub", {one, predictions}));
  const ValueId terms = e.emit("Add", {e.emit("Mul", {target, log_p}),
                                       e.emit("Mul", {e.emit("Sub", {one, target}), log_q})});
  return {e.emit("Neg", {sum_all(e, terms)}), weight};
}

WeightedSum of_difference(Emitter& e, std::string_view name, double delta, ValueId predictions, ValueId labels) {
  const ValueId target = labels_like(e, predictions, labels);
  const ValueId weight = count(e, predictions, e.dtype(predictions));
  if (name == "huber") {
    return {e.emit("percale:Huber", {predictions, target}, {{"delta", delta}, {"reduction", "sum"}}), weight};
  }
  const ValueId difference = e.emit("Sub", {predictions, target});
  if (name == "mean_absolute_error") return {sum_all(e, e.emit("Abs", {difference})), weight};
  return {sum_all(e, e.emit("Mul", {difference, difference})), weight};
}

WeightedSum accuracy(Emitter& e, std::string_view name, const LossOptions& loss, ValueId predictions,
                     ValueId labels) {
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
      const Rows rows = rows_of(e, predictions, labels);
      predictions = rows.scores;
      wanted = e.dtype(rows.labels) == DType::kI64 ? rows.labels
                                                   : e.emit("Cast", {rows.labels}, {{"to", DType::kI64}});
    }
    hits = e.emit("Equal", {e.emit("ArgMax", {predictions}, {{"axis", -1}, {"keepdims", 0}}), wanted});
  }
  return {sum_all(e, e.emit("Cast", {hits}, {{"to", t}})), count(e, hits, t)};
}

Result<WeightedSum> finish(const Emitter& e, const WeightedSum& out, std::string_view what, std::string_view name) {
  if (!e.status().ok()) return e.status().with_context(str_cat(what, " '", name, "'"));
  return out;
}

}  // namespace

Status check_loss_name(std::string_view name) { return check_name("loss", name, kLosses, kLaterLosses); }
Status check_metric_name(std::string_view name) { return check_name("metric", name, kMetrics, kLaterMetrics); }
bool wants_class_numbers(const LossOptions& loss) { return loss.name == "sparse_categorical_crossentropy"; }

Result<WeightedSum> add_loss(FunctionBuilder& f, const LossOptions& loss, ValueId predictions, ValueId labels) {
  PERCALE_RETURN_IF_ERROR(check_loss_name(loss.name));
  Emitter e(f);
  WeightedSum out;
  if (loss.name == "sparse_categorical_crossentropy") {
    out = sparse_crossentropy(e, loss, predictions, labels);
  } else if (loss.name == "categorical_crossentropy") {
    out = crossentropy(e, loss, predictions, labels);
  } else if (loss.name == "binary_crossentropy") {
    out = binary_crossentropy(e, loss, predictions, labels);
  } else {
    out = of_difference(e, loss.name, loss.delta, predictions, labels);
  }
  return finish(e, out, "loss", loss.name);
}

Result<WeightedSum> add_metric(FunctionBuilder& f, std::string_view name, const LossOptions& loss, ValueId predictions,
                               ValueId labels) {
  PERCALE_RETURN_IF_ERROR(check_metric_name(name));
  Emitter e(f);
  if (name == "mean_squared_error" || name == "mse") {
    return finish(e, of_difference(e, "mean_squared_error", 1, predictions, labels), "metric", name);
  }
  if (name == "mean_absolute_error" || name == "mae") {
    return finish(e, of_difference(e, "mean_absolute_error", 1, predictions, labels), "metric", name);
  }
  std::string_view kind = name;
  if (name == "accuracy") {
    if (loss.name == "sparse_categorical_crossentropy") {
      kind = "sparse_categorical_accuracy";
    } else if (loss.name == "categorical_crossentropy") {
      kind = "categorical_accuracy";
    } else if (loss.name == "binary_crossentropy") {
      kind = "binary_accuracy";
    } else {
      return invalid_argument("metric 'accuracy' has no meaning with loss '", loss.name, "'");
    }
  }
  return finish(e, accuracy(e, kind, loss, predictions, labels), "metric", name);
}

}  // namespace percale
