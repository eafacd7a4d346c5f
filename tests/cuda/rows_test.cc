// rows DEVICE PLUGIN.so [--verbose]: runs the rows of tests/ops on a device, as graphs of one node.
// Rows that no kernel of the device accepts are counted as skipped, with the reason. If the machine
// lacks the device, prints the reason and exits with code 77.
#include <cstdio>
#include <cstring>
#include <map>

#include "tests/ops/op_case.h"
#include "tests/support/engine.h"

namespace {

constexpr int kSkipped = 77;

int fail(const percale::Status& status, int code) {
  std::printf("%s\n", status.to_string().c_str());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace percale;
  if (argc < 3) return fail(invalid_argument("rows DEVICE PLUGIN.so [--verbose]"), 2);
  const std::string device = argv[1];
  const bool verbose = argc > 3 && std::strcmp(argv[3], "--verbose") == 0;
  const auto plugin = open_plugin(argv[2]);
  if (!plugin.ok()) return fail(plugin.status(), 1);
  EngineOptions options;
  options.threads = 2;
  options.devices = "cpu:0," + device;
  const auto engine = make_test_engine(options, {*plugin});
  if (engine.status().code() == Code::kNotFound) {
    std::printf("%s; run it on a machine with this device\n", std::string(engine.status().message()).c_str());
    return kSkipped;
  }
  if (!engine.ok()) return fail(engine.status(), 1);
  const auto rows = load_op_cases(PERCALE_OP_TABLES);
  if (!rows.ok()) return fail(rows.status(), 1);
  int passed = 0, failed = 0, skipped = 0;
  std::map<std::string, int> reasons;
  for (const OpCase& row : *rows) {
    if (verbose)
      // Shows the last row if the process dies.
      std::fprintf(stderr, "%s %s\n", row.where.c_str(), row.op.c_str());
    const Status status = check_on_device(*engine, device, row);
    if (status.ok()) {
      ++passed;
    } else if (status.code() == Code::kUnimplemented) {
      ++skipped;
      std::string reason(status.message());
      // Keeps the plug-in's own words of a long message.
      if (const size_t at = reason.find("cuda."); at != std::string::npos) reason = reason.substr(at);
      ++reasons[row.op + ": " + reason];
    } else {
      ++failed;
      std::printf("FAIL %s %s %s: %s\n", row.where.c_str(), row.op.c_str(), row.note.c_str(),
                  status.to_string().c_str());
    }
  }
  for (const auto& [reason, count] : reasons) {
    if (verbose) std::printf("SKIP %4d %s\n", count, reason.c_str());
  }
  std::printf("%d passed, %d failed, %d skipped on %s\n", passed, failed, skipped, device.c_str());
  return failed > 0 || passed == 0 ? 1 : 0;
}
