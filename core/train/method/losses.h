// Losses by Keras' names, as nodes. Each gives a sum and a weight, so that shards and remainder batches are averaged exactly: the
// mean is sum / weight, also over several batches.
#ifndef PERCALE_CORE_TRAIN_METHOD_LOSSES_H_
#define PERCALE_CORE_TRAIN_METHOD_LOSSES_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/builder.h"
#include "core/text/json.h"
#include "core/train/method/key_table.h"

namespace percale {

// Scalars of the predictions' dtype.
struct WeightedSum {
  ValueId sum = kNoValue, weight = kNoValue;
};

struct LossOptions {
  std::string name;          // "sparse_categorical_crossentropy"
  bool from_logits = false;  // cross-entropies: predictions are scores, not probabilities
  double delta = 1;          // huber
  // Cross-entropies: this part of a label is spread evenly, over all classes, or over the two answers of a binary one.
  double label_smoothing = 0;
  std::optional<int64_t> ignore_class;     // sparse: rows with this label, which need be no class, count nothing
  std::map<int64_t, double> class_weight;  // of the rows of a class; those that are not there count once
};

// Of predictions [batch, ..., classes] and labels: class numbers [batch, ...] (i32 or i64) for the sparse cross-entropy, else of
// the shape of the predictions. Probabilities are clipped to [1e-7, 1 - 1e-7], those of categorical_crossentropy divided by
// their sum first. The weight is the number of labels that count (sparse and categorical) or of elements (the others); with class
// weights or `sample_weight` ([batch], or leading dims of the labels) the sum of the weights: the mean is a weighted one, as
// PyTorch's. INVALID_ARGUMENT for an option that has no meaning with the loss.
Result<WeightedSum> add_loss(FunctionBuilder& f, const LossOptions& loss, ValueId predictions, ValueId labels,
                             ValueId sample_weight = kNoValue);

// Reads a name, or {"name", "from_logits", "delta", "label_smoothing", "ignore_class"}; what is not said stays as it is.
Status read_loss(const Json& loss, LossOptions* out);
// The same keys of an object that has others, too.
Status read_loss_keys(const Json& object, LossOptions* out);
void add_loss_key_names(std::vector<std::string>* out);
// Reads 'class_weight' of the object, where it is there: {"0": 1, "1": 2.5}, or a list from class 0 on.
Status read_class_weight(const Json& object, LossOptions* out);
Status check_loss_options(const LossOptions& loss);
// UNIMPLEMENTED for one that Keras has, else INVALID_ARGUMENT with the nearest name, unless it is there.
Status check_loss_name(std::string_view name);
// "mean_squared_error" for "mse", as Keras has it; other names as they are.
std::string_view whole_loss_name(std::string_view name);
bool is_loss(std::string_view name);
std::vector<std::string> loss_names();
// Every loss with its keys.
std::vector<NamedFacts> loss_facts();
// The keys of losses with their values as JSON.
std::vector<std::pair<std::string, std::string>> loss_values(const LossOptions& loss);

// The labels that the loss wants: class numbers, or numbers like the predictions.
bool wants_class_numbers(const LossOptions& loss);

// What losses and metrics are made of. Errors stay in the emitter.
//
// Labels as numbers like the predictions: fails unless both have one shape; a trailing 1 that the labels lack is added.
ValueId labels_like(Emitter& e, ValueId predictions, ValueId labels);
// Predictions as [rows, classes] and class numbers as [rows].
struct ScoredRows {
  ValueId scores, labels;
};
ScoredRows rows_of_classes(Emitter& e, ValueId predictions, ValueId labels);
ValueId sum_all(Emitter& e, ValueId x);
// The number of elements, as a number of `dtype`.
ValueId count_elements(Emitter& e, ValueId x, DType dtype);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_LOSSES_H_
