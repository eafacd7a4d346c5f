#include "core/train/spec.h"

#include <algorithm>

#include "core/base/file.h"
#include "core/train/data/data_columns.h"
#include "core/train/data/data_files.h"
#include "core/train/layers/layers.h"
#include "core/train/method/name_pattern.h"
#include "core/train/shards/device_choice.h"
#include "core/train/trainer_keys.h"

namespace percale {
namespace {

// The inputs of layers by name, and what a layer without 'inputs' follows (kNoValue: it must have some).
struct Beginning {
  std::vector<std::pair<std::string, ValueId>> named;
  ValueId last = kNoValue;
};

Status add_layers(const Spec& spec, FunctionBuilder& f, Beginning from, ValueId* out) {
  auto& [named, last] = from;
  for (const LayerSpec& layer : spec.layers) {
    std::vector<ValueId> inputs;
    for (const std::string& name : layer.inputs) {
      const auto found = std::find_if(named.begin(), named.end(), [&](const auto& n) { return n.first == name; });
      if (found == named.end()) {
        return invalid_argument(layer.where, ": 'inputs': no layer '", name, "' stands before this ", layer.layer);
      }
      inputs.push_back(found->second);
    }
    if (inputs.empty() && last == kNoValue) {
      return invalid_argument(layer.where, ": 'inputs': the model has several outputs, which of them does ",
                              layer.layer, " take?");
    }
    if (inputs.empty()) inputs.push_back(last);
    const auto value = add_layer(f, layer.layer, layer.name, inputs, layer.attributes, spec.dtype);
    if (!value.ok()) return value.status().with_context(layer.where);
    last = *value;
    named.emplace_back(f.function().value(last).name, last);
  }
  if (last == kNoValue)
    return invalid_argument("'outputs' names several values: which of them is compared with the labels?");
  *out = last;
  return {};
}

// The dtype of "x" in a model of layers: i64 where each layer that reads it takes ids, else the
// job's.
DType input_dtype(const Spec& spec) {
  for (size_t i = 0; i < spec.layers.size(); ++i) {
    const LayerSpec& layer = spec.layers[i];
    const bool reads_x = layer.inputs.empty() ? i == 0 : std::ranges::count(layer.inputs, "x") > 0;
    const Layer* known = find_layer(layer.layer);
    if (reads_x && (known == nullptr || !known->takes_ids)) return spec.dtype;
  }
  return DType::kI64;
}

// Class numbers and ids are i64, everything else has the job's dtype.
Result<std::shared_ptr<Dataset>> load_data(const Spec& spec, const DataSpec& data, const CsvRules& csv, DType x_dtype,
                                           const std::vector<std::string>& folders,
                                           const std::shared_ptr<MemoryPool>& pool) {
  const bool classes = wants_class_numbers(spec.loss);
  std::vector<ColumnFiles> columns = {{"x", data.x, x_dtype, data.scale, x_dtype == DType::kI64},
                                      {"y", data.y, classes ? DType::kI64 : spec.dtype, 1}};
  if (!data.sample_weight.empty()) columns.push_back({"sample_weight", data.sample_weight, spec.dtype, 1});
  auto out = load_columns(
      columns, csv, [&](const std::string& name) { return find_data_file(name, folders); }, pool);
  if (classes && !out.ok() && out.status().message().find("cannot become i64") != std::string_view::npos) {
    return out.status().with_context(str_cat("'", data.y[0], "': ", spec.loss.name, " wants class numbers (integers)"));
  }
  return out;
}

// "model" stands for all variables that the file's model gives. A pattern of variables that were left behind with what the
// outputs do not need is no mistake.
void resolve_freeze(const Graph& file, const Graph& body, const Graph& whole, std::vector<std::string>* freeze) {
  const auto matches = [](const Graph& graph, std::string_view pattern) {
    return std::ranges::any_of(graph.variables, [&](const Variable& v) { return matches_pattern(pattern, v.name); });
  };
  std::vector<std::string> out;
  for (const std::string& pattern : *freeze) {
    if (pattern == "model" && !matches(whole, pattern)) {
      for (const Variable& v : body.variables) out.push_back(v.name);
    } else if (matches(whole, pattern) || !matches(file, pattern)) {
      out.push_back(pattern);
    }
  }
  *freeze = std::move(out);
}

// Of a file or folder that is no data: the first that is there, else the name itself.
std::string find_model_path(const std::string& name, const std::vector<std::string>& folders) {
  for (size_t i = 0; i < folders.size() && name.front() != '/'; ++i) {
    std::string candidate = join_path(folders[i], name);
    if (path_kind(candidate) != PathKind::kNothing) return candidate;
  }
  return name;
}

}  // namespace

Result<Model> build_model(const Spec& spec, std::shared_ptr<const Registry> registry, const Shape& x_shape,
                          const std::optional<ValueType>& y_type, const std::optional<ValueType>& sample_weight,
                          const Graph* body) {
  std::optional<Builder> from;
  if (body != nullptr) {
    from.emplace(*body);
  } else {
    from.emplace(std::move(registry));
  }
  Builder& b = *from;
  FunctionBuilder& f = b.main();
  Beginning beginning;
  if (body == nullptr) {
    PERCALE_ASSIGN_OR_RETURN(beginning.last, f.add_input("x", input_dtype(spec), x_shape));
    beginning.named.emplace_back("x", beginning.last);
  } else {
    const auto& outputs = f.function().outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string& name = i < spec.outputs.size() ? spec.outputs[i] : f.function().value(outputs[i]).name;
      beginning.named.emplace_back(name, outputs[i]);
    }
    if (outputs.size() == 1) beginning.last = outputs[0];
  }
  ValueId y = kNoValue, weight = kNoValue;
  if (y_type) {
    PERCALE_ASSIGN_OR_RETURN(y, f.add_input("y", y_type->dtype, y_type->shape));
  }
  if (sample_weight) {
    PERCALE_ASSIGN_OR_RETURN(weight, f.add_input("sample_weight", sample_weight->dtype, sample_weight->shape));
  }
  ValueId predictions = kNoValue;
  PERCALE_RETURN_IF_ERROR(add_layers(spec, f, std::move(beginning), &predictions));
  if (!y_type) {
    ValueType type = f.function().type(predictions);
    if (wants_class_numbers(spec.loss)) {
      type.dtype = DType::kI64;
      if (const Shape whole = type.shape; whole.known_rank() && whole.rank() > 1) {
        type.shape = Shape();
        for (size_t i = 0; i + 1 < whole.rank(); ++i) type.shape.push_back(whole[i]);
      }
    }
    PERCALE_ASSIGN_OR_RETURN(y, f.add_input("y", type.dtype, type.shape));
  }

