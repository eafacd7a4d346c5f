// Models of other formats, which an importer plug-in reads.
#include "api.h"
#include "commands.h"

namespace percale_cli {
namespace {

int run_import(const Args& args) {
  Setup setup(args);
  setup.make_engine();
  percale_graph* made = nullptr;
  check(percale_graph_import(setup.engine.get(), "onnx", args.positional()[0].c_str(), &made));
  const Graph graph(made);
  check(percale_graph_save_file(graph.get(), nullptr, args.positional()[1].c_str()));
  return 0;
}

int run_export(const Args&) {
  throw Failure{"UNIMPLEMENTED: export: the plug-in for ONNX does not write models yet", PERCALE_UNIMPLEMENTED};
}

}  // namespace

extern const Command kImport = {
    "import", "IN.onnx OUT.percale", "An ONNX model into a .percale file.", {}, run_import, 2, 2};
extern const Command kExport = {
    "export", "IN.percale OUT.onnx", "A .percale file into an ONNX model.", {}, run_export, 2, 2};

}  // namespace percale_cli
