// Graphs of a model: names, nodes, attributes, tensors.
#include <algorithm>
#include <array>

#include "bindings/onnx/exporter.h"

namespace percale_onnx {
namespace {

constexpr uint64_t kExternalBytes = 1024;  // smaller tensors stay in the model
constexpr uint64_t kExternalAlignment = 64;

// What our nodes of ONNX's domain say beyond ONNX: which numbers are drawn, how a loop's inputs are meant and when it is too long.
bool is_our_own(std::string_view domain, std::string_view attribute) {
  return domain.empty() && (attribute == "id" || attribute == "num_carried" || attribute == "trip_limit");
}

// The name without a number behind it: "x" of "x_12".
std::string_view base_of(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  return end != std::string_view::npos && end + 1 < name.size() && end > 0 && name[end] == '_' ? name.substr(0, end)
                                                                                               : name;
}

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

std::string_view Exporter::variable_of(size_t function, size_t index, const percale_graph_node_info& info) const {
  if (std::string_view(info.domain) != "percale") return {};
  for (size_t i = 0; i < info.attribute_count; ++i) {
    const percale_graph_attribute_info a = attribute(function, index, i);
    if (std::string_view(a.name) == "variable") return {a.text, a.text_size};
  }
  return {};
}

Status Exporter::write_body(Scope& scope, bool main, MessageWriter* graph) {
  for (size_t n = 0; n < scope.info.node_count; ++n) {
    const percale_graph_node_info info = node(scope.function, n);
    std::string_view variable = variable_of(scope.function, n, info);
    if (const auto absorbed = absorbed_.find(n); main && absorbed != absorbed_.end()) variable = absorbed->second;
    if (variable.empty() || info.output_count == 0 || info.outputs[0] < 0) continue;
    const auto id = static_cast<size_t>(info.outputs[0]);
    scope.names[id] = variables_.at(variable);
    scope.lent[id] = true;
  }
  for (size_t v = 0; v < scope.names.size(); ++v) {
    const percale_graph_value_info info = value(scope, static_cast<int32_t>(v));
    if (scope.names[v].empty()) scope.names[v] = take_name(info.name);
    if (info.data == nullptr) continue;
    graph->message(5, tensor(scope.names[v], info.dtype, info.dims, info.rank, info.data, info.bytes));
    scope.lent[v] = scope.lent[v] || !main;
  }
  for (size_t n = 0; n < scope.info.node_count; ++n) ONNX_TRY(write_node(scope, n, graph));

  std::vector<int32_t> given;
  for (size_t i = 0; i < scope.info.output_count; ++i) {
    const int32_t id = scope.info.outputs[i];
    const percale_graph_value_info info = value(scope, id);
    std::string name = scope.names[static_cast<size_t>(id)];
    const bool again = std::find(given.begin(), given.end(), id) != given.end();
    // What a graph does not make itself, or gives already, it gives out under a name of its own.
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
    graph->message(12, type_of(name, info));
  }
  return {};
}

Status Exporter::write_node(const Scope& scope, size_t index, MessageWriter* graph) {
  const percale_graph_node_info info = node(scope.function, index);
  if (--nodes_left_ < 0) {
    return Status(PERCALE_RESOURCE_EXHAUSTED, "functions use each other for more nodes than a model should have");
  }
  if (!variable_of(scope.function, index, info).empty()) return {};
  if (scope.function == 0 && absorbed_.contains(index)) return {};
  size_t inputs = info.input_count;
  int64_t carried = -1;  // of a loop
  std::vector<percale_graph_attribute_info> attributes;
  bool carries = false;
  for (size_t i = 0; i < info.attribute_count; ++i) {
    attributes.push_back(attribute(scope.function, index, i));
    const std::string_view name = attributes.back().name;
    carries = carries || attributes.back().kind == 5;
    if (name == "num_carried") carried = attributes.back().i;
  }
  // What the functions of a node get from around is in their graphs.
  if (carries) inputs = std::min(inputs, carried < 0 ? size_t{1} : static_cast<size_t>(carried) + 2);
  MessageWriter out;
  const auto name_of = [&](int32_t id) -> std::string_view {
    return id < 0 ? std::string_view() : std::string_view(scope.names[static_cast<size_t>(id)]);
  };
  while (inputs > 0 && info.inputs[inputs - 1] < 0) --inputs;
  for (size_t i = 0; i < inputs; ++i) out.bytes(1, name_of(info.inputs[i]));
  size_t outputs = info.output_count;
  while (outputs > 0 && info.outputs[outputs - 1] < 0) --outputs;
  for (size_t i = 0; i < outputs; ++i) out.bytes(2, name_of(info.outputs[i]));
  // Nodes and values have their names from one pool. A node that is called as a value, or so with a number behind it, was given no
  // other name by anybody.
  const std::string name = info.name, base(base_of(name));
  if (!taken_.contains(name) && !taken_.contains(base) && is_utf8(name)) out.bytes(3, name);
  out.bytes(4, info.op);
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (is_our_own(info.domain, attributes[i].name)) continue;
    MessageWriter field;
    if (attributes[i].kind == 5) {
      field.bytes(1, attributes[i].name);
      MessageWriter inner;
      inner.bytes(2, attributes[i].name);
      ONNX_TRY(write_graph(scope, info, carried, {attributes[i].text, attributes[i].text_size}, &inner));
      field.message(6, std::move(inner));
      field.integer(20, 5);
    } else {
      write_attribute(scope, index, i, attributes[i], &field);
    }
    out.message(5, std::move(field));
  }
  if (*info.domain != '\0') out.bytes(7, info.domain);
  graph->message(1, std::move(out));
  return {};
}

void Exporter::write_attribute(const Scope& scope, size_t node, size_t number, const percale_graph_attribute_info& a,
                               MessageWriter* out) {
  out->bytes(1, a.name);
  switch (a.kind) {
    case 1: out->real(2, static_cast<float>(a.f)); break;
    case 2: out->integer(3, a.i); break;
    case 3: out->bytes(4, {a.text, a.text_size}); break;
    case 4: out->message(5, tensor({}, a.dtype, a.dims, a.rank, a.data, a.bytes)); break;
    case 6:
      for (size_t i = 0; i < a.count; ++i) out->real(7, static_cast<float>(a.floats[i]));
      break;
    case 7:
      for (size_t i = 0; i < a.count; ++i) out->integer(8, a.ints[i]);
      break;
    case 8:
      for (size_t i = 0; i < a.count; ++i) {
        size_t size = 0;
        const char* text = host_->graph_attribute_string(graph_.get(), scope.function, node, number, i, &size);
        out->bytes(9, {text, size});
      }
      break;
    default: break;
  }
  out->integer(20, a.kind);
}

// A loop gives its body the trip, the condition and what is carried; an If gives its branches nothing. All other inputs are values
// of the graph around, whose names the body uses.
Status Exporter::write_graph(const Scope& outer, const percale_graph_node_info& carrier, int64_t carried,
                             std::string_view function, MessageWriter* out) {
  const auto found = functions_.find(function);
  if (found == functions_.end()) return bad("there is no function ", quoted(function));
  Scope scope;
  open(found->second, scope);
  const size_t formal = carried < 0 ? 0 : static_cast<size_t>(carried) + 2;
  // Inputs of the node and of the function end together.
  const size_t first = carried < 0 ? 1 : 0;
  const size_t inputs = scope.info.input_count;
  if (formal > inputs || (inputs > formal && inputs + first > carrier.input_count)) {
    return bad("function ", quoted(function), " does not fit its node");
  }
  for (size_t i = 0; i < inputs; ++i) {
    const auto id = static_cast<size_t>(scope.info.inputs[i]);
    const percale_graph_value_info info = value(scope, scope.info.inputs[i]);
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

MessageWriter Exporter::type_of(std::string_view name, const percale_graph_value_info& info) const {
  MessageWriter tensor_type, type, out;
  tensor_type.integer(1, info.dtype);
  if (info.rank != SIZE_MAX) {
    MessageWriter shape;
    for (size_t i = 0; i < info.rank; ++i) {
      MessageWriter dim;
      // A dim of 0 is what many files write for one that they do not know.
      if (info.dims[i] > 0) dim.integer(1, info.dims[i]);
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
