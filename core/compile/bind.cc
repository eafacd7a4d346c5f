#include "core/compile/bind.h"

#include <algorithm>

#include "core/base/similar_name.h"
#include "core/compile/kernel_probe.h"
#include "core/graph/device_hint.h"
#include "core/passes/edit/propagate.h"
#include "core/passes/edit/prune.h"
#include "core/passes/passes.h"
#include "core/passes/simplify/simplify.h"
#include "core/plan/evaluate.h"

namespace percale {
namespace {

Result<ValueId> find_value(const Function& f, std::string_view name, std::string_view role) {
  const ValueId id = f.find_value(name);
  if (id != kNoValue) return id;
  std::vector<std::string> names;
  for (const Value& v : f.values) names.push_back(v.name);
  std::string hint;
  if (const std::string near = similar_name(name, names); !near.empty()) {
    hint = str_cat(", did you mean '", near, "'?");
  } else {
    const bool feeds = role == "feed";
    for (ValueId v : feeds ? f.inputs : f.outputs) {
      hint +=
          str_cat(hint.empty() ? (feeds ? "; its inputs are '" : "; its outputs are '") : ", '", f.value(v).name, "'");
    }
  }
  return not_found(role, " '", name, "' is no value of function '", f.name, "'", hint);
}

// Replaces the uses of an input by a constant. The input stays, so that feeds keep their numbers.
void bind_contents(Function& f, size_t input, const Tensor& contents) {
  const ValueId from = f.inputs[input];
  const auto to = static_cast<ValueId>(f.values.size());
  f.values.push_back({str_cat(f.value(from).name, "/value"), f.type(from), ValueKind::kConstant,
                      static_cast<int32_t>(f.constants.size()), 0});
  f.constants.push_back(contents);
  for (Node& node : f.nodes) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  std::replace(f.outputs.begin(), f.outputs.end(), from, to);
}

// The values and inner shapes of the feeds.
struct BoundFeeds {
  std::vector<ValueId> values;
  std::vector<Shape> shapes;
};

Result<BoundFeeds> find_feeds(const Compilation& c, const Function& f) {
  const RunSpec& spec = c.request.spec;
  BoundFeeds out;
  for (size_t i = 0; i < spec.feeds.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, find_value(f, spec.feeds[i], "feed"));
    const ValueType& want = f.type(id);
    const ValueType& got = c.request.feed_types[i];
    // A tensor of one element and any shape may be fed for a scalar. Exporters and runtimes do so.
    const bool scalar =
        want.shape.known_rank() && want.shape.rank() == 0 && got.shape.is_static() && got.shape.num_elements() == 1;
    if (want.dtype != got.dtype || !(scalar || compatible(want.shape, got.shape))) {
      return invalid_argument("feed '", spec.feeds[i], "' is ", got.dtype, " ", got.shape, ", wanted ", want.dtype, " ",
                              want.shape);
    }
    out.values.push_back(id);
    out.shapes.push_back(scalar ? want.shape : got.shape);
  }
  return out;
}

// A node that another one is to stand with may be pruned or folded away later, but it must exist.
Status check_colocation(const Compilation& c, const Function& f) {
  for (const Node& node : f.nodes) {
    const auto with = parse_colocation_hint(node.device);
    if (!with || c.graph->find_variable(*with) != nullptr || find_node(f, *with).ok()) continue;
    return not_found(op_name(*node.op), " '", node.name, "': asks to stand with '", *with,
                     "', which is no node of function '", f.name, "' and no variable");
  }
  return {};
}

// True for a device with memory of its own that reports its speed and takes nodes one by one.
bool is_accelerator(const Device& device) {
  return device.description().gflops > 0 && !device.shares_host_memory() && !device.takes_partitions();
}

// The devices that decide which fused patterns are formed: the accelerators that the run may use,
// or else the others. A pattern that would keep a node off the accelerators is no gain.
std::vector<const Device*> deciding_devices(const Compilation& c) {
  const auto& all = c.engine.devices();
  const auto& group = c.request.spec.group;
  const auto may_use = [&](size_t i) {
    return group.empty() || std::find(group.begin(), group.end(), static_cast<int32_t>(i)) != group.end();
  };
  bool accelerated = false;
  for (size_t i = 0; i < all.size(); ++i) accelerated = accelerated || (may_use(i) && is_accelerator(*all[i]));
  std::vector<const Device*> devices;
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_accelerator(*all[i]) == accelerated && (!accelerated || may_use(i))) devices.push_back(all[i].get());
  }
  return devices;
}

}  // namespace

