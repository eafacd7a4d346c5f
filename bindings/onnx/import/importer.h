// Imports an ONNX model into a graph under construction.
#ifndef PERCALE_BINDINGS_ONNX_IMPORT_IMPORTER_H_
#define PERCALE_BINDINGS_ONNX_IMPORT_IMPORTER_H_

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings/onnx/host.h"
#include "bindings/onnx/import/aliases.h"
#include "bindings/onnx/import/survey.h"
#include "bindings/onnx/proto/proto.h"
#include "bindings/onnx/proto/tensor.h"

namespace percale_onnx {

// The newest opset that models may import.
inline constexpr int64_t kNewestOpset = 27;

// Returns the attribute with that name, or null.
const AttributeProto* find_attribute(const NodeProto& node, std::string_view name);

// One import. The model's graph becomes the builder's function "main", in which all values keep
// their names. Float initializers of the main graph become variables, all others constants.
// Sub-graphs become functions, and the outer values that they use are trailing inputs. Functions of
// the model are inlined at their calls. The README has the details.
class Importer {
 public:
  // `folder` holds the external data; null for a model that came without a folder.
  Importer(const Host& host, percale_builder* builder, const char* folder)
      : host_(host), builder_(builder), folder_(folder) {}
  // `bytes` must outlive the call. After an error the builder cannot be used any more.
  Status run(std::string_view bytes);

 private:
  struct Value {
    percale_value id = PERCALE_NO_VALUE;
    TensorPtr constant;  // the elements of a constant, of which each sub-graph gets a copy
  };
  using Attributes = std::unordered_map<std::string_view, const AttributeProto*>;
  // The names that are visible to the nodes of one graph, or of one call of a function.
  struct Scope {
    std::unordered_map<std::string_view, Value> values;
    const Opsets* opsets = nullptr;
    const Attributes* given = nullptr;  // attributes of the call, within a function
    std::string prefix;                 // of names of nodes within a function of the model
    bool keeps_names = true;            // values get the names that the model gives them
    int depth = 1;
  };

  Status read_model(std::string_view bytes);
  Status import_main();
  Status add_inputs(const GraphProto& graph, Scope& scope);
  Status add_initializers(const GraphProto& graph, bool main, Scope& scope);
  Status add_nodes(std::vector<std::string_view> nodes, Scope& scope);
  Status set_outputs(const GraphProto& graph, const Scope& scope);
  void keep_dim_names(const ValueInfo& info);
  Status reserve_names(const GraphProto& graph);
  void read_declared_variables();
  Status keep_metadata();
  // The role of an initializer of the main graph, under its own name or that of an alias.
  enum class Kept { kConstant, kTrainable, kFixed };
  Kept kept_as(const TensorProto& proto, std::string_view name) const;
  Status add_initializer(TensorPtr tensor, std::string_view name, Kept kept, Scope& scope);
  Status add_aliases(const TensorProto& proto, const TensorPtr& tensor, Kept kept, Scope& scope);

  Status add_node(std::string_view bytes, Scope& scope);
  Status emit_node(const NodeProto& node, Scope& scope);
  Status add_constant_node(const NodeProto& node, Scope& scope);
  Status set_attribute(const AttributeProto& attribute, const std::string& function);
  Status begin_emit(const NodeProto& node, const Scope& scope);
  Status bind_outputs(const NodeProto& node, const std::vector<percale_value>& values, Scope& scope);
  Status bind(std::string_view name, Value value, bool rename, Scope& scope);

  // importer_graphs.cc
  Status import_graphs(const NodeProto& node, const Scope& scope, std::vector<std::string>* functions,
                       std::vector<percale_value>* captures);
  Status import_graph(std::string_view bytes, const NodeProto& node, const std::string& function,
                      const std::vector<std::string_view>& captures, const Scope& outer);
  Status add_formal_inputs(const GraphProto& graph, const NodeProto& node,
                           const std::vector<percale_value>& outer_inputs, Scope& inner);
  Status call_function(const FunctionProto& function, const NodeProto& node, Scope& scope);

  Status lookup(std::string_view name, const Scope& scope, percale_value* out) const;
  Status constant(TensorPtr tensor, std::string_view name, Value* out);
  // Returns "Conv 'name'", for messages.
  static std::string place_of(const NodeProto& node);
  // Copies a name for the library. INVALID_ARGUMENT if it is not UTF-8 or contains a NUL.
  static Status c_text(std::string_view from, std::string* out);

  const Host host_;
  percale_builder* builder_;
  const char* folder_;
  ModelProto model_;
  Functions functions_;
  Survey survey_;
  // True if the metadata declares which initializers are variables, as files of Percale do.
  bool declares_variables_ = false;
  Names declared_trainable_, declared_fixed_;
  std::string dim_names_;  // in the form of kDimsKey
  Aliases aliases_;        // of the main graph's initializers
  Names separate_;         // aliases that are variables or constants of their own
  int64_t nodes_left_ = 0, alias_bytes_left_ = 0;
  int64_t graphs_ = 0;
};

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_IMPORT_IMPORTER_H_
