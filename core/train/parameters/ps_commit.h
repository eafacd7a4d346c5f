// The commit of parameters that are stored in parts on several devices.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_PS_COMMIT_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_PS_COMMIT_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/train/parallel/parameter_spec.h"
#include "core/train/rewrite/train_graph.h"

namespace percale {

// A device that stores parts.
struct PsDevice {
  std::string name;
  bool on_host = true;  // it uses the host's memory
};

// A graph with a function kCommitFunction whose variables are parts of those of the training graph.
// It computes the same bits as the training graph's own commit: updates of elements, and norms of
// whole gradients.
struct PsCommit {
  // Some rows of a tensor, or all (end -1). `of` is the index of a variable in the training graph,
  // or of an input in TrainGraph::commit_inputs.
  struct View {
    size_t of = 0;
    int64_t begin = 0, end = -1;
    bool operator==(const View&) const = default;
  };
  std::shared_ptr<const Graph> graph;
  std::vector<View> variables;  // those of `graph`
  std::vector<View> inputs;     // of the function, and their names
  std::vector<std::string> input_names;
  // The part [begin, end) of a cut table that trains by rows: indices into `inputs` of the numbers
  // and the values of changed rows. These are not views: numbers count from `begin`, and rows of
  // other parts are left out.
  struct TableRows {
    size_t rows = 0, values = 0;
    int64_t begin = 0, end = 0;
  };
  std::vector<TableRows> tables;
  // An assignment. For devices in the host's memory the graph assigns, on the device. For devices
  // with memory of their own the value must be fetched; of a table that trains by rows, only the
  // changed rows: their numbers in the part (-1: unused) and their values, by name.
  struct Update {
    size_t variable = 0;  // index in `graph`
    std::string node, value;
    bool on_host = true;
    std::string rows = {}, row_values = {};

    bool by_rows() const { return !rows.empty(); }
  };
  std::vector<Update> updates;
  // Where the parts are not all parameters, and the optimizer needs the norm of all gradients: a
  // function kSquaresFunction gives the gradient_squares() of the parts. The commit takes those of
  // all parameters, as inputs that follow `inputs`.
  struct Squares {
    std::vector<View> inputs;
    std::vector<std::string> input_names, outputs;
  } squares;
};
inline constexpr std::string_view kSquaresFunction = "train_squares";

// `some`: the parts are not all parameters.
Result<PsCommit> build_ps_commit(const TrainGraph& train, const Optimizer& optimizer,
                                 const std::vector<ParameterPart>& parts, const std::vector<PsDevice>& devices,
                                 bool some = false);

// Returns the rows of a view, in the memory of `whole`.
Tensor view_of(const Tensor& whole, const PsCommit::View& view);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_PS_COMMIT_H_
