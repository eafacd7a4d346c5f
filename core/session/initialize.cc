#include "core/session/initialize.h"

#include "core/session/session.h"

namespace percale {
namespace {

Result<std::vector<Tensor>> run_init(const std::shared_ptr<Engine>& engine, const std::shared_ptr<const Graph>& graph,
                                     const RunSpec& spec, int64_t seed) {
  PERCALE_ASSIGN_OR_RETURN(const auto session, Session::create(engine, graph, nullptr));
  const std::vector<Tensor> no_values(graph->variables.size());
  RunOptions options;
  options.seed = seed;
  options.step = 0;
  options.values = RunValues::of_caller(no_values);
  return session->run(spec, {}, options);
}

}  // namespace

Result<std::shared_ptr<Variables>> initialize_variables(const std::shared_ptr<Engine>& engine,
                                                        const std::shared_ptr<const Graph>& graph, int64_t seed) {
  RunSpec spec;
  spec.function = kInitFunction;
  for (const Variable& v : graph->variables) {
    if (!v.initial.defined()) spec.fetches.push_back(v.name);
  }
  // The home of variables computes them, so that they do not depend on the devices that compute
  // later.
  for (size_t i = 0; i < engine->devices().size(); ++i) {
    if (engine->devices()[i]->is_home()) spec.group = {static_cast<int32_t>(i)};
  }
  std::vector<Tensor> computed;
  if (!spec.fetches.empty()) {
    PERCALE_ASSIGN_OR_RETURN(computed, run_init(engine, graph, spec, seed));
  }
  std::vector<Tensor> values;
  size_t next = 0;
  for (const Variable& v : graph->variables) values.push_back(v.initial.defined() ? v.initial : computed[next++]);
  return Variables::create(graph->variables, std::move(values));
}

}  // namespace percale
