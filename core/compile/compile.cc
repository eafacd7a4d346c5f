#include "core/compile/compile.h"

#include <algorithm>

#include "core/compile/bind.h"
#include "core/compile/body_call.h"
#include "core/compile/compilation.h"
#include "core/compile/kernel_probe.h"
#include "core/compile/lower.h"
#include "core/compile/plan_bytes.h"
#include "core/compile/segment.h"

namespace percale {
namespace {

// True if the next segment can be compiled with contents that this one lacks.
bool makes_progress(const Segments& segments) {
  if (!segments.head.nodes.empty() || !segments.control.empty() || segments.rest.nodes.empty()) return true;
  return std::find(segments.rest_by_value.begin(), segments.rest_by_value.end(), true) != segments.rest_by_value.end();
}

Status cannot_plan(const Function& rest) {
  const Node& node = rest.nodes.front();
  return unimplemented(op_name(*node.op), " '", node.name,
                       "': the shape of its output depends on the contents of its inputs, which cannot be planned");
}

void keep_rest(Compilation& c, Segments& segments) {
  Plan::Rest& out = c.plan->rest;
  out.inputs = std::move(segments.rest_inputs);
  out.by_value = std::move(segments.rest_by_value);
  if (segments.rest.nodes.empty()) return;
  auto graph = std::make_shared<Graph>(*c.graph);
  segments.rest.name = kMainFunction;
  std::erase_if(graph->functions, [](const Function& f) { return f.name == kMainFunction; });
  graph->functions.insert(graph->functions.begin(), std::move(segments.rest));
  out.spec = inner_spec(*graph, graph->main(), c.request.spec);
  out.graph = std::move(graph);
}

// Devices with equal texts give the same bits: they run the same kernels. Models of one kind may
// differ; the engine's own CPU counts as one model.
std::string numerics_of(const Device& device) {
  if (device.api().borrow_kernels != nullptr) return device.api().borrow_kernels;
  const char* model = device.description().model;
  return device.shares_host_memory() || model == nullptr ? device.kind() : str_cat(device.kind(), "/", model);
}

void log_placement(const Engine& engine, const Function& f, const Placement& placement) {
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const Device& device = *engine.devices()[static_cast<size_t>(placement.device_of[i])];
    engine.log().log(LogLevel::kInfo, "placement: ", op_name(*f.nodes[i].op), " '", f.nodes[i].name, "' on ",
                     device.name(), ": ", placement.reasons[i]);
  }
  engine.log().log(LogLevel::kInfo, "placement: ", placement.summary);
}

Result<Placement> place_nodes(const Compilation& c, const Function& head) {
  std::vector<PlacementDevice> devices;
  for (const auto& d : c.engine.devices()) {
    devices.push_back({d->name(), d->kind(), d->shares_host_memory(), d->takes_partitions(), d->places_nodes(),
                       d->description().gflops, d->description().gbytes_per_second, d->width(), numerics_of(*d),
                       d->is_home()});
  }
  const PlaceOptions how{c.options.soft_placement, c.request.spec.group, c.request.spec.feed_homes,
                         c.engine.threads().threads(), c.request.measured};
  PERCALE_ASSIGN_OR_RETURN(Placement placement, place(head, devices, KernelListProbe(*c.graph, head), how));
  if (c.options.log_placement) log_placement(c.engine, head, placement);
  return placement;
}

void note_placement(PlanReport& report, const Function& head, Placement& placement) {
  for (size_t i = 0; i < head.nodes.size(); ++i) {
    report.placement.push_back({head.nodes[i].name, placement.device_of[i], std::move(placement.reasons[i]),
                                std::move(placement.forecasts[i])});
  }
  report.expected_seconds = placement.seconds;
  report.placement_summary = std::move(placement.summary);
}

// Results that are a feed or a constant belong to no part.
void note_passed_through(Plan& plan, const Function& head, const Cut& cut) {
  for (const auto& [result, value] : cut.passed_through) {
    const int32_t feed = head.value(value).kind == ValueKind::kInput ? head.value(value).def : -1;
    const Tensor* constant = head.constant(value);
    plan.passed_through.push_back({result, feed, constant != nullptr ? *constant : Tensor()});
    if (feed >= 0) plan.shown.push_back({result, feed, -1});
  }
}

Status lower_head(Compilation& c, const Function& head) {
  for (ValueId id : head.outputs) c.plan->results.push_back(head.type(id));
  c.plan->stays.assign(c.plan->results.size(), false);
  c.plan->feed_stays.assign(head.inputs.size(), false);
  if (head.nodes.empty() && head.outputs.empty()) return {};
  PERCALE_ASSIGN_OR_RETURN(Placement placement, place_nodes(c, head));
  std::vector<bool> whole;
  for (const auto& device : c.engine.devices()) whole.push_back(device->takes_partitions());
  Cut cut = partition(head, placement.device_of, whole);
  note_passed_through(*c.plan, head, cut);
  note_placement(c.plan->report, head, placement);
  PERCALE_RETURN_IF_ERROR(lower_parts(c, std::move(cut), head.inputs.size()));
  hand_to_rest(c);
  return {};
}

void note_fetched(Plan& plan) {
  for (ShownResult& shown : plan.shown) {
    shown.fetched = std::any_of(plan.fetches.begin(), plan.fetches.end(), [&](const ValueSource& s) {
      return s.kind == ValueSource::Kind::kResult && s.index == shown.result;
    });
  }
}

void set_rules(Compilation& c, const Function& f) {
  c.rules = precompute_rules(f);
  c.slice_rules = c.rules;
  c.slice_rules.slices_alone = true;
  c.rules.all_variables = c.rules.all_variables || !c.request.spec.binding.precomputes_variables();
}

Status compile_segments(Compilation& c, const Function& f) {
  Segments segments = split_segments(f);
  if (!makes_progress(segments)) return cannot_plan(segments.rest);
  c.plan->fetches = std::move(segments.fetches);
  c.plan->control = std::move(segments.control);
  keep_rest(c, segments);
  return lower_head(c, segments.head);
}

}  // namespace

Result<std::shared_ptr<const Plan>> compile(const Engine& engine, const CompileOptions& options,
                                            const CompileRequest& request) {
  Compilation c{engine, options, request, std::make_shared<Graph>(request.graph)};
  Plan& plan = *c.plan;
  plan.id = request.id;
  plan.spec = request.spec;
  plan.feed_types.assign(request.feed_types.begin(), request.feed_types.end());
  plan.graph = c.graph;
  const Function* found = c.graph->find_function(request.spec.function);
  if (found == nullptr) return not_found("no function '", request.spec.function, "' in the graph");
  Function f = *found;
  PERCALE_RETURN_IF_ERROR(read_inputs(*c.graph, f, request.spec.reads));
  PERCALE_RETURN_IF_ERROR(bind_function(c, f));
  PERCALE_RETURN_IF_ERROR(run_passes(c, f));
  for (ValueId id : f.outputs) {
    const ValueType& type = f.type(id);
    plan.fetch_types.push_back(type.shape.is_static() ? type : ValueType{});
  }
  set_rules(c, f);
  PERCALE_RETURN_IF_ERROR(compile_segments(c, f));
  note_fetched(plan);
  plan_bodies(plan);
  plan.peak_bytes = run_bytes(plan);
  return std::shared_ptr<const Plan>(std::move(c.plan));
}

}  // namespace percale
