// The part of the importer that reads sub-graphs and functions of the model.
#include <algorithm>

#include "bindings/onnx/import/importer.h"

namespace percale_onnx {
namespace {

// Limits the time of code that searches all functions of a graph for each of them.
constexpr int64_t kMaxGraphs = 4096;

// Removes an axis from the dims of a value, if its rank is known.
Status drop_axis(int64_t axis, int64_t* dims, size_t* rank) {
  if (*rank == SIZE_MAX) return {};
  const auto count = static_cast<int64_t>(*rank);
  if (axis < -count || axis >= count) return bad("axis ", axis, " of an input of rank ", count);
  int64_t* const at = dims + (axis < 0 ? axis + count : axis);
  std::copy(at + 1, dims + count, at);
  --*rank;
  return {};
}

// Returns the axes along which a Scan with `inputs` inputs divides its last inputs into elements.
Status scan_axes(const NodeProto& node, size_t inputs, std::vector<int64_t>* axes) {
  const AttributeProto *count = find_attribute(node, "num_scan_inputs"),
                       *given = find_attribute(node, "scan_input_axes");
  const int64_t scanned = count == nullptr ? 0 : count->i;
  if (scanned < 1 || scanned > static_cast<int64_t>(inputs)) return bad("num_scan_inputs is out of range: ", scanned);
  if (given != nullptr) *axes = given->ints;
  axes->resize(static_cast<size_t>(scanned));
  return {};
}

// Replaces the dims of a loop-carried value by those that the model declares, because its shape may
// change from trip to trip. The rank becomes unknown if the dims of the first trip contradict them.
void use_declared_dims(const ValueInfo& info, int64_t* dims, size_t* rank) {
  const auto agree = [](int64_t has, int64_t says) { return says < 0 || has < 0 || says == has; };
  const bool fits =
      info.dims && info.dims->size() <= 8 &&
      (*rank == SIZE_MAX || (*rank == info.dims->size() && std::equal(dims, dims + *rank, info.dims->begin(), agree)));
  *rank = fits ? info.dims->size() : SIZE_MAX;
  if (fits) std::copy(info.dims->begin(), info.dims->end(), dims);
}

}  // namespace

// All sub-graphs of a node get the same captures, the outer values that any of them uses. Constants
// are copied into each sub-graph instead, so that shape functions see them.
Status Importer::import_graphs(const NodeProto& node, const Scope& scope, std::vector<std::string>* functions,
                               std::vector<percale_value>* inputs) {
  functions->resize(node.attributes.size());
  std::vector<std::string_view> captures;
  Names seen;
  bool any = false;
  for (const AttributeProto& attribute : node.attributes) {
    if (attribute.type == AttributeType::kGraphs)
      return unsupported("attributes that are lists of graphs are not supported");
    if (attribute.type != AttributeType::kGraph) continue;
    any = true;
    std::vector<std::string_view> names;
    ONNX_TRY(free_names(attribute.graph, scope.depth + 1, &names));
    for (std::string_view name : names) {
      if (scope.values.contains(name) && seen.insert(name).second) captures.push_back(name);
    }
  }
  if (!any) return {};
  const std::string name = text(scope.prefix, node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name);
  for (size_t i = 0; i < node.attributes.size(); ++i) {
    const AttributeProto& attribute = node.attributes[i];
    if (attribute.type != AttributeType::kGraph) continue;
    if (++graphs_ > kMaxGraphs)
      return unsupported("models with more sub-graphs than ", kMaxGraphs, " are not supported");
    // The number makes the name unique.
    ONNX_TRY(c_text(text(name, "/", attribute.name, "#", graphs_), &(*functions)[i]));
    ONNX_TRY(import_graph(attribute.graph, node, (*functions)[i], captures, scope)
                 .within(text("graph ", quoted(attribute.name))));
  }
  for (std::string_view capture : captures) {
    const Value& value = scope.values.at(capture);
    if (value.constant == nullptr && value.id != PERCALE_NO_VALUE) inputs->push_back(value.id);
  }
  return {};
}

Status Importer::import_graph(std::string_view bytes, const NodeProto& node, const std::string& function,
                              const std::vector<std::string_view>& captures, const Scope& outer) {
  GraphProto graph;
  ONNX_TRY(parse(bytes, &graph));
  struct Type {
    percale_dtype dtype = PERCALE_DTYPE_INVALID;
    int64_t dims[8];
    size_t rank = 0;
  };
  Scope inner;
  inner.opsets = outer.opsets;
  inner.given = outer.given;
  inner.depth = outer.depth + 1;
  if (inner.depth > kMaxDepth) return bad("graphs and functions are nested deeper than ", kMaxDepth);
  std::vector<percale_value> outer_inputs;
  for (std::string_view name : node.inputs) ONNX_TRY(lookup(name, outer, &outer_inputs.emplace_back()));
  ONNX_TRY(host_.take(host_->builder->begin_function(builder_, function.c_str())));
  ONNX_TRY(reserve_names(graph));
  ONNX_TRY(add_formal_inputs(graph, node, outer_inputs, inner));
  for (std::string_view name : captures) {
    const Value& from = outer.values.at(name);
    Value value;
    if (from.constant != nullptr) {
      ONNX_TRY(constant(from.constant, name, &value));
    } else if (from.id != PERCALE_NO_VALUE) {
      Type type;
      ONNX_TRY(host_.take(host_->builder->value_type(builder_, from.id, &type.dtype, type.dims, &type.rank)));
      // The input has no name, because this graph may define the name itself if only the other
      // branch captures the value.
      ONNX_TRY(host_.take(host_->builder->input(builder_, "", type.dtype, type.dims, type.rank, &value.id)));
    }
    inner.values.emplace(name, std::move(value));
  }
  ONNX_TRY(add_initializers(graph, false, inner));
  ONNX_TRY(add_nodes(std::move(graph.nodes), inner));
  ONNX_TRY(set_outputs(graph, inner));
  return host_.take(host_->builder->end_function(builder_));
}

// Adds the inputs of a body. Loop passes the trip, the condition and the carried values. Scan
// passes the carried values and an element of each of its other inputs. If passes none.
Status Importer::add_formal_inputs(const GraphProto& graph, const NodeProto& node,
                                   const std::vector<percale_value>& outer_inputs, Scope& inner) {
  const bool loop = node.domain.empty() && node.op == "Loop", scan = node.domain.empty() && node.op == "Scan";
  if (scan) {
    int32_t version = 0;
    ONNX_TRY(opset_of(*inner.opsets, node.domain, &version));
    if (version < 9) return unsupported("Scan of opset ", version, ", which scans batches, is not supported");
  }
  const size_t wanted = loop ? std::max<size_t>(outer_inputs.size(), 2) : scan ? outer_inputs.size() : 0;
  if (graph.inputs.size() != wanted) {
    return bad("the body has ", uint64_t{graph.inputs.size()}, " inputs, which does not match the node's inputs");
  }
  std::vector<int64_t> axes;
  if (scan) ONNX_TRY(scan_axes(node, outer_inputs.size(), &axes));
  const size_t carried = outer_inputs.size() - axes.size();
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    ValueInfo info;
    ONNX_TRY(parse(graph.inputs[i], &info));
    const std::string place = text("input ", quoted(info.name));
    if (!info.kind.empty()) return unsupported(place, ": values of this kind are not supported: ", info.kind);
    percale_dtype dtype = i == 0 ? PERCALE_DTYPE_I64 : PERCALE_DTYPE_BOOL;
    int64_t dims[8] = {};
    size_t rank = 0;
    if (scan && i >= carried) {
      ONNX_TRY(host_.take(host_->builder->value_type(builder_, outer_inputs[i], &dtype, dims, &rank)));
      ONNX_TRY(drop_axis(axes[i - carried], dims, &rank).within(place));
    } else if (scan || i >= 2) {
      if (outer_inputs[i] == PERCALE_NO_VALUE) return bad(place, ": its initial value is missing");
      ONNX_TRY(host_.take(host_->builder->value_type(builder_, outer_inputs[i], &dtype, dims, &rank)));
      use_declared_dims(info, dims, &rank);
    }
    std::string name;
    ONNX_TRY(c_text(info.name, &name));
    Value value;
    ONNX_TRY(host_.take(host_->builder->input(builder_, name.c_str(), dtype, dims, rank, &value.id)).within(place));
    if (!inner.values.emplace(info.name, std::move(value)).second)
      return bad("two inputs have the name ", quoted(info.name));
  }
  return {};
}

