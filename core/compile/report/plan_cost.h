// The operations and bytes of a plan, counted without running it.
#ifndef PERCALE_CORE_COMPILE_REPORT_PLAN_COST_H_
#define PERCALE_CORE_COMPILE_REPORT_PLAN_COST_H_

#include "core/compile/plan.h"

namespace percale {

// Counts the nodes in the programs. Precompute steps and what is compiled later do not count.
struct PlanCost {
  // Multiplications and additions of Conv, ConvTranspose, MatMul and Gemm; one operation per
  // element of elementwise nodes.
  double flops = 0;
  int64_t bytes_touched = 0;  // that the nodes read and write
  int64_t nodes = 0;
  int64_t critical_path_nodes = 0;  // of the longest chain of nodes that wait for each other
  double critical_path_flops = 0;   // of the most expensive such chain
  // The average number of nodes that could run at once: nodes / critical_path_nodes; 0 without
  // nodes.
  double mean_width() const {
    return critical_path_nodes == 0 ? 0 : static_cast<double>(nodes) / static_cast<double>(critical_path_nodes);
  }
};
PlanCost plan_cost(const Plan& plan);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_REPORT_PLAN_COST_H_
