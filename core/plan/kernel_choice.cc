#include "core/plan/kernel_choice.h"

#include "core/graph/graph.h"

namespace percale {

Result<std::unique_ptr<PlannedKernel>> PlannedKernel::plan(const Kernel& kernel, const NodeView& view,
                                                           bool grant_formats) {
  // Exists before the state that it destroys.
  std::unique_ptr<PlannedKernel> out(new PlannedKernel(kernel));
  KernelPlan plan;
  plan.grants_formats = grant_formats;
  PERCALE_RETURN_IF_ERROR(from_c(kernel.plan(kernel.user, &view, &plan, &out->state_))
                              .with_context(str_cat(view.schema.name, " '", view.name, "'")));
  out->scratch_bytes_ = plan.scratch_bytes;
  out->formats_ = std::move(plan.formats);
  out->in_place_ = std::move(plan.in_place);
  return out;
}

Result<std::unique_ptr<PlannedKernel>> choose_kernel(const Registry& registry, std::string_view device_kind,
                                                     const NodeView& view, std::vector<Refusal>* refusals,
                                                     bool grant_formats) {
  std::string reasons;
  for (const Kernel& kernel : registry.kernels(device_kind, view.schema)) {
    Status refused = from_c(kernel.accepts(kernel.user, &view));
    // Not a refusal: with enough memory this kernel would have been chosen, and another one might
    // give other bits.
    if (refused.code() == Code::kResourceExhausted) return refused;
    if (refused.ok()) {
      Result<std::unique_ptr<PlannedKernel>> planned = PlannedKernel::plan(kernel, view, grant_formats);
      // A kernel that needs formats and gets none counts as a refusal.
      if (planned.ok() || grant_formats || planned.status().code() != Code::kUnimplemented) return planned;
      refused = planned.status();
    }
    if (refusals != nullptr) refusals->push_back({kernel.name, std::string(refused.message())});
    reasons += str_cat("; ", kernel.name, ": ", refused.message());
  }
  std::string types;
  for (const ValueType& t : view.inputs) types += str_cat(types.empty() ? "" : ", ", t.dtype, " ", t.shape);
  return unimplemented(op_name(view.schema), " '", view.name, "': no kernel of device kind '", device_kind,
                       "' runs it for (", types, ")", reasons);
}

Status run_error_status(const OpSchema& schema, std::string_view node, const RunContext& run) {
  const auto error = static_cast<RunError>(run.error.load());
  if (error == RunError::kNone) return {};
  const int64_t detail = run.error_detail;
  const char* message = run.error_message;
  std::string who = str_cat(schema.name, " '", node, "': ");
  if (message != nullptr && *message != 0) who += str_cat(message, ": ");
  switch (error) {
    case RunError::kNone: return {};
    case RunError::kOutOfMemory: return resource_exhausted(who, "out of memory");
    case RunError::kIndexOutOfRange: return out_of_range(who, "index ", detail, " is out of range");
    case RunError::kDivisionByZero: return invalid_argument(who, "integer division by zero at element ", detail);
    case RunError::kNotPositiveDefinite: return invalid_argument(who, "matrix ", detail, " is not positive definite");
    case RunError::kAssertionFailed: return failed_precondition(who, "element ", detail, " of the condition is false");
    case RunError::kBadSize: return invalid_argument(who, "the size, start or length ", detail, " is out of range");
    case RunError::kSingular: return invalid_argument(who, "matrix ", detail, " is singular");
    case RunError::kNotPositive: {
      if (detail < 0 || static_cast<size_t>(detail) >= schema.inputs.size()) break;
      const std::string_view input = schema.input(static_cast<size_t>(detail)).name;
      return invalid_argument(who, "'", input, "' must be above 0");
    }
    case RunError::kNotFinite: return invalid_argument(who, "element ", detail, " is infinite or NaN");
    case RunError::kKernelStatus: {
      const bool known = run.status_code > 0 && run.status_code <= static_cast<int32_t>(Code::kUnauthenticated);
      return Status(known ? static_cast<Code>(run.status_code) : Code::kInternal, str_cat(who, run.status_text));
    }
    case RunError::kUnknownError:
      return internal_error(who, "a plug-in has failed the run with ", detail, ", which is no percale_run_error");
    case RunError::kKernelFailed: break;
  }
  return internal_error(who, "the kernel failed with code ", static_cast<int32_t>(error), ", detail ", detail);
}

}  // namespace percale
