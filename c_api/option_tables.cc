// Every option there is. A row more is all that a new one needs besides the code that reads it.
#include "c_api/options.h"

namespace percale::c_api {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using enum OptionType;

constexpr OptionSpec kEngine[] = {
    {"threads", kInt, "0", "Threads that compute at once, the caller counted; 0: what the machine allows the process.", 0, 1024},
    {"devices", kText, "cpu:0", "Devices, separated by commas: 'cpu:0,cpu:1', 'cpu=4x1' (four of one thread), 'all', 'none'."},
    {"memory_limit", kInt, "0", "Bytes that the engine may hold; 0: no limit.", 0, kInfinity},
    {"isa", kChoice, "auto", "The most that CPU kernels may use.", 0, 0, "auto|sse4|avx2|avx512"},
    {"log", kChoice, "warning", "What is sent to the log function.", 0, 0, "debug|info|warning|error|off"},
    {"plugin_path", kText, "", "Plug-in files, or folders of them, separated by ':'; besides those in the library's own folder."},
    {"deterministic", kSwitch, "on", "The same bits for any number of threads. 'off' allows faster kernels without that promise, of which there is none yet."},
    {"onednn", kChoice, "auto", "oneDNN's kernels: 'require' fails when the plug-in is absent, 'off' leaves it out.", 0, 0, "auto|require|off"},
};

constexpr OptionSpec kSession[] = {
    {"soft_placement", kSwitch, "off", "A node that its device cannot run goes to another one; the plan says so."},
    {"cache_size", kInt, "64", "Plans that are kept.", 1, 65536},
    {"passes_off", kText, "", "Names of passes that are left out, separated by commas."},
};

constexpr OptionSpec kDataset[] = {
    {"batch_size", kInt, "32", "Rows of a batch.", 1, 1048576},
    {"shuffle_seed", kInt, "-1", "Shuffles with this seed; -1: rows come in order.", -1, kInfinity},
    {"drop_remainder", kSwitch, "off", "A last batch that is short is dropped."},
};

constexpr OptionKind kKinds[] = {{"engine", kEngine}, {"session", kSession}, {"dataset", kDataset}};

}  // namespace

std::span<const OptionKind> option_kinds() { return kKinds; }

}  // namespace percale::c_api
