#include "core/plan/evaluate.h"

#include "core/graph/infer.h"

namespace percale {
namespace {

// A registry's list narrowed to one kernel, so that each of an op's kernels can be tried.
Result<std::unique_ptr<PlannedKernel>> plan_named(const Registry& registry, std::string_view device_kind,
                                                  const NodeView& view, std::string_view kernel_name) {
  for (const Kernel& kernel : registry.kernels(device_kind, view.schema)) {
    if (kernel.name != kernel_name) continue;
    PERCALE_RETURN_IF_ERROR(from_c(kernel.accepts(kernel.user, &view)));
    KernelPlan plan;
    void* state = nullptr;
    PERCALE_RETURN_IF_ERROR(from_c(kernel.plan(kernel.user, &view, &plan, &state)));
    return std::make_unique<PlannedKernel>(kernel, state, plan.scratch_bytes);
  }
  return not_found("no kernel '", kernel_name, "' for ", view.schema.name);
}

}  // namespace

Result<std::vector<Tensor>> evaluate_node(const Registry& registry, std::string_view device_kind,
                                          const OpSchema& schema, std::string_view name,
                                          const Attributes& attributes, const std::vector<Tensor>& inputs,
                                          size_t num_outputs, const std::shared_ptr<MemoryPool>& pool,
                                          const ParallelFor& parallel, std::string_view kernel_name) {
  std::vector<ValueType> types;
  std::vector<const Tensor*> values;
  for (const Tensor& t : inputs) {
    types.push_back({t.dtype(), t.shape()});
    values.push_back(t.defined() ? &t : nullptr);
  }
  PERCALE_ASSIGN_OR_RETURN(auto outputs, infer_node(schema, name, types, values, num_outputs, attributes, nullptr));
  const Attributes full = with_defaults(schema, attributes);
  NodeView view{schema, name, full, std::move(types), outputs, std::move(values)};
  auto planned = kernel_name.empty() ? choose_kernel(registry, device_kind, view, nullptr)
                                     : plan_named(registry, device_kind, view, kernel_name);
  if (!planned.ok()) return planned.status();

  std::vector<Tensor> results;
  std::vector<void*> operands;
  for (const Tensor& t : inputs) operands.push_back(t.data());
  for (const ValueType& type : outputs) {
    if (!type.shape.is_static()) {
      return internal_error(schema.name, " '", name, "': the output shape ", type.shape,
                            " is not known though all inputs are");
    }
    PERCALE_ASSIGN_OR_RETURN(Tensor t, Tensor::allocate(pool, type.dtype, type.shape));
    operands.push_back(t.data());
    results.push_back(std::move(t));
  }
  PERCALE_ASSIGN_OR_RETURN(const auto scratch, Buffer::allocate(pool, (*planned)->scratch_bytes()));
  RunContext run;
  run.parallel = parallel;
  (*planned)->run(percale_launch{operands.data(), scratch->data(), nullptr, &run});
  PERCALE_RETURN_IF_ERROR(run_error_status(schema, name, static_cast<RunError>(run.error.load()), run.error_detail));
  return results;
}

Result<std::vector<Tensor>> evaluate_function(const Registry& registry, std::string_view device_kind,
                                              const Function& function, const std::vector<Tensor>& inputs,
                                              const std::shared_ptr<MemoryPool>& pool) {
  if (inputs.size() != function.inputs.size()) {
    return invalid_argument("function '", function.name, "' takes ", static_cast<uint64_t>(function.inputs.size()),
                            " inputs, got ", static_cast<uint64_t>(inputs.size()));
  }
  std::vector<Tensor> values(function.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) values[static_cast<size_t>(function.inputs[i])] = inputs[i];
  for (size_t i = 0; i < values.size(); ++i) {
    if (const Tensor* constant = function.constant(static_cast<ValueId>(i))) values[i] = *constant;
  }
  for (const Node& node : function.nodes) {
    std::vector<Tensor> operands;
    for (ValueId id : node.inputs) operands.push_back(id == kNoValue ? Tensor() : values[static_cast<size_t>(id)]);
    PERCALE_ASSIGN_OR_RETURN(auto results, evaluate_node(registry, device_kind, *node.op, node.name, node.attributes,
                                                         operands, node.outputs.size(), pool));
    for (size_t i = 0; i < results.size(); ++i) {
      if (node.outputs[i] != kNoValue) values[static_cast<size_t>(node.outputs[i])] = results[i];
    }
  }
  std::vector<Tensor> out;
  for (ValueId id : function.outputs) out.push_back(values[static_cast<size_t>(id)]);
  return out;
}

}  // namespace percale
