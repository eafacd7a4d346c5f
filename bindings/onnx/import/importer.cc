#include "bindings/onnx/import/importer.h"

#include <algorithm>
#include <cstring>

#include "bindings/onnx/export/exporter.h"
#include "bindings/onnx/proto/tensor.h"

namespace percale_onnx {
namespace {

// The limit of nodes after inlining, because nested calls multiply: the model's nodes times
// kNodeFactor, plus kMoreNodes.
constexpr int64_t kMoreNodes = 1 << 16;
constexpr int64_t kNodeFactor = 16;
// The limit of the bytes of aliases: the model's bytes times kAliasFactor, plus kMoreAliasBytes.
constexpr int64_t kMoreAliasBytes = int64_t{256} << 20;
constexpr int64_t kAliasFactor = 16;

bool is_float(percale_dtype dtype) {
  return dtype == PERCALE_DTYPE_F32 || dtype == PERCALE_DTYPE_F64 || dtype == PERCALE_DTYPE_F16 ||
         dtype == PERCALE_DTYPE_BF16;
}

}  // namespace

Status Importer::c_text(std::string_view from, std::string* out) {
  if (from.find('\0') != std::string_view::npos) return bad("the name ", quoted(from), " contains a NUL");
  if (!is_utf8(from)) return bad("the name ", quoted(from), " is not valid UTF-8");
  *out = from;
  return {};
}

Status Importer::run(std::string_view bytes) {
  ONNX_TRY(read_model(bytes));
  const auto knows = [this](const std::string& op, int32_t version) {
    return op.find('\0') == std::string::npos && host_->builder->knows_op(builder_, op.c_str(), version) != 0;
  };
  ONNX_TRY(survey(model_, functions_, knows, &survey_));
  nodes_left_ = survey_.nodes * kNodeFactor + kMoreNodes;
  alias_bytes_left_ = static_cast<int64_t>(bytes.size()) * kAliasFactor + kMoreAliasBytes;
  return import_main();
}

Status Importer::read_model(std::string_view bytes) {
  ONNX_TRY(parse(bytes, &model_));
  for (const FunctionProto& function : model_.functions) {
    if (!functions_.emplace(text(function.domain, ":", function.name), &function).second) {
      return unsupported("function ", quoted(op_name(function.domain, function.name)),
                         " has several overloads, which are not supported");
    }
  }
  // Models older than operator sets have opset 1.
  if (model_.opsets.empty()) model_.opsets[""] = 1;
  const auto own = model_.opsets.find("");
  if (own != model_.opsets.end() && own->second > kNewestOpset) {
    return unsupported("opset ", own->second, " is not supported; the newest supported opset is ", kNewestOpset);
  }
  return {};
}

Status Importer::import_main() {
  GraphProto graph;
  ONNX_TRY(parse(model_.graph, &graph));
  Scope scope;
  scope.opsets = &model_.opsets;
  read_declared_variables();
  ONNX_TRY(reserve_names(graph));
  ONNX_TRY(add_inputs(graph, scope));
  ONNX_TRY(find_aliases(graph, &aliases_));
  ONNX_TRY(add_initializers(graph, true, scope));
  ONNX_TRY(add_nodes(std::move(graph.nodes), scope));
  ONNX_TRY(set_outputs(graph, scope));
  ONNX_TRY(keep_metadata());
  const auto own = model_.opsets.find("");
  if (own == model_.opsets.end()) return {};
  return host_.take(host_->builder->set_metadata(builder_, "onnx.opset", std::to_string(own->second).c_str()));
}

void Importer::read_declared_variables() {
  const auto read = [this](std::string_view key, Names& out) {
    const auto found = model_.metadata.find(key);
    if (found == model_.metadata.end()) return;
    declares_variables_ = true;
    const std::string_view list = found->second;
    for (size_t at = 0; at < list.size();) {
      const size_t end = std::min(list.find('\n', at), list.size());
      out.insert(list.substr(at, end - at));
      at = end + 1;
    }
  };
  read(kTrainableKey, declared_trainable_);
  read(kFixedKey, declared_fixed_);
}

Importer::Kept Importer::kept_as(const TensorProto& proto, std::string_view name) const {
  if (declares_variables_) {
    if (declared_trainable_.contains(name)) return Kept::kTrainable;
    return declared_fixed_.contains(name) ? Kept::kFixed : Kept::kConstant;
  }
  if (!is_float(proto.dtype) || proto.dims.empty() || survey_.settled.contains(name)) return Kept::kConstant;
  // Exporters give scalars the rank of the other operand, such as the 0.5 of a GELU as [1, 1, 1].
  const bool number = proto.dims.size() >= 2 && element_count(proto) == 1 && !survey_.beyond_arithmetic.contains(name);
  if (number) return Kept::kConstant;
  return survey_.statistics.contains(name) ? Kept::kFixed : Kept::kTrainable;
}

// Entries that are not UTF-8 are left out, because metadata of a graph is text.
Status Importer::keep_metadata() {
  for (const auto& [key, value] : model_.metadata) {
    if (key.empty() || key.starts_with(kForeignPrefix) || key == kTrainableKey || key == kFixedKey || key == kDimsKey) {
      continue;
    }
    std::string name, fact;
    if (!c_text(key, &name).ok() || !c_text(value, &fact).ok()) continue;
    ONNX_TRY(host_.take(host_->builder->set_metadata(builder_, name.c_str(), fact.c_str())));
  }
  if (dim_names_.empty()) return {};
  return host_.take(host_->builder->set_metadata(builder_, std::string(kDimsKey).c_str(), dim_names_.c_str()));
}

Status Importer::reserve_names(const GraphProto& graph) {
  std::string name;
  for (std::string_view bytes : graph.initializers) {
    std::string_view found;
    ONNX_TRY(parse_name(bytes, kTensorName, &found));
    ONNX_TRY(c_text(found, &name));
    ONNX_TRY(host_.take(host_->builder->reserve_name(builder_, name.c_str())));
  }
  for (std::string_view bytes : graph.nodes) {
    NodeOutline node;
    ONNX_TRY(parse(bytes, &node));
    for (std::string_view output : node.outputs) {
      ONNX_TRY(c_text(output, &name));
      ONNX_TRY(host_.take(host_->builder->reserve_name(builder_, name.c_str())));
    }
  }
  return {};
}

Status Importer::add_inputs(const GraphProto& graph, Scope& scope) {
  Names initialized;
  ONNX_TRY(add_initializer_names(graph, &initialized));
  for (std::string_view bytes : graph.inputs) {
    ValueInfo info;
    ONNX_TRY(parse(bytes, &info).within("graph input"));
    // Older files list initializers among the inputs. They can still be fed, like any value.
    if (initialized.contains(info.name)) continue;
    const std::string place = text("input ", quoted(info.name));
    if (!info.kind.empty()) return unsupported(place, ": values of this kind are not supported: ", info.kind);
    if (info.dtype == PERCALE_DTYPE_INVALID) return bad(place, ": the element type is missing");
    if (info.dtype == PERCALE_DTYPE_STRING) return unsupported(place, ": tensors of strings are not supported");
    std::string name;
    ONNX_TRY(c_text(info.name, &name));
    const size_t rank = info.dims ? info.dims->size() : SIZE_MAX;
    Value value;
    ONNX_TRY(host_
                 .take(host_->builder->input(builder_, name.c_str(), info.dtype,
                                             info.dims ? info.dims->data() : nullptr, rank, &value.id))
                 .within(place));
    keep_dim_names(info);
    scope.values.emplace(info.name, std::move(value));
  }
  return {};
}

void Importer::keep_dim_names(const ValueInfo& info) {
  const auto is_plain = [](std::string_view name) {
    return name.find_first_of(std::string_view("\t\n\0", 3)) == std::string_view::npos;
  };
  std::string line(info.name);
  bool named = false;
  for (std::string_view name : info.dim_names) {
    named = named || !name.empty();
    line += text("\t", is_plain(name) ? name : "");
  }
  if (named && is_plain(info.name) && is_utf8(line)) dim_names_ += line + "\n";
}

Status Importer::add_initializers(const GraphProto& graph, bool main, Scope& scope) {
  if (graph.has_sparse) return unsupported("sparse initializers are not supported");
  for (std::string_view bytes : graph.initializers) {
    TensorProto proto;
    ONNX_TRY(parse(bytes, &proto).within("initializer"));
    if (proto.name.empty()) return bad("an initializer has no name");
    TensorPtr tensor;
    ONNX_TRY(load_tensor(host_, host_->builder->engine(builder_), proto, folder_, &tensor).within("initializer"));
    const Kept kept = main ? kept_as(proto, proto.name) : Kept::kConstant;
    ONNX_TRY(add_initializer(tensor, proto.name, kept, scope).within("initializer"));
    if (main) ONNX_TRY(add_aliases(proto, tensor, kept, scope).within("initializer"));
  }
  return {};
}

Status Importer::add_initializer(TensorPtr tensor, std::string_view name, Kept kept, Scope& scope) {
  Value value;
  if (kept == Kept::kConstant) {
    ONNX_TRY(constant(std::move(tensor), name, &value));
  } else {
    std::string called;
    ONNX_TRY(c_text(name, &called));
    const int32_t trainable = kept == Kept::kTrainable ? 1 : 0;
    ONNX_TRY(host_.take(host_->builder->variable(builder_, called.c_str(), tensor.get(), trainable, &value.id)));
  }
  return bind(name, std::move(value), true, scope);
}

// Makes separate variables of aliases, under the names of their Identity nodes, if the parameters
// were equal by chance, as in an untrained network, or if one of the two is a running statistic.
// Other aliases are tied weights and share the variable.
Status Importer::add_aliases(const TensorProto& proto, const TensorPtr& tensor, Kept kept, Scope& scope) {
  const auto found = aliases_.find(proto.name);
  if (found == aliases_.end() || declares_variables_ || !is_float(proto.dtype) || proto.dims.empty()) return {};
  const auto bytes = static_cast<size_t>(byte_count(proto)), count = static_cast<size_t>(element_count(proto));
  const bool by_chance = count > 0 && is_uniform(host_->tensor->get_data(tensor.get()), bytes, bytes / count);
  for (std::string_view alias : found->second) {
    const Kept own = kept_as(proto, alias);
    if (!by_chance && own == kept && kept != Kept::kFixed) continue;
    alias_bytes_left_ -= static_cast<int64_t>(bytes);
    if (alias_bytes_left_ < 0) {
      return Status(PERCALE_RESOURCE_EXHAUSTED,
                    text("Identity nodes would create too many variables from ", quoted(proto.name)));
    }
    ONNX_TRY(add_initializer(tensor, alias, own, scope));
    separate_.insert(alias);
  }
  return {};
}

Status Importer::add_nodes(std::vector<std::string_view> nodes, Scope& scope) {
  ONNX_TRY(sort_nodes(&nodes, scope.depth));
  for (std::string_view bytes : nodes) ONNX_TRY(add_node(bytes, scope));
  return {};
}

Status Importer::set_outputs(const GraphProto& graph, const Scope& scope) {
  std::vector<percale_value> values;
  for (std::string_view bytes : graph.outputs) {
    ValueInfo info;
    ONNX_TRY(parse(bytes, &info).within("graph output"));
    if (!info.kind.empty())
      return unsupported("output ", quoted(info.name), ": values of this kind are not supported: ", info.kind);
    ONNX_TRY(lookup(info.name, scope, &values.emplace_back()).within("graph output"));
    if (values.back() == PERCALE_NO_VALUE)
      return bad("graph output ", quoted(info.name), " is a missing input of a function");
    if (scope.depth == 1) keep_dim_names(info);
  }
  return host_.take(host_->builder->set_outputs(builder_, values.data(), values.size()));
}

Status Importer::lookup(std::string_view name, const Scope& scope, percale_value* out) const {
  *out = PERCALE_NO_VALUE;
  if (name.empty()) return {};
  const auto found = scope.values.find(name);
  if (found == scope.values.end()) return bad(quoted(name), " is not an input, an initializer or an output of a node");
  *out = found->second.id;
  return {};
}

Status Importer::constant(TensorPtr tensor, std::string_view name, Value* out) {
  std::string called;
  ONNX_TRY(c_text(name, &called));
  ONNX_TRY(host_.take(host_->builder->constant(builder_, called.c_str(), tensor.get(), &out->id)));
  out->constant = std::move(tensor);
  return {};
}

Status Importer::bind(std::string_view name, Value value, bool rename, Scope& scope) {
  const percale_value id = value.id;
  if (!scope.values.emplace(name, std::move(value)).second) return bad("two values have the name ", quoted(name));
  if (!rename || !scope.keeps_names) return {};
  std::string called;
  ONNX_TRY(c_text(name, &called));
  return host_.take(host_->builder->rename(builder_, id, called.c_str()));
}

}  // namespace percale_onnx
