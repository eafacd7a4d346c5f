// The part of the exporter that stores variables transposed if they are only used transposed, as
// kernels of convolutions are.
#include <algorithm>
#include <map>
#include <numeric>

#include "bindings/onnx/export/exporter.h"

namespace percale_onnx {
namespace {

// Returns the bytes of an element; 0 if elements share bytes.
size_t item_bytes(uint64_t bytes, const int64_t* dims, size_t rank) {
  uint64_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= static_cast<uint64_t>(dims[i]);
  return count > 0 && bytes % count == 0 ? static_cast<size_t>(bytes / count) : 0;
}

}  // namespace

void Exporter::find_forms() {
  struct Uses {
    bool otherwise = false;
    std::vector<int64_t> perm;
    std::vector<size_t> nodes;
  };
  std::map<std::string_view, Uses> uses;
  percale_graph_variable_info info{};
  info.struct_size = sizeof info;
  for (size_t i = 0; host_->graph->variable(graph_.get(), i, &info) != 0; ++i) {
    uses[info.name].otherwise = info.bytes > 0 && item_bytes(info.bytes, info.dims, info.rank) == 0;
  }
  std::unordered_map<int32_t, std::string_view> read;  // values of "main"
  for (const auto& [name, f] : functions_) {
    for (size_t n = 0; n < function(f).node_count; ++n) {
      const percale_graph_node_info info = node(f, n);
      const std::string_view variable = variable_of(info);
      if (variable.empty()) continue;
      Uses& of = uses[variable];
      of.otherwise = of.otherwise || f != 0 || known_forms_.contains(variable);
      if (info.output_count == 1) read.emplace(info.outputs[0], variable);
    }
  }
  const percale_graph_function_info main = function(0);
  for (size_t n = 0; n < main.node_count; ++n) {
    const percale_graph_node_info info = node(0, n);
    const bool transposes = std::string_view(info.domain).empty() && std::string_view(info.op) == "Transpose";
    for (size_t i = 0; i < info.input_count; ++i) {
      const auto found = read.find(info.inputs[i]);
      if (found == read.end()) continue;
      Uses& of = uses[found->second];
      std::vector<int64_t> perm;
      if (const auto given = attributes(info); transposes && given.size() == 1) {
        perm.assign(given[0].ints, given[0].ints + given[0].count);
      }
      of.otherwise = of.otherwise || perm.empty() || (!of.nodes.empty() && perm != of.perm);
      of.perm = std::move(perm);
      of.nodes.push_back(n);
    }
  }
  for (size_t i = 0; i < main.output_count; ++i) {
    if (const auto found = read.find(main.outputs[i]); found != read.end()) uses[found->second].otherwise = true;
  }
  for (auto& [variable, of] : uses) {
    if (of.otherwise || of.nodes.empty()) continue;
    for (size_t n : of.nodes) absorbed_.emplace(n, variable);
    forms_.emplace(variable, std::move(of.perm));
  }
}

MessageWriter Exporter::variable_tensor(const std::string& name, const percale_graph_variable_info& info) {
  const auto form = forms_.find(info.name);
  const size_t item = form == forms_.end() ? 0 : item_bytes(info.bytes, info.dims, info.rank);
  if (form == forms_.end()) return tensor(name, info.dtype, info.dims, info.rank, info.data, info.bytes);
  const std::vector<int64_t>& perm = form->second;
  std::vector<int64_t> dims, strides(info.rank, 1), step, at(info.rank, 0);
  for (size_t i = info.rank; i-- > 1;) strides[i - 1] = strides[i] * info.dims[i];
  for (int64_t axis : perm) {
    dims.push_back(info.dims[axis]);
    step.push_back(strides[static_cast<size_t>(axis)]);
  }
  std::string& out = owned_.emplace_back(static_cast<size_t>(info.bytes), '\0');
  const char* from = static_cast<const char*>(info.data);
  int64_t place = 0;
  for (size_t to = 0; item > 0 && to < out.size(); to += item) {
    std::copy_n(from + static_cast<size_t>(place) * item, item, out.data() + to);
    for (size_t i = info.rank; i-- > 0;) {
      place += step[i];
      if (++at[i] < dims[i]) break;
      place -= step[i] * dims[i];
      at[i] = 0;
    }
  }
  return tensor(name, info.dtype, dims.data(), dims.size(), out.data(), info.bytes);
}

// Returns lines "NAME 3,2,0,1": the initializer is the parameter, transposed by this permutation.
std::string Exporter::forms_text() const {
  std::map<std::string, std::string> lines;
  for (const auto& [variable, perm] : forms_) {
    std::string list;
    for (int64_t axis : perm) list += text(list.empty() ? "" : ",", axis);
    lines.emplace(variables_.at(variable), list);
  }
  for (const auto& [variable, list] : known_forms_) {
    if (const auto name = variables_.find(variable); name != variables_.end()) lines.emplace(name->second, list);
  }
  std::string out;
  for (const auto& [name, list] : lines) out += text(out.empty() ? "" : "\n", name, " ", list);
  return out;
}

void Exporter::read_known_forms(std::string_view list) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find('\n', at), list.size());
    const std::string_view line = list.substr(at, end - at);
    const size_t space = line.rfind(' ');
    if (space != std::string_view::npos) known_forms_.emplace(line.substr(0, space), line.substr(space + 1));
    at = end + 1;
  }
}

}  // namespace percale_onnx
