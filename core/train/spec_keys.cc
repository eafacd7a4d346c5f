#include "core/train/spec_keys.h"

#include "core/train/trainer_keys.h"

namespace percale {
namespace {

constexpr double kMostRows = 4294967296.0;  // 2^32

Status read_precision(const Json& value, const Key<Spec>& key, Spec* out) {
  PERCALE_ASSIGN_OR_RETURN(const std::string text, value.as_string(key.name));
  if (text.empty()) return {};
  if (!is_choice(key.choices, text)) {
    return invalid_argument("'precision' is '", text, "', wanted f32, f64 or bf16");
  }
  out->precision = text;
  out->dtype = text == "f64" ? DType::kF64 : DType::kF32;
  out->trainer.bf16 = text == "bf16";
  return {};
}

constexpr Key<DataSpec> kDataKeys[] = {
    {.name = "x",
     .value = ByHand{"text, list or object"},
     .doc = "File of the inputs, or a list of files whose rows follow each other. For several inputs an object, "
            "{\"NAME\": file}.",
     .required = true},
    {.name = "y",
     .value = ByHand{"text, list or object"},
     .doc = "File or files of the labels. For several outputs an object by their names.",
     .required = true},
    {"scale", &DataSpec::scale, "Factor for inputs that are integers."},
    {.name = "sample_weight",
     .value = ByHand{"text or list"},
     .doc = "File with the weight of each row.",
     .fallback = "none"}};

constexpr Key<Spec> kWeightsKeys[] = {
    {.name = "file",
     .value = &Spec::weights,
     .doc =
         "A safetensors file, a checkpoint, or a folder of checkpoints, of which the newest is used. A .percale file "
         "is not allowed here; use it as 'model'.",
     .required = true},
    {.name = "map",
     .value = ByHand{"object"},
     .doc = "{\"variable\": \"tensor\"} for names that differ. null instead of a tensor leaves the variable as it is. "
            "Both names may contain one '*', which stands for the same characters in both.",
     .fallback = "equal names"},
    {"strict", &Spec::weights_strict,
     "Every variable must have a tensor in the file, except those that 'map' sets to null."}};

constexpr Key<Spec> kDataSets[] = {
    {.name = "train", .value = ByHand{"object"}, .doc = "Data that is trained on.", .fallback = "given to the fit"},
    {.name = "validation",
     .value = ByHand{"object"},
     .doc = "Data that is evaluated after each epoch.",
     .fallback = "none"},
    {.name = "test", .value = ByHand{"object"}, .doc = "Data that is evaluated at the end.", .fallback = "none"},
    {.name = "csv", .value = ByHand{"object"}, .doc = "Rules for reading CSV files.", .fallback = "as the files say"}};

constexpr Key<Spec> kSpecKeys[] = {
    {.name = "model",
     .value = ByHand{"list or text"},
     .doc =
         "A list of layers, each {\"layer\": \"Dense\", \"units\": 10, ...}; or the path of a model file, .percale or "
         "a format that an importer reads. A layer may have a 'name' and 'inputs', the names of earlier layers or "
         "of inputs ('x' is the data). A layer without 'inputs' takes the output of the layer before it.",
     .required = true},
    {.name = "input_shape",
     .value = ByHand{"list or object"},
     .doc = "Shape of a row, if it differs from the data's; both must have the same number of elements. For several "
            "inputs an object by their names. Not allowed with a model from a file.",
     .fallback = "the data's"},
    {.name = "outputs",
     .value = ByHand{"text or list"},
     .doc = "Model from a file: the values that the head builds on.",
     .fallback = "its only output"},
    {.name = "head",
     .value = ByHand{"list"},
     .doc = "Model from a file: layers to add after 'outputs'. If there are several outputs, the first layer must have "
            "'inputs'.",
     .fallback = "none"},
    {.name = "weights",
     .value = ByHand{"text or object"},
     .doc = "First values of variables, from another model: a path, or an object.",
     .fallback = "drawn by 'seed'"},
    {.name = "loss",
     .value = ByHand{"text or object"},
     .doc = "Loss: its name, or an object with 'name' and its keys. For several outputs an object of losses by the "
            "names of their layers, each with an optional 'weight'.",
     .required = true},
    {.name = "from_logits", .value = ByHand{"switch"}, .doc = "The same as within 'loss'.", .fallback = "false"},
    {.name = "metrics",
     .value = ByHand{"list or object"},
     .doc = "Metrics: names, or objects with 'name', the 'metric' if the name is your own, and its keys. For several "
            "outputs an object of such lists by their names.",
     .fallback = "none"},
    {.name = "class_weight",
     .value = ByHand{"list or object"},
     .doc = "Weights of the classes' rows: a list from class 0 on, or {\"0\": 1, \"2\": 2.5}. The weight of a class "
            "that is not listed is 1.",
     .fallback = "1 each"},
    {.name = "sample_weight",
     .value = ByHand{"text or list"},
     .doc = "File with the weight of each training row; the same as in the 'train' data. Give one of them.",
     .fallback = "none"},
    {.name = "optimizer",
     .value = ByHand{"text or object"},
     .doc = "Optimizer: its name, or an object with 'name' and its keys.",
     .required = true},
    {.name = "schedule",
     .value = ByHand{"text, object or list"},
     .doc = "Learning rate over the steps: a schedule's name, an object, or a list of them, one after the other.",
     .fallback = "constant"},
    {.name = "data", .value = ByHand{"object"}, .doc = "Files of the data.", .fallback = "given to the fit"},
    {.name = "batch_size",
     .value = &Spec::batch_size,
     .doc = "Number of rows per batch, of all replicas together.",
     .low = 1,
     .high = kMostRows,
     .option = {.name = "batch_size", .note = "Only for a SPEC, because other data sets define their own."}},
    {"batch_size_per_replica", &Spec::batch_size_per_replica,
     "Number of rows per batch of each replica, instead of 'batch_size'. The batch is this number times the replicas, "
     "and all of them take part.",
     1, kMostRows, "unused"},
    {"shuffle", &Spec::shuffle, "Each epoch has another order of rows. Needs 8 bytes of memory per row."},
    {"drop_remainder", &Spec::drop_remainder, "Leaves out the last batch of an epoch if it is short."},
    {.name = "devices",
     .value = &Spec::devices,
     .doc =
         "Devices of the engine that compute shards: a comma-separated list of names, KIND=NUMBER (the first devices "
         "of a kind), or all. If 'shards' is given, there must be at least one shard per device; otherwise at most "
         "as many devices as shards are used.",
     .fallback = "all",
     .option = {.name = "devices"}},
    {.name = "precision",
     .value = ReadBy<Spec>{"text", read_precision},
     .doc = "f32, f64: type of data and parameters, where no model from a file decides it. bf16: computes products and "
            "the operations after them in bf16, forward and backward, where a kernel gains by it; data, parameters, "
            "averages and optimizer stay f32.",
     .fallback = "f32",
     .choices = "f32|f64|bf16",
     .option = {.name = "precision", .note = "f32 and f64 only for a SPEC.", .fallback = "f32"}}};

}  // namespace

std::span<const Key<Spec>> spec_keys() { return kSpecKeys; }
std::span<const Key<Spec>> weights_keys() { return kWeightsKeys; }
std::span<const Key<Spec>> data_set_keys() { return kDataSets; }
std::span<const Key<DataSpec>> data_keys() { return kDataKeys; }

std::vector<KeyFacts> spec_facts() {
  std::vector<KeyFacts> out = key_facts<Spec>(kSpecKeys);
  for (KeyFacts& key : out) {
    if (key.name == "weights") key.keys = key_facts<Spec>(kWeightsKeys);
    if (key.name == "data") key.keys = key_facts<Spec>(kDataSets);
    for (KeyFacts& part : key.keys) {
      if (key.name == "data") part.keys = part.name == "csv" ? csv_rules_facts() : key_facts<DataSpec>(kDataKeys);
    }
  }
  for (KeyFacts& key : trainer_key_facts()) out.push_back(std::move(key));
  return out;
}

}  // namespace percale
