// What a function computes from variables and constants alone: packing, transposing, converting weights. It is computed once
// per version of the variables.
#ifndef PERCALE_CORE_PLAN_PROLOGUE_H_
#define PERCALE_CORE_PLAN_PROLOGUE_H_

#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

using NodeNames = std::set<std::string, std::less<>>;

// What a run may find changed since another.
struct PrologueRules {
  bool all_variables = false;
  std::set<std::string, std::less<>> variables = {};  // else these
  bool slices_alone = false;                          // nothing but Slice is worth keeping
};
// Those that the function assigns. All, where the body of a control node may assign whatever it likes, and where the run may
// go on with a newer version.
PrologueRules prologue_rules(const Function& whole);

// Per value of the function, or of a part of it: whether it is the same in all runs until a variable changes.
std::vector<bool> prepared_values(const Function& part, const PrologueRules& rules);

// The values where such work ends: something else uses them. `keep`: nodes that stay where they are.
std::vector<ValueId> prologue_values(const Function& part, const PrologueRules& rules, const NodeNames& keep);

// What a function without inputs computes, and how, for one of its prepared values: equal texts, equal bits, whatever plan
// they belong to, as long as the constants of one of them live.
std::string prepared_form(const Graph& graph, const Function& f);

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_PROLOGUE_H_
