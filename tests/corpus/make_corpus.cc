// Makes the corpus files of a release: make_corpus FOLDER writes FOLDER/good and FOLDER/bad. Run
// once per release; its output is kept forever, so the program may change with the library.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "core/checkpoint/graph_files.h"
#include "core/file/crc32c.h"
#include "core/file/file.h"
#include "core/graph/builder.h"
#include "core/text/json.h"
#include "ops/all_ops.h"
#include "tests/unit/graph/old_ops.h"
#include "tests/unit/graph/seal.h"

namespace percale {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.status().to_string().c_str());
    std::exit(1);
  }
  return std::move(result).value();
}
void must(const Status& status) {
  if (!status.ok()) must(Result<int>(status));
}

Tensor floats(const Shape& shape, std::vector<float> values) { return Tensor::of<float>(shape, values); }

// relu(x w + b) with a variable that "init" initialises, a constant, a control edge, a device hint
// and metadata.
std::shared_ptr<const Graph> layer(std::shared_ptr<const Registry> registry) {
  Builder builder(std::move(registry));
  must(builder.add_variable(
      {"dense/kernel", DType::kF32, Shape{2, 3}, true, false, floats({2, 3}, {1, 2, 3, 4, 5, 6})}));
  must(builder.add_variable({"dense/bias", DType::kF32, Shape{3}, false, true, {}}));
  FunctionBuilder& init = builder.init();
  must(init.set_outputs({must(init.add_constant(floats({3}, {0, 0, 0}), "dense/bias"))}));
  FunctionBuilder& f = builder.main();
  Emitter e(f);
  const ValueId x = must(f.add_input("x", DType::kF32, Shape{-1, 2}));
  const auto read = [&](const char* name, std::vector<int64_t> shape) {
    return e.emit("percale:ReadVariable", {},
                  {{"variable", name}, {"dtype", static_cast<int64_t>(DType::kF32)}, {"shape", std::move(shape)}},
                  name);
  };
  const ValueId w = read("dense/kernel", {2, 3}), b = read("dense/bias", {3});
  f.set_device("cpu:0");
  const ValueId y =
      e.emit("Relu", {e.emit("Add", {e.emit("MatMul", {x, w}, {}, "dense/matmul"), b}, {}, "dense")}, {}, "y");
  const ValueId scaled = e.emit("Mul", {y, e.constant(floats({}, {0.5F}), "half")}, {}, "scaled");
  must(e.status());
  must(f.add_control(0, f.function().value(scaled).def));
  must(f.set_outputs({scaled, y}));
  builder.set_metadata("author", "Percale");
  return must(builder.finish());
}

// Two branches, one of which calls a third function.
std::shared_ptr<const Graph> branches(std::shared_ptr<const Registry> registry) {
  Builder builder(std::move(registry));
  const auto function = [&](const char* name, const char* op, Attributes attributes) {
    FunctionBuilder& f = *must(builder.add_function(name));
    Emitter e(f);
    const ValueId x = must(f.add_input("x", DType::kF32, Shape{-1}));
    const ValueId y = e.emit(op, {x}, std::move(attributes), "y");
    must(e.status());
    must(f.set_outputs({y}));
  };
  function("negative", "Neg", {});
  function("positive", "Exp", {});
  function("chosen", "percale:Call", {{"function", FunctionRef{"negative"}}});
  FunctionBuilder& f = builder.main();
  Emitter e(f);
  const ValueId flag = must(f.add_input("flag", DType::kBool, Shape{}));
  const ValueId x = must(f.add_input("x", DType::kF32, Shape{-1}));
  const ValueId y =
      e.emit("If", {flag, x}, {{"then_branch", FunctionRef{"chosen"}}, {"else_branch", FunctionRef{"positive"}}}, "y");
  must(e.status());
  must(f.set_outputs({y}));
  return must(builder.finish());
}

// A constant of every dtype that a file can hold, an empty one, and an input of unknown rank.
std::shared_ptr<const Graph> constants(std::shared_ptr<const Registry> registry) {
  Builder builder(std::move(registry));
  FunctionBuilder& f = builder.main();
  std::vector<ValueId> outputs{must(f.add_input("any", DType::kI64, Shape::unranked()))};
  const std::string bytes(48, '\1');
  for (int32_t number = 1; number < kNumDTypes; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (dtype_bits(dtype) == 0) continue;
    const Shape shape{3};
    outputs.push_back(must(
        f.add_constant(Tensor::copy_of(dtype, shape, bytes.data(), must(byte_size(dtype, shape))), dtype_name(dtype))));
  }
  outputs.push_back(must(f.add_constant(floats({0, 4}, {}), "empty")));
  must(f.set_outputs(outputs));
  return must(builder.finish());
}

