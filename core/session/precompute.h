// Runs the precompute steps of a plan.
#ifndef PERCALE_CORE_SESSION_PRECOMPUTE_H_
#define PERCALE_CORE_SESSION_PRECOMPUTE_H_

#include <memory>

#include "core/session/context/run_frame.h"
#include "core/session/session_state.h"

namespace percale {

// The precomputed values for the version of the variables that this run sees: those of an earlier
// run, of another plan, or computed now. A second run that needs the same values waits for the
// first.
Result<std::shared_ptr<const Plan::Precomputed>> precomputed_values(SessionState& session, RunFrame& frame,
                                                                    const Plan& plan);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_PRECOMPUTE_H_
