// The training form of layers: Dropout drops, BatchNormalization uses the batch.
#ifndef PERCALE_CORE_TRAIN_REWRITE_TRAINING_FORM_H_
#define PERCALE_CORE_TRAIN_REWRITE_TRAINING_FORM_H_

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// The training form of a function: Dropout drops, and BatchNormalization uses the batch's
// statistics and returns updated moving ones. Functions of control-flow nodes stay as they are.
struct TrainingForm {
  Function function;  // values of the original keep their ids
  // A moving statistic: the variable that the original reads, and its next value.
  struct Statistic {
    std::string variable;
    ValueId value = kNoValue;
  };
  std::vector<Statistic> statistics;
  bool changed = false;
  bool has_shard_barrier = false;  // its shards must be computed at the same time
};
// Makes the training form. BatchNormalization whose moving mean matches a pattern in `frozen` stays
// as it is. With `synchronized`, or if the layer is marked (core/train/layers/synchronized.h), its
// statistics are those of all shards of a batch.
TrainingForm training_form(const Graph& graph, const Function& f, const std::vector<std::string>& frozen = {},
                           bool synchronized = false);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_TRAINING_FORM_H_