  Model out;
  const auto name = [&](ValueId id) { return f.function().value(id).name; };
  std::vector<ValueId> outputs = {predictions};
  f.set_name_prefix("loss/");
  PERCALE_ASSIGN_OR_RETURN(const WeightedSum loss, add_loss(f, spec.loss, predictions, y, weight));
  out.objective.loss_sum = name(loss.sum);
  out.objective.loss_weight = name(loss.weight);
  outputs.insert(outputs.end(), {loss.sum, loss.weight});
  for (const MetricOptions& metric : spec.metrics) {
    f.set_name_prefix(metric.label() + "/");
    PERCALE_ASSIGN_OR_RETURN(const MetricTotals totals, add_metric(f, metric, spec.loss, predictions, y));
    auto& own = out.objective.metrics.emplace_back(Objective::Metric{metric.label(), totals.rule, {}});
    for (ValueId id : totals.values) {
      outputs.push_back(id);
      own.totals.push_back(name(id));
    }
  }
  f.set_name_prefix("");
  out.objective.predictions = {name(predictions)};
  PERCALE_RETURN_IF_ERROR(f.set_outputs(outputs));
  PERCALE_ASSIGN_OR_RETURN(out.graph, b.finish());
  return out;
}

Result<std::unique_ptr<Trainer>> trainer_from_spec(std::shared_ptr<Engine> engine, std::string_view json,
                                                   const std::string& spec_folder, const std::string& data_folder,
                                                   const SpecOverrides& overrides) {
  PERCALE_ASSIGN_OR_RETURN(Spec spec, parse_spec(json));
  if (overrides.epochs) spec.trainer.epochs = *overrides.epochs;
  if (overrides.seed) spec.trainer.seed = *overrides.seed;
  if (overrides.shards) spec.trainer.shards = *overrides.shards;
  if (overrides.batch_size) {
    spec.batch_size = *overrides.batch_size;
    spec.batch_size_per_replica = 0;
  }
  if (overrides.mode) spec.trainer.mode = *overrides.mode;
  if (overrides.precision) PERCALE_RETURN_IF_ERROR(read_precision(*overrides.precision, &spec));
  if (!overrides.trainer_keys.empty()) {
    PERCALE_ASSIGN_OR_RETURN(const Json keys, Json::parse(overrides.trainer_keys));
    PERCALE_RETURN_IF_ERROR(read_trainer_keys(keys, &spec.trainer));
  }
  spec.trainer.any_fingerprint = overrides.any_fingerprint;
  PERCALE_RETURN_IF_ERROR(parse_train_mode(spec.trainer.mode).status());
  PERCALE_ASSIGN_OR_RETURN(spec.trainer.devices,
                           choose_devices(*engine, overrides.devices ? *overrides.devices : spec.devices));
  if (spec.batch_size_per_replica > 0) {
    // All replicas that the batch is made for take part in it.
    auto& replicas = spec.trainer.parallel.replicas;
    if (replicas == 0) {
      PERCALE_ASSIGN_OR_RETURN(const auto groups, device_groups(*engine, spec.trainer.devices, spec.trainer.parallel));
      replicas = static_cast<int64_t>(groups.size());
    }
    if (spec.batch_size_per_replica > kMaxDim / replicas) {
      return out_of_range("'batch_size_per_replica' is ", spec.batch_size_per_replica, " for ", replicas, " replicas");
    }
    spec.batch_size = spec.batch_size_per_replica * replicas;
  }
  if (!spec.train && spec.model_file.empty() && !spec.input_shape) {
    return invalid_argument("the SPEC has no 'data' to train on, and no 'input_shape' for data that comes later");
  }

  std::vector<std::string> folders;
  if (!data_folder.empty()) folders.push_back(data_folder);
  for (std::string& folder : default_data_folders()) folders.push_back(std::move(folder));
  folders.push_back(spec_folder.empty() ? "." : spec_folder);
  std::shared_ptr<const Graph> file, body;
  DType x_dtype = input_dtype(spec);
  if (!spec.model_file.empty()) {
    const std::string path = find_model_path(spec.model_file, folders);
    const auto model =
        overrides.open_model ? overrides.open_model(path) : open_own_model(engine->registry(), path, engine->memory());
    if (!model.ok()) return model.status();
    file = *model;
    auto part = model_body(*file, spec.outputs, {"y", "sample_weight"});
    if (!part.ok()) return part.status().with_context(str_cat("'", path, "'"));
    body = std::move(part).value();
    x_dtype = body->main().type(body->main().inputs[0]).dtype;
    const DType own = body->main().type(body->main().outputs[0]).dtype;
    if (!spec.precision.empty() && own != spec.dtype) {
      return invalid_argument("precision ", spec.precision, ": the model of '", path, "' computes in ", own);
    }
    if (is_float(own)) spec.dtype = own;
  }
  std::shared_ptr<Dataset> train;
  std::vector<ValueType> types;
  if (spec.train) {
    PERCALE_ASSIGN_OR_RETURN(train, load_data(spec, *spec.train, spec.csv, x_dtype, folders, engine->memory()));
    PERCALE_RETURN_IF_ERROR(train->configure({.batch_size = spec.batch_size,
                                              .shuffle_seed = spec.shuffle ? spec.trainer.seed : -1,
                                              .drop_remainder = spec.drop_remainder}));
    types = train->types();
  }
  const CsvRules& csv = train != nullptr && train->csv_rules() != nullptr ? *train->csv_rules() : spec.csv;
  std::shared_ptr<Dataset> test, validation;
  for (const auto& [which, into] : {std::pair{&spec.test, &test}, {&spec.validation, &validation}}) {
    if (!*which) continue;
    PERCALE_ASSIGN_OR_RETURN(*into, load_data(spec, **which, csv, x_dtype, folders, engine->memory()));
    PERCALE_RETURN_IF_ERROR((*into)->configure({.batch_size = spec.batch_size}));
  }

  // Rows of one number each are rows of shape [1] to the layers, as in Keras.
  Shape x_shape = train ? types[0].shape : Shape{kUnknownDim};
  if (train && x_shape.rank() == 1) x_shape.push_back(1);
  if (spec.input_shape) {
    x_shape = Shape{kUnknownDim};
    for (int64_t d : *spec.input_shape) x_shape.push_back(d);
    if (train && x_shape.product(1, x_shape.rank()) != types[0].shape.product(1, types[0].shape.rank())) {
      return invalid_argument("'input_shape' is ", x_shape, ", the rows of '", spec.train->x[0], "' are ",
                              types[0].shape);
    }
  }
  if (body != nullptr && train) {
    const Shape& wanted = body->main().type(body->main().inputs[0]).shape;
    const auto row = [](const Shape& s) { return s.product(1, s.rank()); };
    const bool known = wanted.known_rank() && wanted.rank() > 0 &&
                       std::all_of(wanted.begin() + 1, wanted.end(), [](int64_t d) { return d >= 0; });
    if (known && row(wanted) != row(x_shape)) {
      return invalid_argument("the model of '", spec.model_file, "' takes rows of ", wanted, ", those of '",
                              spec.train->x[0], "' are ", types[0].shape);
    }
  }
  PERCALE_ASSIGN_OR_RETURN(
      Model model, build_model(spec, engine->registry(), x_shape, train ? std::optional(types[1]) : std::nullopt,
                               types.size() > 2 ? std::optional(types[2]) : std::nullopt, body.get()));
  if (body != nullptr) resolve_freeze(*file, *body, *model.graph, &spec.trainer.freeze);
  PERCALE_ASSIGN_OR_RETURN(auto trainer, Trainer::create(std::move(engine), std::move(model), nullptr, spec.trainer));
  if (!spec.weights.empty()) {
    const std::string path = find_model_path(spec.weights, folders);
    PERCALE_RETURN_IF_ERROR(
        load_variables(*trainer->variables(), path, spec.weights_map, spec.weights_strict, trainer->engine()->memory())
            .status());
  }
  trainer->add_job_parts(loss_parts(spec.loss));
  trainer->set_data(std::move(train), std::move(test));
  PERCALE_RETURN_IF_ERROR(trainer->set_validation(std::move(validation)));
  return trainer;
}

}  // namespace percale
