#include "tests/ops/op_case.h"

#include <algorithm>

#include "core/graph/builder.h"
#include "core/plan/evaluate.h"
#include "core/session/session.h"
#include "tests/ops/op_values.h"

namespace percale {

Result<const OpSchema*> schema_of(const Registry& registry, const OpCase& row) {
  const size_t colon = row.op.find(':');
  if (colon == std::string::npos) return registry.require_op("", row.op);
  return registry.require_op(row.op.substr(0, colon), row.op.substr(colon + 1));
}

size_t output_count(const OpSchema& schema, const OpCase& row) {
  if (!row.expected.empty()) return row.expected.size();
  size_t required = 0;
  for (const OutputSpec& spec : schema.outputs) required += spec.presence == Presence::kRequired ? 1 : 0;
  return std::max<size_t>(1, required);
}

Result<std::vector<std::string>> cpu_kernels(const Registry& registry, const OpCase& row) {
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, schema_of(registry, row));
  std::vector<std::string> out;
  for (const Kernel& kernel : registry.kernels("cpu", *schema)) out.emplace_back(kernel.name);
  if (schema->body != nullptr) out.emplace_back(kBodyKernel);
  return out;
}

Status check_forward(const Registry& registry, const OpCase& row, const std::string& kernel) {
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, schema_of(registry, row));
  const auto got = evaluate_node(registry, "cpu", *schema, "test", row.attributes, row.inputs,
                                 output_count(*schema, row), std::make_shared<MemoryPool>(), {}, kernel);
  if (!row.error.empty()) {
    if (got.ok()) return internal_error("succeeded, wanted the error '", row.error, "'");
    if (got.status().message().find(row.error) != std::string_view::npos) return {};
    // The kernel does not support the row
    if (got.status().code() == Code::kUnimplemented) return got.status();
    return internal_error("failed with '", got.status().to_string(), "', wanted '", row.error, "'");
  }
  if (!got.ok()) return got.status();
  for (size_t i = 0; i < row.expected.size(); ++i) {
    if (!row.expected[i].defined()) continue;
    PERCALE_RETURN_IF_ERROR(
        compare((*got)[i], row.expected[i], row.tolerance, str_cat("output ", static_cast<uint64_t>(i))));
  }
  return {};
}

Status check_on_device(const std::shared_ptr<Engine>& engine, const std::string& device, const OpCase& row) {
  const Registry& registry = *engine->registry();
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, schema_of(registry, row));
  if (registry.kernels(engine->find_device(device)->kind(), *schema).empty()) {
    return unimplemented("no kernel for the op");
  }
  if (row.error.empty() && row.expected.empty()) return unimplemented("a row of gradients alone");
  // Operands that must be known before the run become constants of the graph; the others are fed.
  Builder builder(engine->registry());
  FunctionBuilder& f = builder.main();
  std::vector<ValueId> operands;
  std::vector<std::string> feeds;
  std::vector<Tensor> given;
  for (size_t i = 0; i < row.inputs.size(); ++i) {
    const Tensor& tensor = row.inputs[i];
    if (!tensor.defined()) {
      operands.push_back(kNoValue);
    } else if (schema->input(i).bounds == Bounds::kShape) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId c, f.add_constant(tensor));
      operands.push_back(c);
    } else {
      feeds.push_back(str_cat("x", static_cast<uint64_t>(i)));
      given.push_back(tensor);
      PERCALE_ASSIGN_OR_RETURN(const ValueId x, f.add_input(feeds.back(), tensor.dtype(), tensor.shape()));
      operands.push_back(x);
    }
  }
  f.set_device(device);
  const auto made = f.add_node(*schema, operands, row.attributes, output_count(*schema, row));
  const auto expected_error = [&](const Status& status) -> Status {
    if (row.error.empty() || status.message().find(row.error) != std::string_view::npos) {
      return row.error.empty() ? status : Status();
    }
    if (status.code() == Code::kUnimplemented) return status;
    return internal_error("failed with '", status.to_string(), "', wanted '", row.error, "'");
  };
  if (!made.ok()) return expected_error(made.status());
  std::vector<ValueId> wanted;
  std::vector<size_t> compared;
  const auto& outputs = f.function().node(*made).outputs;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k] == kNoValue) continue;
    if (row.error.empty() && (k >= row.expected.size() || !row.expected[k].defined())) continue;
    wanted.push_back(outputs[k]);
    compared.push_back(k);
  }
  RunSpec spec;
  for (const std::string& name : feeds) spec.feeds.push_back(name);
  for (size_t k = 0; k < wanted.size(); ++k) {
    spec.fetches.push_back(str_cat("y", static_cast<uint64_t>(k)));
    PERCALE_RETURN_IF_ERROR(f.rename(wanted[k], spec.fetches.back()));
  }
  PERCALE_RETURN_IF_ERROR(f.set_outputs(wanted));
  const auto graph = builder.finish();
  if (!graph.ok()) return expected_error(graph.status());
  PERCALE_ASSIGN_OR_RETURN(const auto session, Session::create(engine, *graph, nullptr));
  const auto got = session->run(spec, given);
  if (!got.ok()) return expected_error(got.status());
  if (!row.error.empty()) return internal_error("succeeded, wanted the error '", row.error, "'");
  for (size_t k = 0; k < wanted.size(); ++k) {
    PERCALE_RETURN_IF_ERROR(compare((*got)[k], row.expected[compared[k]], row.tolerance,
                                    str_cat("output ", static_cast<uint64_t>(compared[k]))));
  }
  return {};
}

}  // namespace percale
