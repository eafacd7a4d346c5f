#include "core/train/method/losses.h"

#include "core/base/similar_name.h"
#include "core/registry/registry.h"

namespace percale {
namespace {

ValueId clipped_log(Emitter& e, ValueId p) {
  const DType t = e.dtype(p);
  return e.emit("Log", {e.emit("Clip", {p, e.scalar(t, 1e-7), e.scalar(t, 1 - 1e-7)})});
}

// The terms of a loss before summation. `classes`: the class number of each term (kNoValue without
// classes). `counts`: 1 for each term that counts, 0 for one that is ignored (kNoValue: all count).
struct Terms {
  ValueId values = kNoValue, classes = kNoValue;
  int64_t class_count = 0;
  ValueId counts = kNoValue;
};

std::string_view reduction(bool whole) { return whole ? "sum" : "none"; }

// With `whole`, returns the sum of the terms, else the terms.
Terms sparse_crossentropy(Emitter& e, const LossOptions& loss, ValueId predictions, ValueId labels, bool whole) {
  const ScoredRows rows = rows_of_classes(e, predictions, labels);
  if (!e.status().ok()) return {};
  const DType t = e.dtype(rows.scores);
  Attributes attributes{{"reduction", std::string(reduction(whole && loss.label_smoothing == 0))}};
  Terms out{kNoValue, rows.labels, e.shape(rows.scores)[1]};
  if (loss.ignore_class) {
    attributes.set("ignore_index", *loss.ignore_class);
    const DType kind = e.dtype(rows.labels);
    const ValueId ignored = e.emit("Equal", {rows.labels, e.scalar(kind, static_cast<double>(*loss.ignore_class))});
    out.counts = e.emit("Cast", {e.emit("Not", {ignored})}, {{"to", t}});
    // any class: the term has weight 0
    out.classes = e.emit("Where", {ignored, e.scalar(kind, 0), rows.labels});
  }
  if (loss.from_logits && loss.label_smoothing == 0) {
    out.values = e.emit("SoftmaxCrossEntropyLoss", {rows.scores, rows.labels}, attributes);
  } else {
    const ValueId log_p =
        loss.from_logits ? e.emit("LogSoftmax", {rows.scores}, {{"axis", 1}}) : clipped_log(e, rows.scores);
    out.values = e.emit("NegativeLogLikelihoodLoss", {log_p, rows.labels}, attributes);
    if (loss.label_smoothing > 0) {
      const double part = loss.label_smoothing;
      ValueId spread = e.emit("ReduceMean", {log_p, e.ints({1})}, {{"keepdims", 0}});
      if (out.counts != kNoValue) spread = e.emit("Mul", {spread, out.counts});
      out.values = e.emit(
          "Sub", {e.emit("Mul", {out.values, e.scalar(t, 1 - part)}), e.emit("Mul", {spread, e.scalar(t, part)})});
      if (whole) out.values = sum_all(e, out.values);
    }
  }
  // in the shape of the labels, so that sample weights broadcast to their rows
  if (!whole && e.shape(labels).rank() > 1) {
    const ValueId shape = e.emit("Shape", {labels});
    out.values = e.emit("Reshape", {out.values, shape});
    out.classes = e.emit("Reshape", {out.classes, shape});
    if (out.counts != kNoValue) out.counts = e.emit("Reshape", {out.counts, shape});
  }
  return out;
}

// Spreads a part of the labels evenly over `answers`.
ValueId smoothed(Emitter& e, const LossOptions& loss, ValueId labels, int64_t answers) {
  if (loss.label_smoothing == 0 || !e.status().ok()) return labels;
  const DType t = e.dtype(labels);
  return e.emit("Add", {e.emit("Mul", {labels, e.scalar(t, 1 - loss.label_smoothing)}),
                        e.scalar(t, loss.label_smoothing / static_cast<double>(answers))});
}

Terms crossentropy(Emitter& e, const LossOptions& loss, ValueId predictions, ValueId labels) {
  const ValueId target = labels_like(e, predictions, labels);
  if (!e.status().ok()) return {};
  ValueId log_p = kNoValue;
  if (loss.from_logits) {
    log_p = e.emit("LogSoftmax", {predictions}, {{"axis", -1}});
  } else {
    log_p = clipped_log(e, e.emit("Div", {predictions, e.emit("ReduceSum", {predictions, e.ints({-1})})}));
  }
  const int64_t classes = e.shape(predictions).known_rank() ? e.shape(predictions).back() : kUnknownDim;
  if (loss.label_smoothing > 0 && classes < 1) {
    e.fail(invalid_argument("label_smoothing requires a known number of classes, but predictions have shape ",
                            e.shape(predictions)));
  }
  const ValueId soft = smoothed(e, loss, target, classes);
  const ValueId rows = e.emit("ReduceSum", {e.emit("Mul", {soft, log_p}), e.ints({-1})}, {{"keepdims", 0}});
  Terms out{e.emit("Neg", {rows})};
  if (!loss.class_weight.empty()) {
    out.classes = e.emit("ArgMax", {target}, {{"axis", -1}, {"keepdims", 0}});
    out.class_count = e.status().ok() ? e.shape(predictions).back() : 0;
  }
  return out;
}

Terms binary_crossentropy(Emitter& e, const LossOptions& loss, ValueId predictions, ValueId labels, bool whole) {
  const DType t = e.dtype(predictions);
  const ValueId hard = labels_like(e, predictions, labels), target = smoothed(e, loss, hard, 2);
  Terms out;
  if (loss.from_logits) {
    out.values = e.emit("percale:BinaryCrossEntropyWithLogits", {predictions, target},
                        {{"reduction", std::string(reduction(whole))}});
  } else {
    const ValueId one = e.scalar(t, 1);
    const ValueId log_p = clipped_log(e, predictions), log_q = clipped_log(e, e.emit("Sub", {one, predictions}));
    const ValueId terms =
        e.emit("Add", {e.emit("Mul", {target, log_p}), e.emit("Mul", {e.emit("Sub", {one, target}), log_q})});
    out.values = e.emit("Neg", {whole ? sum_all(e, terms) : terms});
  }
  if (!loss.class_weight.empty()) {
    out.classes = e.emit("Cast", {e.emit("Greater", {hard, e.scalar(t, 0.5)})}, {{"to", DType::kI64}});
    out.class_count = 2;
  }
  return out;
}

Terms of_difference(Emitter& e, const LossOptions& loss, ValueId predictions, ValueId labels, bool whole) {
  const ValueId target = labels_like(e, predictions, labels);
  if (loss.name == "huber") {
    return {e.emit("percale:Huber", {predictions, target},
                   {{"delta", loss.delta}, {"reduction", std::string(reduction(whole))}})};
  }
  const ValueId difference = e.emit("Sub", {predictions, target});
  const ValueId terms =
      loss.name == "mean_absolute_error" ? e.emit("Abs", {difference}) : e.emit("Mul", {difference, difference});
  return {whole ? sum_all(e, terms) : terms};
}

// Returns the weight of each term by its class. Fails for a weight of a class that does not exist.
ValueId class_weights(Emitter& e, const LossOptions& loss, const Terms& terms, DType dtype) {
  if (terms.classes == kNoValue) {
    e.fail(invalid_argument("class weights cannot be used with loss '", loss.name, "'"));
    return kNoValue;
  }
  std::vector<double> weights(static_cast<size_t>(terms.class_count), 1);
  for (const auto& [number, weight] : loss.class_weight) {
    if (number < 0 || number >= terms.class_count) {
      e.fail(invalid_argument("there is no class ", number, " to weigh, wanted 0 to ", terms.class_count - 1));
      return kNoValue;
    }
    weights[static_cast<size_t>(number)] = weight;
  }
  const Shape shape{terms.class_count};
  const std::vector<float> narrow(weights.begin(), weights.end());
  const Tensor table = dtype == DType::kF64 ? Tensor::of(shape, std::span<const double>(weights))
                                            : Tensor::of(shape, std::span<const float>(narrow));
  return e.emit("Gather", {e.constant(table), terms.classes});
}

// Returns the weight of each term: `sample_weight`, with trailing dims of 1, broadcast to the
// terms.
ValueId sample_weights(Emitter& e, ValueId terms, ValueId sample_weight) {
  if (!e.status().ok()) return kNoValue;
  const size_t rank = e.shape(terms).rank(), own = e.shape(sample_weight).rank();
  if (own < 1 || own > rank) {
    e.fail(
        invalid_argument("sample weights have shape ", e.shape(sample_weight), ", but the loss has ", e.shape(terms)));
    return kNoValue;
  }
  if (e.dtype(sample_weight) != e.dtype(terms)) {
    sample_weight = e.emit("Cast", {sample_weight}, {{"to", e.dtype(terms)}});
  }
  std::vector<int64_t> axes;
  for (size_t i = own; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  if (!axes.empty()) sample_weight = e.emit("Unsqueeze", {sample_weight, e.ints(axes)});
  return e.emit("Expand", {sample_weight, e.emit("Shape", {terms})});
}

}  // namespace

bool wants_class_numbers(const LossOptions& loss) { return loss.name == "sparse_categorical_crossentropy"; }

ValueId sum_all(Emitter& e, ValueId x) { return e.emit("ReduceSum", {x}, {{"keepdims", 0}}); }

ValueId count_elements(Emitter& e, ValueId x, DType dtype) {
  return e.emit("Cast", {e.emit("Size", {x})}, {{"to", dtype}});
}

ValueId labels_like(Emitter& e, ValueId predictions, ValueId labels) {
  const Shape& p = e.shape(predictions);
  const Shape& l = e.shape(labels);
  if (e.dtype(labels) != e.dtype(predictions)) {
    labels = e.emit("Cast", {labels}, {{"to", e.dtype(predictions)}});
  }
  if (p.known_rank() && l.known_rank() && p.rank() == l.rank() + 1 && p.back() == 1) {
    return e.emit("Unsqueeze", {labels, e.ints({-1})});
  }
  if (!compatible(p, l)) e.fail(invalid_argument("labels have shape ", l, ", but predictions have ", p));
  return labels;
}

ScoredRows rows_of_classes(Emitter& e, ValueId predictions, ValueId labels) {
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

Result<WeightedSum> add_loss(FunctionBuilder& f, const LossOptions& loss, ValueId predictions, ValueId labels,
                             ValueId sample_weight) {
  PERCALE_RETURN_IF_ERROR(check_loss_name(loss.name));
  PERCALE_RETURN_IF_ERROR(check_loss_options(loss));
  Emitter e(f);
  const DType t = e.dtype(predictions);
  const bool weighted = sample_weight != kNoValue || !loss.class_weight.empty();
  Terms terms;
  ValueId counted = predictions;  // its number of elements is the weight
  if (loss.name == "sparse_categorical_crossentropy") {
    terms = sparse_crossentropy(e, loss, predictions, labels, !weighted);
    counted = labels;
  } else if (loss.name == "categorical_crossentropy") {
    terms = crossentropy(e, loss, predictions, labels);
    counted = terms.values;
  } else if (loss.name == "binary_crossentropy") {
    terms = binary_crossentropy(e, loss, predictions, labels, !weighted);
  } else {
    terms = of_difference(e, loss, predictions, labels, !weighted);
  }
  WeightedSum out;
  if (!weighted) {
    out.weight = terms.counts != kNoValue ? sum_all(e, terms.counts) : count_elements(e, counted, t);
    out.sum = loss.name == "categorical_crossentropy" ? sum_all(e, terms.values) : terms.values;
  } else {
    ValueId weights = kNoValue;
    if (!loss.class_weight.empty()) weights = class_weights(e, loss, terms, t);
    if (sample_weight != kNoValue) {
      const ValueId own = sample_weights(e, terms.values, sample_weight);
      weights = weights == kNoValue ? own : e.emit("Mul", {weights, own});
    }
    if (terms.counts != kNoValue) weights = e.emit("Mul", {weights, terms.counts});
    out.sum = sum_all(e, e.emit("Mul", {terms.values, weights}));
    out.weight = sum_all(e, weights);
  }
  if (!e.status().ok()) return e.status().with_context(str_cat("loss '", loss.name, "'"));
  return out;
}

}  // namespace percale
