// Exports a graph as an ONNX model.
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

// Keys of metadata_props in models that Percale wrote. They list the initializers that are
// trainable and fixed variables, one name per line. All other initializers are constants.
inline constexpr std::string_view kTrainableKey = "percale.trainable", kFixedKey = "percale.fixed";
// The key of the variables that are stored transposed, one line of a name and a permutation for
// each. A graph that is imported from such a model keeps the entry as metadata.
inline constexpr std::string_view kFormsKey = "percale.forms";
// The prefix of metadata about the model that a graph was imported from. It is not exported.
inline constexpr std::string_view kForeignPrefix = "onnx.";
// The key of the names of unknown dims in a graph's metadata: lines "VALUE\tDIM\tDIM...", with ""
// for a dim without a name.
inline constexpr std::string_view kDimsKey = "percale.dims";

// One export. "main" becomes the model's graph, and variables and constants its initializers.
// Functions become sub-graphs of the nodes that call them, and their trailing inputs become values
// of the outer graphs. The opset is the oldest one that can express every node (opset_rules.h).
class Exporter {
 public:
  Exporter(const Host& host, const percale_graph* graph, const percale_export_target& target)
      : host_(host), given_(graph), target_(target) {}
  // Writes the model, unless an error is returned.
  Status run();

 private:
  // One use of a function. `names` has the names of its values in the model, "" for a value that
  // has none yet.
  struct Scope {
    size_t function = 0;
    percale_graph_function_info info{};
    std::vector<std::string> names;
    std::vector<bool> lent;  // true for names of outer values and of variables
  };

  percale_graph_function_info function(size_t index) const;
  percale_graph_value_info value(size_t function, int32_t id) const;
  percale_graph_node_info node(size_t function, size_t index) const;
  std::vector<percale_attribute> attributes(const percale_graph_node_info& info) const;

  // Checks ops and variables, and determines opsets and sizes, before anything is written.
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
  std::string forms_text() const;
  // exporter_graphs.cc
  void open(size_t function, Scope& scope) const;
  // Returns a name that is unique in the model: `wanted`, or `wanted` with a number after it.
  std::string take_name(std::string_view wanted);
  // Returns the variable that a node reads; "" for another op.
  std::string_view variable_of(const percale_graph_node_info& node) const;
  // Writes a graph except for its inputs, whose names are set. In `main`, outputs may be inputs or
  // initializers themselves.
  Status write_body(Scope& scope, bool main, MessageWriter* graph);
  // Writes the function that a node calls as a sub-graph.
  Status write_graph(const Scope& outer, const percale_graph_node_info& node, int64_t carried,
                     std::string_view function, MessageWriter* out);
  // exporter_nodes.cc
  // Returns the number of carried values of a Loop; -1 for other nodes.
  int64_t carried_by(const percale_graph_node_info& info) const;
  // Return a node in the form of the newest opset, and in that of the model's opset.
  OnnxNode onnx_node(size_t function, size_t index) const;
  OnnxNode written_node(size_t function, size_t index) const;
  // Returns for each value whether a node as written, a sub-graph or an output reads it.
  std::vector<bool> read_values(const Scope& scope) const;
  Status write_node(const Scope& scope, size_t index, MessageWriter* graph);
  // Writes an attribute of the node `info`, or one that to_opset() has added or changed.
  void write_attribute(const percale_graph_node_info& info, const percale_attribute& attribute, MessageWriter* out);
  // `dim_names` has the names of unknown dims, or is null.
  MessageWriter type_of(std::string_view name, const percale_graph_value_info& value,
                        const std::vector<std::string>* dim_names = nullptr) const;
  MessageWriter tensor(std::string_view name, percale_dtype dtype, const int64_t* dims, size_t rank, const void* data,
                       uint64_t bytes);

  const Host host_;
  const percale_graph* const given_;
  const percale_export_target& target_;
  std::shared_ptr<percale_graph> graph_;
  std::unordered_map<std::string_view, size_t> functions_;  // by name
  // The name of each variable's initializer.
  std::unordered_map<std::string_view, std::string> variables_;
  // Forms of variables in the model from which the graph was imported.
  std::unordered_map<std::string_view, std::string_view> known_forms_;
  // The permutation of each variable that is stored transposed.
  std::unordered_map<std::string_view, std::vector<int64_t>> forms_;
  // The Transpose nodes of "main" that such a variable replaces, with the variable.
  std::unordered_map<size_t, std::string_view> absorbed_;
  // Names of dims of the inputs and outputs of "main".
  std::map<std::string, std::vector<std::string>> dim_names_;
  std::deque<std::string> owned_;  // elements that the model borrows
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int64_t> next_number_;  // by name, for take_name()
  std::map<std::string, int32_t, std::less<>> opsets_;
  int64_t nodes_left_ = 0;  // a limit, because nested uses of functions multiply nodes
  bool external_ = false;
  uint64_t data_end_ = 0;  // the size so far of the file beside the model
};

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_EXPORT_EXPORTER_H_
