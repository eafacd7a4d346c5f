// ONNX-style test cases: a folder with model.onnx and test_data_set_N/{input,output}_K.pb, or NAME.onnx beside NAME_output_K.pb.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "api.h"
#include "commands.h"
#include "compare.h"

namespace percale_cli {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name, model;
  std::vector<std::string> sets;  // folders of a case; a flat case has none
};

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    out.push_back(it->path());
  if (error) throw Failure{folder.string() + ": " + error.message()};
  std::sort(out.begin(), out.end());
  return out;
}

// The cases in a folder and below it; `name`: of what the folder holds.
void find_cases(const fs::path& folder, const std::string& name, std::vector<Case>& out) {
  const std::vector<fs::path> entries = sorted_entries(folder);
  if (fs::exists(folder / "model.onnx")) {
    Case found{name, (folder / "model.onnx").string(), {}};
    for (const fs::path& entry : entries) {
      if (entry.filename().string().starts_with("test_data_set_")) found.sets.push_back(entry.string());
    }
    out.push_back(std::move(found));
    return;
  }
  for (const fs::path& entry : entries) {
    const std::string inner = (name.empty() ? "" : name + "/") + entry.stem().string();
    if (fs::is_directory(entry)) {
      find_cases(entry, (name.empty() ? "" : name + "/") + entry.filename().string(), out);
    } else if (entry.extension() == ".onnx" && fs::exists(folder / (entry.stem().string() + "_output_0.pb"))) {
      out.push_back({inner, entry.string(), {}});
    }
  }
}

Tensor load_proto(const Setup& setup, const std::string& path) {
  const std::string bytes = read_file(path);
  percale_tensor* made = nullptr;
  check(percale_tensor_import(setup.engine.get(), "onnx", bytes.data(), bytes.size(), &made), path);
  return Tensor(made);
}

// prefix0.pb, prefix1.pb, ... as far as they are there.
std::vector<Tensor> load_protos(const Setup& setup, const std::string& prefix) {
  std::vector<Tensor> out;
  for (size_t i = 0;; ++i) {
    const std::string path = prefix + std::to_string(i) + ".pb";
    if (!fs::exists(path)) return out;
    out.push_back(load_proto(setup, path));
  }
}

// What a flat case is fed: arange(n) / n.
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

std::string run_set(const Model& model, percale_session* session, const std::vector<Tensor>& inputs,
                    const std::vector<Tensor>& wanted) {
  if (inputs.size() > model.inputs.size() || wanted.size() > model.outputs.size()) {
    return "the case has " + std::to_string(inputs.size()) + " inputs and " + std::to_string(wanted.size()) +
           " outputs, the model " + std::to_string(model.inputs.size()) + " and " +
           std::to_string(model.outputs.size());
  }
  if (wanted.empty()) return "the case has no outputs";
  std::vector<const char*> names = names_of(model.inputs), fetches = names_of(model.outputs);
  std::vector<percale_tensor*> results(fetches.size());
  check(percale_session_run(session, names.data(), pointers(inputs).data(), inputs.size(), fetches.data(),
                            fetches.size(), nullptr, 0, PERCALE_FOREVER, results.data()));
  const std::vector<Tensor> owners(results.begin(), results.end());
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::string reason = difference(results[i], wanted[i].get());
    if (!reason.empty() && draws_numbers(model)) reason = statistical_difference(results[i], wanted[i].get());
    if (!reason.empty()) return "output '" + model.outputs[i].name + "': " + reason;
  }
  return {};
}

enum class Verdict { kPass, kFail, kUnsupported };
constexpr const char* kVerdicts[] = {"PASS", "FAIL", "UNSUPPORTED"};

Verdict run_case(const Setup& setup, const Case& c, std::string& reason) {
  try {
    const Model model(setup, c.model);
    const Session session = make_session(setup, model);
    if (c.sets.empty()) {
      const std::string stem = c.model.substr(0, c.model.size() - 5);
      const bool flat = fs::exists(stem + "_output_0.pb");
      reason = flat ? run_set(model, session.get(), ramp_inputs(setup, model), load_protos(setup, stem + "_output_"))
                    : std::string("the case has no test_data_set");
    }
    for (const std::string& set : c.sets) {
      if (!reason.empty()) break;
      reason = run_set(model, session.get(), load_protos(setup, set + "/input_"), load_protos(setup, set + "/output_"));
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
    const fs::path path = fs::path(folder).lexically_normal();
    const bool is_case = fs::exists(path / "model.onnx");
    const fs::path last = path.has_filename() ? path.filename() : path.parent_path().filename();
    const size_t before = cases.size();
    find_cases(path, is_case ? last.string() : "", cases);
    if (cases.size() == before) throw Failure{folder + ": no test case is there"};
  }
  size_t counts[3] = {};
  std::string json;
  for (const Case& c : cases) {
    std::string reason;
    const Verdict verdict = run_case(setup, c, reason);
    ++counts[static_cast<size_t>(verdict)];
    const char* word = kVerdicts[static_cast<size_t>(verdict)];
    if (args.json()) {
      json += (json.empty() ? "" : ",") + ("{\"name\":" + json_string(c.name)) + ",\"verdict\":\"" + word + "\"" +
              (reason.empty() ? "" : ",\"reason\":" + json_string(reason)) + "}";
    } else {
      std::printf("%s %s%s%s\n", word, c.name.c_str(), reason.empty() ? "" : ": ", reason.c_str());
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
    "test", "DIR...", "Runs ONNX-style test cases: a line PASS, FAIL or UNSUPPORTED for each, and their numbers.",
    {},     run_test, 1};

}  // namespace percale_cli
