#include "core/train/job_parts.h"

#include <algorithm>

#include "core/file/crc32c.h"
#include "core/text/json.h"
#include "core/train/data/csv_rules.h"
#include "core/train/trainer_options.h"

namespace percale {
namespace {

// Bytes that are no UTF-8 become U+FFFD, as they do in a manifest, so that names compare equal when
// they come back from one.
std::string utf8_text(std::string_view text) {
  JsonWriter json;
  json.value(text);
  const auto back = Json::parse(json.text());
  const auto out = back.ok() ? back->as_string("name") : Result<std::string>(back.status());
  return out.ok() ? *out : std::string(text);
}

// Collects parts whose names begin with a prefix.
class Parts {
 public:
  explicit Parts(std::string prefix) : prefix_(std::move(prefix)) {}

  template <class T>
  Parts& add(std::string_view name, const T& value) {
    JsonWriter json;
    json.value(value);
    return add_json(name, json.text());
  }
  Parts& add_json(std::string_view name, std::string json) {
    parts_.emplace_back(utf8_text(str_cat(prefix_, name)), std::move(json));
    return *this;
  }
  Parts& add_all(std::vector<std::pair<std::string, std::string>> values) {
    for (auto& [name, json] : values) add_json(name, std::move(json));
    return *this;
  }
  JobParts take() { return std::move(parts_); }

 private:
  std::string prefix_;
  JobParts parts_;
};

std::string type_text(DType dtype, const Shape& shape) { return str_cat(dtype, " ", shape); }

void write_tensor(JsonWriter& json, const Tensor& tensor) {
  const uint32_t sum = crc32c(tensor.data(), static_cast<size_t>(tensor.bytes()));
  json.begin_object()
      .key("type")
      .value(type_text(tensor.dtype(), tensor.shape()))
      .key("crc32c")
      .value(sum)
      .end_object();
}

void write_attribute(JsonWriter& json, const AttrValue& value) {
  const auto write_list = [&](const auto& list) {
    json.begin_array();
    for (const auto& v : list) json.value(v);
    json.end_array();
  };
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Tensor>) {
          write_tensor(json, v);
        } else if constexpr (std::is_same_v<T, FunctionRef>) {
          json.value(v.name);
        } else if constexpr (requires { typename T::value_type; } && !std::is_same_v<T, std::string>) {
          write_list(v);
        } else {
          json.value(v);
        }
      },
      value.variant());
}

// Defaults are filled in, so that a job which spells one out is the same job.
std::string node_text(const Function& f, const Node& node) {
  JsonWriter json;
  json.begin_object().key("op").value(op_name(*node.op)).key("inputs").begin_array();
  for (const ValueId id : node.inputs) {
    if (id == kNoValue) {
      json.null();
    } else {
      json.value(f.value(id).name);
    }
  }
  json.end_array();
  for (const auto& [name, value] : with_defaults(*node.op, node.attributes)) {
    json.key(name);
    write_attribute(json, value);
  }
  json.end_object();
  return json.text();
}

// The values that lie behind `outputs`, those included.
std::vector<bool> values_behind(const Function& f, const std::vector<ValueId>& outputs) {
  std::vector<bool> values(f.values.size(), false), nodes(f.nodes.size(), false);
  for (const ValueId id : outputs) values[static_cast<size_t>(id)] = true;
  for (size_t n = f.nodes.size(); n-- > 0;) {
    const Node& node = f.nodes[n];
    const bool needed = nodes[n] || std::ranges::any_of(node.outputs, [&](ValueId id) {
                          return id != kNoValue && values[static_cast<size_t>(id)];
                        });
    if (!needed) continue;
    for (const ValueId id : node.inputs) {
      if (id != kNoValue) values[static_cast<size_t>(id)] = true;
    }
    for (const ValueId id : node.outputs) {
      if (id != kNoValue) values[static_cast<size_t>(id)] = true;
    }
    for (const NodeId id : node.control) nodes[static_cast<size_t>(id)] = true;
  }
  return values;
}

void add_function(Parts& parts, std::string_view prefix, const Function& f, const std::vector<ValueId>& outputs) {
  const std::vector<bool> needed = values_behind(f, outputs);
  const auto is_needed = [&](ValueId id) { return id != kNoValue && needed[static_cast<size_t>(id)]; };
  for (const ValueId id : f.inputs) {
    if (!is_needed(id)) continue;
    parts.add(str_cat(prefix, "inputs.", f.value(id).name), type_text(f.type(id).dtype, f.type(id).shape));
  }
  for (const Node& node : f.nodes) {
    if (node.outputs.empty() || std::ranges::any_of(node.outputs, is_needed)) {
      parts.add_json(str_cat(prefix, "nodes.", node.name), node_text(f, node));
    }
  }
  for (size_t i = 0; i < f.values.size(); ++i) {
    const Value& value = f.values[i];
    if (value.kind != ValueKind::kConstant || !needed[i]) continue;
    JsonWriter json;
    write_tensor(json, f.constants[static_cast<size_t>(value.def)]);
    parts.add_json(str_cat(prefix, "constants.", value.name), json.text());
  }
  JsonWriter names;
  names.begin_array();
  for (const ValueId id : outputs) names.value(f.value(id).name);
  names.end_array();
  parts.add_json(str_cat(prefix, "outputs"), names.text());
}

