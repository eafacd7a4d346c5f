// Every option there is. A row more is all that a new one needs besides the code that reads it.
#include "c_api/options/options.h"
#include "core/train/method/train_mode.h"

namespace percale::c_api {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using enum OptionType;

constexpr OptionSpec kEngine[] = {
    {"threads", kInt, "0", "Threads that compute at once, the caller counted; 0: what the machine allows the process.",
     0, 1024},
    {"devices", kText, "cpu:0",
     "Devices, separated by commas: 'cpu:0,cpu:1', 'cpu=4x1' (four of one thread), 'all', 'none'."},
    {"memory_limit", kBytes, "0", "Bytes that the engine may hold, also as '2GB' or '2GiB'; 0: no limit.", 0,
     kInfinity},
    {"map_files", kSwitch, "on",
     "Models, weights and data stay in their files and are mapped. 'off' reads them into memory that counts: for files "
     "that others "
     "may cut short meanwhile, which ends the process where they are mapped."},
    {"device_memory_limit", kBytes, "0", "Bytes that each device with memory of its own may give out; 0: what it has.",
     0, kInfinity},
    {"tf32", kSwitch, "off", "GPUs: products of f32 by tensor cores, which keep 10 bits of the fraction."},
    {"isa", kChoice, "auto", "The most that CPU kernels may use.", 0, 0, "auto|sse4|avx2|avx512"},
    {"log", kChoice, "warning", "What is sent to the log function.", 0, 0, "debug|info|warning|error|off"},
    {"plugin_path", kText, "",
     "Plug-in files, or folders of them, separated by ':'; besides those in the library's own folder. Of folders the "
     "files are taken that are called libpercale_*.so."},
    {"deterministic", kSwitch, "on",
     "The same bits for any number of threads. 'off' allows faster kernels without that promise, of which there is "
     "none yet."},
    {"onednn", kChoice, "auto", "oneDNN's kernels: 'require' fails when the plug-in is absent, 'off' leaves it out.", 0,
     0, "auto|require|off"},
};

constexpr OptionSpec kSession[] = {
    {"soft_placement", kSwitch, "off", "A node that its device cannot run goes to another one; the plan says so."},
    {"log_placement", kSwitch, "off",
     "Each node's device, and why it runs there, goes to the engine's log at level info when a plan is made."},
    {"cost_model", kChoice, "described",
     "What placement goes by among devices of the same bits: what they describe, or the times of nodes that runs have "
     "'measured', by which "
     "plans are made anew now and then.",
     0, 0, "described|measured"},
    {"costs", kText, "", "A trace's JSON file: its times of nodes are known to placement from the start."},
    {"cache_size", kInt, "64", "Plans that are kept.", 1, 65536},
    {"memory_limit", kBytes, "0",
     "Bytes that the session's runs, results included, and its plans may hold; 0: no limit but the engine's.", 0,
     kInfinity},
    {"precision", kChoice, "f32",
     "bf16: products, and what follows them, where a kernel gains by it; inputs, outputs and variables stay as they "
     "are.",
     0, 0, "f32|bf16"},
    {"passes_off", kText, "", "Names of passes that are left out, separated by commas."},
};

constexpr OptionSpec kTrainer[] = {
    {"loss", kText, "",
     "The output that is the mean loss of a batch; empty: the only scalar floating-point one. Or JSON, for a graph of "
     "predictions: {\"name\": \"sparse_categorical_crossentropy\", \"labels\": \"y\"}, a SPEC's loss whose "
     "\"labels\" are an input of the graph; \"predictions\" (the only output), \"sample_weight\" (an input), "
     "\"class_weight\" and \"weight\" may be said too. A list of several is added up by their weights. Not for a "
     "SPEC."},
    {"optimizer", kText, "adam", "A name, or JSON such as {\"name\": \"sgd\", \"momentum\": 0.9}. Not for a SPEC."},
    {"schedule", kText, "constant",
     "A name, or JSON such as {\"name\": \"one_cycle\", \"max_learning_rate\": 0.004}. Not for a SPEC."},
    {"metrics", kText, "[]",
     "What is told after epochs and by evaluations, as JSON: names, or objects as in a SPEC, which may say "
     "\"predictions\" (the only "
     "output but the loss), \"labels\" (the only input that they do not need), \"loss\" (what they mean, by the "
     "labels) and "
     "\"from_logits\": [\"accuracy\", {\"name\": \"auc\", \"predictions\": \"scores\", \"from_logits\": true}]. Not "
     "for a SPEC."},
    {"clip_norm", kFloat, "0", "The most that the norm of all gradients together may be; 0: no limit. Not for a SPEC.",
     0, kInfinity},
    {"clip_value", kFloat, "0", "The most that an element of a gradient may be; 0: no limit. Not for a SPEC.", 0,
     kInfinity},
    {"clip_each_norm", kFloat, "0", "The most that the norm of each gradient may be; 0: no limit. Not for a SPEC.", 0,
     kInfinity},
    {"accumulation", kInt, "1", "Batches of a step, whose gradients are added before the update.", 1, 1073741824},
    {"ema", kFloat, "0",
     "Decay of averages of the parameters, which are published and evaluated in their place; 0: none.", 0, 0.999999999},
    {"groups", kText, "[]",
     "What is different for parameters by name, as JSON: [{\"pattern\": \"*/bias\", \"learning_rate_factor\": 2, "
     "\"weight_decay\": 0}]."},
    {"freeze", kText, "",
     "Patterns of the names of variables that keep their values, separated by commas; '*' stands for any characters."},
    {"recompute", kText, "off",
     "Activations are computed again in the backward pass, for less memory and the same bits: off, on, auto (where the "
     "engine's memory limit leaves too little), or the bytes that a step may plan."},
    {"synchronized_batch_norm", kSwitch, "off",
     "Batch normalization takes its statistics from the whole batch instead of each shard: all shards are computed at "
     "the "
     "same time."},
    {"memory_limit", kBytes, "0",
     "Bytes that the trainer may hold: working set, sums, runs, plans; neither data nor published versions. 0: no "
     "limit "
     "but the engine's.",
     0, kInfinity},
    {"parallel", kText, "",
     "How the job lies on the devices, as JSON: {\"replicas\": 2, \"stages\": 2, \"micro_batches\": 4, \"splits\": 2, "
     "\"schedule\": "
     "\"1f1b\", \"device_memory\": 1000000000}. SPEC.md says what it may say."},
    {"strategy", kText, "",
     "A preset: mirrored, a replica per device and 'parameters' mirrored; parameter_server, a replica per device, "
     "'parameters' ps "
     "and mode async; each unless 'parameters' or 'mode' is set."},
    {"parameters", kText, "host",
     "Where parameters and what the optimizer keeps of them lie: host; ps, in parts on devices; mirrored, on all that "
     "compute; device, on those that compute alone; or JSON: {\"ps\": \"cpu:0,cpu:1\", \"min_shard_bytes\": "
     "262144}. SPEC.md says more."},
    {"early_stopping", kText, "",
     "As JSON: {\"monitor\": \"val_loss\", \"patience\": 3, \"min_delta\": 0, \"baseline\": 0.5, \"start_from_epoch\": "
     "0, \"restore_best_weights\": true}."},
    {"terminate_on_nan", kSwitch, "off",
     "A loss that is NaN or infinite ends the call with OUT_OF_RANGE before the step's update. When off, the first "
     "such loss "
     "is a warning."},
    {"keep_last", kInt, "0",
     "Checkpoints that stay in a folder, the newest; 0: all, or the newest alone when the best are kept.", 0,
     1073741824},
    {"keep_best", kInt, "0", "Checkpoints of ends of epochs that stay besides, the best by 'monitor'.", 0, 1073741824},
    {"monitor", kText, "loss",
     "What 'keep_best' goes by: loss, a metric, or one of them of the validation data, as val_loss."},
    {"epochs", kInt, "1", "Passes over the data.", 1, kInfinity},
    {"batch_size", kInt, "32", "Rows of a batch; for a SPEC alone, other data sets know their own.", 1, 1048576},
    {"shards", kInt, "0", "Parts that each batch is cut into; 0: as the model's size suggests.", 0, 1024},
    {"seed", kInt, "0", "Of first values, of the order of rows and of random ops."},
    {"devices", kText, "",
     "Of the engine, that compute shards: names with commas, KIND=NUMBER, or all; for a SPEC instead of what it says."},
    {"mode", kText, "sync",
     "When shards become a step: sync, all of a batch; backup:M, its first M; bounded:K, all of a batch, on variables "
     "at most K steps old; async, each by itself.",
     0, 0, "", [](std::string_view text) { return parse_train_mode(text).status(); }},
    {"publish", kText, "auto",
     "When sessions on the same variables see what was trained: auto (each epoch of a fit, each single step), step, "
     "epoch, hand, or a number of steps."},
    {"precision", kChoice, "f32",
     "f32, f64: of data and parameters, for a SPEC alone. bf16: products, and what follows them, forward and backward, "
     "where a kernel gains by it; data, parameters and optimizer stay f32.",
     0, 0, "f32|f64|bf16"},
    {"any_fingerprint", kSwitch, "off",
     "Takes up a checkpoint that other kernels have computed: other bits may follow."},
};

constexpr OptionSpec kExport[] = {
    {"external_data", kChoice, "auto",
     "Elements of tensors in a file NAME.data beside the model NAME: 'auto' where the format cannot hold them itself.",
     0, 0, "auto|always|never"},
};

constexpr OptionKind kKinds[] = {
    {"engine", kEngine}, {"session", kSession}, {"trainer", kTrainer}, {"export", kExport}};

}  // namespace

std::span<const OptionKind> option_kinds() { return kKinds; }

}  // namespace percale::c_api
