// Reorder: copies a tensor to another memory format. The planner inserts it between kernels that
// need different formats. A device that has kernels with its own format also provides the Reorder
// kernels for it.
#include <cstring>

#include "ops/recurrent/recurrent.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/small_types.h"

namespace percale {
namespace {

Status grad_reorder(GradContext& g) {
  g.set(0, g.grad(0));
  return g.status();
}

constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "Reorder",
     .doc = "The tensor in another memory format. Formats exist only in plans; in a graph the op is a copy.",
     .inputs = {InputSpec{"x", 'T', kStorable}},
     .outputs = {OutputSpec{"y", 'T', kStorable}},
     .shape = shape_same,
     .grad = grad_reorder},
};

Status accepts_row_major(const NodeView& node) {
  if (node.input_format(0) == nullptr && node.output_format(0) == nullptr) return {};
  return unimplemented("supports only the row-major format");
}

Result<int64_t> plan_copy(const NodeView& node, KernelPlan&) { return byte_size(node.dtype(0), node.shape(0)); }

void run_copy(const int64_t& bytes, const Launch& launch) {
  std::memcpy(launch.out<char>(0), launch.in<char>(0), static_cast<size_t>(bytes));
}

}  // namespace

Status register_reorder(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  PERCALE_RETURN_IF_ERROR(register_lstm_packing(registry));
  return add_cpu_kernels(
      registry, {make_kernel<accepts_row_major, plan_copy, run_copy>("portable.Reorder", "Reorder", "percale")});
}

}  // namespace percale
