// The commit of parameters that several devices hold in parts.
#ifndef PERCALE_CORE_TRAIN_REWRITE_PS_COMMIT_H_
#define PERCALE_CORE_TRAIN_REWRITE_PS_COMMIT_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/train/parallel/parameter_spec.h"
#include "core/train/rewrite/minimize.h"

namespace percale {

// A device that holds parts.
struct PsDevice {
  std::string name;
  bool on_host = true;  // its memory is the host's
};

// A graph of a function kCommitFunction whose variables are parts of those of the training graph. It computes what the training graph's
// own commit does, bit for bit: updates of elements, and norms of whole gradients.
struct PsCommit {
  // Some rows of a tensor, -1: all. A variable of the training graph by its place there, or an input by its place in
  // TrainGraph::commit_inputs.
  struct View {
    size_t of = 0;
    int64_t begin = 0, end = -1;
  };
  std::shared_ptr<const Graph> graph;
  std::vector<View> variables, inputs;  // of `graph`, of the function
  std::vector<std::string> input_names;
  // What is assigned. In the host's memory nodes do it, each on its device; for devices with memory of their own the values are to be
  // fetched.
  struct Update {
    size_t variable = 0;  // of `graph`
    std::string node, value;
    bool on_host = true;
  };
  std::vector<Update> updates;
};
Result<PsCommit> build_ps_commit(const TrainGraph& train, const Optimizer& optimizer,
                                 const std::vector<ParameterPart>& parts, const std::vector<PsDevice>& devices);

// The rows of a view, in the memory of `whole`.
Result<Tensor> view_of(const Tensor& whole, const PsCommit::View& view);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_PS_COMMIT_H_
