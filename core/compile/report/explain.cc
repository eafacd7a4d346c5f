#include "core/compile/report/explain.h"

#include <algorithm>
#include <map>

#include "core/compile/plan_bytes.h"
#include "core/compile/report/plan_cost.h"
#include "core/passes/device/fuse_elementwise.h"
#include "core/text/json.h"

namespace percale {
namespace {

void write_types(JsonWriter& json, std::string_view key, const std::vector<ValueType>& types) {
  json.key(key).begin_array();
  for (const ValueType& t : types) {
    if (t.dtype == DType::kInvalid) {
      json.null();
    } else {
      json.value(str_cat(t.dtype, " ", t.shape));
    }
  }
  json.end_array();
}

void write_refusals(JsonWriter& json, const ProgramNode& node) {
  json.key("refused").begin_array();
  for (const Refusal& r : node.refusals) {
    json.begin_object().key("kernel").value(r.kernel).key("reason").value(r.reason).end_object();
  }
  json.end_array();
}

// The forecast of placement for each candidate. Empty if the node had no choice.
void write_forecasts(JsonWriter& json, const PlacedNode& node, const Engine& engine) {
  json.key("candidates").begin_array();
  for (const Forecast& f : node.forecasts) {
    json.begin_object().key("device").value(engine.devices()[static_cast<size_t>(f.device)]->name());
    json.key("seconds").value(f.seconds).key("end_seconds").value(f.end).end_object();
  }
  json.end_array();
}

std::string plan_json(const Plan& plan, const Engine& engine) {
  std::map<std::string_view, const PlacedNode*> placed;
  for (const PlacedNode& p : plan.report.placement) placed[p.node] = &p;
  JsonWriter json;
  json.begin_object().key("nodes").begin_array();
  for (const PlacedProgram& p : plan.programs) {
    for (const ProgramNode& node : p.program->nodes) {
      json.begin_object().key("node").value(node.name).key("op").value(op_name(*node.op));
      json.key("device").value(p.device->name()).key("kernel").value(node.kernel);
      const auto found = placed.find(node.name);
      json.key("reason").value(found == placed.end() ? std::string_view() : std::string_view(found->second->reason));
      if (found != placed.end()) write_forecasts(json, *found->second, engine);
      write_types(json, "inputs", node.inputs);
      write_types(json, "outputs", node.outputs);
      json.end_object();
    }
  }
  json.end_array().key("transfers").begin_array();
  int64_t moved = 0;
  for (const Transfer& t : plan.transfers) {
    moved += t.bytes;
    json.begin_object().key("value").value(t.value);
    json.key("from").value(plan.programs[static_cast<size_t>(t.from_part)].device->name());
    json.key("to").value(plan.programs[static_cast<size_t>(t.to_part)].device->name());
    json.key("bytes").value(t.bytes).end_object();
  }
  json.end_array().key("bytes_moved").value(moved).key("devices").begin_array();
  const std::vector<DeviceBytes> bytes = device_bytes(plan);
  for (size_t i = 0; i < plan.programs.size(); ++i) {
    const PlacedProgram& p = plan.programs[i];
    json.begin_object().key("device").value(p.device->name());
    json.key("nodes").value(static_cast<int64_t>(p.program->nodes.size()));
    json.key("predicted_peak_bytes").value(bytes[i].per_run);
    json.key("arena_bytes").value(p.program->arena_bytes).key("variable_bytes").value(bytes[i].shared).end_object();
  }
  json.end_array().key("placement").begin_object().key("expected_seconds").value(plan.report.expected_seconds);
  json.key("summary").value(plan.report.placement_summary).end_object();
  const PlanCost cost = plan_cost(plan);
  json.key("cost").begin_object().key("flops").value(cost.flops);
  json.key("bytes_touched").value(cost.bytes_touched).key("critical_path_nodes").value(cost.critical_path_nodes);
  json.key("critical_path_flops")
      .value(cost.critical_path_flops)
      .key("mean_width")
      .value(cost.mean_width())
      .end_object();
  json.key("control_nodes").value(static_cast<int64_t>(plan.control.size()));
  json.key("nodes_planned_later")
      .value(plan.rest.graph ? static_cast<int64_t>(plan.rest.graph->main().nodes.size()) : 0);
  json.end_object();
  return json.text();
}

// Formats of inputs and outputs by the name that their author gave them.
void write_formats(JsonWriter& json, const ProgramNode& node) {
  json.key("formats").begin_array();
  for (const std::string& key : node.formats) {
    if (key.empty()) {
      json.null();
    } else {
      json.value(std::string_view(key).substr(0, key.find(';')));
    }
  }
  json.end_array();
}

// `runs`: "once" for precompute steps, else "always".
void write_kernels(JsonWriter& json, const Plan& plan, std::string_view runs) {
  for (const PlacedProgram& p : plan.programs) {
    for (const ProgramNode& node : p.program->nodes) {
      json.begin_object().key("node").value(node.name).key("op").value(op_name(*node.op));
      json.key("device").value(p.device->name()).key("kernel").value(node.kernel).key("runs").value(runs);
      write_formats(json, node);
      write_refusals(json, node);
      json.end_object();
    }
  }
}

std::string kernels_json(const Plan& plan) {
  JsonWriter json;
  json.begin_array();
  for (const Plan::PrecomputeStep& value : plan.precompute.steps) write_kernels(json, *value.plan, "once");
  write_kernels(json, plan, "always");
  json.end_array();
  return json.text();
}

std::string passes_json(const Plan& plan) {
  JsonWriter json;
  json.begin_array();
  for (const auto& [pass, nodes] : plan.report.pass_sizes) {
    json.begin_object().key("pass").value(pass).key("nodes").value(static_cast<int64_t>(nodes));
    if (pass == kInlineFused) {
      json.key("refused").begin_array();
      for (const RefusedGroup& r : plan.report.refused_groups) {
        json.begin_object().key("node").value(r.node).key("reason").value(r.reason).end_object();
      }
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
  return json.text();
}

}  // namespace

Result<std::string> explain_plan(const Plan& plan, const Engine& engine, std::string_view what) {
  if (what == "plan") return plan_json(plan, engine);
  if (what == "kernels") return kernels_json(plan);
  if (what == "passes") return passes_json(plan);
  return invalid_argument("'", what, "' cannot be explained; wanted plan, kernels or passes");
}

}  // namespace percale
