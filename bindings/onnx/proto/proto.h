// ONNX's messages as structs that view the bytes of the model. Field numbers and names are those of
// onnx.proto. Sub-graphs remain bytes until they are needed, so that nesting does not increase the
// memory in use.
#ifndef PERCALE_BINDINGS_ONNX_PROTO_PROTO_H_
#define PERCALE_BINDINGS_ONNX_PROTO_PROTO_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bindings/onnx/host.h"

namespace percale_onnx {

// The version of each domain's operator set. ONNX's own domain is "".
using Opsets = std::map<std::string, int64_t, std::less<>>;

struct FunctionProto {
  std::string_view domain, name;
  std::vector<std::string_view> inputs, outputs, attributes, nodes;  // nodes: NodeProto
  std::vector<std::string_view> attribute_defaults;                  // AttributeProto
  Opsets opsets;
};

struct ModelProto {
  int64_t ir_version = 0;
  Opsets opsets;
  std::string_view producer, graph;  // graph: GraphProto
  std::vector<FunctionProto> functions;
  std::map<std::string_view, std::string_view> metadata;  // metadata_props
};

struct GraphProto {
  std::string_view name;
  // The bytes of NodeProto, TensorProto, and of ValueInfoProto twice.
  std::vector<std::string_view> nodes, initializers, inputs, outputs;
  bool has_sparse = false;
};

// AttributeProto.AttributeType.
enum class AttributeType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kTensors = 9,
  kGraphs = 10,
  kSparseTensor = 11,
  kSparseTensors = 12,
  kTypeProto = 13,
  kTypeProtos = 14,
};

struct AttributeProto {
  // `reference` names an attribute of the enclosing function, which has the value.
  std::string_view name, reference;
  AttributeType type = AttributeType::kUndefined;
  double f = 0;
  int64_t i = 0;
  std::string_view s, tensor, graph;
  std::vector<double> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
};

struct NodeProto {
  std::string_view op, domain, name;
  std::vector<std::string_view> inputs, outputs;
  std::vector<AttributeProto> attributes;
};

// The type of a value that is a tensor.
struct ValueInfo {
  std::string_view name;
  percale_dtype dtype = PERCALE_DTYPE_INVALID;  // INVALID if the model does not declare it
  std::string_view kind;                        // "sequence", "map", ...; empty for a tensor
  std::optional<std::vector<int64_t>> dims;     // -1: unknown dim; nullopt: unknown rank
  // Names of unknown dims, such as "batch"; "" for a dim without a name.
  std::vector<std::string_view> dim_names;
};

// Returns "" for ONNX's own domain, which is also called "ai.onnx", and `domain` for others.
std::string_view plain_domain(std::string_view domain);

Status parse(std::string_view bytes, ModelProto* out);
Status parse(std::string_view bytes, GraphProto* out);
Status parse(std::string_view bytes, NodeProto* out);
Status parse(std::string_view bytes, ValueInfo* out);
Status parse(std::string_view bytes, AttributeProto* out);

// A node without the values of its attributes, to follow names through a graph. `graphs` has the
// bytes of its sub-graphs.
struct NodeOutline {
  std::string_view op, domain;
  std::vector<std::string_view> inputs, outputs, graphs;
};
Status parse(std::string_view bytes, NodeOutline* out);
// Reads the name of a TensorProto or ValueInfoProto, which is its field `number`.
Status parse_name(std::string_view bytes, uint32_t number, std::string_view* out);
inline constexpr uint32_t kTensorName = 8, kValueInfoName = 1;
// Adds the names of the graph's initializers to `out`.
Status add_initializer_names(const GraphProto& graph, std::unordered_set<std::string_view>* out);

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_PROTO_PROTO_H_
