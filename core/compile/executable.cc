#include "core/compile/executable.h"

#include <algorithm>

#include "core/graph_io/writer.h"
#include "core/plan/node_view.h"

namespace percale {

Result<std::shared_ptr<const Executable>> Executable::compile(const Device& device, const Graph& graph,
                                                              const Function& function) {
  Graph alone;
  alone.registry = graph.registry;
  alone.functions.push_back(function);
  alone.functions[0].name = kMainFunction;
  if (!device.places_nodes()) {
    for (Node& node : alone.functions[0].nodes) node.device.clear();
  }
  PERCALE_ASSIGN_OR_RETURN(const std::string bytes, write_graph(alone));
  void* handle = nullptr;
  PERCALE_RETURN_IF_ERROR(
      from_c(device.api().compile(device.handle(), bytes.data(), bytes.size(), &handle)).with_context(device.name()));
  std::shared_ptr<const Executable> out(new Executable(device, handle));
  PERCALE_RETURN_IF_ERROR(out->check_operands(function).with_context(device.name()));
  return out;
}

Executable::~Executable() { device_.api().executable_destroy(handle_); }

Status Executable::check_operands(const Function& function) const {
  if (device_.api().operand_counts == nullptr) return {};
  uint64_t inputs = 0, outputs = 0;
  device_.api().operand_counts(handle_, &inputs, &outputs);
  if (inputs == function.inputs.size() && outputs == function.outputs.size()) return {};
  return internal_error("the device compiled a part of a graph with ", function.inputs.size(), " inputs and ",
                        function.outputs.size(), " outputs, and reports ", inputs, " and ", outputs,
                        " for the executable; a process that serves the device is broken or not to be trusted");
}

Status Executable::execute(void* stream, void* const* inputs, void* const* outputs) const {
  return from_c(device_.api().execute(handle_, stream, inputs, outputs)).with_context(device_.name());
}

int32_t input_to_overwrite(const Function& function, size_t output) {
  const ValueId made = function.outputs[output];
  const Value& value = function.value(made);
  if (value.kind != ValueKind::kNode || std::ranges::count(function.outputs, made) != 1) return -1;
  const Node& node = function.node(value.def);
  const auto is_pair = [&](const InPlace& pair) { return pair.output == static_cast<size_t>(value.output); };
  // With two pairs a kernel may take the memory of the other input for the output.
  const auto pair = std::find_if(node.op->in_place.begin(), node.op->in_place.end(), is_pair);
  if (std::count_if(node.op->in_place.begin(), node.op->in_place.end(), is_pair) != 1) return -1;
  const ValueId read = pair->input < node.inputs.size() ? node.inputs[pair->input] : kNoValue;
  if (read == kNoValue || !(memory_type(function, read) == memory_type(function, made))) return -1;
  int64_t readers = std::ranges::count(function.outputs, read);
  for (const Node& other : function.nodes) readers += std::ranges::count(other.inputs, read);
  const auto found = std::ranges::find(function.inputs, read);
  return readers == 1 && found != function.inputs.end() ? static_cast<int32_t>(found - function.inputs.begin()) : -1;
}

std::shared_ptr<const Program> whole_program(const Function& function, std::string_view device_kind) {
  auto out = std::make_shared<Program>();
  out->instructions.push_back({nullptr, nullptr, 0, 0, -1});
  for (const Node& node : function.nodes) {
    ProgramNode& info = out->nodes.emplace_back();
    info.op = node.op;
    info.name = node.name;
    info.kernel = str_cat(device_kind, ".partition");
    const auto type = [&](ValueId id) { return id == kNoValue ? ValueType{} : function.type(id); };
    for (ValueId id : node.inputs) info.inputs.push_back(type(id));
    for (ValueId id : node.outputs) info.outputs.push_back(type(id));
    info.formats.resize(info.inputs.size() + info.outputs.size());
  }
  for (ValueId id : function.inputs) out->inputs.push_back(memory_type(function, id));
  out->input_needed.assign(function.inputs.size(), 0);
  for (size_t i = 0; i < function.outputs.size(); ++i) {
    out->outputs.push_back(memory_type(function, function.outputs[i]));
    out->output_from.push_back({Home::kOutput, static_cast<int64_t>(i)});
  }
  out->output_ready.assign(function.outputs.size(), 0);
  return out;
}

}  // namespace percale
