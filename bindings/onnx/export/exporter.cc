#include "bindings/onnx/export/exporter.h"

#include <algorithm>
#include <iterator>

namespace percale_onnx {
namespace {

// The limit of written nodes: the graph's nodes times kWrittenFactor, plus kMoreWritten.
constexpr int64_t kWrittenFactor = 16, kMoreWritten = 1 << 16;
// A protocol buffer has at most 2 GB. 64 MB of it are reserved for everything but elements.
constexpr uint64_t kMostBytes = (uint64_t{1} << 31) - 1, kMostElementBytes = kMostBytes - (uint64_t{64} << 20);

bool has_form(std::string_view domain, std::string_view op, int32_t version) {
  if (domain == "percale") return op == "ReadVariable";
  return !domain.empty() || version <= kNewestWrittenOpset;
}

int32_t keeps(void*, const char* domain, const char* op, int32_t version) { return has_form(domain, op, version); }

template <class Info>
Info empty() {
  Info info{};
  info.struct_size = sizeof info;
  return info;
}

void write_entry(MessageWriter* model, std::string_view key, std::string_view value) {
  MessageWriter entry;
  entry.bytes(1, key);
  entry.bytes(2, value);
  model->message(14, std::move(entry));
}

}  // namespace

percale_graph_function_info Exporter::function(size_t index) const {
  auto info = empty<percale_graph_function_info>();
  host_->graph->function(graph_.get(), index, &info);
  return info;
}
percale_graph_value_info Exporter::value(size_t function, int32_t id) const {
  auto info = empty<percale_graph_value_info>();
  host_->graph->value(graph_.get(), function, static_cast<size_t>(id), &info);
  return info;
}
percale_graph_node_info Exporter::node(size_t function, size_t index) const {
  auto info = empty<percale_graph_node_info>();
  host_->graph->node(graph_.get(), function, index, &info);
  return info;
}
std::vector<percale_attribute> Exporter::attributes(const percale_graph_node_info& info) const {
  std::vector<percale_attribute> out(host_->attributes->count(info.attributes));
  for (size_t i = 0; i < out.size(); ++i) host_->attributes->at(info.attributes, i, &out[i]);
  return out;
}

Status Exporter::run() {
  percale_graph* made = nullptr;
  ONNX_TRY(host_.take(host_->graph->inference(given_, keeps, nullptr, &made)));
  graph_ = std::shared_ptr<percale_graph>(made, [this](percale_graph* graph) { host_->graph->release(graph); });
  ONNX_TRY(survey());
  MessageWriter model, graph;
  ONNX_TRY(write_main(&graph));
  model.integer(1, ir_version(opsets_[""]));
  model.bytes(2, "Percale");
  model.bytes(3, PERCALE_ONNX_VERSION);
  model.message(7, std::move(graph));
  for (const auto& [domain, version] : opsets_) {
    MessageWriter opset;
    opset.bytes(1, domain);
    opset.integer(2, version);
    model.message(8, std::move(opset));
  }
  write_metadata(&model);
  if (model.size() > kMostBytes) {
    return Status(PERCALE_RESOURCE_EXHAUSTED,
                  text("the model has ", model.size(), " bytes, but a single ONNX file can hold ", kMostBytes,
                       ": store tensor elements in a file beside it (external_data)"));
  }
  model.write([this](std::string_view bytes) { target_.write(target_.user, bytes.data(), bytes.size()); });
  return {};
}

void Exporter::note_dtype(percale_dtype dtype) {
  int32_t& opset = opsets_[""];
  opset = std::max(opset, opset_of(dtype));
}

Status Exporter::check_variables() {
  auto info = empty<percale_graph_variable_info>();
  for (size_t i = 0; host_->graph->variable(graph_.get(), i, &info) != 0; ++i) {
    if (info.data == nullptr) {
      return Status(PERCALE_FAILED_PRECONDITION,
                    text("variable ", quoted(info.name),
                         " has no value yet: export with a table of variables that has its value"));
    }
    note_dtype(info.dtype);
  }
  return {};
}

Status Exporter::survey() {
  opsets_[""] = kOldestWrittenOpset;
  nodes_left_ = kMoreWritten;
  ONNX_TRY(check_variables());
  std::map<std::string, int64_t> missing;
  uint64_t element_bytes = 0;
  for (size_t f = 0;; ++f) {
    Scope scope;
    scope.function = f;
    scope.info = function(f);
    if (scope.info.name == nullptr) break;
    functions_.emplace(scope.info.name, f);
    for (size_t v = 0; v < scope.info.value_count; ++v) {
      const percale_graph_value_info info = value(scope.function, static_cast<int32_t>(v));
      note_dtype(info.dtype);
      if (info.data != nullptr) element_bytes += info.bytes;
    }
    nodes_left_ += kWrittenFactor * static_cast<int64_t>(scope.info.node_count);
    for (size_t n = 0; n < scope.info.node_count; ++n) {
      const percale_graph_node_info info = node(f, n);
      const std::string_view domain = info.domain;
      if (!has_form(domain, info.op, info.version)) {
        ++missing[domain.empty() ? text(std::string_view(info.op), " of opset ", info.version)
                                 : text(domain, ":", std::string_view(info.op))];
      } else if (domain != "percale") {
        int32_t& opset = opsets_[std::string(domain)];
        opset = std::max(opset, domain.empty() ? oldest_opset(onnx_node(f, n)) : info.version);
      }
    }
  }
  auto info = empty<percale_graph_variable_info>();
  for (size_t i = 0; host_->graph->variable(graph_.get(), i, &info) != 0; ++i) element_bytes += info.bytes;
  external_ = target_.data_name != nullptr && (target_.prefer_data != 0 || element_bytes > kMostElementBytes);
  if (missing.empty()) return {};
  std::string list;
  for (const auto& [op, count] : missing) list += text(list.empty() ? "" : ", ", op, " (", count, ")");
  return unsupported("ops that ONNX does not have (number of nodes in parentheses): ", list);
}

void Exporter::read_dim_names(std::string_view lines) {
  const auto cut = [](std::string_view* text, char at) {
    const size_t end = std::min(text->find(at), text->size());
    const std::string_view part = text->substr(0, end);
    text->remove_prefix(std::min(end + 1, text->size()));
    return part;
  };
  while (!lines.empty()) {
    std::string_view line = cut(&lines, '\n');
    std::vector<std::string>& names = dim_names_[std::string(cut(&line, '\t'))];
    while (!line.empty()) names.emplace_back(cut(&line, '\t'));
  }
}

Status Exporter::write_main(MessageWriter* graph) {
  const char *key = nullptr, *fact = nullptr;
  size_t size = 0;
  for (size_t i = 0; host_->graph->metadata(graph_.get(), i, &key, &fact, &size) != 0; ++i) {
    if (key == kFormsKey) read_known_forms({fact, size});
    if (key == kDimsKey) read_dim_names({fact, size});
  }
  find_forms();
  Scope scope;
  open(0, scope);
  for (size_t i = 0; i < scope.info.input_count; ++i) {
    std::string& name = scope.names[static_cast<size_t>(scope.info.inputs[i])];
    name = take_name(value(scope.function, scope.info.inputs[i]).name);
    const percale_graph_value_info info = value(scope.function, scope.info.inputs[i]);
    graph->message(11, type_of(name, info, &dim_names_[info.name]));
  }
  auto variable = empty<percale_graph_variable_info>();
  for (size_t i = 0; host_->graph->variable(graph_.get(), i, &variable) != 0; ++i) {
    const std::string& name = variables_.emplace(variable.name, take_name(variable.name)).first->second;
    graph->message(5, variable_tensor(name, variable));
  }
  graph->bytes(2, "main");
  return write_body(scope, true, graph);
}

void Exporter::write_metadata(MessageWriter* model) {
  const char *key = nullptr, *fact = nullptr;
  size_t size = 0;
  for (size_t i = 0; host_->graph->metadata(graph_.get(), i, &key, &fact, &size) != 0; ++i) {
    const std::string_view name = key;
    if (name.starts_with(kForeignPrefix) || name == kTrainableKey || name == kFixedKey || name == kFormsKey ||
        name == kDimsKey) {
      continue;
    }
    if (is_utf8(name) && is_utf8({fact, size})) write_entry(model, name, {fact, size});
  }
  std::string trainable, fixed;
  auto variable = empty<percale_graph_variable_info>();
  for (size_t i = 0; host_->graph->variable(graph_.get(), i, &variable) != 0; ++i) {
    std::string& list = variable.trainable != 0 ? trainable : fixed;
    list += (list.empty() ? "" : "\n") + variables_.at(variable.name);
  }
  // Both entries are written even if they are empty, so that a model declares that it has no
  // variables.
  write_entry(model, kTrainableKey, trainable);
  write_entry(model, kFixedKey, fixed);
  if (const std::string forms = forms_text(); !forms.empty()) write_entry(model, kFormsKey, forms);
}

}  // namespace percale_onnx
