// conformance DEVICE [PLUGIN.so] [options of doctest]: runs the suite on the device. If the machine
// lacks the device, prints the reason and exits with code 77.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tests/conformance/subject.h"
#include "tests/support/engine.h"

namespace percale::conformance {

Subject& subject() {
  static Subject only;
  return only;
}

}  // namespace percale::conformance

namespace {

constexpr int kSkipped = 77;

int fail(const percale::Status& status, int code) {
  std::printf("%s\n", status.to_string().c_str());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fail(percale::invalid_argument("conformance DEVICE [PLUGIN.so]"), 2);
  const std::string name = argv[1];
  std::vector<const percale_plugin_api*> plugins;
  if (argc > 2 && argv[2][0] != '-') {
    const auto plugin = percale::open_plugin(argv[2]);
    if (!plugin.ok()) return fail(plugin.status(), 1);
    plugins.push_back(*plugin);
  }
  percale::EngineOptions options;
  options.threads = 4;
  options.devices = name;
  const auto engine = percale::make_test_engine(options, plugins);
  if (engine.status().code() == percale::Code::kNotFound) {
    std::printf("%s; run it on a machine with this device\n", std::string(engine.status().message()).c_str());
    return kSkipped;
  }
  if (!engine.ok()) return fail(engine.status(), 1);
  auto& subject = percale::conformance::subject();
  subject.engine = *engine;
  subject.device = (*engine)->find_device(name);

  const int64_t live = percale::live_c_statuses();
  const int result = doctest::Context(argc, argv).run();
  if (percale::live_c_statuses() != live) return fail(percale::internal_error("a status was not released"), 1);
  subject = {};
  return result;
}
