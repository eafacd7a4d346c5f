// A whole training step within a function of a graph that a host builds.
#ifndef PERCALE_CORE_TRAIN_REWRITE_MINIMIZE_H_
#define PERCALE_CORE_TRAIN_REWRITE_MINIMIZE_H_

#include <string>

#include "core/graph/builder.h"
#include "core/train/method/optimizer.h"

namespace percale {

// Adds a whole training step to `f`: gradients of the scalar `loss` for every trainable variable
// that it reads, and the optimizer with its own learning rate. A variable counts the steps. Running
// the returned node, called "train_step" or with a number appended, performs one step.
Result<std::string> add_train_step(FunctionBuilder& f, ValueId loss, const Optimizer& optimizer);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_MINIMIZE_H_