Result<NodeId> find_node(const Function& f, std::string_view name) {
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    if (f.nodes[i].name == name) return static_cast<NodeId>(i);
  }
  return not_found("target '", name, "' is no node of function '", f.name, "'");
}

Status bind_function(Compilation& c, Function& f) {
  const RunSpec& spec = c.request.spec;
  if (spec.feeds.size() != c.request.feed_types.size()) {
    return invalid_argument(static_cast<uint64_t>(spec.feeds.size()), " feeds are named, ",
                            static_cast<uint64_t>(c.request.feed_types.size()), " given");
  }
  PERCALE_ASSIGN_OR_RETURN(const BoundFeeds feeds, find_feeds(c, f));
  const auto keeps_shape = [](const ValueType& type, const Shape& shape) { return type.shape == shape; };
  if (!std::equal(c.request.feed_types.begin(), c.request.feed_types.end(), feeds.shapes.begin(), keeps_shape)) {
    c.plan->inner_shapes = feeds.shapes;
  }
  std::vector<ValueId> fetches;
  std::vector<NodeId> targets;
  for (const std::string& name : spec.fetches) {
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, find_value(f, name, "fetch"));
    fetches.push_back(id);
  }
  for (const std::string& name : spec.targets) {
    PERCALE_ASSIGN_OR_RETURN(const NodeId id, find_node(f, name));
    targets.push_back(id);
  }
  PERCALE_RETURN_IF_ERROR(check_colocation(c, f));
  PERCALE_RETURN_IF_ERROR(prune(*c.graph, f, feeds.values, fetches, targets));
  PERCALE_RETURN_IF_ERROR(bind_inputs(f, feeds.shapes));
  for (size_t i = 0; i < c.request.contents.size(); ++i) {
    if (c.request.contents[i].defined()) bind_contents(f, i, c.request.contents[i]);
  }
  return {};
}

Status run_passes(Compilation& c, Function& f) {
  PassContext context;
  context.disabled.insert(c.options.disabled_passes.begin(), c.options.disabled_passes.end());
  context.dump = [&c](std::string_view pass, const Function& g) {
    c.plan->report.pass_sizes.emplace_back(pass, g.nodes.size());
  };
  if (!c.engine.devices().empty()) {
    context.evaluate = [&c](const OpSchema& schema, std::string_view name, const Attributes& attributes,
                            const std::vector<Tensor>& inputs, size_t num_outputs) {
      return evaluate_node(*c.engine.registry(), "cpu", schema, name, attributes, inputs, num_outputs,
                           c.engine.memory());
    };
  }
  context.narrows = c.options.bf16;
  context.claims = [&c, devices = deciding_devices(c)](const Function& g, const Node& node) {
    const KernelListProbe probe(*c.graph, g);
    if (const Device* own = c.engine.find_device(node.device)) return probe.can_run(node, own->kind()).ok();
    return std::any_of(devices.begin(), devices.end(),
                       [&](const Device* device) { return probe.can_run(node, device->kind()).ok(); });
  };
  PERCALE_RETURN_IF_ERROR(expand_state(*c.graph, f, context));
  return run_device_free_passes(*c.graph, f, context);
}

}  // namespace percale
