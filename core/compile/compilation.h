// The state that the steps of one compilation share.
#ifndef PERCALE_CORE_COMPILE_COMPILATION_H_
#define PERCALE_CORE_COMPILE_COMPILATION_H_

#include <algorithm>
#include <memory>
#include <string_view>

#include "core/compile/compile.h"
#include "core/plan/precompute.h"

namespace percale {

struct Compilation {
  const Engine& engine;
  const CompileOptions& options;
  const CompileRequest& request;
  std::shared_ptr<Graph> graph;  // the plan's working copy
  std::shared_ptr<Plan> plan = std::make_shared<Plan>();
  // The values that may be precomputed. Kernels are chosen by these rules.
  PrecomputeRules rules = {};
  // The same, if slices of variables are precomputed besides.
  PrecomputeRules slice_rules = {};

  const Device& device_of(const Part& part) const { return *engine.devices()[static_cast<size_t>(part.device)]; }
  bool is_disabled(std::string_view pass) const {
    const auto& disabled = options.disabled_passes;
    return std::find(disabled.begin(), disabled.end(), pass) != disabled.end();
  }
  // Notes the number of nodes after a pass over all parts.
  void note_sizes(std::string_view pass, const Cut& cut) {
    size_t nodes = 0;
    for (const Part& part : cut.parts) nodes += part.function.nodes.size();
    plan->report.pass_sizes.emplace_back(pass, nodes);
  }
};

// NOT_FOUND if the function has no node of this name.
Result<NodeId> find_node(const Function& f, std::string_view name);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_COMPILATION_H_
