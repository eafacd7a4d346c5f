// A plan as JSON. drawing.h makes pictures of it.
#ifndef PERCALE_CORE_COMPILE_REPORT_EXPLAIN_H_
#define PERCALE_CORE_COMPILE_REPORT_EXPLAIN_H_

#include <string>
#include <string_view>

#include "core/compile/plan.h"

namespace percale {

// `what` is one of
//   "plan": per node its device, kernel, types, the reason, and the forecast of each candidate;
//           the transfers, the bytes moved, and the predicted peak per device
//   "kernels": per node its kernel, and why every better entry of the list refused
//   "passes": nodes after each pass, and the fused groups that were undone, with reasons
// INVALID_ARGUMENT for anything else.
Result<std::string> explain_plan(const Plan& plan, const Engine& engine, std::string_view what);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_REPORT_EXPLAIN_H_
