// A data-flow graph in memory: arrays of plain structs that refer to each other by index.
//
// Nodes are in topological order: a node's inputs and control inputs come from earlier nodes. A
// graph therefore has no cycles by construction, and every traversal is a loop.
#ifndef PERCALE_CORE_GRAPH_GRAPH_H_
#define PERCALE_CORE_GRAPH_GRAPH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry/format.h"
#include "core/registry/op_schema.h"
#include "core/registry/registry.h"
#include "core/registry/shape_context.h"
#include "core/tensor/tensor.h"

namespace percale {

using ValueId = int32_t;
using NodeId = int32_t;
inline constexpr ValueId kNoValue = -1;

enum class ValueKind : uint8_t { kInput, kConstant, kNode };

struct Value {
  std::string name;  // unique within the function
  ValueType type;
  ValueKind kind = ValueKind::kNode;
  int32_t def = 0;     // index into inputs, constants or nodes
  int32_t output = 0;  // kNode: the output number
  // Index into Function::formats; -1: row-major. Only graphs that are being compiled have other
  // values.
  int32_t format = -1;
};

struct Node {
  std::string name;  // unique within the function
  const OpSchema* op = nullptr;
  std::vector<ValueId> inputs;   // kNoValue: absent; no trailing kNoValue
  std::vector<ValueId> outputs;  // kNoValue: not requested
  std::vector<NodeId> control;   // nodes that must run before; ascending
  Attributes attributes;         // as given, without defaults
  std::string device;            // hint such as "cuda:0"; "": any device
};

// A named sub-graph. It is closed: it sees its inputs, its constants and the variables, and nothing
// of its caller.
struct Function {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<Tensor> constants;
  std::vector<ValueId> inputs, outputs;
  std::vector<Format> formats;

  const Value& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  Value& value(ValueId id) { return values[static_cast<size_t>(id)]; }
  const Node& node(NodeId id) const { return nodes[static_cast<size_t>(id)]; }
  Node& node(NodeId id) { return nodes[static_cast<size_t>(id)]; }
  const ValueType& type(ValueId id) const { return value(id).type; }
  // Returns null for a row-major value.
  const Format* format(ValueId id) const {
    return value(id).format < 0 ? nullptr : &formats[static_cast<size_t>(value(id).format)];
  }
  // Returns the tensor of a constant value, null for any other value.
  const Tensor* constant(ValueId id) const;
  // Returns kNoValue if there is none of that name.
  ValueId find_value(std::string_view name) const;
};

// A named entry of the state table.
struct Variable {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  bool trainable = true;
  bool slot = false;  // optimizer state, not a parameter: left out of digests and exports
  // The initial value. If undefined, the output of "init" with the variable's name provides it.
  Tensor initial;
};

inline constexpr std::string_view kMainFunction = "main";
inline constexpr std::string_view kInitFunction = "init";
inline constexpr size_t kMaxFunctionDepth = 16;

// Immutable, thread-safe and shared once finished.
struct Graph {
  std::shared_ptr<const Registry> registry;  // keeps the schemas alive that nodes point to
  std::vector<Function> functions;           // "main" first
  std::vector<Variable> variables;
  std::map<std::string, std::string> metadata;
  int64_t next_random_id = 1;  // id of the next random node

  // Return null if there is none of that name.
  const Function* find_function(std::string_view name) const;
  Function* find_function(std::string_view name);
  const Variable* find_variable(std::string_view name) const;
  const Function& main() const { return functions.front(); }
};

// Returns "Conv" or "percale:ApplyAdam".
std::string op_name(const OpSchema& schema);

// Returns the attributes with the schema's defaults filled in.
Attributes with_defaults(const OpSchema& schema, const Attributes& attributes);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_GRAPH_H_
