#include "tests/fuzz/fuzz_graph.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "c_api/handles.h"

namespace percale::fuzz {
namespace {

[[noreturn]] void finding(const char* what, const char* more) {
  std::fprintf(stderr, "%s: %s\n", what, more);
  std::abort();
}

bool done(percale_status* status) {
  const bool ok = status == nullptr;
  answered(status);
  return ok;
}

// The feeds and fetches of the session's run.
struct Spec {
  std::vector<const char*> feeds, fetches;
  std::vector<percale_dtype> dtypes;
  std::vector<std::vector<int64_t>> dims;
  std::vector<const int64_t*> dim_pointers;
  std::vector<size_t> ranks;
};

Spec spec_of(const Graph& graph) {
  Spec out;
  const Function& f = graph.main();
  for (ValueId id : f.inputs) {
    const ValueType& type = f.type(id);
    out.feeds.push_back(f.value(id).name.c_str());
    out.dtypes.push_back(static_cast<percale_dtype>(type.dtype));
    auto& dims = out.dims.emplace_back();
    if (type.shape.known_rank()) dims.assign(type.shape.begin(), type.shape.end());
    std::replace(dims.begin(), dims.end(), kUnknownDim, int64_t{1});
    out.ranks.push_back(dims.size());
  }
  for (const auto& dims : out.dims) out.dim_pointers.push_back(dims.data());
  for (ValueId id : f.outputs) out.fetches.push_back(f.value(id).name.c_str());
  return out;
}

}  // namespace

void must(percale_status* status) {
  if (status != nullptr) finding("it must not fail", percale_status_message(status, nullptr));
}

percale_engine* engine(const char* plugin_path) {
  percale_options* options = nullptr;
  percale_engine* out = nullptr;
  must(percale_options_create("engine", &options));
  must(percale_options_set(options, "threads", "1"));
  must(percale_options_set(options, "memory_limit", "67108864"));
  must(percale_options_set(options, "plugin_path", plugin_path));
  must(percale_engine_create(options, &out));
  percale_options_release(options);
  return out;
}

void answered(percale_status* status) {
  if (percale_status_code(status) == PERCALE_INTERNAL)
    finding("an internal error", percale_status_message(status, nullptr));
  percale_status_release(status);
}

void use(percale_engine* engine, percale_graph* graph) {
  percale_text* bytes = nullptr;
  if (done(percale_graph_serialize(graph, nullptr, &bytes))) {
    size_t size = 0;
    const char* data = percale_text_data(bytes, &size);
    percale_graph* again = nullptr;
    must(percale_graph_load(engine, data, size, &again));
    percale_graph_release(again);
  }
  percale_text_release(bytes);
  percale_variables* variables = nullptr;
  percale_session* session = nullptr;
  percale_call* call = nullptr;
  if (done(percale_variables_create(engine, graph, 1, &variables)) &&
      done(percale_session_create(engine, graph, variables, nullptr, &session))) {
    const Spec spec = spec_of(*graph->graph);
    (void)done(percale_call_create(session, spec.feeds.data(), spec.dtypes.data(), spec.dim_pointers.data(),
                                   spec.ranks.data(), spec.feeds.size(), spec.fetches.data(), spec.fetches.size(),
                                   &call));
  }
  percale_call_release(call);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

void check_statuses() {
  if (percale_status_live_count() != 0) finding("a status", "was not given back");
}

}  // namespace percale::fuzz
