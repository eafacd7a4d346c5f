// The variables that a loss trains, and their gradients.
#ifndef PERCALE_CORE_TRAIN_REWRITE_TRAINED_GRADIENTS_H_
#define PERCALE_CORE_TRAIN_REWRITE_TRAINED_GRADIENTS_H_

#include <string>
#include <vector>

#include "core/autodiff/row_sparse.h"
#include "core/graph/builder.h"
#include "core/train/method/optimizer.h"
#include "core/train/parallel/split_graph.h"
#include "core/train/rewrite/training_form.h"

namespace percale {

// Returns the variable without its initial value.
Variable declaration(const Variable& v);

// Returns the trainable variables that the nodes behind `value` read, in the order of the graph's
// variables.
std::vector<Variable> trained_by(const Graph& graph, const Function& f, ValueId value,
                                 const std::vector<std::string>& frozen = {});

// Removes moving statistics: they are computed, not trained, even if the graph marks them
// trainable.
void leave_out_statistics(const TrainingForm& form, std::vector<Variable>& parameters);

// Returns the gradients of the parameters, as rows where the optimizer takes rows.
Result<std::vector<VariableGradient>> gradients_for(FunctionBuilder& f, ValueId loss, const Optimizer& optimizer,
                                                    const std::vector<Variable>& parameters,
                                                    const std::vector<SplitParameter>& split = {});

// Emits the distinct row numbers, with the sum of the values of each.
void sum_rows(Emitter& e, ValueId rows, ValueId values, ValueId* unique, ValueId* sums);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_TRAINED_GRADIENTS_H_
