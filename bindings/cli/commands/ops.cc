#include <cstdio>
#include <set>

#include "api.h"
#include "commands.h"
#include "job.h"

namespace percale_cli {
namespace {

constexpr Flag kOpsFlags[] = {
    {"--of", "", "Prints the names of the ops that the files use, one a line."},
    {"--data", "DIR", "Folder of the data files; also searched: PERCALE_DATA, the cache, the SPEC's folder."},
    {"--feed-shape", "NAME=DIMS", "Shape of an input of a model; unknown dims become 1."},
};

std::string full_name(const Json& op) {
  const std::string domain = op["domain"].text();
  return domain.empty() ? op["name"].text() : domain + ":" + op["name"].text();
}

// Returns "T: f32 f64". A plug-in's op may leave the types open, or name only the group.
std::string types_text(const Json& value) {
  std::string out, group = value["group"].text();
  for (const Json& type : value["types"].items()) out += (out.empty() ? "" : " ") + type.text();
  if (group.empty()) return out.empty() ? "any type" : out;
  return out.empty() ? group : group + ": " + out;
}

void print_operands(const char* title, const Json& values) {
  for (const Json& value : values.items()) {
    print(stdout, "  %-8s %-14s %s%s%s\n", title, value["name"].text().c_str(), types_text(value).c_str(),
          value["optional"].flag() ? "  (optional)" : "", value["variadic"].flag() ? "  (any number)" : "");
  }
}

void print_op(const Json& op) {
  print(stdout, "%s, since %s\n  %s\n", full_name(op).c_str(), op["since"].text().c_str(), op["doc"].text().c_str());
  print_operands("input", op["inputs"]);
  for (const Json& attribute : op["attributes"].items()) {
    print(stdout, "  %-8s %-14s %s%s\n", "attr", attribute["name"].text().c_str(), attribute["kind"].text().c_str(),
          attribute["required"].flag()     ? "  (required)"
          : attribute["default"].present() ? ("  default " + attribute["default"].text()).c_str()
                                           : "  (optional)");
  }
  print_operands("output", op["outputs"]);
  std::string devices;
  for (const Json& device : op["devices"].items()) devices += (devices.empty() ? "" : ", ") + device.text();
  print(stdout, "  gradient %s; devices %s\n", op["gradient"].text().c_str(),
        devices.empty() ? op["composite"].flag() ? "all, composed of other ops" : "none" : devices.c_str());
}

// Ends a training after its first step.
int32_t stop(void*, const percale_progress*) { return 1; }

// Trains and evaluates the SPEC's model for a step, and makes the model that a run would write.
void use_job(Setup& setup, const Args& args, const std::string& path) {
  const Job job(setup, args, path);
  check(percale_trainer_fit(job.trainer.get(), nullptr, 0, stop, nullptr));
  if (job.spec["data"]["test"].given() || job.spec["data"]["validation"].given()) {
    percale_text* numbers = nullptr;
    check(percale_trainer_evaluate(job.trainer.get(), nullptr, &numbers));
    percale_text_release(numbers);
  }
  percale_graph* model = nullptr;
  check(percale_trainer_model(job.trainer.get(), &model));
  const Session session = make_session(setup, Model(setup, Graph(model)));
}

void use_model(Setup& setup, const Args& args, const std::string& path) {
  setup.make_engine();
  const Model model(setup, path);
  const Session session = make_session(setup, model);
  const std::vector<Value> inputs = shaped_inputs(model, args);
  const std::vector<Tensor> feeds = sample_tensors(setup, inputs);
  const std::vector<const char*> names = names_of(inputs), fetches = names_of(model.outputs);
  std::vector<percale_tensor*> results(fetches.size());
  with_guessed_dims(model, args, [&] {
    check(percale_session_run(session.get(), names.data(), pointers(feeds).data(), feeds.size(), fetches.data(),
                              fetches.size(), nullptr, 0, PERCALE_FOREVER, results.data()));
  });
  for (percale_tensor* result : results) percale_tensor_release(result);
}

// Prints the names of the ops that the files use, in the form of the build option "ops".
int run_ops_of(const Args& args) {
  if (args.positional().empty()) throw UsageError{"--of requires a SPEC or a model"};
  std::set<std::string> names;
  for (const std::string& path : args.positional()) {
    Setup setup(args);
    (path.ends_with(".json") ? use_job : use_model)(setup, args, path);
    percale_text* text = nullptr;
    check(percale_engine_describe(setup.engine.get(), "asked_ops", &text));
    for (const Json& name : Json::parse(take_text(text)).items()) names.insert(name.text());
  }
  std::string json;
  for (const std::string& name : names) {
    if (args.json()) {
      json += (json.empty() ? "" : ",") + json_string(name);
    } else {
      print(stdout, "%s\n", name.c_str());
    }
  }
  if (args.json()) std::printf("[%s]\n", json.c_str());
  return 0;
}

int run_ops(const Args& args) {
  if (args.has("--of")) return run_ops_of(args);
  if (args.positional().size() > 1) throw UsageError{"more than one NAME"};
  Setup setup(args);
  setup.make_engine();
  percale_text* text = nullptr;
  check(percale_engine_describe(setup.engine.get(), "ops", &text));
  const std::string json = take_text(text);
  const std::string wanted = args.positional().empty() ? "" : args.positional()[0];
  if (args.json() && wanted.empty()) {
    std::puts(json.c_str());
    return 0;
  }
  size_t found = 0;
  std::string matches;
  std::vector<std::string> names;
  for (const Json& op : Json::parse(json).items()) {
    names.push_back(op["name"].text());
    if (wanted.empty()) {
      print(stdout, "%-36s %s\n", full_name(op).c_str(), op["doc"].text().c_str());
    } else if (op["name"].text() == wanted || full_name(op) == wanted) {
      if (args.json()) {
        matches += (found == 0 ? "" : ",") + op.text();
      } else {
        print_op(op);
      }
      ++found;
    }
  }
  if (!wanted.empty() && found == 0)
    throw Failure{"there is no op '" + wanted + "'" + did_you_mean(wanted, names), PERCALE_NOT_FOUND};
  if (args.json()) std::printf("[%s]\n", matches.c_str());
  return 0;
}

}  // namespace

extern const Command kOps = {
    "ops", "[NAME] | --of FILE...",
    "Shows schemas and documentation of the ops. With --of, prints the names of the ops that SPECs (.json) and models "
    "use:\neach SPEC is trained for a step and evaluated, each model is run once. The list is for the build option "
    "\"ops\".",
    kOpsFlags, run_ops};

}  // namespace percale_cli
