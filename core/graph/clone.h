// Copying the nodes of a function into a function under construction.
#ifndef PERCALE_CORE_GRAPH_CLONE_H_
#define PERCALE_CORE_GRAPH_CLONE_H_

#include <vector>

#include "core/graph/builder.h"

namespace percale {

// Returns, per node of `f`, true if one of `values` depends on it by data or, if `control`, by
// control edges.
std::vector<bool> nodes_behind(const Function& f, const std::vector<ValueId>& values, bool control = true);
// Returns, per input of `f`, true if one of `values` depends on it by data.
std::vector<bool> inputs_behind(const Function& f, const std::vector<ValueId>& values);

// Appends the nodes of `from` and the constants that they use to `to`. Returns, per value of
// `from`, the corresponding value of `to`. The inputs of `from` become `inputs`, values of `to`;
// kNoValue is allowed for inputs that no copied node uses. With `needed`, copies only what these
// values of `from` depend on; all other values map to kNoValue.
// If a node name is taken, a number is appended, and its values are named after the node. Random
// nodes keep their ids, so that they draw the same numbers. Shapes known in `from` stay known if
// `inputs` satisfy the known shapes of its inputs. `from` must not be the function that `to`
// builds.
Result<std::vector<ValueId>> clone_body(const Function& from, FunctionBuilder& to, const std::vector<ValueId>& inputs,
                                        const std::vector<ValueId>* needed = nullptr);
// The same, with new inputs of `to` that have the names and types of the inputs of `from`.
Result<std::vector<ValueId>> clone_function(const Function& from, FunctionBuilder& to,
                                            const std::vector<ValueId>* needed = nullptr);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_CLONE_H_
