#include <limits>

#include "core/train/layers/layers.h"
#include "core/train/method/json_keys.h"
#include "core/train/spec.h"
#include "core/train/trainer_keys.h"

namespace percale {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

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

Result<DataSpec> parse_data(const Json& json, std::string_view where) {
  PERCALE_RETURN_IF_ERROR(check_keys(json, where, {"x", "y", "scale", "sample_weight"}));
  DataSpec out;
  PERCALE_RETURN_IF_ERROR(read_files(json, "x", &out.x));
  PERCALE_RETURN_IF_ERROR(read_files(json, "y", &out.y));
  PERCALE_RETURN_IF_ERROR(read_files(json, "sample_weight", &out.sample_weight));
  PERCALE_RETURN_IF_ERROR(read_number(json, "scale", -kMost, kMost, &out.scale));
  if (out.x.empty()) return json.error(where, "'x' is missing");
  if (out.y.empty()) return json.error(where, "'y' is missing: training needs labels");
  return out;
}

// Layers, or the path of a file whose model 'head' goes on from.
Status parse_model(const Json& spec, Spec& out) {
  const Json* model = spec.find("model");
  if (model == nullptr || model->is_null()) return spec.error("model", "it is missing");
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

Status parse_loss(const Json& json, Spec& out) {
  const Json* loss = json.find("loss");
  if (loss == nullptr || loss->is_null()) return json.error("loss", "it is missing");
  PERCALE_RETURN_IF_ERROR(read_flag(json, "from_logits", &out.loss.from_logits));
  PERCALE_RETURN_IF_ERROR(read_loss(*loss, &out.loss));
  PERCALE_RETURN_IF_ERROR(read_class_weight(json, &out.loss));
  if (const Json* metrics = json.find("metrics"); metrics != nullptr && !metrics->is_null()) {
    PERCALE_RETURN_IF_ERROR(metrics->expect(Json::Kind::kArray, "metrics"));
    for (size_t i = 0; i < metrics->size(); ++i) {
      PERCALE_ASSIGN_OR_RETURN(MetricOptions metric, parse_metric(metrics->item(i)));
      for (const MetricOptions& earlier : out.metrics) {
        if (earlier.label() == metric.label()) {
          return metrics->item(i).error("metrics", "two are called '", metric.label(), "'");
        }
      }
      out.metrics.push_back(std::move(metric));
    }
  }
  return {};
}

// A path, or {"file", "map": {"variable": "tensor" or null to leave it}, "strict"}.
Status parse_weights(const Json& json, Spec& out) {
  const Json* weights = json.find("weights");
  if (weights == nullptr || weights->is_null()) return {};
  if (!weights->is_object()) return read_text(json, "weights", &out.weights);
  PERCALE_RETURN_IF_ERROR(check_keys(*weights, "weights", {"file", "map", "strict"}));
  PERCALE_RETURN_IF_ERROR(read_text(*weights, "file", &out.weights));
  PERCALE_RETURN_IF_ERROR(read_flag(*weights, "strict", &out.weights_strict));
  if (out.weights.empty()) return weights->error("weights", "'file' is missing");
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

Status read_precision(std::string_view text, Spec* out) {
  if (text != "f32" && text != "f64" && text != "bf16") {
    return invalid_argument("'precision' is '", text, "', wanted f32, f64 or bf16");
  }
  out->precision = text;
  out->dtype = text == "f64" ? DType::kF64 : DType::kF32;
  out->trainer.bf16 = text == "bf16";
  return {};
}

Result<Spec> parse_spec(std::string_view text) {
  PERCALE_ASSIGN_OR_RETURN(const Json json, Json::parse(text));
  PERCALE_RETURN_IF_ERROR(check_keys(json, "SPEC", {"model",          "input_shape",
                                                    "loss",           "from_logits",
                                                    "metrics",        "optimizer",
                                                    "schedule",       "data",
                                                    "batch_size",     "batch_size_per_replica",
                                                    "shards",         "shuffle",
                                                    "drop_remainder", "epochs",
                                                    "seed",           "devices",
                                                    "clip",           "mode",
                                                    "parameters",     "publish",
                                                    "accumulation",   "ema",
                                                    "groups",         "freeze",
                                                    "early_stopping", "checkpoints",
                                                    "memory_limit",   "recompute",
                                                    "head",           "outputs",
                                                    "class_weight",   "sample_weight",
                                                    "weights",        "parallel",
                                                    "strategy",       "synchronized_batch_norm",
                                                    "precision",      "terminate_on_nan"},
                                     {"validation_split", "plugins"}));
  Spec out;
  PERCALE_RETURN_IF_ERROR(parse_model(json, out));
  if (const Json* shape = json.find("input_shape"); shape != nullptr && !shape->is_null()) {
    PERCALE_ASSIGN_OR_RETURN(auto dims, shape->as_ints("input_shape"));
    for (int64_t d : dims) {
      if (d < 1 || d > kMaxDim) return shape->error("input_shape", "a dim is ", d);
    }
    if (dims.size() + 1 > kMaxRank) return shape->error("input_shape", "it has too many dims");
    out.input_shape = std::move(dims);
  }
  PERCALE_RETURN_IF_ERROR(parse_loss(json, out));
  const Json* optimizer = json.find("optimizer");
  if (optimizer == nullptr || optimizer->is_null()) return json.error("optimizer", "it is missing");
  PERCALE_ASSIGN_OR_RETURN(out.trainer.optimizer, parse_optimizer(*optimizer));
  if (const Json* schedule = json.find("schedule"); schedule != nullptr && !schedule->is_null()) {
    PERCALE_ASSIGN_OR_RETURN(out.trainer.schedule, parse_schedule(*schedule));
  }
  PERCALE_RETURN_IF_ERROR(read_trainer_keys(json, &out.trainer));
  if (const Json* data = json.find("data"); data != nullptr && !data->is_null()) {
    PERCALE_RETURN_IF_ERROR(check_keys(*data, "data", {"train", "validation", "test"}));
    if (const Json* train = data->find("train"); train != nullptr && !train->is_null()) {
      PERCALE_ASSIGN_OR_RETURN(out.train, parse_data(*train, "data.train"));
    }
    if (const Json* validation = data->find("validation"); validation != nullptr && !validation->is_null()) {
      PERCALE_ASSIGN_OR_RETURN(out.validation, parse_data(*validation, "data.validation"));
    }
    if (const Json* test = data->find("test"); test != nullptr && !test->is_null()) {
      PERCALE_ASSIGN_OR_RETURN(out.test, parse_data(*test, "data.test"));
    }
  }
  PERCALE_RETURN_IF_ERROR(read_files(json, "sample_weight", &out.sample_weight));
  if (!out.sample_weight.empty() && out.train) {
    if (!out.train->sample_weight.empty()) {
      return json.find("sample_weight")->error("sample_weight", "'data' says another file");
    }
    out.train->sample_weight = out.sample_weight;
  }
  PERCALE_RETURN_IF_ERROR(read_integer(json, "batch_size", 1, int64_t{1} << 32, &out.batch_size));
  PERCALE_RETURN_IF_ERROR(
      read_integer(json, "batch_size_per_replica", 1, int64_t{1} << 32, &out.batch_size_per_replica));
  const Json* batch_size = json.find("batch_size");
  if (out.batch_size_per_replica > 0 && batch_size != nullptr && !batch_size->is_null()) {
    return batch_size->error("batch_size", "'batch_size_per_replica' says something else");
  }
  PERCALE_RETURN_IF_ERROR(read_integer(json, "shards", 1, 65536, &out.trainer.shards));
  PERCALE_RETURN_IF_ERROR(read_flag(json, "shuffle", &out.shuffle));
  PERCALE_RETURN_IF_ERROR(read_flag(json, "drop_remainder", &out.drop_remainder));
  PERCALE_RETURN_IF_ERROR(read_integer(json, "epochs", 1, int64_t{1} << 40, &out.trainer.epochs));
  PERCALE_RETURN_IF_ERROR(read_integer(json, "seed", 0, INT64_MAX, &out.trainer.seed));
  PERCALE_RETURN_IF_ERROR(read_text(json, "mode", &out.trainer.mode));
  std::string precision;
  PERCALE_RETURN_IF_ERROR(read_text(json, "precision", &precision));
  if (!precision.empty()) PERCALE_RETURN_IF_ERROR(read_precision(precision, &out));
  PERCALE_RETURN_IF_ERROR(parse_weights(json, out));
  PERCALE_RETURN_IF_ERROR(read_text(json, "devices", &out.devices));
  return out;
}

}  // namespace percale
