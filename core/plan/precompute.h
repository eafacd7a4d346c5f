// Finds the work of a function that depends on variables and constants alone: packing, transposing,
// converting weights. Such work is done once per version of the variables.
#ifndef PERCALE_CORE_PLAN_PRECOMPUTE_H_
#define PERCALE_CORE_PLAN_PRECOMPUTE_H_

#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

using NodeNames = std::set<std::string, std::less<>>;

// The variables that may change between the runs of a plan.
struct PrecomputeRules {
  bool all_variables = false;
  std::set<std::string, std::less<>> variables = {};  // read if all_variables is false
  bool slices_alone = false;                          // only Slice is precomputed
};
// The variables that the function assigns. All variables, if the body of a control node may assign
// any, or if the run may switch to a newer version of them.
PrecomputeRules precompute_rules(const Function& whole);

// Per value of the function, or of a part of it: true if it is the same in all runs until a
// variable changes.
std::vector<bool> precomputable_values(const Function& part, const PrecomputeRules& rules);

// The values at which precomputable work ends, because a node that is not precomputed uses them.
// `keep`: nodes that are not moved.
std::vector<ValueId> values_to_precompute(const Function& part, const PrecomputeRules& rules, const NodeNames& keep);

// A text that identifies the computation of a function without inputs. Equal texts mean equal bits,
// in any plan, as long as the constants of one of the functions live.
std::string precomputed_form(const Graph& graph, const Function& f);

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_PRECOMPUTE_H_
