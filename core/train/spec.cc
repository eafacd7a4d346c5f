#include "core/train/spec.h"

#include <algorithm>

#include "core/base/file.h"
#include "core/train/data_columns.h"
#include "core/train/data_files.h"
#include "core/train/layers.h"
#include "core/train/trainer_keys.h"

namespace percale {
namespace {

Status add_layers(const Spec& spec, FunctionBuilder& f, ValueId x, ValueId* out) {
  std::vector<std::pair<std::string, ValueId>> named = {{"x", x}};
  ValueId last = x;
  for (const LayerSpec& layer : spec.layers) {
    std::vector<ValueId> inputs;
    for (const std::string& name : layer.inputs) {
      const auto found = std::find_if(named.begin(), named.end(), [&](const auto& n) { return n.first == name; });
      if (found == named.end()) {
        return invalid_argument(layer.where, ": 'inputs': no layer '", name, "' stands before this ", layer.layer);
      }
      inputs.push_back(found->second);
    }
    if (inputs.empty()) inputs.push_back(last);
    const auto value = add_layer(f, layer.layer, layer.name, inputs, layer.attributes);
    if (!value.ok()) return value.status().with_context(layer.where);
    last = *value;
    named.emplace_back(f.function().value(last).name, last);
  }
  *out = last;
  return {};
}

// Class numbers are i64, everything else has the job's dtype.
Result<std::shared_ptr<Dataset>> load_data(const Spec& spec, const DataSpec& data,
                                           const std::vector<std::string>& folders,
                                           const std::shared_ptr<MemoryPool>& pool) {
  const bool classes = wants_class_numbers(spec.loss);
  std::vector<ColumnFiles> columns = {{"x", data.x, spec.dtype, data.scale},
                                      {"y", data.y, classes ? DType::kI64 : spec.dtype, 1}};
  if (!data.sample_weight.empty()) columns.push_back({"sample_weight", data.sample_weight, spec.dtype, 1});
  auto out = load_columns(columns, [&](const std::string& name) { return find_data_file(name, folders); }, pool);
  if (classes && !out.ok() && out.status().message().find("cannot become i64") != std::string_view::npos) {
    return out.status().with_context(
        str_cat("'", data.y[0], "': ", spec.loss.name, " wants class numbers (integers)"));
  }
  return out;
}

Status check_devices(const Spec& spec, const Engine& engine) {
  for (const std::string& wanted : spec.devices) {
    if (wanted == "all" || wanted.find('=') != std::string::npos) continue;
    const bool found = std::any_of(engine.devices().begin(), engine.devices().end(),
                                   [&](const auto& d) { return d->name() == wanted; });
    if (!found) return failed_precondition("the SPEC asks for device '", wanted, "', which this engine lacks");
  }
  return {};
}

}  // namespace

Result<Model> build_model(const Spec& spec, std::shared_ptr<const Registry> registry, const Shape& x_shape,
                          const ValueType& y_type, const std::optional<ValueType>& sample_weight) {
  Builder b(std::move(registry));
  FunctionBuilder& f = b.main();
  PERCALE_ASSIGN_OR_RETURN(const ValueId x, f.add_input("x", spec.dtype, x_shape));
  PERCALE_ASSIGN_OR_RETURN(const ValueId y, f.add_input("y", y_type.dtype, y_type.shape));
  ValueId weight = kNoValue;
  if (sample_weight) {
    PERCALE_ASSIGN_OR_RETURN(weight, f.add_input("sample_weight", sample_weight->dtype, sample_weight->shape));
  }
  ValueId predictions = kNoValue;
  PERCALE_RETURN_IF_ERROR(add_layers(spec, f, x, &predictions));

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
  if (overrides.batch_size) spec.batch_size = *overrides.batch_size;
  if (overrides.mode) spec.trainer.mode = *overrides.mode;
  if (overrides.dtype) spec.dtype = *overrides.dtype;
  if (!overrides.trainer_keys.empty()) {
    PERCALE_ASSIGN_OR_RETURN(const Json keys, Json::parse(overrides.trainer_keys));
    PERCALE_RETURN_IF_ERROR(read_trainer_keys(keys, &spec.trainer));
  }
  spec.trainer.any_fingerprint = overrides.any_fingerprint;
  if (spec.trainer.mode != "sync") return unimplemented("mode '", spec.trainer.mode, "' is not there yet");
  PERCALE_RETURN_IF_ERROR(check_devices(spec, *engine));
  if (!spec.train) return invalid_argument("the SPEC has no 'data' to train on");

  std::vector<std::string> folders;
  if (!data_folder.empty()) folders.push_back(data_folder);
  for (std::string& folder : default_data_folders()) folders.push_back(std::move(folder));
  folders.push_back(spec_folder.empty() ? "." : spec_folder);
  PERCALE_ASSIGN_OR_RETURN(auto train, load_data(spec, *spec.train, folders, engine->memory()));
  PERCALE_RETURN_IF_ERROR(train->configure({.batch_size = spec.batch_size,
                                            .shuffle_seed = spec.shuffle ? spec.trainer.seed : -1,
                                            .drop_remainder = spec.drop_remainder}));
  std::shared_ptr<Dataset> test, validation;
  for (const auto& [which, into] : {std::pair{&spec.test, &test}, {&spec.validation, &validation}}) {
    if (!*which) continue;
    PERCALE_ASSIGN_OR_RETURN(*into, load_data(spec, **which, folders, engine->memory()));
    PERCALE_RETURN_IF_ERROR((*into)->configure({.batch_size = spec.batch_size}));
  }

  const std::vector<ValueType> types = train->types();
  Shape x_shape = types[0].shape;
  if (spec.input_shape) {
    x_shape = Shape{kUnknownDim};
    for (int64_t d : *spec.input_shape) x_shape.push_back(d);
    if (x_shape.product(1, x_shape.rank()) != types[0].shape.product(1, types[0].shape.rank())) {
      return invalid_argument("'input_shape' is ", x_shape, ", the rows of '", spec.train->x[0], "' are ", types[0].shape);
    }
  }
  PERCALE_ASSIGN_OR_RETURN(Model model, build_model(spec, engine->registry(), x_shape, types[1],
                                              types.size() > 2 ? std::optional(types[2]) : std::nullopt));
  PERCALE_ASSIGN_OR_RETURN(auto trainer, Trainer::create(std::move(engine), std::move(model), nullptr, spec.trainer));
  if (!spec.weights.empty()) {
    std::string path = spec.weights;
    for (size_t i = 0; i < folders.size() && path.front() != '/'; ++i) {
      const std::string candidate = join_path(folders[i], spec.weights);
      if (path_kind(candidate) == PathKind::kNothing) continue;
      path = candidate;
      break;
    }
    PERCALE_RETURN_IF_ERROR(load_variables(*trainer->variables(), path, spec.weights_map, spec.weights_strict).status());
  }
  trainer->set_data(std::move(train), std::move(test));
  PERCALE_RETURN_IF_ERROR(trainer->set_validation(std::move(validation)));
  return trainer;
}

}  // namespace percale
