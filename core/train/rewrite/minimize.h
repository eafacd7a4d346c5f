// Rewrites a model into a graph that trains.
#ifndef PERCALE_CORE_TRAIN_REWRITE_MINIMIZE_H_
#define PERCALE_CORE_TRAIN_REWRITE_MINIMIZE_H_

#include <memory>
#include <string>
#include <vector>

#include "core/train/method/metrics.h"
#include "core/train/method/optimizer.h"
#include "core/train/parallel/parallel_spec.h"
#include "core/train/shards/step_layout.h"

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

// The values of "main", by name, that a trainer needs.
struct Objective {
  std::string loss_sum, loss_weight;  // the mean loss is sum / weight, over any number of batches
  struct Metric {
    std::string name;
    MetricRule rule = MetricRule::kMean;
    std::vector<std::string> totals;  // floats of static shapes
  };
  std::vector<Metric> metrics;
  std::vector<std::string> predictions;  // outputs for inference; may be empty
};

// A model with its objective.
struct Model {
  std::shared_ptr<const Graph> graph;
  Objective objective;
};

// Makes a model of a graph whose output `loss` (empty: the only scalar float output) is a mean over
// the rows of a batch. Its loss sum is the loss times the number of rows of the first input, its
// weight that number.
Result<Model> model_of_mean_loss(const Graph& graph, std::string_view loss);

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
  // All inputs of compute: `inputs`, and `shard_fraction` if there is one.
  std::vector<std::string> shard_inputs() const {
    std::vector<std::string> out = inputs;
    if (!shard_fraction.empty()) out.push_back(shard_fraction);
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
// (core/graph/device_hint.h). `synchronized`: as for training_form().
Result<TrainGraph> build_train_graph(const Model& model, const Optimizer& optimizer,
                                     const std::vector<std::string>& frozen = {}, bool recompute = false,
                                     const ParallelSpec& parallel = {}, bool synchronized = false);

// A value that kCommitFunction assigns.
struct NextValue {
  ValueId value;     // in kCommitFunction
  bool computed;     // by a node of the function; false: it is an input
  int32_t variable;  // index in the graph
};
std::vector<NextValue> next_values(const Graph& graph);

// Adds kStepFunction, which computes one shard, passes the result to the commit, and returns the
// values that the commit would assign. `compute` is kComputeFunction or kRecomputeFunction.
Status add_whole_step(TrainGraph& train, std::string_view compute);

// Emits the distinct row numbers, with the sum of the values of each.
void sum_rows(Emitter& e, ValueId rows, ValueId values, ValueId* unique, ValueId* sums);

// Returns the graph of one function: main reduced to the nodes that the named values need. These
// become its outputs. Slots and training functions are omitted.
Result<std::shared_ptr<const Graph>> inference_graph(const Graph& graph, const std::vector<std::string>& outputs);

// Adds a whole training step to `f`: gradients of the scalar `loss` for every trainable variable
// that it reads, and the optimizer with its own learning rate. A variable counts the steps. Running
// the returned node, called "train_step" or with a number appended, performs one step.
Result<std::string> add_train_step(FunctionBuilder& f, ValueId loss, const Optimizer& optimizer);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_MINIMIZE_H_
