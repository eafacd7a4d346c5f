// Executes the programs of a plan.
#ifndef PERCALE_CORE_SESSION_EXECUTOR_EXECUTOR_H_
#define PERCALE_CORE_SESSION_EXECUTOR_EXECUTOR_H_

#include <span>

#include "core/compile/plan.h"
#include "core/session/context/run_frame.h"

namespace percale {

// Writes results[i]. All results must be defined and of the types in Plan::results, except for
// those that Plan::stays names. Once warm, allocates nothing. Values that the programs assign go to
// `frame.state`, or into its base if that is exclusive.
Status execute_programs(const Plan& plan, Engine& engine, RunFrame& frame, std::span<const Tensor> feeds,
                        std::span<const Tensor> results);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_EXECUTOR_EXECUTOR_H_
