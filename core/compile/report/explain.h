// A plan in words: JSON for programs. core/compile/report/drawing.h shows it to people.
#ifndef PERCALE_CORE_COMPILE_REPORT_EXPLAIN_H_
#define PERCALE_CORE_COMPILE_REPORT_EXPLAIN_H_

#include <string>
#include <string_view>

#include "core/compile/plan.h"

namespace percale {

// `what`: "plan" (per node device, kernel, reason, what was expected of each candidate, shapes; the cut, bytes moved, predicted peak per device), "kernels" (who runs
// each node, and why every better entry of the list refused), "passes" (nodes after each pass, and which fused
// groups were put back for what reason). INVALID_ARGUMENT for anything else.
Result<std::string> explain_plan(const Plan& plan, const Engine& engine, std::string_view what);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_REPORT_EXPLAIN_H_
