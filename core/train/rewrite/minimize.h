// What turns a model into a graph that trains: rewrites, graph to graph.
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

// The form of a function for training: Dropout drops, BatchNormalization uses the batch's statistics and gives the updated
// moving ones. Functions that control nodes carry stay as they are.
struct TrainingForm {
  Function function;  // values of the original keep their ids
  // Moving statistics: the variable that the original reads, and the value that it gets.
  struct Statistic {
    std::string variable;
    ValueId value = kNoValue;
  };
  std::vector<Statistic> statistics;
  bool changed = false;
  bool meets_shards = false;  // shards must be computed at the same time
};
// BatchNormalization whose moving mean is `frozen` (patterns of names) stays as it is. With `synchronized`, or where the layer wants it
// (core/train/layers/synchronized.h), its statistics are those of all shards of a batch.
TrainingForm training_form(const Graph& graph, const Function& f, const std::vector<std::string>& frozen = {},
                           bool synchronized = false);

// What a trainer needs to know of the function "main" of a model: values by name.
struct Objective {
  std::string loss_sum, loss_weight;  // the mean loss is sum / weight over any number of batches
  struct Metric {
    std::string name;
    MetricRule rule = MetricRule::kMean;
    std::vector<std::string> totals;  // floats of static shapes
  };
  std::vector<Metric> metrics;
  std::vector<std::string> predictions;  // outputs of the graph for inference; may be empty
};

// A model with its objective.
struct Model {
  std::shared_ptr<const Graph> graph;
  Objective objective;
};

// For a graph of which an output called `loss` (empty: the only scalar float output) is a mean over the rows of a batch:
// its sum and weight are the loss times the rows of the first input, and the rows.
Result<Model> model_of_mean_loss(const Graph& graph, std::string_view loss);

inline constexpr std::string_view kComputeFunction = "train_compute", kCommitFunction = "train_commit";
// Compute and commit in one: see add_whole_step().
inline constexpr std::string_view kStepFunction = "train_step_whole";
// Compute in less memory, of the same inputs and outputs: see core/train/rewrite/recompute.h.
inline constexpr std::string_view kRecomputeFunction = "train_recompute";

// A model with the two functions of a training step. Compute reads variables and gives sums over its rows, to be added over
// shards; commit takes the totals and assigns.
struct TrainGraph {
  std::shared_ptr<const Graph> graph;
  std::vector<Variable> parameters;  // what is trained, in the order of the gradients
  std::vector<Variable> statistics;  // moving statistics, in the order of compute's last outputs
  std::vector<std::string> inputs;   // of compute: those of main that it needs
  // Parameters whose gradients are rows (core/autodiff/row_sparse.h), by their places in `parameters`.
  std::vector<size_t> by_rows;
  // Outputs of compute by name: loss sum, weight, the metrics' totals, the other gradients, statistics times shard_fraction; then
  // for each of `by_rows` row numbers and values, which are put behind each other, not added.
  std::vector<std::string> outputs;
  StepLayout layout;  // the positions of these outputs
  // Predictions of the model that compute can give out, too: their names, and those that they have in compute.
  std::vector<std::pair<std::string, std::string>> predictions;
  std::string shard_fraction;  // compute's input for the shard's part of the batch; "" without statistics
  // All inputs of compute: `inputs`, and `shard_fraction` where there is one.
  std::vector<std::string> shard_inputs() const {
    std::vector<std::string> out = inputs;
    if (!shard_fraction.empty()) out.push_back(shard_fraction);
    return out;
  }
  // Inputs of commit: total weight, learning rate (f64), step (i64, from 1), gradients, statistics, rows and values.
  std::vector<std::string> commit_inputs, commit_targets;
  // Variables that are computed with in parts (core/train/parallel/split_graph.h), and how they are cut.
  std::vector<std::pair<std::string, SplitForm>> split;
  bool batch_coupled = false;  // rows of a batch influence each other
  bool meets_shards =
      false;  // what a shard computes depends on the rows of all: they must be computed at the same time
  bool can_recompute = false;  // there is a kRecomputeFunction
  // Of kStepFunction, empty where there is none: compute's inputs, the learning rate and the step; compute's totals, then next values of
  // variables, and by their places in the graph which ones.
  std::vector<std::string> step_inputs, step_outputs;
  std::vector<int32_t> step_of;
};
// `frozen`: patterns of the names of variables that keep their values. INVALID_ARGUMENT for a pattern, there or in a group, that
// no variable has. With `recompute` a kRecomputeFunction is added where it would pay. With stages or splits in
// `parallel` the nodes of compute ask for places in the group of devices that a replica is (core/graph/device_hint.h). `synchronized`:
// as for training_form().
Result<TrainGraph> build_train_graph(const Model& model, const Optimizer& optimizer,
                                     const std::vector<std::string>& frozen = {}, bool recompute = false,
                                     const ParallelSpec& parallel = {}, bool synchronized = false);

// What kCommitFunction assigns.
struct NextValue {
  ValueId value;     // of it
  bool computed;     // by a node of it, where it is not one of its inputs
  int32_t variable;  // by its place in the graph
};
std::vector<NextValue> next_values(const Graph& graph);

// Adds kStepFunction: what one shard alone computes goes to the commit as it is, and what the commit would assign is given out.
// `compute`: kComputeFunction, or that in less memory.
Status add_whole_step(TrainGraph& train, std::string_view compute);

// Emits the rows that were looked up, each once, with the sum of their values.
void sum_rows(Emitter& e, ValueId rows, ValueId values, ValueId* unique, ValueId* sums);

// The graph of one function: main reduced to what the named values need, which become its outputs; slots and training
// functions left out.
Result<std::shared_ptr<const Graph>> inference_graph(const Graph& graph, const std::vector<std::string>& outputs);

// Adds one whole training step to `f`: gradients of the scalar `loss` for every trainable variable that it reads, and the
// optimizer with its own learning rate, counting steps in a variable. Running the returned node, called "train_step" or with a
// number behind it, is one step.
Result<std::string> add_train_step(FunctionBuilder& f, ValueId loss, const Optimizer& optimizer);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_MINIMIZE_H_