// Inlines a function of the model, because it has no types of its own, and its calls have.
Status Importer::call_function(const FunctionProto& function, const NodeProto& node, Scope& scope) {
  Scope inner;
  inner.opsets = &function.opsets;
  inner.depth = scope.depth + 1;
  inner.keeps_names = false;
  if (inner.depth > kMaxDepth) return bad("graphs and functions are nested deeper than ", kMaxDepth);
  std::string name;
  ONNX_TRY(c_text(node.name.empty() ? function.name : node.name, &name));
  inner.prefix = text(scope.prefix, name, "/");
  if (node.inputs.size() > function.inputs.size() || node.outputs.size() > function.outputs.size()) {
    return bad("the node has more inputs or outputs than its function");
  }
  std::vector<percale_value> passed;
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    Value value;
    if (i < node.inputs.size() && !node.inputs[i].empty()) {
      ONNX_TRY(lookup(node.inputs[i], scope, &value.id));
      value = scope.values.at(node.inputs[i]);
      passed.push_back(value.id);
    }
    if (!inner.values.emplace(function.inputs[i], std::move(value)).second) {
      return bad("two inputs of the function have the name ", quoted(function.inputs[i]));
    }
  }
  std::vector<AttributeProto> defaults(function.attribute_defaults.size());
  Attributes given;
  for (const AttributeProto& attribute : node.attributes) given.emplace(attribute.name, &attribute);
  for (size_t i = 0; i < defaults.size(); ++i) {
    ONNX_TRY(parse(function.attribute_defaults[i], &defaults[i]));
    given.emplace(defaults[i].name, &defaults[i]);
  }
  inner.given = &given;
  ONNX_TRY(add_nodes(function.nodes, inner));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    Value value;
    ONNX_TRY(lookup(function.outputs[i], inner, &value.id).within("function output"));
    if (value.id == PERCALE_NO_VALUE)
      return bad("function output ", quoted(function.outputs[i]), " is a missing input");
    const bool own = std::find(passed.begin(), passed.end(), value.id) == passed.end();
    value = inner.values.at(function.outputs[i]);
    // A value of the caller keeps its name, and so does a value that two outputs share.
    ONNX_TRY(bind(node.outputs[i], std::move(value), own, scope));
    passed.push_back(scope.values.at(node.outputs[i]).id);
  }
  return {};
}

}  // namespace percale_onnx
