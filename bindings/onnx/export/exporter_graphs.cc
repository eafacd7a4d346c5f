// The part of the exporter that writes graphs: names, nodes, types, tensors.
#include <algorithm>
#include <array>

#include "bindings/onnx/export/exporter.h"

namespace percale_onnx {
namespace {

constexpr uint64_t kExternalBytes = 1024;  // smaller tensors stay in the model
constexpr uint64_t kExternalAlignment = 64;

}  // namespace

void Exporter::open(size_t index, Scope& scope) const {
  scope.function = index;
  scope.info = function(index);
  scope.names.resize(scope.info.value_count);
  scope.lent.resize(scope.info.value_count, false);
}

std::string Exporter::take_name(std::string_view wanted) {
  std::string name = is_utf8(wanted) ? std::string(wanted) : "value";
  if (taken_.insert(name).second) return name;
  const std::string base = name;
  int64_t& number = next_number_[base];
  do name = text(base, "_", ++number);
  while (!taken_.insert(name).second);
  return name;
}

std::string_view Exporter::variable_of(const percale_graph_node_info& info) const {
  if (std::string_view(info.domain) != "percale") return {};
  for (const percale_attribute& a : attributes(info)) {
    if (std::string_view(a.name) == "variable") return {a.text, a.text_size};
  }
  return {};
}

Status Exporter::write_body(Scope& scope, bool main, MessageWriter* graph) {
  for (size_t n = 0; n < scope.info.node_count; ++n) {
    const percale_graph_node_info info = node(scope.function, n);
    std::string_view variable = variable_of(info);
    if (const auto absorbed = absorbed_.find(n); main && absorbed != absorbed_.end()) variable = absorbed->second;
    if (variable.empty() || info.output_count == 0 || info.outputs[0] < 0) continue;
    const auto id = static_cast<size_t>(info.outputs[0]);
    scope.names[id] = variables_.at(variable);
    scope.lent[id] = true;
  }
  const std::vector<bool> read = read_values(scope);
  for (size_t v = 0; v < scope.names.size(); ++v) {
    const percale_graph_value_info info = value(scope.function, static_cast<int32_t>(v));
    if (info.data != nullptr && !read[v]) continue;
    if (scope.names[v].empty()) scope.names[v] = take_name(info.name);
    if (info.data == nullptr) continue;
    graph->message(5, tensor(scope.names[v], info.dtype, info.dims, info.rank, info.data, info.bytes));
    scope.lent[v] = scope.lent[v] || !main;
  }
  for (size_t n = 0; n < scope.info.node_count; ++n) ONNX_TRY(write_node(scope, n, graph));

  std::vector<int32_t> given;
  for (size_t i = 0; i < scope.info.output_count; ++i) {
    const int32_t id = scope.info.outputs[i];
    const percale_graph_value_info info = value(scope.function, id);
    std::string name = scope.names[static_cast<size_t>(id)];
    const bool again = std::find(given.begin(), given.end(), id) != given.end();
    // An Identity gives a new name to an output that the graph does not compute, or that an earlier
    // output has.
    const bool lent = scope.lent[static_cast<size_t>(id)] && !(main && name == info.name);
    if (again || lent) {
      MessageWriter identity;
      identity.bytes(1, name);
      name = take_name(info.name);
      identity.bytes(2, name);
      identity.bytes(4, "Identity");
      graph->message(1, std::move(identity));
    }
    given.push_back(id);
    graph->message(12, type_of(name, info, main ? &dim_names_[info.name] : nullptr));
  }
  return {};
}

// A Loop passes the trip, the condition and the carried values to its body. An If passes nothing to
// its branches. All other inputs are values of the outer graph, whose names the body uses.
Status Exporter::write_graph(const Scope& outer, const percale_graph_node_info& carrier, int64_t carried,
                             std::string_view function, MessageWriter* out) {
  const auto found = functions_.find(function);
  if (found == functions_.end()) return bad("there is no function ", quoted(function));
  Scope scope;
  open(found->second, scope);
  const size_t formal = carried < 0 ? 0 : static_cast<size_t>(carried) + 2;
  // The trailing inputs of the function are those of the node. An If also has its condition.
  const size_t first = carried < 0 ? 1 : 0;
  const size_t inputs = scope.info.input_count;
  if (formal > inputs || (inputs > formal && inputs + first > carrier.input_count)) {
    return bad("function ", quoted(function), " does not match the inputs of its node");
  }
  for (size_t i = 0; i < inputs; ++i) {
    const auto id = static_cast<size_t>(scope.info.inputs[i]);
    const percale_graph_value_info info = value(scope.function, scope.info.inputs[i]);
    if (i < formal) {
      scope.names[id] = take_name(info.name);
      out->message(11, type_of(scope.names[id], info));
    } else if (const int32_t captured = carrier.inputs[i + first]; captured >= 0) {
      scope.names[id] = outer.names[static_cast<size_t>(captured)];
      scope.lent[id] = true;
    }
  }
  return write_body(scope, false, out);
}

MessageWriter Exporter::type_of(std::string_view name, const percale_graph_value_info& info,
                                const std::vector<std::string>* dim_names) const {
  MessageWriter tensor_type, type, out;
  tensor_type.integer(1, info.dtype);
  if (info.rank != SIZE_MAX) {
    MessageWriter shape;
    for (size_t i = 0; i < info.rank; ++i) {
      MessageWriter dim;
      // A dim of 0 is written as unknown, because many files use 0 for unknown dims.
      if (info.dims[i] > 0) {
        dim.integer(1, info.dims[i]);
      } else if (dim_names != nullptr && i < dim_names->size() && !(*dim_names)[i].empty()) {
        dim.bytes(2, (*dim_names)[i]);
      }
      shape.message(1, std::move(dim));
    }
    tensor_type.message(2, std::move(shape));
  }
  type.message(1, std::move(tensor_type));
  out.bytes(1, name);
  out.message(2, std::move(type));
  return out;
}

MessageWriter Exporter::tensor(std::string_view name, percale_dtype dtype, const int64_t* dims, size_t rank,
                               const void* data, uint64_t bytes) {
  MessageWriter out;
  for (size_t i = 0; i < rank; ++i) out.integer(1, dims[i]);
  out.integer(2, dtype);
  if (!name.empty()) out.bytes(8, name);
  const std::string_view elements(static_cast<const char*>(data), bytes);
  if (!external_ || bytes < kExternalBytes) {
    out.lent_bytes(9, elements);
    return out;
  }
  constexpr std::array<char, kExternalAlignment> kZeros{};
  const uint64_t gap = (kExternalAlignment - data_end_ % kExternalAlignment) % kExternalAlignment;
  if (gap > 0) target_.write_data(target_.user, kZeros.data(), gap);
  const std::pair<std::string_view, std::string> entries[] = {
      {"location", target_.data_name}, {"offset", std::to_string(data_end_ + gap)}, {"length", std::to_string(bytes)}};
  for (const auto& [key, text] : entries) {
    MessageWriter entry;
    entry.bytes(1, key);
    entry.bytes(2, text);
    out.message(13, std::move(entry));
  }
  out.integer(14, 1);
  target_.write_data(target_.user, elements.data(), elements.size());
  data_end_ += gap + bytes;
  return out;
}

}  // namespace percale_onnx
