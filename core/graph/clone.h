// Copies the nodes of a function into a function under construction.
#ifndef PERCALE_CORE_GRAPH_CLONE_H_
#define PERCALE_CORE_GRAPH_CLONE_H_

#include <vector>

#include "core/graph/builder.h"

namespace percale {

// Appends all nodes and constants of `from` to `to` and returns, per value of `from`, its value there. The inputs of `from`
// are the values `inputs` of `to`. Names that are taken get a number behind them; random nodes keep their ids, so that they
// draw the same numbers. `from` must be another function than `to`.
Result<std::vector<ValueId>> clone_body(const Function& from, FunctionBuilder& to, const std::vector<ValueId>& inputs);
// The same with new inputs in `to` of the names and types of those of `from`.
Result<std::vector<ValueId>> clone_function(const Function& from, FunctionBuilder& to);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_CLONE_H_
