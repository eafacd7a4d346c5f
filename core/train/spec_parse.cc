#include <algorithm>
#include <functional>
#include <limits>

#include "core/train/layers/layers.h"
#include "core/train/method/json_keys.h"
#include "core/train/spec.h"
#include "core/train/spec_keys.h"
#include "core/train/trainer_keys.h"

namespace percale {
namespace {

constexpr Unsupported kUnsupportedKeys[] = {{"validation_split", "give the rows as 'validation' of 'data'"},
                                            {"plugins", "use 'plugin_path' of the engine"}};

Result<AttrValue> to_attribute(const Json& json, std::string_view key) {
  switch (json.kind()) {
    case Json::Kind::kBool: return AttrValue(*json.as_bool(key));
    case Json::Kind::kInt: return AttrValue(*json.as_int(key));
    case Json::Kind::kDouble: return AttrValue(*json.as_double(key));
    case Json::Kind::kString: return AttrValue(*json.as_string(key));
    case Json::Kind::kArray: {
      PERCALE_ASSIGN_OR_RETURN(auto values, json.as_ints(key));
      return AttrValue(std::move(values));
    }
    default: return json.error(key, "a ", json_kind_name(json.kind()), " is no value of a layer");
  }
}

Result<LayerSpec> parse_layer(const Json& json) {
  PERCALE_RETURN_IF_ERROR(json.expect(Json::Kind::kObject, "model"));
  LayerSpec out;
  out.where = str_cat("line ", json.line(), ", column ", json.column());
  for (size_t i = 0; i < json.size(); ++i) {
    const std::string& key = json.key(i);
    const Json& value = json.item(i);
    if (value.is_null()) continue;
    if (key == "layer") {
      PERCALE_ASSIGN_OR_RETURN(out.layer, value.as_string(key));
    } else if (key == "name") {
      PERCALE_ASSIGN_OR_RETURN(out.name, value.as_string(key));
    } else if (key == "inputs") {
      PERCALE_RETURN_IF_ERROR(value.expect(Json::Kind::kArray, key));
      for (size_t k = 0; k < value.size(); ++k) {
        PERCALE_ASSIGN_OR_RETURN(std::string input, value.item(k).as_string(key));
        out.inputs.push_back(std::move(input));
      }
    } else {
      PERCALE_ASSIGN_OR_RETURN(AttrValue attribute, to_attribute(value, key));
      out.attributes.set(key, std::move(attribute));
    }
  }
  if (out.layer.empty()) return json.error("model", "a layer needs the key 'layer'");
  return out;
}

// A text, or a list: paths whose rows follow each other, names of values.
Status read_files(const Json& object, std::string_view key, std::vector<std::string>* out) {
  const Json* files = object.find(key);
  if (files == nullptr || files->is_null()) return {};
  if (!files->is_array()) {
    PERCALE_ASSIGN_OR_RETURN(out->emplace_back(), files->as_string(key));
    return {};
  }
  for (size_t i = 0; i < files->size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(out->emplace_back(), files->item(i).as_string(key));
  }
  return {};
}

// The files of one column called `key`, or of several by name. `column`: what a name is called in
// the data.
Status read_columns(const Json& json, std::string_view where, std::string_view key,
                    const std::function<std::string(const std::string&)>& column, std::vector<ColumnSpec>* out) {
  const Json& value = *json.find(key);
  if (!value.is_object()) {
    ColumnSpec& own = out->emplace_back(ColumnSpec{std::string(key), {}});
    PERCALE_RETURN_IF_ERROR(read_files(json, key, &own.files));
  }
  for (size_t i = 0; value.is_object() && i < value.size(); ++i) {
    if (value.key(i).empty()) return value.error(key, "a name is empty");
    ColumnSpec& own = out->emplace_back(ColumnSpec{column(value.key(i)), {}});
    PERCALE_RETURN_IF_ERROR(read_files(value, value.key(i), &own.files));
  }
  for (const ColumnSpec& own : *out) {
    if (own.files.empty()) return json.error(where, "'", own.name, "' names no file");
  }
  return out->empty() ? json.error(where, "'", key, "' names no file") : Status();
}

Result<DataSpec> parse_data(const Json& json, std::string_view where) {
  DataSpec out;
  PERCALE_RETURN_IF_ERROR(read_object<DataSpec>(json, where, data_keys(), &out));
  PERCALE_RETURN_IF_ERROR(read_columns(
      json, where, "x", [](const std::string& name) { return name; }, &out.x));
  PERCALE_RETURN_IF_ERROR(read_columns(json, where, "y", label_name, &out.y));
  PERCALE_RETURN_IF_ERROR(read_files(json, "sample_weight", &out.sample_weight));
  return out;
}

// Layers, or the path of a file whose model 'head' continues.
Status parse_model(const Json& spec, Spec& out) {
  const Json* model = spec.find("model");
  const bool file = model->is_string();
  if (file) {
    PERCALE_ASSIGN_OR_RETURN(out.model_file, model->as_string("model"));
    if (out.model_file.empty()) return model->error("model", "the path is empty");
    PERCALE_RETURN_IF_ERROR(read_files(spec, "outputs", &out.outputs));
  }
  for (const char* key : {"head", "outputs", "input_shape"}) {
    const Json* other = spec.find(key);
    if (other == nullptr || other->is_null() || file != (std::string_view(key) == "input_shape")) continue;
    return other->error(key,
                        file ? "the file of 'model' says it" : "it goes with a 'model' that is the path of a file");
  }
  const Json* layers = file ? spec.find("head") : model;
  if (layers == nullptr || layers->is_null()) return {};
  PERCALE_RETURN_IF_ERROR(layers->expect(Json::Kind::kArray, file ? "head" : "model"));
  if (layers->size() == 0) return layers->error(file ? "head" : "model", "it has no layers");
  for (size_t i = 0; i < layers->size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(LayerSpec layer, parse_layer(layers->item(i)));
    out.layers.push_back(std::move(layer));
  }
  return {};
}

Status parse_metrics(const Json& list, TargetSpec* out) {
  PERCALE_RETURN_IF_ERROR(list.expect(Json::Kind::kArray, "metrics"));
  for (size_t i = 0; i < list.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(MetricOptions metric, parse_metric(list.item(i)));
    for (const MetricOptions& earlier : out->metrics) {
      if (earlier.label() == metric.label()) {
        return list.item(i).error("metrics", "two are called '", metric.label(), "'");
      }
    }
    out->metrics.push_back(std::move(metric));
  }
  return {};
}

// A loss by its name, or an object with the keys of a loss, 'class_weight' and 'weight'.
Result<TargetSpec> parse_target(const Json& json, const std::string& name) {
  TargetSpec out;
  out.name = name;
  if (!json.is_object()) {
    PERCALE_RETURN_IF_ERROR(read_loss(json, &out.loss));
    return out;
  }
  std::vector<std::string> known = {"class_weight", "weight"};
  add_loss_key_names(&known);
  PERCALE_RETURN_IF_ERROR(check_known_keys(json, str_cat("loss '", name, "'"), known));
  PERCALE_RETURN_IF_ERROR(read_loss_keys(json, &out.loss));
  PERCALE_RETURN_IF_ERROR(read_class_weight(json, &out.loss));
  PERCALE_RETURN_IF_ERROR(read_number(json, "weight", 0, std::numeric_limits<double>::max(), &out.weight));
  return out;
}

// One loss, with the SPEC's keys that belong to it.
Status parse_single_target(const Json& json, Spec& out) {
  TargetSpec& target = out.targets.emplace_back();
  PERCALE_RETURN_IF_ERROR(read_flag(json, "from_logits", &target.loss.from_logits));
  PERCALE_RETURN_IF_ERROR(read_loss(*json.find("loss"), &target.loss));
  PERCALE_RETURN_IF_ERROR(read_class_weight(json, &target.loss));
  const Json* metrics = present(json, "metrics");
  return metrics == nullptr ? Status() : parse_metrics(*metrics, &target);
}

Status parse_targets(const Json& json, Spec& out) {
  const Json& loss = *json.find("loss");
  if (!loss.is_object() || loss.find("name") != nullptr) return parse_single_target(json, out);
  for (size_t i = 0; i < loss.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(out.targets.emplace_back(), parse_target(loss.item(i), loss.key(i)));
  }
  if (out.targets.empty()) return loss.error("loss", "it is empty");
  for (const char* key : {"from_logits", "class_weight"}) {
    if (const Json* other = present(json, key))
      return other->error(key, "with several losses it stands within one of them");
  }
  const Json* metrics = present(json, "metrics");
  if (metrics == nullptr) return {};
  if (!metrics->is_object())
    return metrics->error("metrics", "with several losses they are an object by the names of the outputs");
  for (size_t i = 0; i < metrics->size(); ++i) {
    const auto target = std::find_if(out.targets.begin(), out.targets.end(),
                                     [&](const TargetSpec& t) { return t.name == metrics->key(i); });
    if (target == out.targets.end()) return metrics->error("metrics", "'", metrics->key(i), "' has no loss");
    PERCALE_RETURN_IF_ERROR(parse_metrics(metrics->item(i), &*target));
  }
  return {};
}

// The shape of the input "x", or of several inputs by name.
Status parse_input_shape(const Json& json, Spec& out) {
  const Json* shape = present(json, "input_shape");
  if (shape == nullptr) return {};
  const auto read = [&](const Json& value, const std::string& name) -> Status {
    PERCALE_ASSIGN_OR_RETURN(auto dims, value.as_ints("input_shape"));
    for (int64_t d : dims) {
      if (d < 1 || d > kMaxDim) return value.error("input_shape", "a dim is ", d);
    }
    if (dims.size() + 1 > kMaxRank) return value.error("input_shape", "it has too many dims");
    out.input_shapes[name] = std::move(dims);
    return {};
  };
  if (!shape->is_object()) return read(*shape, "x");
  for (size_t i = 0; i < shape->size(); ++i) PERCALE_RETURN_IF_ERROR(read(shape->item(i), shape->key(i)));
  return {};
}

// A path, or {"file", "map": {"variable": "tensor" or null to leave it}, "strict"}.
Status parse_weights(const Json& json, Spec& out) {
  const Json* weights = json.find("weights");
  if (weights == nullptr || weights->is_null()) return {};
  if (!weights->is_object()) return read_text(json, "weights", &out.weights);
  PERCALE_RETURN_IF_ERROR(read_object<Spec>(*weights, "weights", weights_keys(), &out));
  if (out.weights.empty()) return weights->error("weights", "'file' is empty");
  const Json* map = weights->find("map");
  if (map == nullptr || map->is_null()) return {};
  PERCALE_RETURN_IF_ERROR(map->expect(Json::Kind::kObject, "map"));
  for (size_t i = 0; i < map->size(); ++i) {
    NameRule& rule = out.weights_map.emplace_back(NameRule{"", map->key(i)});
    if (map->item(i).is_null()) continue;
    PERCALE_ASSIGN_OR_RETURN(rule.from, map->item(i).as_string("map"));
  }
  return {};
}

}  // namespace

Result<Spec> parse_spec(std::string_view text) {
  PERCALE_ASSIGN_OR_RETURN(const Json json, Json::parse(text));
  std::vector<std::string> known;
  add_names(spec_keys(), &known);
  add_trainer_key_names(&known);
  PERCALE_RETURN_IF_ERROR(check_known_keys(json, "SPEC", known, kUnsupportedKeys));
  Spec out;
  PERCALE_RETURN_IF_ERROR(read_members(json, "SPEC", spec_keys(), &out));
  PERCALE_RETURN_IF_ERROR(parse_model(json, out));
  PERCALE_RETURN_IF_ERROR(parse_input_shape(json, out));
  PERCALE_RETURN_IF_ERROR(parse_targets(json, out));
  PERCALE_ASSIGN_OR_RETURN(out.trainer.optimizer, parse_optimizer(*json.find("optimizer")));
  if (const Json* schedule = json.find("schedule"); schedule != nullptr && !schedule->is_null()) {
    PERCALE_ASSIGN_OR_RETURN(out.trainer.schedule, parse_schedule(*schedule));
  }
  PERCALE_RETURN_IF_ERROR(read_trainer_keys(json, &out.trainer));
  if (const Json* data = json.find("data"); data != nullptr && !data->is_null()) {
    PERCALE_RETURN_IF_ERROR(read_object<Spec>(*data, "data", data_set_keys(), &out));
    if (const Json* train = data->find("train"); train != nullptr && !train->is_null()) {
      PERCALE_ASSIGN_OR_RETURN(out.train, parse_data(*train, "data.train"));
    }
    if (const Json* validation = data->find("validation"); validation != nullptr && !validation->is_null()) {
      PERCALE_ASSIGN_OR_RETURN(out.validation, parse_data(*validation, "data.validation"));
    }
    if (const Json* test = data->find("test"); test != nullptr && !test->is_null()) {
      PERCALE_ASSIGN_OR_RETURN(out.test, parse_data(*test, "data.test"));
    }
    if (const Json* csv = present(*data, "csv")) {
      PERCALE_ASSIGN_OR_RETURN(out.csv, parse_csv_rules(*csv, "data.csv"));
    }
  }
  PERCALE_RETURN_IF_ERROR(read_files(json, "sample_weight", &out.sample_weight));
  if (!out.sample_weight.empty() && out.train) {
    if (!out.train->sample_weight.empty()) {
      return json.find("sample_weight")->error("sample_weight", "'data' says another file");
    }
    out.train->sample_weight = out.sample_weight;
  }
  const Json* batch_size = json.find("batch_size");
  if (out.batch_size_per_replica > 0 && batch_size != nullptr && !batch_size->is_null()) {
    return batch_size->error("batch_size", "'batch_size_per_replica' says something else");
  }
  PERCALE_RETURN_IF_ERROR(parse_weights(json, out));
  return out;
}

}  // namespace percale
