// Models of other formats, which an importer plug-in reads and writes.
#include "api.h"
#include "commands.h"

namespace percale_cli {
namespace {

constexpr Flag kImportFlags[] = {
    {"--dim", "NAME=SIZE",
     "Sets the size of a dim of the inputs: batch=?, height=224, or by input and axis, x:0=8; ? is any size; may be "
     "repeated."},
};

int run_import(const Args& args) {
  const std::string& out = args.positional()[1];
  if (!out.ends_with(".percale")) {
    throw UsageError{"'" + out + "' would get the content of a .percale file: use a name that ends with .percale" +
                     (out.ends_with(".onnx") ? ", or use `percale export` to write ONNX" : "")};
  }
  Setup setup(args);
  setup.make_engine();
  percale_graph* made = nullptr;
  check(percale_graph_import(setup.engine.get(), "onnx", args.positional()[0].c_str(), &made));
  Graph graph(made);
  if (args.has("--dim")) {
    std::vector<const char*> dims;
    for (const std::string& dim : args.all("--dim")) dims.push_back(dim.c_str());
    check_setting(percale_graph_with_dims(graph.get(), dims.data(), dims.size(), &made), "--dim");
    graph.reset(made);
  }
  check(percale_graph_save_file(graph.get(), nullptr, out.c_str()));
  return 0;
}

int run_export(const Args& args) {
  Setup setup(args);
  setup.make_engine();
  const Model model(setup, args.positional()[0]);
  check(percale_graph_export(setup.engine.get(), model.graph.get(), model.variables.get(), "onnx",
                             setup.export_options.get(), args.positional()[1].c_str()));
  return 0;
}

}  // namespace

extern const Command kImport = {"import",
                                "IN.onnx OUT.percale [--dim NAME=SIZE...]",
                                "Converts an ONNX model to a .percale file.",
                                kImportFlags,
                                run_import,
                                2,
                                2};
extern const Command kExport = {"export",
                                "IN.percale OUT.onnx",
                                "Converts a .percale file to an ONNX model that computes the same outputs.",
                                {},
                                run_export,
                                2,
                                2};

}  // namespace percale_cli
