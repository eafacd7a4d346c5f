// A look at the model before anything is built: the ops that are missing, names, the order of
// nodes. Nothing here makes nodes.
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

// The nesting of graphs within graphs and of functions that call functions, together.
inline constexpr int kMaxDepth = 16;

// The functions that a model brings along, by "domain:Name".
using Functions = std::unordered_map<std::string, const FunctionProto*>;
const FunctionProto* find_function(const Functions& functions, std::string_view domain, std::string_view op);

// "Conv", "domain:Op": how the library calls an op.
std::string op_name(std::string_view domain, std::string_view op);
// The opset of a domain; INVALID_ARGUMENT where none is imported.
Status opset_of(const Opsets& opsets, std::string_view domain, int32_t* out);

using Names = std::unordered_set<std::string_view>;

struct Survey {
  int64_t nodes = 0;
  // Initializers that must be known before the run, whatever their type: bounds, scales, ratios.
  Names settled;
  // Running statistics: values that a model has and no gradient changes.
  Names statistics;
  // The operands of nodes that are not plain arithmetic.
  Names beyond_arithmetic;
};

// Walks over all nodes that the graph can reach. UNIMPLEMENTED names every op that `knows` does not
// know, with the number of its nodes; INVALID_ARGUMENT what nests deeper than kMaxDepth.
Status survey(const ModelProto& model, const Functions& functions,
              const std::function<bool(const std::string& op, int32_t version)>& knows, Survey* out);

// The names that a graph uses and does not define, each once, in the order of first use. `depth`:
// of the graph.
Status free_names(std::string_view graph, int depth, std::vector<std::string_view>* out);

// Puts nodes into an order in which each comes after those that it depends on, the given one where
// that will do. INVALID_ARGUMENT for a circle. `depth`: of the graph that they are of.
Status sort_nodes(std::vector<std::string_view>* nodes, int depth);

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_IMPORT_SURVEY_H_
