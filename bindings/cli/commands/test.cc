// Runs ONNX-style test cases. A case is a folder with model.onnx and
// test_data_set_N/{input,output}_K.pb, or with inN_K.npy, outN_K.npy and a meta.json that names
// them. Or it is NAME.onnx beside NAME_output_K.pb, and its inputs are ramps.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "api.h"
#include "commands.h"
#include "compare.h"
#include "system/system.h"

namespace percale_cli {
namespace {

namespace fs = std::filesystem;

constexpr Flag kTestFlags[] = {
    {"--exported", "",
     "Also exports each model, imports the result and runs it; exporting it again must give the same bytes."},
};

// A value in a file. Without a name it belongs to the model's input or output at its position.
struct Operand {
  std::string name, path;
  Tolerance tolerance;
};
struct Set {
  std::vector<Operand> inputs, outputs;
};
struct Case {
  std::string name, model;
  bool takes_ramps = false;  // the inputs are ramp_inputs()
  std::vector<Set> sets;
};

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    out.push_back(it->path());
  if (error) throw Failure{text_of(folder) + ": " + error.message()};
  std::sort(out.begin(), out.end());
  return out;
}

// Returns the existing files of prefix0.pb, prefix1.pb, ...
std::vector<Operand> numbered(const std::string& prefix) {
  std::vector<Operand> out;
  for (size_t i = 0;; ++i) {
    const std::string path = prefix + std::to_string(i) + ".pb";
    if (!fs::exists(path_of(path))) return out;
    out.push_back({{}, path, {}});
  }
}

std::vector<Operand> listed_operands(const Json& list, const fs::path& folder) {
  std::vector<Operand> out;
  for (const Json& item : list.items()) {
    Operand operand{item["name"].text(), text_of(folder / path_of(item["file"].text())), {}};
    if (item["atol"].given()) operand.tolerance = {item["atol"].number(), 1e-3, false};
    out.push_back(std::move(operand));
  }
  return out;
}

std::vector<Set> sets_of(const fs::path& folder, const std::vector<fs::path>& entries) {
  std::vector<Set> out;
  for (const fs::path& entry : entries) {
    if (!text_of(entry.filename()).starts_with("test_data_set_")) continue;
    out.push_back({numbered(text_of(entry / "input_")), numbered(text_of(entry / "output_"))});
  }
  if (!out.empty() || !fs::exists(folder / "meta.json")) return out;
  const Json meta = Json::parse(read_file(text_of(folder / "meta.json")));
  for (const Json& set : meta["sets"].items())
    out.push_back({listed_operands(set["inputs"], folder), listed_operands(set["outputs"], folder)});
  return out;
}

// Finds the cases in a folder and below it. `name` is the name for the folder's contents.
void find_cases(const fs::path& folder, const std::string& name, std::vector<Case>& out) {
  const std::vector<fs::path> entries = sorted_entries(folder);
  if (fs::exists(folder / "model.onnx")) {
    out.push_back({name, text_of(folder / "model.onnx"), false, sets_of(folder, entries)});
    return;
  }
  for (const fs::path& entry : entries) {
    const std::string inner = (name.empty() ? "" : name + "/") + text_of(entry.stem());
    if (fs::is_directory(entry)) {
      find_cases(entry, (name.empty() ? "" : name + "/") + text_of(entry.filename()), out);
    } else if (entry.extension() == ".onnx") {
      std::vector<Operand> outputs = numbered(text_of(folder / path_of(text_of(entry.stem()) + "_output_")));
      if (!outputs.empty()) out.push_back({inner, text_of(entry), true, {{{}, std::move(outputs)}}});
    }
  }
}

Tensor load(const Setup& setup, const std::string& path) {
  percale_tensor* made = nullptr;
  if (path.ends_with(".npy")) {
    check(percale_tensor_load(setup.engine.get(), path.c_str(), &made));
  } else {
    const std::string bytes = read_file(path);
    check(percale_tensor_import(setup.engine.get(), "onnx", bytes.data(), bytes.size(), &made), path);
  }
  return Tensor(made);
}

// Returns arange(n) / n for each input of n elements.
std::vector<Tensor> ramp_inputs(const Setup& setup, const Model& model) {
  std::vector<Tensor> out;
  for (const Value& input : model.inputs) {
    std::vector<int64_t> dims = input.dims;
    for (int64_t& dim : dims) dim = std::max<int64_t>(dim, 1);
    percale_tensor* made = nullptr;
    check(percale_tensor_create(setup.engine.get(), PERCALE_DTYPE_F32, dims.data(), dims.size(), &made));
    out.emplace_back(made);
    const int64_t count = percale_tensor_element_count(made);
    auto* data = static_cast<float*>(percale_tensor_get_data(made));
    for (int64_t i = 0; i < count; ++i) data[i] = static_cast<float>(i) / static_cast<float>(count);
  }
  return out;
}

bool draws_numbers(const Model& model) {
  for (const auto& [op, count] : model.summary["ops"].members()) {
    if (op == "Dropout" || op == "Bernoulli" || op == "Multinomial" || op.find("Random") != std::string::npos)
      return true;
  }
  return false;
}

// True if a model computes in f16 or in quantized integers, which are too coarse to compare single
// elements.
bool is_coarse(const Model& model) {
  for (const Json& variable : model.summary["variables"].items()) {
    if (variable["dtype"].text() == "f16") return true;
  }
  for (const auto& [op, count] : model.summary["ops"].members()) {
    if (op.ends_with("Integer") || op.starts_with("QLinear")) return true;
  }
  return false;
}

std::vector<const char*> names_for(const std::vector<Operand>& operands, const std::vector<Value>& values) {
  std::vector<const char*> out;
  for (size_t i = 0; i < operands.size(); ++i) {
    out.push_back(operands[i].name.empty() ? values[i].name.c_str() : operands[i].name.c_str());
  }
  return out;
}

std::string run_set(const Setup& setup, const Model& model, percale_session* session, const Case& c, const Set& set) {
  if (set.inputs.size() > model.inputs.size() || set.outputs.size() > model.outputs.size()) {
    return "the case has " + std::to_string(set.inputs.size()) + " inputs and " + std::to_string(set.outputs.size()) +
           " outputs, but the model has " + std::to_string(model.inputs.size()) + " and " +
           std::to_string(model.outputs.size());
  }
  if (set.outputs.empty()) return "the case has no outputs";
  std::vector<Tensor> inputs = c.takes_ramps ? ramp_inputs(setup, model) : std::vector<Tensor>();
  for (const Operand& operand : set.inputs) inputs.push_back(load(setup, operand.path));
  const std::vector<const char*> names = c.takes_ramps ? names_of(model.inputs) : names_for(set.inputs, model.inputs),
                                 fetches = names_for(set.outputs, model.outputs);
  std::vector<percale_tensor*> results(fetches.size());
  check(percale_session_run(session, names.data(), pointers(inputs).data(), inputs.size(), fetches.data(),
                            fetches.size(), nullptr, 0, PERCALE_FOREVER, results.data()));
  const std::vector<Tensor> owners(results.begin(), results.end());
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor wanted = load(setup, set.outputs[i].path);
    Tolerance tolerance = set.outputs[i].tolerance;
    tolerance.direction = tolerance.absolute >= 0 && is_coarse(model);
    std::string reason = difference(results[i], wanted.get(), tolerance);
    if (!reason.empty() && draws_numbers(model)) reason = statistical_difference(results[i], wanted.get());
    if (!reason.empty()) return "output '" + std::string(fetches[i]) + "': " + reason;
  }
  return {};
}

