// Every option there is. A row more is all that a new one needs besides the code that reads it.
#include "c_api/options/options.h"
#include "core/train/method/train_mode.h"

namespace percale::c_api {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using enum OptionType;

constexpr OptionSpec kEngine[] = {
    {"threads", kInt, "0",
     "Number of compute threads, including the calling thread; 0: as many as the machine allows the process.", 0, 1024},
    {"devices", kText, "cpu:0",
     "Comma-separated list of devices: 'cpu:0,cpu:1', 'cpu=4x1' (four devices with one thread each), 'all', 'none'."},
    {"memory_limit", kBytes, "0",
     "Limit in bytes for the memory that the engine holds, also as '2GB' or '2GiB'; 0: no limit.", 0, kInfinity},
    {"map_files", kSwitch, "on",
     "Maps the files of models, weights and data instead of reading them into memory. Use 'off' for files that other "
     "programs may truncate, because truncating a mapped file ends the process. The memory that 'off' needs counts "
     "towards memory_limit."},
    {"device_memory_limit", kBytes, "0",
     "Limit in bytes for allocations on each device with its own memory; 0: all of its memory.", 0, kInfinity},
    {"tf32", kSwitch, "off", "On GPUs, computes f32 products with tensor cores, which keep 10 bits of the fraction."},
    {"isa", kChoice, "auto", "Highest instruction set that CPU kernels may use.", 0, 0, "auto|sse4|avx2|avx512"},
    {"log", kChoice, "warning", "Lowest level of messages sent to the log function.", 0, 0,
     "debug|info|warning|error|off"},
    {"plugin_path", kText, "",
     "Plug-in files, or folders of them, separated by ':', in addition to those in the library's own folder. In a "
     "folder, the files named libpercale_*.so are loaded."},
    {"deterministic", kSwitch, "on",
     "Guarantees the same bits for any number of threads. 'off' permits faster kernels without this guarantee; there "
     "are none yet."},
    {"onednn", kChoice, "auto", "Use of oneDNN kernels: 'require' fails if the plug-in is absent, 'off' disables it.",
     0, 0, "auto|require|off"},
};

constexpr OptionSpec kSession[] = {
    {"soft_placement", kSwitch, "off",
     "Moves a node that its requested device cannot run to another device; the plan reports it."},
    {"log_placement", kSwitch, "off",
     "Logs the device of each node and the reason, at level info, whenever a plan is compiled."},
    {"cost_model", kChoice, "described",
     "Basis of the placement among devices that compute the same bits: the properties that devices describe, or the "
     "node times 'measured' in earlier runs. With 'measured', plans are recompiled occasionally.",
     0, 0, "described|measured"},
    {"costs", kText, "", "JSON file of a trace whose node times are known to placement from the start."},
    {"cache_size", kInt, "64", "Number of plans kept in the cache.", 1, 65536},
    {"memory_limit", kBytes, "0",
     "Limit in bytes for the session's runs, including results, and its plans; 0: only the engine's limit.", 0,
     kInfinity},
    {"precision", kChoice, "f32",
     "bf16: computes products and the operations after them in bf16 where a kernel gains by it; inputs, outputs and "
     "variables keep their dtypes.",
     0, 0, "f32|bf16"},
    {"passes_off", kText, "", "Comma-separated names of passes to disable."},
};

constexpr OptionSpec kTrainer[] = {
    {"loss", kText, "",
     "Output that is the mean loss of a batch; empty: the only scalar floating-point output. For a graph of "
     "predictions, JSON such as {\"name\": \"sparse_categorical_crossentropy\", \"labels\": \"y\"}: a loss as in a "
     "SPEC, with \"labels\", the name of an input. Further keys are \"predictions\" (default: the only output), "
     "\"sample_weight\" (an input), \"class_weight\" and \"weight\". A list of losses is summed by their weights. Not "
     "for a SPEC."},
    {"optimizer", kText, "adam", "Name, or JSON such as {\"name\": \"sgd\", \"momentum\": 0.9}. Not for a SPEC."},
    {"schedule", kText, "constant",
     "Name, or JSON such as {\"name\": \"one_cycle\", \"max_learning_rate\": 0.004}. Not for a SPEC."},
    {"metrics", kText, "[]",
     "Metrics reported after epochs and by evaluations, as JSON: names, or objects as in a SPEC. An object may add "
     "\"predictions\" (default: the only output besides the loss), \"labels\" (default: the only input that the "
     "predictions do not need), \"loss\" (selects the meaning of the labels) and \"from_logits\": [\"accuracy\", "
     "{\"name\": \"auc\", \"predictions\": \"scores\", \"from_logits\": true}]. Not for a SPEC."},
    {"clip_norm", kFloat, "0", "Largest norm of all gradients together; 0: no limit. Not for a SPEC.", 0, kInfinity},
    {"clip_value", kFloat, "0", "Largest absolute value of any gradient element; 0: no limit. Not for a SPEC.", 0,
     kInfinity},
    {"clip_each_norm", kFloat, "0", "Largest norm of each gradient; 0: no limit. Not for a SPEC.", 0, kInfinity},
    {"accumulation", kInt, "1", "Number of batches per step; their gradients are added before the update.", 1,
     1073741824},
    {"ema", kFloat, "0",
     "Decay rate of moving averages of the parameters, which are published and evaluated in place of the parameters; "
     "0: none.",
     0, 0.999999999},
    {"groups", kText, "[]",
     "Settings for parameters by name, as JSON: [{\"pattern\": \"*/bias\", \"learning_rate_factor\": 2, "
     "\"weight_decay\": 0}]."},
    {"freeze", kText, "",
     "Comma-separated name patterns of variables that keep their values; '*' matches any characters."},
    {"recompute", kText, "off",
     "Recomputes activations in the backward pass, which saves memory and gives the same bits: off, on, auto (if the "
     "engine's memory limit leaves too little), or the number of bytes that a step may plan."},
    {"synchronized_batch_norm", kSwitch, "off",
     "Computes the statistics of batch normalization over the whole batch instead of each shard; all shards are then "
     "computed at the same time."},
    {"memory_limit", kBytes, "0",
     "Limit in bytes for the trainer's working set, sums, runs and plans, but not for data and published versions. 0: "
     "only the engine's limit.",
     0, kInfinity},
    {"parallel", kText, "",
     "Distribution of the job over the devices, as JSON: {\"replicas\": 2, \"stages\": 2, \"micro_batches\": 4, "
     "\"splits\": 2, \"schedule\": \"1f1b\", \"device_memory\": 1000000000}. SPEC.md describes the keys."},
    {"strategy", kText, "",
     "Preset: mirrored uses one replica per device and 'parameters' mirrored; parameter_server uses one replica per "
     "device, 'parameters' ps and mode async. 'parameters' and 'mode' override the preset."},
    {"parameters", kText, "host",
     "Location of the parameters and of the optimizer's state for them: host; ps, in parts on devices; mirrored, on "
     "the host and on all devices that compute; device, only on the devices that compute; or JSON: {\"ps\": "
     "\"cpu:0,cpu:1\", "
     "\"min_shard_bytes\": 262144}. See SPEC.md."},
    {"early_stopping", kText, "",
     "JSON such as {\"monitor\": \"val_loss\", \"patience\": 3, \"min_delta\": 0, \"baseline\": 0.5, "
     "\"start_from_epoch\": 0, \"restore_best_weights\": true}."},
    {"terminate_on_nan", kSwitch, "off",
     "Ends the call with OUT_OF_RANGE if a loss is NaN or infinite, before the update of that step. When off, the "
     "first such loss logs a warning."},
    {"keep_last", kInt, "0",
     "Number of newest checkpoints kept in a folder; 0: all, or only the newest if 'keep_best' is set.", 0, 1073741824},
    {"keep_best", kInt, "0", "Number of further checkpoints kept, taken at ends of epochs, the best by 'monitor'.", 0,
     1073741824},
    {"monitor", kText, "loss",
     "Value that 'keep_best' compares: loss, a metric, or one of them on the validation data, such as val_loss."},
    {"epochs", kInt, "1", "Number of passes over the data.", 1, kInfinity},
    {"batch_size", kInt, "32", "Number of rows per batch; only for a SPEC, because other data sets define their own.",
     1, 1048576},
    {"shards", kInt, "0", "Number of parts that each batch is cut into; 0: chosen by the size of the model.", 0, 1024},
    {"seed", kInt, "0", "Seed of initial values, row order and random ops."},
    {"devices", kText, "",
     "Devices of the engine that compute shards: a comma-separated list of names, KIND=NUMBER, or all; for a SPEC it "
     "overrides the SPEC."},
    {"mode", kText, "sync",
     "Rule that combines shards into a step: sync, all shards of a batch; backup:M, the first M shards of a batch; "
     "bounded:K, all shards of a batch, on variables at most K steps old; async, each shard by itself.",
     0, 0, "", [](std::string_view text) { return parse_train_mode(text).status(); }},
    {"publish", kText, "auto",
     "When sessions on the same variables see trained values: auto (each epoch of a fit, each single step), step, "
     "epoch, hand, or a number of steps."},
    {"precision", kChoice, "f32",
     "f32, f64: dtype of data and parameters, only for a SPEC. bf16: computes products and the operations after them "
     "in bf16, forward and backward, where a kernel gains by it; data, parameters and optimizer stay f32.",
     0, 0, "f32|f64|bf16"},
    {"any_fingerprint", kSwitch, "off",
     "Accepts a checkpoint that was computed by other kernels, although results may then differ in bits."},
};

constexpr OptionSpec kExport[] = {
    {"external_data", kChoice, "auto",
     "Stores tensor elements in a file NAME.data beside the model NAME; 'auto': only if the format cannot hold them "
     "itself.",
     0, 0, "auto|always|never"},
};

constexpr OptionKind kKinds[] = {
    {"engine", kEngine}, {"session", kSession}, {"trainer", kTrainer}, {"export", kExport}};

}  // namespace

std::span<const OptionKind> option_kinds() { return kKinds; }

}  // namespace percale::c_api
