#include <cstdio>

#include "api.h"
#include "commands.h"

namespace percale_cli {
namespace {

constexpr Flag kRunFlags[] = {
    {"--feed", "NAME=FILE.npy", "Value of an input; inner values may be fed as well."},
    {"--fetch", "NAME", "Value to write; default: the outputs; may be repeated."},
    {"--out", "DIR", "Folder for NAME.npy; '/' and ':' in names become '_'."},
};
constexpr Flag kTraceFlags[] = {
    {"--feed", "NAME=FILE.npy", "Value of an input; default: small random numbers."},
    {"--feed-shape", "NAME=DIMS", "Shape of an input that is not fed; unknown dims become 1."},
    {"--fetch", "NAME", "Value to compute; default: the outputs; may be repeated."},
    {"--runs", "N", "Number of runs to record; default 1."},
    {"--out", "FILE.json", "Output file of the trace; open it in Perfetto or chrome://tracing."},
};

std::vector<std::string> fetches_of(const Model& model, const Args& args) {
  std::vector<std::string> out = args.all("--fetch");
  if (out.empty()) {
    for (const Value& value : model.outputs) out.push_back(value.name);
  }
  if (out.empty()) throw Failure{"the model has no outputs: choose values to compute with --fetch NAME"};
  return out;
}

std::vector<const char*> c_strings(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  for (const std::string& text : texts) out.push_back(text.c_str());
  return out;
}

std::vector<Tensor> run_once(percale_session* session, const std::vector<std::string>& feed_names,
                             const std::vector<percale_tensor*>& feeds, const std::vector<std::string>& fetches) {
  std::vector<percale_tensor*> results(fetches.size());
  check(percale_session_run(session, c_strings(feed_names).data(), feeds.data(), feeds.size(),
                            c_strings(fetches).data(), fetches.size(), nullptr, 0, PERCALE_FOREVER, results.data()));
  std::vector<Tensor> out;
  for (percale_tensor* result : results) out.emplace_back(result);
  return out;
}

int run_run(const Args& args) {
  if (!args.has("--out")) throw UsageError{"--out DIR is missing"};
  Setup setup(args);
  setup.make_engine();
  const Model model(setup, args.positional()[0]);
  const Session session = make_session(setup, model);
  std::vector<std::string> names;
  std::vector<Tensor> feeds;
  for (const std::string& pair : args.all("--feed")) {
    const auto [name, path] = split_pair("--feed", pair);
    percale_tensor* tensor = nullptr;
    check(percale_tensor_load(setup.engine.get(), path.c_str(), &tensor));
    names.push_back(name);
    feeds.emplace_back(tensor);
  }
  const std::vector<std::string> fetches = fetches_of(model, args);
  const std::vector<Tensor> results = run_once(session.get(), names, pointers(feeds), fetches);
  make_folder(args.get("--out"));
  std::string json;
  for (size_t i = 0; i < results.size(); ++i) {
    std::string file = fetches[i];
    for (char& c : file) c = c == '/' || c == ':' ? '_' : c;
    const std::string path = args.get("--out") + "/" + file + ".npy";
    check(percale_tensor_save(results[i].get(), path.c_str()));
    const int64_t* dims = percale_tensor_get_dims(results[i].get());
    const std::string shape = shape_text({dims, dims + percale_tensor_rank(results[i].get())});
    const std::string dtype = dtype_name(percale_tensor_dtype(results[i].get()));
    if (args.json()) {
      json += (i == 0 ? "" : ",") + ("{\"name\":" + json_string(fetches[i])) + ",\"file\":" + json_string(path) +
              ",\"dtype\":" + json_string(dtype) + ",\"dims\":" + shape + "}";
    } else {
      print(stdout, "%s  %s %s\n", path.c_str(), dtype.c_str(), shape.c_str());
    }
  }
  if (args.json()) std::printf("[%s]\n", json.c_str());
  return 0;
}

int run_trace(const Args& args) {
  if (!args.has("--out")) throw UsageError{"--out FILE.json is missing"};
  Setup setup(args);
  setup.make_engine();
  const Model model(setup, args.positional()[0]);
  const Session session = make_session(setup, model);
  const std::vector<Value> inputs = shaped_inputs(model, args);
  const std::vector<Tensor> feeds =
      args.has("--feed") ? fed_tensors(setup, inputs, args) : sample_tensors(setup, inputs);
  std::vector<std::string> names;
  for (const Value& value : inputs) names.push_back(value.name);
  const std::vector<std::string> fetches = fetches_of(model, args);
  // A first run compiles the plans and warms up memory, outside the measured time.
  with_guessed_dims(model, args, [&] { run_once(session.get(), names, pointers(feeds), fetches); });
  const Trace trace = make_trace(setup);
  percale_session_set_trace(session.get(), trace.get());
  const int64_t runs = args.integer("--runs", 1, 1);
  for (int64_t i = 0; i < runs; ++i) run_once(session.get(), names, pointers(feeds), fetches);
  percale_session_set_trace(session.get(), nullptr);
  write_trace(trace, args.get("--out"));
  if (args.json()) {
    std::printf("{\"trace\":%s,\"runs\":%lld}\n", json_string(args.get("--out")).c_str(), static_cast<long long>(runs));
  } else {
    print(stdout, "%s\n", args.get("--out").c_str());
  }
  return 0;
}

}  // namespace

extern const Command kRun = {"run",
                             "MODEL --feed NAME=FILE.npy... [--fetch NAME...] --out DIR",
                             "Runs a model on .npy files and writes its outputs as .npy files.",
                             kRunFlags,
                             run_run,
                             1,
                             1};
extern const Command kTrace = {"trace",
                               "MODEL [--feed NAME=FILE.npy...] --out FILE.json",
                               "Runs a model and records the start and end of each node.",
                               kTraceFlags,
                               run_trace,
                               1,
                               1};

}  // namespace percale_cli