struct Bad {
  std::string name;
  std::string bytes;
};

// Writes a broken graph as a file with correct checksums; the writer does not validate.
std::string broken(const Graph& good, const std::function<void(Graph&)>& change) {
  Graph graph = good;
  change(graph);
  return must(write_graph(graph));
}

std::vector<Bad> bad_files(const Graph& good, const Graph& calls) {
  const std::string bytes = must(write_graph(good));
  std::vector<Bad> out;
  out.push_back({"empty", ""});
  out.push_back({"text", "this is no graph\n"});
  out.push_back({"header_cut", bytes.substr(0, 40)});
  out.push_back({"graph_cut", bytes.substr(0, 300)});
  out.push_back({"tensors_cut", bytes.substr(0, bytes.size() - 1)});
  out.push_back({"byte_behind", bytes + "x"});
  const auto changed = [&](const char* name, bool sealed, const std::function<void(std::string&)>& change) {
    std::string file = bytes;
    change(file);
    if (sealed) reseal(file);
    out.push_back({name, std::move(file)});
  };
  changed("header_flip", false, [](std::string& f) { f[20] = static_cast<char>(f[20] ^ 1); });
  changed("graph_flip", false, [](std::string& f) { f[200] = static_cast<char>(f[200] ^ 1); });
  changed("tensor_flip", false, [](std::string& f) { f.back() = static_cast<char>(f.back() ^ 1); });
  changed("newer_version", true, [](std::string& f) { put_at<uint32_t>(f, 8, 2); });
  changed("graph_offset_wraps", true, [](std::string& f) { put_at<uint64_t>(f, 16, UINT64_MAX - 63); });
  changed("graph_bytes_huge", true, [](std::string& f) { put_at<uint64_t>(f, 24, uint64_t{1} << 62); });
  changed("root_offset", true, [](std::string& f) { put_at<uint32_t>(f, 64, 0x7FFFFFF0); });
  changed("identifier", true, [](std::string& f) { f[68] = 'X'; });
  const auto node = [](const char* name, const std::function<void(Graph&, Node&)>& change) {
    return [name, change](Graph& g) {
      for (Node& n : g.functions[0].nodes) {
        if (n.name == name) change(g, n);
      }
    };
  };
  const auto add = [&](const char* name, const Graph& from, const std::function<void(Graph&)>& change) {
    out.push_back({name, broken(from, change)});
  };
  add("cycle", good, node("dense/matmul", [](Graph& g, Node& n) { n.inputs[0] = g.functions[0].find_value("y"); }));
  add("control_cycle", good,
      node("y", [](Graph& g, Node& n) { n.control = {static_cast<NodeId>(g.functions[0].nodes.size()) - 1}; }));
  add("input_index", good, node("y", [](Graph&, Node& n) { n.inputs[0] = 1000; }));
  add("output_index", good, node("y", [](Graph&, Node& n) { n.outputs[0] = -5; }));
  add("no_input", good, node("y", [](Graph&, Node& n) { n.inputs.clear(); }));
  add("attribute_kind", good, node("dense/kernel", [](Graph&, Node& n) { n.attributes.set("dtype", 1.0); }));
  add("attribute_unknown", good, node("y", [](Graph&, Node& n) { n.attributes.set("alpha", 1.0); }));
  add("variable_unknown", good, node("dense/kernel", [](Graph&, Node& n) { n.attributes.set("variable", "kernel"); }));
  add("variable_larger", good, node("dense/kernel", [](Graph& g, Node& n) {
        n.attributes.set("shape", std::vector<int64_t>{2, 1000});
        g.functions[0].value(n.outputs[0]).type.shape = Shape{2, -1};
      }));
  add("type_declared", good,
      [](Graph& g) { g.functions[0].value(g.functions[0].find_value("y")).type.dtype = DType::kI8; });
  add("inner_sizes", good, [](Graph& g) { g.functions[0].values[0].type.shape = Shape{-1, 7}; });
  add("name_twice", good, [](Graph& g) { g.functions[0].values[1].name = g.functions[0].values[0].name; });
  add("name_empty", good, [](Graph& g) { g.functions[0].nodes[1].name = ""; });
  add("no_main", good, [](Graph& g) { g.functions[0].name = "principal"; });
  add("no_init", good, [](Graph& g) { g.functions.pop_back(); });
  add("dim_huge", good, [](Graph& g) { g.functions[0].values[0].type.shape = Shape{kMaxDim, kMaxDim}; });
  add("calls_itself", calls,
      [](Graph& g) { g.find_function("chosen")->nodes[0].attributes.set("function", FunctionRef{"chosen"}); });
  add("no_function", calls,
      [](Graph& g) { g.find_function("chosen")->nodes[0].attributes.set("function", FunctionRef{"absent"}); });
  const auto made = [&](const char* name, const std::function<void(flatbuffers::FlatBufferBuilder&)>& make,
                        std::string_view data = {}) {
    flatbuffers::FlatBufferBuilder flat;
    make(flat);
    out.push_back({name, make_file(flat, data)});
  };
  using flatbuffers::Offset;
  const auto finish = [](flatbuffers::FlatBufferBuilder& flat, const std::vector<Offset<fb::Text>>& features,
                         const std::vector<Offset<fb::Op>>& ops, const std::vector<Offset<fb::Tensor>>& tensors) {
    const std::vector<Offset<fb::Function>> functions{fb::CreateFunctionDirect(flat, "main")};
    fb::FinishGraphBuffer(flat, fb::CreateGraphDirect(flat, 1, &features, &ops, &tensors, &functions));
  };
  made("feature", [&](auto& flat) { finish(flat, {fb::CreateTextDirect(flat, "holograms")}, {}, {}); });
  made("ops_unknown", [&](auto& flat) {
    finish(flat, {}, {fb::CreateOpDirect(flat, "", "Teleport", 1), fb::CreateOpDirect(flat, "acme", "Guess", 3)}, {});
  });
  made("op_newer", [&](auto& flat) { finish(flat, {}, {fb::CreateOpDirect(flat, "", "Relu", 99)}, {}); });
  const std::vector<int64_t> four{4};
  made(
      "tensors_overlap",
      [&](auto& flat) {
        finish(flat, {}, {},
               {fb::CreateTensorDirect(flat, 1, &four, 0, 16, crc32c(std::string(16, '\0'))),
                fb::CreateTensorDirect(flat, 1, &four, 0, 16)});
      },
      std::string(16, '\0'));
  made(
      "tensor_behind_data", [&](auto& flat) { finish(flat, {}, {}, {fb::CreateTensorDirect(flat, 1, &four, 64, 16)}); },
      std::string(16, '\0'));
  made(
      "bool_two",
      [&](auto& flat) {
        finish(flat, {}, {}, {fb::CreateTensorDirect(flat, 9, &four, 0, 4, crc32c(std::string_view("\0\1\2\0", 4)))});
      },
      std::string_view("\0\1\2\0", 4));
  made("tensor_outside", [&](auto& flat) {
    finish(flat, {}, {}, {fb::CreateTensorDirect(flat, 1, &four, 0, 16, 0, "../../../etc/passwd", "w")});
  });
  return out;
}

