#include "core/train/spec.h"

#include <algorithm>

#include "core/base/similar_name.h"
#include "core/file/file.h"
#include "core/file/host_files.h"
#include "core/system/file.h"
#include "core/train/data/csv.h"
#include "core/train/data/data_columns.h"
#include "core/train/data/data_files.h"
#include "core/train/method/name_pattern.h"
#include "core/train/option_table.h"
#include "core/train/rewrite/train_graph.h"
#include "core/train/shards/device_choice.h"

namespace percale {
namespace {

// The folders of a SPEC's data and models, and the model that its data is for.
struct Sources {
  std::vector<std::string> folders;
  const Graph* body = nullptr;
  std::shared_ptr<MemoryPool> memory;
};

DType x_dtype(const Spec& spec, const Graph* body, const std::string& input) {
  if (body == nullptr) return input_dtype(spec, input);
  const ValueId id = body->main().find_value(input);
  return id == kNoValue ? spec.dtype : body->main().type(id).dtype;
}

// If one CSV file gives several inputs, each reads the column of its own name, unless the path
// names another.
std::vector<std::string> own_columns(std::vector<std::string> files, const std::string& column, bool several) {
  for (std::string& file : files) {
    if (several && is_csv_path(file)) file += "#" + column;
  }
  return files;
}

// Class numbers and ids are i64, everything else has the job's dtype.
Result<std::shared_ptr<Dataset>> load_data(const Spec& spec, const DataSpec& data, const CsvRules& csv,
                                           const Sources& from) {
  std::vector<ColumnFiles> columns;
  for (const ColumnSpec& x : data.x) {
    const DType dtype = x_dtype(spec, from.body, x.name);
    columns.push_back(
        {x.name, own_columns(x.files, x.name, data.x.size() > 1), dtype, data.scale, dtype == DType::kI64});
  }
  const TargetSpec* classes = nullptr;
  for (const ColumnSpec& y : data.y) {
    const auto target = std::ranges::find_if(spec.targets, [&](const auto& t) { return label_name(t.name) == y.name; });
    if (target == spec.targets.end()) {
      std::vector<std::string> names;
      for (const TargetSpec& known : spec.targets) names.push_back(label_name(known.name));
      return invalid_argument("'data' has labels '", y.name,
                              "' that 'loss' does not name: it must have a loss for each", did_you_mean(y.name, names));
    }
    const bool wants_classes = wants_class_numbers(target->loss);
    if (wants_classes) classes = &*target;
    columns.push_back(
        {y.name, own_columns(y.files, target->name, data.y.size() > 1), wants_classes ? DType::kI64 : spec.dtype, 1});
  }
  if (!data.sample_weight.empty()) columns.push_back({"sample_weight", data.sample_weight, spec.dtype, 1});
  const auto find = [&](const std::string& name) -> Result<std::string> {
    return is_host_path(name, from.memory.get()) ? name : find_data_file(name, from.folders);
  };
  auto out = load_columns(columns, csv, find, from.memory);
  if (classes != nullptr && !out.ok() && out.status().message().find("cannot become i64") != std::string_view::npos) {
    return out.status().with_context(
        str_cat("'", data.y[0].files[0], "': ", classes->loss.name, " wants class numbers (integers)"));
  }
  return out;
}

int64_t row_elements(const Shape& shape) { return shape.product(1, shape.rank()); }

// The shape of an input. Rows of one number each are rows of shape [1] to the layers, as in Keras.
Result<Shape> x_shape(const Spec& spec, const ColumnSpec& column, const Shape& data) {
  const auto given = spec.input_shapes.find(column.name);
  if (given == spec.input_shapes.end()) {
    Shape out = data;
    if (out.rank() == 1) out.push_back(1);
    return out;
  }
  Shape out{kUnknownDim};
  for (int64_t d : given->second) out.push_back(d);
  if (row_elements(out) == row_elements(data)) return out;
  return invalid_argument("'input_shape' is ", out, ", the rows of '", column.files[0], "' are ", data);
}

// The inputs of the model: the data's columns, or inputs whose shapes are given.
Result<ModelInputs> model_inputs(const Spec& spec, const Dataset* train, const Graph* body) {
  ModelInputs out;
  if (train == nullptr) {
    for (const auto& [name, dims] : spec.input_shapes) {
      Shape shape{kUnknownDim};
      for (int64_t d : dims) shape.push_back(d);
      out.x.emplace_back(name, shape);
    }
    return out;
  }
  const std::vector<ValueType> types = train->types();
  for (size_t i = 0; i < spec.train->x.size(); ++i) {
    const ColumnSpec& column = spec.train->x[i];
    PERCALE_ASSIGN_OR_RETURN(const Shape shape, x_shape(spec, column, types[i].shape));
    out.x.emplace_back(column.name, shape);
    const ValueId input = body == nullptr ? kNoValue : body->main().find_value(column.name);
    if (input == kNoValue) continue;
    const Shape& wanted = body->main().type(input).shape;
    const bool known = wanted.known_rank() && wanted.rank() > 0 &&
                       std::all_of(wanted.begin() + 1, wanted.end(), [](int64_t d) { return d >= 0; });
    if (known && row_elements(wanted) != row_elements(shape)) {
      return invalid_argument("the model of '", spec.model_file, "' takes rows of ", wanted, ", those of '",
                              column.files[0], "' are ", types[i].shape);
    }
  }
  for (size_t i = 0; i < spec.train->y.size(); ++i) {
    out.y.emplace(spec.train->y[i].name, types[spec.train->x.size() + i]);
  }
  if (!spec.train->sample_weight.empty()) out.sample_weight = types.back();
  return out;
}

// "model" stands for all variables of the file's model. A pattern may match only variables that
// were removed because the outputs do not need them.
Status resolve_freeze(const Graph& file, const Graph& body, const Graph& whole, std::vector<std::string>* freeze) {
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
  const bool has_head = body.variables.size() < whole.variables.size();
  const bool keeps_all = has_head && std::ranges::all_of(whole.variables, [&](const Variable& v) {
                           return !v.trainable || std::ranges::any_of(*freeze, [&](const std::string& pattern) {
                             return matches_pattern(pattern, v.name);
                           });
                         });
  if (!keeps_all) return {};
  return invalid_argument(R"('freeze' keeps all variables, those of the head, too; )"
                          R"(take "model" to keep those of the file's model alone)");
}

// Finds a file or folder of a model: the first that exists, else the name itself.
std::string find_model_path(const std::string& name, const std::vector<std::string>& folders) {
  for (size_t i = 0; i < folders.size() && !os::is_absolute_path(name); ++i) {
    std::string candidate = join_path(folders[i], name);
    if (path_kind(candidate) != PathKind::kNothing) return candidate;
  }
  return name;
}

std::vector<std::string> folders_of(const std::string& spec_folder, const std::string& data_folder) {
  std::vector<std::string> out;
  if (!data_folder.empty()) out.push_back(data_folder);
  for (std::string& folder : default_data_folders()) out.push_back(std::move(folder));
  out.push_back(spec_folder.empty() ? "." : spec_folder);
  return out;
}

Status check_has_rows(const Spec& spec) {
  if (spec.train || !spec.model_file.empty() || !spec.input_shapes.empty()) return {};
  return invalid_argument("the SPEC has no 'data' to train on, and no 'input_shape' for data that comes later");
}

// The model of a file, and the part that the outputs need. Both are null if the SPEC names none.
struct ModelFile {
  std::shared_ptr<const Graph> file, body;
  DType dtype = DType::kInvalid;  // of the outputs
};

Result<ModelFile> open_model_file(const Spec& spec, const Engine& engine, const std::vector<std::string>& folders,
                                  const OpenModel& open_model) {
  ModelFile out;
  if (spec.model_file.empty()) return out;
  const std::string path = find_model_path(spec.model_file, folders);
  PERCALE_ASSIGN_OR_RETURN(out.file,
                           open_model ? open_model(path) : open_own_model(engine.registry(), path, engine.memory()));
  std::vector<std::string> reserved = {"sample_weight"};
  for (const TargetSpec& target : spec.targets) reserved.push_back(label_name(target.name));
  auto part = model_body(*out.file, spec.outputs, reserved);
  if (!part.ok()) return part.status().with_context(str_cat("'", path, "'"));
  out.body = std::move(part).value();
  const Function& main = out.body->main();
  out.dtype = main.type(main.outputs[0]).dtype;
  if (out.body->variables.empty() && spec.layers.empty()) {
    return invalid_argument("the model of '", path,
                            "' has no variables that could be trained: its numbers are constants, as those of "
                            "Constant nodes in an ONNX file are (initializers become variables)");
  }
  if (!spec.precision.empty() && out.dtype != spec.dtype) {
    return invalid_argument("precision ", spec.precision, ": the model of '", path, "' computes in ", out.dtype);
  }
  for (const ValueId input : main.inputs) {
    const Shape& shape = main.type(input).shape;
    const bool fixed = shape.known_rank() && shape.rank() > 0 && shape[0] >= 0;
    // Without data the batches are those of the host.
    if (!fixed || !spec.train || shape[0] == spec.batch_size) continue;
    return invalid_argument("the model of '", path, "' takes batches of ", shape[0], " (input '",
                            main.value(input).name, "' is ", shape, "), 'batch_size' is ", spec.batch_size,
                            ": `percale import IN OUT --dim batch=?` makes a model for batches of any size, "
                            "and so does 'with dims' of the graph");
  }
  return out;
}

// The columns of the history that the training data gives.
std::vector<std::string> metric_names(const Spec& spec) {
  std::vector<std::string> out;
  const bool several = spec.targets.size() > 1 || !spec.targets[0].name.empty();
  for (const TargetSpec& target : spec.targets) {
    if (several) out.push_back(target.name + "_loss");
    for (const MetricOptions& metric : target.metrics) {
      out.push_back(several ? str_cat(target.name, "_", metric.label()) : metric.label());
    }
  }
  return out;
}

// True if the rows of every input are known without the data.
bool knows_rows(const Spec& spec) {
  if (!spec.model_file.empty()) return true;
  if (!spec.train) return !spec.input_shapes.empty();
  return std::ranges::all_of(spec.train->x, [&](const ColumnSpec& x) { return spec.input_shapes.contains(x.name); });
}

// The caller's settings replace those of the SPEC.
Status apply_overrides(const SpecOverrides& overrides, Spec& spec) {
  PERCALE_RETURN_IF_ERROR(apply_options(overrides.options, &spec));
  if (overrides.options.contains("batch_size")) spec.batch_size_per_replica = 0;
  return parse_train_mode(spec.trainer.mode).status();
}

// The batch is made for all replicas, so all of them take part in it.
Status size_batch_by_replicas(const Engine& engine, Spec& spec) {
  if (spec.batch_size_per_replica == 0) return {};
  auto& replicas = spec.trainer.parallel.replicas;
  if (replicas == 0) {
    PERCALE_ASSIGN_OR_RETURN(const auto groups, device_groups(engine, spec.trainer.devices, spec.trainer.parallel));
    replicas = static_cast<int64_t>(groups.size());
  }
  if (spec.batch_size_per_replica > kMaxDim / replicas) {
    return out_of_range("'batch_size_per_replica' is ", spec.batch_size_per_replica, " for ", replicas, " replicas");
  }
  spec.batch_size = spec.batch_size_per_replica * replicas;
  return {};
}

struct JobData {
  std::shared_ptr<Dataset> train, test, validation;
};

// The data sets of a SPEC; null where it names none. The rules of the training data's CSV files
// hold for all.
Result<JobData> load_job_data(const Spec& spec, const Sources& sources) {
  JobData out;
  if (spec.train) {
    PERCALE_ASSIGN_OR_RETURN(out.train, load_data(spec, *spec.train, spec.csv, sources));
    PERCALE_RETURN_IF_ERROR(out.train->configure({.batch_size = spec.batch_size,
                                                  .shuffle_seed = spec.shuffle ? spec.trainer.seed : -1,
                                                  .drop_remainder = spec.drop_remainder}));
  }
  const CsvRules& csv = out.train != nullptr && out.train->csv_rules() != nullptr ? *out.train->csv_rules() : spec.csv;
  for (const auto& [which, into] : {std::pair{&spec.test, &out.test}, {&spec.validation, &out.validation}}) {
    if (!*which) continue;
    PERCALE_ASSIGN_OR_RETURN(*into, load_data(spec, **which, csv, sources));
    PERCALE_RETURN_IF_ERROR((*into)->configure({.batch_size = spec.batch_size}));
  }
  // A number that is watched is a column of the history.
  if (out.validation == nullptr && spec.trainer.watches_validation()) out.validation = out.test;
  return out;
}

}  // namespace

Status check_spec(const std::shared_ptr<Engine>& engine, std::string_view json, const std::string& spec_folder,
                  const OpenModel& open_model) {
  PERCALE_ASSIGN_OR_RETURN(Spec spec, parse_spec(json));
  PERCALE_RETURN_IF_ERROR(parse_train_mode(spec.trainer.mode).status());
  PERCALE_RETURN_IF_ERROR(check_has_rows(spec));
  PERCALE_RETURN_IF_ERROR(check_monitors(spec.trainer, metric_names(spec)));
  if (spec.train && !spec.validation && !spec.test && spec.trainer.watches_validation()) {
    return failed_precondition("there is no validation data to watch");
  }
  if (spec.batch_size_per_replica > 0) {
    spec.batch_size = spec.batch_size_per_replica * std::max<int64_t>(1, spec.trainer.parallel.replicas);
  }
  const std::vector<std::string> folders = folders_of(spec_folder, "");
  if (!spec.weights.empty()) {
    const std::string path = find_model_path(spec.weights, folders);
    if (path_kind(path) == PathKind::kNothing && !is_host_path(path, engine->memory().get())) {
      return not_found("'weights': there is no '", path, "'");
    }
  }
  PERCALE_ASSIGN_OR_RETURN(const ModelFile from_file, open_model_file(spec, *engine, folders, open_model));
  if (!knows_rows(spec)) return {};
  if (is_float(from_file.dtype)) spec.dtype = from_file.dtype;
  PERCALE_ASSIGN_OR_RETURN(const ModelInputs inputs, model_inputs(spec, nullptr, from_file.body.get()));
  PERCALE_ASSIGN_OR_RETURN(const Model model, build_model(spec, engine->registry(), inputs, from_file.body.get()));
  if (from_file.body != nullptr) {
    PERCALE_RETURN_IF_ERROR(resolve_freeze(*from_file.file, *from_file.body, *model.graph, &spec.trainer.freeze));
  }
  return build_train_graph(model, spec.trainer.optimizer, spec.trainer.freeze, false, spec.trainer.parallel,
                           spec.trainer.synchronized_batch_norm)
      .status();
}

Result<std::unique_ptr<Trainer>> trainer_from_spec(std::shared_ptr<Engine> engine, std::string_view json,
                                                   const std::string& spec_folder, const std::string& data_folder,
                                                   const SpecOverrides& overrides) {
  PERCALE_ASSIGN_OR_RETURN(Spec spec, parse_spec(json));
  PERCALE_RETURN_IF_ERROR(apply_overrides(overrides, spec));
  PERCALE_ASSIGN_OR_RETURN(spec.trainer.devices, choose_devices(*engine, spec.devices));
  PERCALE_RETURN_IF_ERROR(size_batch_by_replicas(*engine, spec));
  PERCALE_RETURN_IF_ERROR(check_has_rows(spec));

  Sources sources;
  sources.memory = engine->memory();
  sources.folders = folders_of(spec_folder, data_folder);
  PERCALE_ASSIGN_OR_RETURN(const ModelFile from_file,
                           open_model_file(spec, *engine, sources.folders, overrides.open_model));
  const std::shared_ptr<const Graph>& body = from_file.body;
  sources.body = body.get();
  if (is_float(from_file.dtype)) spec.dtype = from_file.dtype;
  PERCALE_ASSIGN_OR_RETURN(JobData data, load_job_data(spec, sources));
  PERCALE_ASSIGN_OR_RETURN(const ModelInputs inputs, model_inputs(spec, data.train.get(), body.get()));
  PERCALE_ASSIGN_OR_RETURN(Model model, build_model(spec, engine->registry(), inputs, body.get()));
  if (body != nullptr) {
    PERCALE_RETURN_IF_ERROR(resolve_freeze(*from_file.file, *body, *model.graph, &spec.trainer.freeze));
  }
  PERCALE_ASSIGN_OR_RETURN(auto trainer, Trainer::create(std::move(engine), std::move(model), nullptr, spec.trainer));
  if (!spec.weights.empty()) {
    const std::string path = find_model_path(spec.weights, sources.folders);
    PERCALE_RETURN_IF_ERROR(
        load_variables(*trainer->variables(), path, spec.weights_map, spec.weights_strict, trainer->engine()->memory())
            .status());
  }
  for (const TargetSpec& target : spec.targets)
    trainer->add_job_parts(loss_parts(target.loss, target.name, target.weight));
  trainer->set_data(std::move(data.train), std::move(data.test));
  PERCALE_RETURN_IF_ERROR(trainer->set_validation(std::move(data.validation)));
  return trainer;
}

}  // namespace percale
