#include <cstdio>

#include "api.h"
#include "commands.h"

namespace percale_cli {
namespace {

constexpr Flag kShowFlags[] = {
    {"--planned", "", "Shows the model after the passes, with the memory that a run reserves."},
    {"--feed-shape", "NAME=DIMS", "Shape of an input, for --planned; unknown dims become 1."},
    {"--values", "", "Lists the values that nodes compute, under the names that --fetch and `outputs` of a SPEC take."},
    {"--svg", "FILE", "Writes a drawing as SVG; equal blocks are drawn once."},
    {"--html", "FILE", "Writes an HTML page to pan, zoom, search and fold, usable offline."},
    {"--trace", "TRACE.json", "Output of 'percale trace'; its times are shown in the drawings."},
};

void print_values(const char* title, const std::vector<Value>& values) {
  for (const Value& value : values) {
    print(stdout, "%-11s %s  %s %s\n", title, value.name.c_str(), dtype_name(value.dtype).c_str(),
          shape_text(value.dims).c_str());
  }
}

// Returns the values that the nodes of "main" compute, in order, with their ops.
std::vector<std::pair<Json, std::string>> computed_values(const Model& model) {
  percale_text* text = nullptr;
  check(percale_graph_describe(model.graph.get(), "nodes", &text));
  std::vector<std::pair<Json, std::string>> out;
  for (const Json& node : Json::parse(take_text(text)).items()) {
    if (node["function"].text() != "main") continue;
    for (const Json& output : node["outputs"].items()) {
      if (output.given()) out.emplace_back(output, node["op"].text());
    }
  }
  return out;
}

void print_computed(const Model& model, bool json) {
  std::string all;
  for (const auto& [value, op] : computed_values(model)) {
    const std::string name = value["name"].text(), dtype = value["dtype"].text();
    if (json) {
      all += (all.empty() ? "" : ",") + ("{\"name\":" + json_string(name)) + ",\"dtype\":" + json_string(dtype) +
             ",\"dims\":" + value["dims"].text() + ",\"op\":" + json_string(op) + "}";
      continue;
    }
    std::vector<int64_t> dims;
    for (const Json& dim : value["dims"].items()) dims.push_back(dim.integer());
    const std::string shape = value["dims"].given() ? shape_text(dims) : "of unknown rank";
    print(stdout, "%s  %s %s  %s\n", name.c_str(), dtype.c_str(), shape.c_str(), op.c_str());
  }
  if (json) std::printf("[%s]\n", all.c_str());
}

// Calls `ask`, which returns a text, with a session and the feeds and fetches of a plan.
template <class Ask>
std::string ask_session(const Setup& setup, const Model& model, const Args& args, Ask&& ask) {
  const Session session = make_session(setup, model);
  const std::vector<Value> inputs = shaped_inputs(model, args);
  const Feeds feeds = feeds_of(inputs);
  const auto fetches = names_of(model.outputs);
  percale_text* text = nullptr;
  with_guessed_dims(model, args, [&] { check(ask(session.get(), feeds, fetches, &text)); });
  return take_text(text);
}

std::string explain(const Setup& setup, const Model& model, const Args& args, const char* what) {
  return ask_session(setup, model, args, [&](auto* session, const Feeds& feeds, const auto& fetches, auto** text) {
    return percale_session_explain(session, feeds.names.data(), feeds.dtypes.data(), feeds.dims.data(),
                                   feeds.ranks.data(), feeds.count(), fetches.data(), fetches.size(), what, text);
  });
}

std::string drawn(const Setup& setup, const Model& model, const Args& args, const char* format) {
  const std::string trace = args.has("--trace") ? read_file(args.get("--trace")) : "";
  const char* times = args.has("--trace") ? trace.c_str() : nullptr;
  if (!args.has("--planned")) {
    percale_text* text = nullptr;
    check(percale_graph_draw(model.graph.get(), format, times, &text));
    return take_text(text);
  }
  return ask_session(setup, model, args, [&](auto* session, const Feeds& feeds, const auto& fetches, auto** text) {
    return percale_session_draw(session, feeds.names.data(), feeds.dtypes.data(), feeds.dims.data(), feeds.ranks.data(),
                                feeds.count(), fetches.data(), fetches.size(), format, times, text);
  });
}

void write_drawings(const Setup& setup, const Model& model, const Args& args) {
  for (const char* format : {"svg", "html"}) {
    const std::string flag = std::string("--") + format;
    if (!args.has(flag)) continue;
    write_file(args.get(flag), drawn(setup, model, args, format));
    say_note("wrote " + args.get(flag));
  }
}

int run_show(const Args& args) {
  if (args.has("--trace") && !args.has("--svg") && !args.has("--html")) {
    throw UsageError{"--trace requires --svg FILE or --html FILE, where the times are shown"};
  }
  if (args.has("--values") && args.has("--planned")) throw UsageError{"--values cannot be combined with --planned"};
  Setup setup(args);
  setup.make_engine();
  const Model model(setup, args.positional()[0]);
  if (args.has("--values")) {
    print_computed(model, args.json());
    return 0;
  }
  const bool planned = args.has("--planned");
  const std::string plan_json = planned ? explain(setup, model, args, "plan") : "";
  const std::string passes_json = planned ? explain(setup, model, args, "passes") : "";
  write_drawings(setup, model, args);
  if (args.json()) {
    if (planned) {
      std::printf("{\"model\":%s,\"passes\":%s,\"plan\":%s}\n", model.summary.text().c_str(), passes_json.c_str(),
                  plan_json.c_str());
    } else {
      std::puts(model.summary.text().c_str());
    }
    return 0;
  }
  print_values("input", model.inputs);
  print_values("output", model.outputs);
  print(stdout, "%-11s %lld in %zu variables\n", "parameters",
        static_cast<long long>(model.summary["parameters"].integer()), model.summary["variables"].items().size());
  print(stdout, "%-11s %lld in variables, %lld in constants\n", "bytes",
        static_cast<long long>(model.summary["bytes"]["variables"].integer()),
        static_cast<long long>(model.summary["bytes"]["constants"].integer()));
  print(stdout, "%-11s %lld\n", "nodes", static_cast<long long>(model.summary["nodes"].integer()));
  for (const auto& [op, count] : model.summary["ops"].members())
    print(stdout, "  %-28s %s\n", op.c_str(), count.text().c_str());
  if (!planned) return 0;
  print(stdout, "planned\n");
  for (const Json& pass : Json::parse(passes_json).items()) {
    print(stdout, "  after %-22s %s nodes\n", pass["pass"].text().c_str(), pass["nodes"].text().c_str());
  }
  const Json plan = Json::parse(plan_json);
  for (const Json& device : plan["devices"].items()) {
    print(stdout, "  %-8s %s nodes, %s bytes predicted peak\n", device["device"].text().c_str(),
          device["nodes"].text().c_str(), device["predicted_peak_bytes"].text().c_str());
  }
  const Json cost = plan["cost"];
  print(stdout, "  %.6g MFLOP, %s bytes read and written\n", cost["flops"].number() / 1e6,
        cost["bytes_touched"].text().c_str());
  print(stdout, "  critical path %s nodes, %.6g MFLOP; mean width %.2f\n", cost["critical_path_nodes"].text().c_str(),
        cost["critical_path_flops"].number() / 1e6, cost["mean_width"].number());
  print(stdout, "  bytes moved between devices: %s\n", plan["bytes_moved"].text().c_str());
  return 0;
}

int run_plan(const Args& args) {
  Setup setup(args);
  setup.make_engine();
  const Model model(setup, args.positional()[0]);
  const std::string json = explain(setup, model, args, "plan");
  if (args.json()) {
    std::puts(json.c_str());
    return 0;
  }
  const Json plan = Json::parse(json);
  for (const Json& node : plan["nodes"].items()) {
    print(stdout, "%-28s %-22s %-8s %-28s %s\n", node["node"].text().c_str(), node["op"].text().c_str(),
          node["device"].text().c_str(), node["kernel"].text().c_str(), node["reason"].text().c_str());
  }
  for (const Json& transfer : plan["transfers"].items()) {
    print(stdout, "%s: %s -> %s, %s bytes\n", transfer["value"].text().c_str(), transfer["from"].text().c_str(),
          transfer["to"].text().c_str(), transfer["bytes"].text().c_str());
  }
  for (const Json& device : plan["devices"].items()) {
    print(stdout, "%s: %s nodes, %s bytes predicted peak\n", device["device"].text().c_str(),
          device["nodes"].text().c_str(), device["predicted_peak_bytes"].text().c_str());
  }
  print(stdout, "%s bytes moved between devices\n", plan["bytes_moved"].text().c_str());
  print(stdout, "%.3g ms expected for a run; %s\n", plan["placement"]["expected_seconds"].number() * 1e3,
        plan["placement"]["summary"].text().c_str());
  return 0;
}

int run_kernels(const Args& args) {
  Setup setup(args);
  setup.make_engine();
  const Model model(setup, args.positional()[0]);
  const std::string json = explain(setup, model, args, "kernels");
  if (args.json()) {
    std::puts(json.c_str());
    return 0;
  }
  for (const Json& node : Json::parse(json).items()) {
    std::string formats;
    for (const Json& format : node["formats"].items()) {
      const std::string text = format.given() ? format.text() : "-";
      if (formats.find(text) == std::string::npos) formats += (formats.empty() ? "  [" : ", ") + text;
    }
    // Formats are printed only if one of them is not row-major.
    if (!formats.empty()) formats = formats == "  [-" ? "" : formats + "]";
    print(stdout, "%-28s %-22s %-8s %s%s%s\n", node["node"].text().c_str(), node["op"].text().c_str(),
          node["device"].text().c_str(), node["kernel"].text().c_str(), node["runs"].text() == "once" ? " (once)" : "",
          formats.c_str());
    for (const Json& refusal : node["refused"].items()) {
      print(stdout, "    not %s: %s\n", refusal["kernel"].text().c_str(), refusal["reason"].text().c_str());
    }
  }
  return 0;
}

constexpr Flag kPlanFlags[] = {
    {"--feed-shape", "NAME=1,3,224,224", "Shape of an input; unknown dims become 1."},
    {"--costs", "TRACE.json", "The output of 'percale trace' is one.", {"session", "costs"}},
};
constexpr Flag kFeedShape[] = {{"--feed-shape", "NAME=1,3,224,224", "Shape of an input; unknown dims become 1."}};

}  // namespace

extern const Command kShow = {"show",
                              "MODEL [--values] [--planned] [--svg FILE] [--html FILE] [--trace TRACE.json]",
                              "Shows inputs, outputs, op counts, parameters and bytes of a model.",
                              kShowFlags,
                              run_show,
                              1,
                              1};
extern const Command kPlan = {
    "plan",
    "MODEL [--feed-shape NAME=1,3,224,224]... [--costs TRACE.json]",
    "Shows device, kernel and reason per node, cuts between devices, bytes moved and predicted peak memory.",
    kPlanFlags,
    run_plan,
    1,
    1};
extern const Command kKernels = {"kernels",
                                 "MODEL [--feed-shape NAME=1,3,224,224]...",
                                 "Shows the kernel of each node, and why each preferred kernel refused it.",
                                 kFeedShape,
                                 run_kernels,
                                 1,
                                 1};

}  // namespace percale_cli
