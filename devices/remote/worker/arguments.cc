#include "devices/remote/worker/arguments.h"

#include <algorithm>
#include <cstdlib>

namespace percale::worker {

const char* const kUsage =
    "usage: percale-worker --listen HOST:PORT|unix:PATH [flags]\n"
    "       percale-worker --cluster FILE|env [--task JOB:N] [flags]\n"
    "       percale-worker --make-certificates DIR\n"
    "Serves devices of this machine to other processes, which name them in their option 'devices':\n"
    "remote:HOST:PORT/cpu:0, or /job:JOB/task:N/device:cpu:0.\n"
    "  --listen ADDRESS         Where to serve; port 0: any free one, which is printed.\n"
    "  --cluster FILE|env       Serves as a task of this cluster: a file as TF_CONFIG, or the launcher's environment.\n"
    "  --task JOB:N             The task, such as worker:1, if the cluster does not tell.\n"
    "  --certificates DIR       Certificates of the cluster; default: PERCALE_CERTIFICATES. Without them, only\n"
    "                           processes of this machine are served.\n"
    "  --once                   Ends when clients have come and all have gone.\n"
    "  --devices, --threads, --memory-limit, ... VALUE\n"
    "                           Any option of an engine (`percale list options`).\n"
    "  --make-certificates DIR  Makes the certificates of a private cluster. Copy DIR to all its machines, where\n"
    "                           PERCALE_CERTIFICATES names it. Whoever has node.key can join.\n";

namespace {

struct Flag {
  const char* name;
  std::string Arguments::*value;
};

constexpr Flag kFlags[] = {{"--listen", &Arguments::address},
                           {"--cluster", &Arguments::cluster},
                           {"--task", &Arguments::task},
                           {"--certificates", &Arguments::certificates},
                           {"--make-certificates", &Arguments::new_certificates}};

void refuse_contradictions(const Arguments& arguments) {
  if (arguments.help || !arguments.new_certificates.empty()) return;
  if (arguments.address.empty() && arguments.cluster.empty()) throw UsageError{"--listen or --cluster is missing"};
  if (!arguments.task.empty() && arguments.cluster.empty()) throw UsageError{"--task requires --cluster"};
}

}  // namespace

Arguments parse(const std::vector<std::string>& words) {
  Arguments out;
  if (const char* folder = std::getenv("PERCALE_CERTIFICATES")) out.certificates = folder;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (word == "--help") out.help = true;
    if (word == "--once") out.once = true;
    if (word == "--help" || word == "--once") continue;
    if (!word.starts_with("--")) throw UsageError{"unexpected argument '" + word + "'"};
    std::string value;
    if (const size_t equals = word.find('='); equals != std::string::npos) {
      value = word.substr(equals + 1);
      word.resize(equals);
    } else if (++i < words.size()) {
      value = words[i];
    } else {
      throw UsageError{word + " needs a value"};
    }
    const auto* flag =
        std::find_if(std::begin(kFlags), std::end(kFlags), [&](const Flag& f) { return word == f.name; });
    if (flag != std::end(kFlags)) {
      out.*flag->value = value;
    } else {
      std::string key = word.substr(2);
      std::replace(key.begin(), key.end(), '-', '_');
      out.engine.emplace_back(key, value);
    }
  }
  refuse_contradictions(out);
  return out;
}

}  // namespace percale::worker