// The meaning of the fields of each column. Categories are told by their number and a checksum,
// because there may be many.
void add_csv_parts(const CsvRules& rules, Parts& parts) {
  for (const auto& [name, input] : rules.inputs) {
    for (const CsvColumn& column : input.columns) {
      std::string words;
      for (const std::string& word : column.words) words += word + '\n';
      const std::string key = str_cat("csv.", name, ".", column.name);
      parts.add(key + ".type", column.type);
      if (!words.empty()) {
        parts.add(key + ".words", str_cat(static_cast<uint64_t>(column.words.size()), " with checksum ",
                                          crc32c(words.data(), words.size())));
      }
      if (column.missing && column.missing->kind == CsvMissing::Kind::kNumber) {
        parts.add(key + ".missing", column.missing->number);
      }
    }
  }
}

}  // namespace

JobParts model_parts(const Model& model) {
  const Function& main = model.graph->main();
  std::vector<ValueId> outputs;
  const auto add_output = [&](const std::string& name) {
    if (const ValueId id = main.find_value(name); id != kNoValue) outputs.push_back(id);
  };
  for (const std::string& name : model.objective.predictions) add_output(name);
  add_output(model.objective.loss_sum);
  add_output(model.objective.loss_weight);
  Parts parts("");
  for (const Variable& v : model.graph->variables) {
    if (!v.slot) parts.add("model.variables." + v.name, type_text(v.dtype, v.shape) + (v.trainable ? "" : " fixed"));
  }
  for (const Function& f : model.graph->functions) {
    if (f.name == kMainFunction) {
      add_function(parts, "model.", f, outputs);
    } else {
      add_function(parts, f.name == kInitFunction ? "initializers." : str_cat("model.functions.", f.name, "."), f,
                   f.outputs);
    }
  }
  return parts.take();
}

JobParts loss_parts(const LossOptions& loss, const std::string& output, double weight) {
  Parts parts(output.empty() ? "loss." : str_cat("loss.", output, "."));
  if (!output.empty()) parts.add("weight", weight);
  parts.add("name", whole_loss_name(loss.name)).add_all(loss_values(loss));
  for (const auto& [label, weight] : loss.class_weight) parts.add(str_cat("class_weight.", label), weight);
  return parts.take();
}

JobParts optimizer_parts(const Optimizer& o) {
  Parts parts("optimizer.");
  parts.add("name", o.name()).add_all(optimizer_values(o)).add("ema_momentum", o.ema);
  for (const ParameterGroup& group : o.groups) {
    parts.add(str_cat("groups.", group.pattern, ".learning_rate_factor"), group.learning_rate_factor);
    if (group.weight_decay) parts.add(str_cat("groups.", group.pattern, ".weight_decay"), *group.weight_decay);
  }
  return parts.take();
}

JobParts schedule_parts(const Schedule& s, const std::string& prefix) {
  if (s.kind == Schedule::Kind::kSequence) {
    JobParts all;
    for (size_t i = 0; i < s.parts.size(); ++i) {
      JobParts one = schedule_parts(s.parts[i], str_cat(prefix, i, "."));
      all.insert(all.end(), std::make_move_iterator(one.begin()), std::make_move_iterator(one.end()));
    }
    return all;
  }
  return Parts(prefix).add_all(schedule_values(s)).take();
}

JobParts data_parts(const Dataset& data, bool of_rank) {
  const std::vector<ValueType> types = data.types();
  Parts parts("data.");
  if (!of_rank && !data.is_stream()) parts.add("rows", data.rows());
  for (size_t i = 0; i < types.size(); ++i) {
    const Column& column = data.columns()[i];
    parts.add("columns." + column.name, type_text(types[i].dtype, types[i].shape));
    if (column.scale != 1) parts.add("scale." + column.name, column.scale);
  }
  if (data.csv_rules() != nullptr) add_csv_parts(*data.csv_rules(), parts);
  if (of_rank) return parts.take();
  const DatasetOptions& o = data.options();
  parts.add("batch_size", o.batch_size).add("shuffle_seed", o.shuffle_seed).add("drop_remainder", o.drop_remainder);
  return parts.take();
}

JobParts step_parts(const TrainerOptions& options, int64_t shards) {
  Parts parts("");
  parts.add("seed", options.seed).add("shards", shards).add("accumulation", options.accumulation);
  parts.add("synchronized_batch_norm", options.synchronized_batch_norm);
  for (const std::string& pattern : options.freeze) parts.add("freeze." + pattern, true);
  return parts.take();
}

}  // namespace percale
