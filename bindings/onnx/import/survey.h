// Examines a model before anything is built: unknown ops, names, the order of nodes.
#ifndef PERCALE_BINDINGS_ONNX_IMPORT_SURVEY_H_
#define PERCALE_BINDINGS_ONNX_IMPORT_SURVEY_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bindings/onnx/proto/proto.h"

namespace percale_onnx {

// The limit of nesting, which counts sub-graphs and calls of functions together.
inline constexpr int kMaxDepth = 16;

// The functions of a model, by "domain:Name".
using Functions = std::unordered_map<std::string, const FunctionProto*>;
const FunctionProto* find_function(const Functions& functions, std::string_view domain, std::string_view op);

// Returns the library's name of an op: "Conv", or "domain:Op" outside of ONNX's own domain.
std::string op_name(std::string_view domain, std::string_view op);
// Returns the opset of a domain. INVALID_ARGUMENT if the model imports none.
Status opset_of(const Opsets& opsets, std::string_view domain, int32_t* out);

using Names = std::unordered_set<std::string_view>;

struct Survey {
  int64_t nodes = 0;
  // Values that set up an op and must be known before the run: bounds, scales, ratios.
  Names settled;
  // Running statistics, which no gradient changes.
  Names statistics;
  // The operands of all nodes except elementwise arithmetic such as Add.
  Names beyond_arithmetic;
};

// Visits all nodes that the graph can reach. `knows` tells which ops the library has. UNIMPLEMENTED
// lists every other op with its number of nodes. INVALID_ARGUMENT for nesting beyond kMaxDepth.
Status survey(const ModelProto& model, const Functions& functions,
              const std::function<bool(const std::string& op, int32_t version)>& knows, Survey* out);

// Appends the names that a graph uses and does not define, each once, in the order of first use.
// `depth` is the nesting depth of the graph.
Status free_names(std::string_view graph, int depth, std::vector<std::string_view>* out);

// Sorts nodes so that each follows those that it depends on. Keeps an order that has this property.
// INVALID_ARGUMENT for a cycle. `depth` is the nesting depth of their graph.
Status sort_nodes(std::vector<std::string_view>* nodes, int depth);

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_IMPORT_SURVEY_H_
