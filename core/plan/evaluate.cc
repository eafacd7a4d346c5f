#include "core/plan/evaluate.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/graph/emit/composite.h"
#include "core/graph/infer.h"

namespace percale {
namespace {

// Plans the node with the kernel of the given name, so that tests can try each kernel of an op.
Result<std::unique_ptr<PlannedKernel>> plan_named(const Registry& registry, std::string_view device_kind,
                                                  const NodeView& view, std::string_view kernel_name) {
  for (const Kernel& kernel : registry.kernels(device_kind, view.schema)) {
    if (kernel.name != kernel_name) continue;
    PERCALE_RETURN_IF_ERROR(from_c(kernel.accepts(kernel.user, &view)));
    return PlannedKernel::plan(kernel, view);
  }
  return not_found("no kernel '", kernel_name, "' for ", view.schema.name);
}

// Concatenates tensors along a new first axis. Precondition: one dtype of whole bytes.
Result<Tensor> stack(const std::shared_ptr<MemoryPool>& pool, const std::vector<Tensor>& trips,
                     const ValueType& declared) {
  Shape shape{static_cast<int64_t>(trips.size())};
  // Without any iteration only the declared dims are known.
  for (int64_t dim : trips.empty() ? declared.shape : trips[0].shape()) shape.push_back(std::max<int64_t>(dim, 0));
  PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate(pool, declared.dtype, shape));
  auto* at = static_cast<char*>(out.data());
  for (const Tensor& trip : trips) {
    if (!(trip.shape() == trips[0].shape())) {
      return invalid_argument("a scan output is ", trips[0].shape(), " in one trip and ", trip.shape(), " in another");
    }
    std::memcpy(at, trip.data(), static_cast<size_t>(trip.bytes()));
    at += trip.bytes();
  }
  return out;
}

struct Evaluation {
  const Registry& registry;
  std::string_view device_kind;
  const std::shared_ptr<MemoryPool>& pool;
  const Graph* graph;  // null: no control ops
  const std::map<std::string, Tensor>* variables;

  Result<std::vector<Tensor>> run(const Function& function, const std::vector<Tensor>& inputs) const {
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
      PERCALE_ASSIGN_OR_RETURN(auto results, run_node(node, operands));
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] != kNoValue) values[static_cast<size_t>(node.outputs[i])] = results[i];
      }
    }
    std::vector<Tensor> out;
    for (ValueId id : function.outputs) out.push_back(values[static_cast<size_t>(id)]);
    return out;
  }

  Result<std::vector<Tensor>> run_node(const Node& node, const std::vector<Tensor>& operands) const {
    if (graph != nullptr && node.op->is(Role::kIf)) {
      const bool taken = operands[0].span<bool>()[0];
      return run(carried(node, taken ? "then_branch" : "else_branch"), {operands.begin() + 1, operands.end()});
    }
    if (graph != nullptr && node.op->is(Role::kLoop)) return run_loop(node, operands);
    if (graph != nullptr && node.op->is(Role::kCall)) return run(carried(node, "function"), operands);
    if (graph != nullptr && node.op->is(Role::kFused)) return run(carried(node, "body"), operands);
    if (variables != nullptr && node.op->is(Role::kReadVariable)) {
      const auto found = variables->find(std::string(node.attributes.get_string("variable")));
      if (found != variables->end()) return std::vector<Tensor>{found->second};
      return failed_precondition("ReadVariable '", node.name, "': the variable has no value");
    }
    return evaluate_node(registry, device_kind, *node.op, node.name, node.attributes, operands, node.outputs.size(),
                         pool);
  }

  Result<std::vector<Tensor>> run_loop(const Node& node, const std::vector<Tensor>& operands) const {
    const Function& body = carried(node, "body");
    const auto num_carried = static_cast<size_t>(node.attributes.get_int("num_carried"));
    const int64_t limit = with_defaults(*node.op, node.attributes).get_int("trip_limit");
    const auto has = [&](size_t i) { return i < operands.size() && operands[i].defined(); };
    const int64_t most = has(0) ? to_int64s(operands[0])[0] : std::numeric_limits<int64_t>::max();
    bool go = !has(1) || operands[1].span<bool>()[0];
    std::vector<Tensor> arguments(2);
    if (operands.size() > 2) arguments.insert(arguments.end(), operands.begin() + 2, operands.end());
    std::vector<std::vector<Tensor>> scans(body.outputs.size() - 1 - num_carried);
    for (int64_t trip = 0; go && trip < most; ++trip) {
      if (trip == limit) return resource_exhausted("Loop '", node.name, "': more than ", limit, " trips");
      arguments[0] = Tensor::scalar(trip);
      arguments[1] = Tensor::scalar(true);
      PERCALE_ASSIGN_OR_RETURN(auto results, run(body, arguments));
      go = results[0].span<bool>()[0];
      for (size_t i = 0; i < num_carried; ++i) arguments[2 + i] = std::move(results[1 + i]);
      for (size_t i = 0; i < scans.size(); ++i) scans[i].push_back(std::move(results[1 + num_carried + i]));
    }
    std::vector<Tensor> out(arguments.begin() + 2, arguments.begin() + 2 + static_cast<ptrdiff_t>(num_carried));
    for (size_t i = 0; i < scans.size(); ++i) {
      auto stacked = stack(pool, scans[i], body.type(body.outputs[1 + num_carried + i]));
      if (!stacked.ok()) return stacked.status().with_context(str_cat("Loop '", node.name, "'"));
      out.push_back(std::move(stacked).value());
    }
    return out;
  }

  const Function& carried(const Node& node, std::string_view attribute) const {
    return *graph->find_function(node.attributes.find(attribute)->get_if<FunctionRef>()->name);
  }
};

}  // namespace

