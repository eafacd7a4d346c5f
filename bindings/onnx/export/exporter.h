// A graph into an ONNX model.
#ifndef PERCALE_BINDINGS_ONNX_EXPORT_EXPORTER_H_
#define PERCALE_BINDINGS_ONNX_EXPORT_EXPORTER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bindings/onnx/export/opset_rules.h"
#include "bindings/onnx/host.h"
#include "bindings/onnx/proto/wire.h"

namespace percale_onnx {

// Keys of metadata_props about the initializers of a model that Percale wrote, names in lines:
// which of them are variables, trained or not. All others are constants.
inline constexpr std::string_view kTrainableKey = "percale.trainable", kFixedKey = "percale.fixed";
// In which form the initializers of variables are, where it is not that of the parameter: lines of
// a name and a permutation. The graph that is made of such a model keeps it as a fact.
inline constexpr std::string_view kFormsKey = "percale.forms";
// Facts about a graph that came from a model begin so; they say nothing of the model that is
// written.
inline constexpr std::string_view kForeignPrefix = "onnx.";
// Names of unknown dims of inputs and outputs, as Percale keeps them: lines "VALUE\tDIM\tDIM...",
// "" for a dim without one.
inline constexpr std::string_view kDimsKey = "percale.dims";

// One export. "main" becomes the model's graph, variables and constants its initializers; functions
// become graphs within the nodes that carry them, whose trailing inputs are values of the graphs
// around. The opset is the oldest in which every node can be written with the meaning that it has
// here (opset_rules.h).
class Exporter {
 public:
  Exporter(const Host& host, const percale_graph* graph, const percale_export_target& target)
      : host_(host), given_(graph), target_(target) {}
  // Writes the model, unless an error is returned.
  Status run();

 private:
  // One use of a function: the names that its values have in the model, "" where they have none
  // yet.
  struct Scope {
    size_t function = 0;
    percale_graph_function_info info{};
    std::vector<std::string> names;
    std::vector<bool> lent;  // names of other graphs' values and of variables
  };

  percale_graph_function_info function(size_t index) const;
  percale_graph_value_info value(size_t function, int32_t id) const;
  percale_graph_node_info node(size_t function, size_t index) const;
  std::vector<percale_attribute> attributes(const percale_graph_node_info& info) const;

  // Before anything is written: ops, opsets, element types, sizes.
  Status survey();
  void note_dtype(percale_dtype dtype);
  Status check_variables();

  Status write_main(MessageWriter* graph);
  void write_metadata(MessageWriter* model);
  // exporter_forms.cc
  void read_known_forms(std::string_view list);
  void read_dim_names(std::string_view lines);
  void find_forms();
  MessageWriter variable_tensor(const std::string& name, const percale_graph_variable_info& variable);
  std::string told_forms() const;
  // exporter_graphs.cc
  void open(size_t function, Scope& scope) const;
  // A name that nothing in the model has: `wanted`, or with a number behind it.
  std::string take_name(std::string_view wanted);
  // The variable that a node reads; "" where it is another op.
  std::string_view variable_of(const percale_graph_node_info& node) const;
  // Everything of a graph but its inputs, whose names are there. `main`: outputs may be inputs and
  // initializers themselves.
  Status write_body(Scope& scope, bool main, MessageWriter* graph);
  // The function that a node carries, as a graph.
  Status write_graph(const Scope& outer, const percale_graph_node_info& node, int64_t carried,
                     std::string_view function, MessageWriter* out);
  // exporter_nodes.cc
  // The number of values that a Loop carries along; -1 for other nodes.
  int64_t carried_by(const percale_graph_node_info& info) const;
  // A node as ONNX has it today, and in the form of the model's opset.
  OnnxNode onnx_node(size_t function, size_t index) const;
  OnnxNode written_node(size_t function, size_t index) const;
  // Per value: whether a node as it is written, a graph within one or an output reads it.
  std::vector<bool> read_values(const Scope& scope) const;
  Status write_node(const Scope& scope, size_t index, MessageWriter* graph);
  // An attribute of the node `info`, or one that to_opset() has changed.
  void write_attribute(const percale_graph_node_info& info, const percale_attribute& attribute, MessageWriter* out);
  // `dim_names`: of unknown dims; may be null.
  MessageWriter type_of(std::string_view name, const percale_graph_value_info& value,
                        const std::vector<std::string>* dim_names = nullptr) const;
  MessageWriter tensor(std::string_view name, percale_dtype dtype, const int64_t* dims, size_t rank, const void* data,
                       uint64_t bytes);

  const Host host_;
  const percale_graph* const given_;
  const percale_export_target& target_;
  std::shared_ptr<percale_graph> graph_;
  std::unordered_map<std::string_view, size_t> functions_;  // by name
  // The initializer of each variable.
  std::unordered_map<std::string_view, std::string> variables_;
  // Forms of variables that an earlier export has noted.
  std::unordered_map<std::string_view, std::string_view> known_forms_;
  // The permutation by which a variable is stored transposed.
  std::unordered_map<std::string_view, std::vector<int64_t>> forms_;
  // Transpose nodes of "main" that such a variable makes superfluous, with the variable.
  std::unordered_map<size_t, std::string_view> absorbed_;
  // Names of dims of the inputs and outputs of "main".
  std::map<std::string, std::vector<std::string>> dim_names_;
  std::deque<std::string> owned_;  // elements that are lent to the model
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int64_t> next_number_;  // behind a name that is taken
  std::map<std::string, int32_t, std::less<>> opsets_;
  int64_t nodes_left_ = 0;  // that may be written: functions within functions multiply
  bool external_ = false;
  uint64_t data_end_ = 0;  // of the file beside the model
};

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_EXPORT_EXPORTER_H_
