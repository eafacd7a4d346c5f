// What needs an importer plug-in: models of other formats, and the test cases that come with them.
#include <cstdio>

#include "api.h"
#include "commands.h"

namespace percale_cli {
namespace {

[[noreturn]] void without_importer(const char* command) {
  throw Failure{std::string("UNIMPLEMENTED: ") + command + " needs the importer plug-in for ONNX, which this release does not have"};
}

int run_import(const Args& args) {
  Setup setup(args);
  setup.make_engine();
  percale_graph* made = nullptr;
  check(percale_graph_import(setup.engine.get(), "onnx", args.positional()[0].c_str(), &made));
  const Graph graph(made);
  check(percale_graph_save_file(made, nullptr, args.positional()[1].c_str()));
  return 0;
}

int run_export(const Args&) { without_importer("export"); }
int run_test(const Args&) { without_importer("test"); }

}  // namespace

extern const Command kImport = {"import", "IN.onnx OUT.percale", "An ONNX model into a .percale file.", {}, run_import, 2, 2};
extern const Command kExport = {"export", "IN.percale OUT.onnx", "A .percale file into an ONNX model.", {}, run_export, 2, 2};
extern const Command kTest = {"test", "DIR...", "Runs ONNX-style test cases.", {}, run_test, 1};

}  // namespace percale_cli