std::string export_bytes(const Setup& setup, const Model& model) {
  percale_text* text = nullptr;
  check(percale_graph_export_bytes(setup.engine.get(), model.graph.get(), model.variables.get(), "onnx", &text));
  return take_text(text);
}

// Exports the model and imports it again. Sets `reason` if a second export gives other bytes.
Model through_export(const Setup& setup, const Model& model, std::string& reason) {
  const std::string bytes = export_bytes(setup, model);
  percale_graph* made = nullptr;
  check(percale_graph_import_bytes(setup.engine.get(), "onnx", bytes.data(), bytes.size(), &made), "exported");
  Model out(setup, Graph(made));
  if (export_bytes(setup, out) != bytes) reason = "exporting, importing and exporting again gives a different model";
  return out;
}

enum class Verdict { kPass, kFail, kUnsupported };
constexpr const char* kVerdicts[] = {"PASS", "FAIL", "UNSUPPORTED"};

Verdict run_case(const Setup& setup, const Case& c, bool exported, std::string& reason) {
  try {
    Model model(setup, c.model);
    if (exported) model = through_export(setup, model, reason);
    const Session session = make_session(setup, model);
    if (c.sets.empty()) reason = "the case has no test_data_set";
    for (const Set& set : c.sets) {
      if (reason.empty()) reason = run_set(setup, model, session.get(), c, set);
    }
    return reason.empty() ? Verdict::kPass : Verdict::kFail;
  } catch (const Failure& failure) {
    reason = failure.message;
    if (reason.starts_with("UNIMPLEMENTED: ")) reason.erase(0, 15);
    if (reason.starts_with(c.model + ": ")) reason.erase(0, c.model.size() + 2);
    return failure.code == PERCALE_UNIMPLEMENTED ? Verdict::kUnsupported : Verdict::kFail;
  }
}

int run_test(const Args& args) {
  Setup setup(args);
  setup.make_engine();
  std::vector<Case> cases;
  for (const std::string& folder : args.positional()) {
    const fs::path path = path_of(folder).lexically_normal();
    const bool is_case = fs::exists(path / "model.onnx");
    const fs::path last = path.has_filename() ? path.filename() : path.parent_path().filename();
    const size_t before = cases.size();
    find_cases(path, is_case ? text_of(last) : "", cases);
    if (cases.size() == before) throw Failure{folder + ": no test case found"};
  }
  size_t counts[3] = {};
  std::string json;
  for (const Case& c : cases) {
    std::string reason;
    const Verdict verdict = run_case(setup, c, args.has("--exported"), reason);
    ++counts[static_cast<size_t>(verdict)];
    const char* word = kVerdicts[static_cast<size_t>(verdict)];
    if (args.json()) {
      json += (json.empty() ? "" : ",") + ("{\"name\":" + json_string(c.name)) + ",\"verdict\":\"" + word + "\"" +
              (reason.empty() ? "" : ",\"reason\":" + json_string(reason)) + "}";
    } else {
      print(stdout, "%s %s%s%s\n", word, c.name.c_str(), reason.empty() ? "" : ": ", reason.c_str());
    }
  }
  if (args.json()) {
    std::printf("{\"cases\":[%s],\"passed\":%zu,\"failed\":%zu,\"unsupported\":%zu}\n", json.c_str(), counts[0],
                counts[1], counts[2]);
  } else {
    std::printf("%zu passed, %zu failed, %zu unsupported\n", counts[0], counts[1], counts[2]);
  }
  return counts[1] == 0 ? 0 : 1;
}

}  // namespace

extern const Command kTest = {
    "test",
    "DIR...",
    "Runs ONNX-style test cases and prints a line PASS, FAIL or UNSUPPORTED for each, and the totals.",
    kTestFlags,
    run_test,
    1};

}  // namespace percale_cli
