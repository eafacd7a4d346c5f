// Drawings of graphs and plans, with the times of a trace.
#ifndef PERCALE_CORE_COMPILE_REPORT_DRAWING_H_
#define PERCALE_CORE_COMPILE_REPORT_DRAWING_H_

#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/compile/plan.h"
#include "core/graph/graph.h"

namespace percale {

// `format`: "svg" (of "main" alone) or "html". `trace`: the JSON of a trace, or "".
// INVALID_ARGUMENT for another format, or if `trace` is not the JSON of a trace.
Result<std::string> draw_graph(const Graph& graph, std::string_view format, std::string_view trace);
Result<std::string> draw_plan(const Plan& plan, std::string_view format, std::string_view trace);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_REPORT_DRAWING_H_
