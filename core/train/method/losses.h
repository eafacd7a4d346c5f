// Losses by Keras' names, as nodes. Each returns a sum and a weight, so that shards and remainder
// batches average exactly: the mean is sum / weight, also over several batches.
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

// Scalars with the dtype of the predictions.
struct WeightedSum {
  ValueId sum = kNoValue, weight = kNoValue;
};

struct LossOptions {
  std::string name;          // "sparse_categorical_crossentropy"
  bool from_logits = false;  // cross-entropies: predictions are scores, not probabilities
  double delta = 1;          // huber
  // Cross-entropies: this part of a label is spread evenly over all classes, or over the two
  // answers of a binary one.
  double label_smoothing = 0;
  // sparse: rows with this label, which need not be a class, are ignored
  std::optional<int64_t> ignore_class;
  std::map<int64_t, double> class_weight;  // by class; 1 for classes that are missing
};

// Adds a loss of predictions [batch, ..., classes]. For the sparse cross-entropy, labels are class
// numbers [batch, ...] (i32 or i64); otherwise they have the shape of the predictions.
// Probabilities are clipped to [1e-7, 1 - 1e-7]; categorical_crossentropy divides them by their sum
// first.
//
// The weight is the number of labels that are not ignored (sparse and categorical) or of elements
// (the others). With class weights or `sample_weight` ([batch], or leading dims of the labels) it
// is the sum of the weights, so the mean is a weighted one, as in PyTorch. INVALID_ARGUMENT for an
// option that has no meaning with the loss.
Result<WeightedSum> add_loss(FunctionBuilder& f, const LossOptions& loss, ValueId predictions, ValueId labels,
                             ValueId sample_weight = kNoValue);

// Reads a name, or {"name", "from_logits", "delta", "label_smoothing", "ignore_class"}. Keys that
// are missing leave *out as it is.
Status read_loss(const Json& loss, LossOptions* out);
// Reads the same keys from an object that may have others.
Status read_loss_keys(const Json& object, LossOptions* out);
void add_loss_key_names(std::vector<std::string>* out);
// Reads 'class_weight' of the object if present: {"0": 1, "1": 2.5}, or a list that starts at class
// 0.
Status read_class_weight(const Json& object, LossOptions* out);
Status check_loss_options(const LossOptions& loss);
// Returns UNIMPLEMENTED for a loss of Keras that is not supported, and INVALID_ARGUMENT with the
// nearest name for an unknown one.
Status check_loss_name(std::string_view name);
// Returns Keras' long name, such as "mean_squared_error" for "mse"; other names are returned
// unchanged.
std::string_view whole_loss_name(std::string_view name);
bool is_loss(std::string_view name);
std::vector<std::string> loss_names();
// Every loss with its keys.
std::vector<NamedFacts> loss_facts();
// The keys of losses with their values as JSON.
std::vector<std::pair<std::string, std::string>> loss_values(const LossOptions& loss);

// True if the loss expects class numbers as labels; false if it expects numbers like the
// predictions.
bool wants_class_numbers(const LossOptions& loss);

// Helpers for losses and metrics. Errors are stored in the emitter.
//
// Returns labels as numbers like the predictions. Fails unless both have the same shape; a missing
// trailing dim of 1 is added to the labels.
ValueId labels_like(Emitter& e, ValueId predictions, ValueId labels);
// Predictions as [rows, classes] and class numbers as [rows].
struct ScoredRows {
  ValueId scores, labels;
};
ScoredRows rows_of_classes(Emitter& e, ValueId predictions, ValueId labels);
ValueId sum_all(Emitter& e, ValueId x);
// Returns the number of elements, as a number of `dtype`.
ValueId count_elements(Emitter& e, ValueId x, DType dtype);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_LOSSES_H_