void run(const std::string& folder) {
  auto registry = std::make_shared<Registry>();
  must(register_all_ops(*registry, nullptr));
  const auto good = layer(registry), calls = branches(registry);
  must(create_folders(folder + "/good"));
  must(create_folders(folder + "/bad"));
  must(save_graph(*good, folder + "/good/layer.percale"));
  must(save_graph(*good, folder + "/good/layer_outside.percale",
                  {.external_file = "layer_outside.safetensors", .external_min_bytes = 4}));
  must(save_graph(*calls, folder + "/good/branches.percale"));
  must(save_graph(*must(old_ops::graph(registry)), folder + "/good/older_ops.percale"));
  must(save_graph(*constants(registry), folder + "/good/constants.percale"));
  std::string reasons;
  for (const Bad& bad : bad_files(*good, *calls)) {
    const std::string path = str_cat(folder, "/bad/", bad.name, ".percale");
    must(write_file(path, bad.bytes));
    const Status status = load_graph(registry, path).status();
    if (status.ok()) must(internal_error(path, " is not bad"));
    JsonWriter key, reason;
    key.value(bad.name);
    reason.value(status.message().substr(path.size() + 2));
    reasons += str_cat(reasons.empty() ? "{" : ",\n ", key.text(), ": ", reason.text());
  }
  must(write_file(folder + "/bad/reasons.json", reasons + "}\n"));
}

}  // namespace
}  // namespace percale

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "make_corpus FOLDER\n");
    return 2;
  }
  percale::run(argv[1]);
  return 0;
}
