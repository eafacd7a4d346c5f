// ONNX's messages as structs that view the bytes of the model: field numbers and names are those of
// onnx.proto. Sub-graphs stay bytes until they are needed, so that what is in memory grows
// with what was read and not with nesting.
#ifndef PERCALE_BINDINGS_ONNX_PROTO_PROTO_H_
#define PERCALE_BINDINGS_ONNX_PROTO_PROTO_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/onnx/host.h"

namespace percale_onnx {

// The versions of the operator sets that nodes may come from; ONNX's own domain is "".
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
  // NodeProto, TensorProto, and ValueInfoProto twice.
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
  // `reference`: the attribute of the function around it that gives the value.
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
  percale_dtype dtype = PERCALE_DTYPE_INVALID;  // INVALID: not told
  std::string_view kind;                        // of what is no tensor: "sequence", ...; else empty
  std::optional<std::vector<int64_t>> dims;     // -1 = unknown; none: not even the rank is told
  // Names of unknown dims ("batch"), "" for a dim without one.
  std::vector<std::string_view> dim_names;
};

// "" for ONNX's own domain under either of its names.
std::string_view plain_domain(std::string_view domain);

Status parse(std::string_view bytes, ModelProto* out);
Status parse(std::string_view bytes, GraphProto* out);
Status parse(std::string_view bytes, NodeProto* out);
Status parse(std::string_view bytes, ValueInfo* out);
Status parse(std::string_view bytes, AttributeProto* out);

// A node without the values of its attributes: enough to follow names through a graph. Graphs
// among the attributes come as bytes.
struct NodeOutline {
  std::string_view op, domain;
  std::vector<std::string_view> inputs, outputs, graphs;
};
Status parse(std::string_view bytes, NodeOutline* out);
// The name of a TensorProto or ValueInfoProto.
Status parse_name(std::string_view bytes, uint32_t number, std::string_view* out);
inline constexpr uint32_t kTensorName = 8, kValueInfoName = 1;

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_PROTO_PROTO_H_
