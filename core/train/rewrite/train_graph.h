// Adds the functions of a training step to a model: one computes a shard, one commits the totals.
#ifndef PERCALE_CORE_TRAIN_REWRITE_TRAIN_GRAPH_H_
#define PERCALE_CORE_TRAIN_REWRITE_TRAIN_GRAPH_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/train/method/optimizer.h"
#include "core/train/parallel/parallel_spec.h"
#include "core/train/parallel/table_lookups.h"
#include "core/train/rewrite/objective.h"
#include "core/train/shards/step_layout.h"

namespace percale {

inline constexpr std::string_view kComputeFunction = "train_compute", kCommitFunction = "train_commit";
// Compute and commit in one function: see add_whole_step().
inline constexpr std::string_view kStepFunction = "train_step_whole";
// Compute with less memory and the same inputs and outputs: see core/train/rewrite/recompute.h.
inline constexpr std::string_view kRecomputeFunction = "train_recompute";

// A model with the two functions of a training step. Compute reads variables and returns sums over
// its rows, which are added over shards. Commit takes the totals and assigns variables.
struct TrainGraph {
  std::shared_ptr<const Graph> graph;
  std::vector<Variable> parameters;  // the trained variables, in the order of the gradients
  std::vector<Variable> statistics;  // moving statistics, in the order of compute's last outputs
  std::vector<std::string> inputs;   // of compute: the inputs of main that it needs
  // Indices into `parameters` of those whose gradients are rows (core/autodiff/row_sparse.h).
  std::vector<size_t> by_rows;
  // Outputs of compute by name: loss sum, weight, the metrics' totals, the other gradients,
  // statistics times shard_fraction. Then row numbers and values for each of `by_rows`; over shards
  // these are concatenated, not added.
  std::vector<std::string> outputs;
  StepLayout layout;  // the positions of these outputs
  // Predictions of the model that compute can also return: their names, and their names in compute.
  std::vector<std::pair<std::string, std::string>> predictions;
  // compute's input for the shard's fraction of the batch; "" without statistics
  std::string shard_fraction;
  TableLookups lookups;
  // All inputs of compute: `inputs`, `shard_fraction` if there is one, then per table of `lookups`
  // its rows and positions.
  std::vector<std::string> shard_inputs() const {
    std::vector<std::string> out = inputs;
    if (!shard_fraction.empty()) out.push_back(shard_fraction);
    for (const TableLookups::Table& table : lookups.tables) {
      out.push_back(table.rows);
      for (const TableLookups::Lookup& lookup : table.lookups) out.push_back(lookup.positions);
    }
    return out;
  }
  // Inputs of commit: total weight, learning rate (f64), step (i64, from 1), gradients, statistics,
  // rows and values.
  std::vector<std::string> commit_inputs, commit_targets;
  // Variables that compute uses in parts (core/train/parallel/split_graph.h), and how they are cut.
  std::vector<std::pair<std::string, SplitForm>> split;
  bool batch_coupled = false;  // rows of a batch influence each other
  // The result of a shard depends on the rows of all: they must be computed at the same time.
  bool has_shard_barrier = false;
  bool can_recompute = false;  // a kRecomputeFunction exists
  // For kStepFunction; empty if there is none. Inputs: compute's inputs, the learning rate and the
  // step. Outputs: compute's totals, then next values of variables. `step_of`: the indices of these
  // variables in the graph.
  std::vector<std::string> step_inputs, step_outputs;
  std::vector<int32_t> step_of;
};
// Builds the training graph. `frozen`: name patterns of variables that keep their values.
// INVALID_ARGUMENT for a pattern, in `frozen` or a parameter group, that matches no variable. With
// `recompute` a kRecomputeFunction is added if it saves memory. With stages or splits in
// `parallel`, nodes of compute request devices by their index in the replica's group
// (core/graph/device_hint.h). `synchronized`: as for training_form(). `rows_only`: shards get the
// rows of tables that they look up (take_out_lookups()).
Result<TrainGraph> build_train_graph(const Model& model, const Optimizer& optimizer,
                                     const std::vector<std::string>& frozen = {}, bool recompute = false,
                                     const ParallelSpec& parallel = {}, bool synchronized = false,
                                     bool rows_only = false);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_TRAIN_GRAPH_H_
