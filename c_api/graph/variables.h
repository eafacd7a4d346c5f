// The struct behind percale_variables.
#ifndef PERCALE_C_API_GRAPH_VARIABLES_H_
#define PERCALE_C_API_GRAPH_VARIABLES_H_

#include <memory>
#include <vector>

#include "c_api/engine.h"
#include "core/state/variables.h"

struct percale_variables : percale::c_api::Counted {
  percale_variables(percale_engine* e, std::shared_ptr<percale::Variables> v);
  percale::c_api::Ref<percale_engine> engine;
  std::shared_ptr<percale::Variables> variables;
  std::vector<size_t> by_name;  // indices of the variables in the order of their names
};

#endif  // PERCALE_C_API_GRAPH_VARIABLES_H_
