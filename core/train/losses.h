// Losses and metrics by Keras' names, as nodes. Each gives a sum and a weight, so that shards and remainder batches are
// averaged exactly: the mean is sum / weight, also over several batches.
#ifndef PERCALE_CORE_TRAIN_LOSSES_H_
#define PERCALE_CORE_TRAIN_LOSSES_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

// Scalars of the predictions' dtype.
struct WeightedSum {
  ValueId sum = kNoValue, weight = kNoValue;
};

struct LossOptions {
  std::string name;          // "sparse_categorical_crossentropy"
  bool from_logits = false;  // cross-entropies: predictions are scores, not probabilities
  double delta = 1;          // huber
};

// Of predictions [batch, ..., classes] and labels: class numbers [batch, ...] (i32 or i64) for the sparse cross-entropy, else of
// the shape of the predictions. Probabilities are clipped to [1e-7, 1 - 1e-7], those of categorical_crossentropy divided by
// their sum first. The weight is the number of labels (sparse and categorical) or of elements (the others).
Result<WeightedSum> add_loss(FunctionBuilder& f, const LossOptions& loss, ValueId predictions, ValueId labels);

// "accuracy" (which of the three the loss says), "sparse_categorical_accuracy", "categorical_accuracy", "binary_accuracy" (the
// threshold is 0.5, of scores 0), "mean_squared_error" ("mse"), "mean_absolute_error" ("mae").
Result<WeightedSum> add_metric(FunctionBuilder& f, std::string_view name, const LossOptions& loss, ValueId predictions,
                               ValueId labels);

// UNIMPLEMENTED for one that Keras has, else INVALID_ARGUMENT with the nearest name, unless it is there.
Status check_loss_name(std::string_view name);
Status check_metric_name(std::string_view name);

// The labels that the loss wants: class numbers, or numbers like the predictions.
bool wants_class_numbers(const LossOptions& loss);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LOSSES_H_
