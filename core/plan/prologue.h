// Finds precomputed values: values that a function computes from variables and constants alone,
// such as packed, transposed or converted weights. They are computed once per version of the
// variables.
#ifndef PERCALE_CORE_PLAN_PROLOGUE_H_
#define PERCALE_CORE_PLAN_PROLOGUE_H_

#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

using NodeNames = std::set<std::string, std::less<>>;

// State that may change between runs.
struct PrologueRules {
  bool all_variables = false;
  std::set<std::string, std::less<>> variables = {};  // otherwise only these
  bool slices_alone = false;                          // precompute only Slice nodes
};
// Returns the variables that the function assigns. Returns all variables if the body of a control
// node may assign any of them, or if the run may continue with a newer version.
PrologueRules prologue_rules(const Function& whole);

// Marks the values of the function, or of a part of it, that are the same in all runs until a
// variable changes.
std::vector<bool> prepared_values(const Function& part, const PrologueRules& rules);

// Returns the precomputed values that other nodes or outputs use: the results of the precompute
// step. `keep` names nodes that must not move into that step.
std::vector<ValueId> prologue_values(const Function& part, const PrologueRules& rules, const NodeNames& keep);

// Returns a text that identifies a precomputed value and the way it is computed. `f` has no inputs
// and returns the value. Equal texts mean equal bits, in any plan, as long as the constants of one
// of the functions exist.
std::string prepared_form(const Graph& graph, const Function& f);

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_PROLOGUE_H_
