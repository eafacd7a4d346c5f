// SPEC.json: a training job in Keras' words.
#ifndef PERCALE_CORE_TRAIN_SPEC_H_
#define PERCALE_CORE_TRAIN_SPEC_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/transfer.h"
#include "core/train/data/csv_rules.h"
#include "core/train/method/losses.h"
#include "core/train/method/metric_ops.h"
#include "core/train/rewrite/model_file.h"
#include "core/train/trainer.h"

namespace percale {

struct LayerSpec {
  std::string layer, name;          // name "": the default
  std::vector<std::string> inputs;  // names of layers; empty: the one before
  Attributes attributes;
  std::string where;  // "line 3, column 5", for messages
};

// The files of one column of data, as core/train/data/data_columns.h says.
struct ColumnSpec {
  std::string name;  // of the input of the model's graph
  std::vector<std::string> files;
};

struct DataSpec {
  std::vector<ColumnSpec> x;               // "x", or inputs by name
  std::vector<ColumnSpec> y;               // "y", or label_name() of outputs
  std::vector<std::string> sample_weight;  // may be empty
  double scale = 1;                        // of integer x
};

// An output that is compared with labels.
struct TargetSpec {
  std::string name;  // of the layer; "": the last one, and there is no other target
  LossOptions loss;
  double weight = 1;  // of the loss in the sum of all
  std::vector<MetricOptions> metrics;
};
// The input for the labels of an output: "y", or "y/NAME".
std::string label_name(std::string_view target);

// A plain value.
struct Spec {
  // "": the layers are the whole model; else they follow the model of this file.
  std::string model_file;
  // Outputs of the file's model that the layers build on; empty: its only one.
  std::vector<std::string> outputs;
  std::vector<LayerSpec> layers;
  // By input, without the batch; from the data when absent.
  std::map<std::string, std::vector<int64_t>> input_shapes;
  std::vector<TargetSpec> targets;  // at least one
  TrainerOptions trainer;
  std::optional<DataSpec> train, validation, test;
  CsvRules csv;                            // of their CSV files
  std::vector<std::string> sample_weight;  // of the training data, as DataSpec::sample_weight
  // First values of another model's variables: core/checkpoint/transfer.h.
  std::string weights;  // a file, a checkpoint or a folder of them; "" for none
  std::vector<NameRule> weights_map;
  bool weights_strict = false;
  int64_t batch_size = 32;
  int64_t batch_size_per_replica = 0;  // where it is given, the batch is this times the replicas
  bool shuffle = true, drop_remainder = false;
  std::string devices;        // that compute shards: choose_devices()
  std::string precision;      // the key; "" without it
  DType dtype = DType::kF32;  // of data and parameters
};

// Strict: an unknown key or word is an error that names the nearest one. UNIMPLEMENTED names a
// feature that does not exist yet.
Result<Spec> parse_spec(std::string_view json);
// Describes every key of a SPEC, nested ones included.
std::vector<KeyFacts> spec_facts();

// The inputs of a model's graph. Their first dims are unknown.
struct ModelInputs {
  std::vector<std::pair<std::string, Shape>> x;  // in the order of the data
  // By label_name(). The loss decides the types of those that are missing.
  std::map<std::string, ValueType> y;
  std::optional<ValueType> sample_weight;  // an input of that name, which the losses then need
};
// Returns a graph with these inputs, labels included, and the objective. `body`: from model_body(),
// for the SPEC's model file; its inputs replace `inputs.x`.
Result<Model> build_model(const Spec& spec, std::shared_ptr<const Registry> registry, const ModelInputs& inputs,
                          const Graph* body = nullptr);
// The same for one input "x" and one output, whose labels are "y".
Result<Model> build_model(const Spec& spec, std::shared_ptr<const Registry> registry, const Shape& x_shape,
                          const std::optional<ValueType>& y,
                          const std::optional<ValueType>& sample_weight = std::nullopt);
// The dtype of an input: i64 where each layer that reads it takes ids, else the job's.
DType input_dtype(const Spec& spec, std::string_view input);

// Options of a trainer, as texts by name (core/train/option_table.h).
using OptionTexts = std::map<std::string, std::string, std::less<>>;

// Settings of a caller that replace those of the SPEC.
struct SpecOverrides {
  OptionTexts options;
  OpenModel open_model;  // of a SPEC whose 'model' is a path; empty: open_own_model()
};

// Reads the SPEC and its data and makes a trainer with a new table of variables. Relative paths are
// looked up in `data_folder` (may be ""), in default_data_folders() and in `spec_folder`. A SPEC
// without data needs an 'input_shape' or a model from a file; what trains and evaluates it then is
// given to fit() and evaluate().
Result<std::unique_ptr<Trainer>> trainer_from_spec(std::shared_ptr<Engine> engine, std::string_view json,
                                                   const std::string& spec_folder, const std::string& data_folder,
                                                   const SpecOverrides& overrides = {});

// Checks a SPEC without its data: keys, monitors, and, if `input_shape` or a model from a file
// gives the shape of a row, the graph that trains. Paths of models are looked up as in
// trainer_from_spec(). Devices are not checked, because they belong to the machine that trains.
Status check_spec(const std::shared_ptr<Engine>& engine, std::string_view json, const std::string& spec_folder,
                  const OpenModel& open_model = {});

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SPEC_H_
