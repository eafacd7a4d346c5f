// Copies the nodes of a function into a function under construction.
#ifndef PERCALE_CORE_GRAPH_CLONE_H_
#define PERCALE_CORE_GRAPH_CLONE_H_

#include <vector>

#include "core/graph/builder.h"

namespace percale {

// Per node of `f`: whether one of `values` depends on it, by data or, where `control` is set, by control edges.
std::vector<bool> nodes_behind(const Function& f, const std::vector<ValueId>& values, bool control = true);
// Per input of `f`: whether one of `values` depends on it by data.
std::vector<bool> inputs_behind(const Function& f, const std::vector<ValueId>& values);

// Appends the nodes of `from` to `to`, with the constants that they use, and returns, per value of `from`, its value there.
// The inputs of `from` are the values `inputs` of `to`, kNoValue for those that nothing copied uses. With `needed`, only
// what these values of `from` depend on is copied; the others get kNoValue. Nodes whose names are taken get a number
// behind them, values then have the node's; random nodes keep their ids, so that they draw the same numbers. Shapes that
// `from` knows stay known where `inputs` have what it knows of its own. `from` must be another function than `to`.
Result<std::vector<ValueId>> clone_body(const Function& from, FunctionBuilder& to, const std::vector<ValueId>& inputs,
                                        const std::vector<ValueId>* needed = nullptr);
// The same with new inputs in `to` of the names and types of those of `from`.
Result<std::vector<ValueId>> clone_function(const Function& from, FunctionBuilder& to,
                                            const std::vector<ValueId>* needed = nullptr);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_CLONE_H_
