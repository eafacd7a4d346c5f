// The options of each kind. A new one needs a row here and the code that reads it.
#include "c_api/options/options.h"
#include "core/train/option_table.h"

namespace percale::c_api {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using enum OptionType;

std::vector<OptionSpec> engine_options() {
  return {
      {"threads", kInt, "0",
       "Number of compute threads, including the calling thread; 0: as many as the machine allows the process.", 0,
       1024},
      {"devices", kText, "cpu:0",
       "Comma-separated list of devices: 'cpu:0,cpu:1', 'cpu=4x1' (four devices with one thread each), "
       "'remote:HOST:PORT/cpu:0' (a device that another process serves; without '/cpu:0' all that it serves), "
       "'/job:worker/task:1/device:cpu:0' (one of a task of the cluster), 'all', 'none'."},
      {"cluster", kText, "",
       "Tasks that 'devices' names, as JSON in the form of TF_CONFIG; 'environment': those that the launcher's "
       "environment describes, with the certificates of PERCALE_CERTIFICATES."},
      {"task", kText, "",
       "Task of this process in 'cluster', such as worker:1, if the cluster does not tell. The devices of its own task "
       "are those of this process."},
      {"certificates", kText, "",
       "Folder of certificates for devices of other processes, as percale-worker --make-certificates makes it; without "
       "one, only processes of this machine are reached."},
      {"connect_timeout", kInt, "10", "Seconds until another process whose devices are used must have answered.", 1,
       86400},
      {"memory_limit", kBytes, "0",
       "Limit in bytes for the memory that the engine holds, also as '2GB' or '2GiB'; 0: no limit.", 0, kInfinity},
      {"map_files", kSwitch, "on",
       "Maps the files of models, weights and data instead of reading them into memory. Use 'off' for files that other "
       "programs may truncate, because truncating a mapped file ends the process. The memory that 'off' needs counts "
       "towards memory_limit."},
      {"device_memory_limit", kBytes, "0",
       "Limit in bytes for allocations on each device with its own memory; 0: all of its memory.", 0, kInfinity},
      {"tf32", kSwitch, "off", "On GPUs, computes f32 products with tensor cores, which keep 10 bits of the fraction."},
      {"isa", kChoice, "auto", "Highest instruction set that CPU kernels may use.", 0, 0, "auto|sse4|avx2|avx512|neon"},
      {"numerics", kChoice, "native",
       "'portable' gives the same bits on every CPU and operating system, at a cost: without fused multiply-add, and "
       "with the library's own CPU kernels only.",
       0, 0, "native|portable"},
      {"batch_invariant", kSwitch, "off",
       "The bits of a row's results do not depend on the other rows of its batch, at a cost. Only the library's own "
       "CPU kernels are used."},
      {"log", kChoice, "warning", "Lowest level of messages sent to the log function.", 0, 0,
       "debug|info|warning|error|off"},
      {"plugin_path", kText, "",
       "Plug-in files, or folders of them, separated by ':' (';' on Windows), in addition to those in the library's "
       "own "
       "folder. In a folder, the files named libpercale_*.so (percale_*.dll, libpercale_*.dylib) are loaded."},
      {"deterministic", kSwitch, "on",
       "Guarantees the same bits for any number of threads. 'off' permits faster kernels without this guarantee; there "
       "are none yet."},
      {"onednn", kChoice, "auto", "Use of oneDNN kernels: 'require' fails if the plug-in is absent, 'off' disables it.",
       0, 0, "auto|require|off"},
  };
}

std::vector<OptionSpec> session_options() {
  return {
      {"target", kText, "",
       "Process that runs the graph on its devices, 'percale://HOST:PORT' or 'percale://unix:PATH'; it follows the "
       "device hints of the nodes. The engine's options 'certificates' and 'connect_timeout' apply."},
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
}

std::vector<OptionSpec> export_options() {
  return {
      {"external_data", kChoice, "auto",
       "Stores tensor elements in a file NAME.data beside the model NAME; 'auto': only if the format cannot hold them "
       "itself.",
       0, 0, "auto|always|never"},
  };
}

// The options of a trainer are made from the keys of a SPEC.
constexpr OptionKind kKinds[] = {{"engine", engine_options},
                                 {"session", session_options},
                                 {"trainer", trainer_option_specs},
                                 {"export", export_options}};

}  // namespace

std::span<const OptionKind> option_kinds() { return kKinds; }

}  // namespace percale::c_api
