// What a function computes from variables and constants alone: packing, transposing, converting weights.
#ifndef PERCALE_CORE_PLAN_PROLOGUE_H_
#define PERCALE_CORE_PLAN_PROLOGUE_H_

#include <vector>

#include "core/graph/graph.h"

namespace percale {

// The values where such work ends: computed from variables that the function does not assign, used by something else.
// Empty when there is nothing to do but read. They can be computed once per version of the variables.
std::vector<ValueId> prologue_values(const Function& function);

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_PROLOGUE_H_