Result<std::vector<Tensor>> evaluate_node(const Registry& registry, std::string_view device_kind,
                                          const OpSchema& schema, std::string_view name, const Attributes& attributes,
                                          const std::vector<Tensor>& inputs, size_t num_outputs,
                                          const std::shared_ptr<MemoryPool>& pool, const ParallelFor& parallel,
                                          std::string_view kernel_name) {
  std::vector<ValueType> types;
  std::vector<const Tensor*> values;
  for (const Tensor& t : inputs) {
    types.push_back({t.dtype(), t.shape()});
    values.push_back(t.defined() ? &t : nullptr);
  }
  PERCALE_ASSIGN_OR_RETURN(auto outputs, infer_node(schema, name, types, values, num_outputs, attributes, nullptr));
  const Attributes full = with_defaults(schema, attributes);
  NodeView view{schema, name, full, std::move(types), outputs, std::move(values)};
  view.isa = registry.isa().c_str();
  view.numerics = registry.numerics();
  auto planned = kernel_name.empty() ? choose_kernel(registry, device_kind, view, nullptr)
                                     : plan_named(registry, device_kind, view, kernel_name);
  if (!planned.ok() && schema.body != nullptr && (kernel_name.empty() || kernel_name == kBodyKernel)) {
    PERCALE_ASSIGN_OR_RETURN(const Function body,
                             body_of(registry, schema, name, view.inputs, view.values, attributes, num_outputs));
    return evaluate_function(registry, device_kind, body, inputs, pool);
  }
  if (!planned.ok()) return planned.status();

  std::vector<Tensor> results;
  std::vector<void*> operands;
  for (const Tensor& t : inputs) operands.push_back(t.data());
  for (const ValueType& type : outputs) {
    if (!type.shape.is_static()) {
      return internal_error(schema.name, " '", name, "': the output shape ", type.shape,
                            " is not known although all input shapes are");
    }
    PERCALE_ASSIGN_OR_RETURN(Tensor t, Tensor::allocate(pool, type.dtype, type.shape));
    operands.push_back(t.data());
    results.push_back(std::move(t));
  }
  PERCALE_ASSIGN_OR_RETURN(const auto scratch, Buffer::allocate(pool, (*planned)->scratch_bytes()));
  RunContext run;
  run.parallel = parallel;
  (*planned)->run(percale_launch{operands.data(), scratch->data(), nullptr, &run});
  PERCALE_RETURN_IF_ERROR(run_error_status(schema, name, run));
  return results;
}

Result<std::vector<Tensor>> evaluate_function(const Registry& registry, std::string_view device_kind,
                                              const Function& function, const std::vector<Tensor>& inputs,
                                              const std::shared_ptr<MemoryPool>& pool) {
  return Evaluation{registry, device_kind, pool, nullptr, nullptr}.run(function, inputs);
}

Result<std::vector<Tensor>> evaluate_function(const Graph& graph, std::string_view device_kind,
                                              const Function& function, const std::vector<Tensor>& inputs,
                                              const std::shared_ptr<MemoryPool>& pool,
                                              const std::map<std::string, Tensor>& variables) {
  return Evaluation{*graph.registry, device_kind, pool, &graph, &variables}.run(function, inputs);
}

}  // namespace percale
