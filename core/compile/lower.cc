#include "core/compile/lower.h"

#include <algorithm>

#include "core/compile/executable.h"
#include "core/compile/fuse.h"
#include "core/compile/plan_bytes.h"
#include "core/passes/edit/prune.h"
#include "core/plan/layout.h"
#include "core/plan/node_view.h"

namespace percale {
namespace {

// Makes precomputed values inputs of the part, and removes their computation.
Status take_as_inputs(const Compilation& c, Function& f, const std::vector<ValueId>& precomputed,
                      const NodeNames& keep) {
  std::vector<ValueId> inputs = f.inputs;
  inputs.insert(inputs.end(), precomputed.begin(), precomputed.end());
  std::vector<NodeId> effects;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const Node& node = f.nodes[i];
    const bool stays = node.op->has(kStateful) && !node.op->is(Role::kReadVariable);
    if (stays || keep.contains(node.name)) effects.push_back(static_cast<NodeId>(i));
  }
  return prune(*c.graph, f, inputs, std::vector<ValueId>(f.outputs), effects);
}

// Gives the computation of a value a plan of its own.
Status add_precompute_step(Compilation& c, const Device& device, const Part& part, ValueId value,
                           PlannedNodes& planned) {
  PlacedProgram placed;
  placed.device = &device;
  placed.part.device = part.device;
  Function& f = placed.part.function;
  f = part.function;
  PERCALE_RETURN_IF_ERROR(prune(*c.graph, f, {}, {value}, {}));
  auto plan = std::make_shared<Plan>();
  plan->graph = c.graph;
  plan->spec.fetches.push_back(f.value(f.outputs[0]).name);
  plan->fetches.push_back({ValueSource::Kind::kResult, 0, 0});
  plan->results.push_back(memory_type(f, f.outputs[0]));
  plan->stays.assign(1, false);
  plan->fetch_types = plan->results;
  const bool of_variables =
      std::any_of(f.nodes.begin(), f.nodes.end(), [](const Node& node) { return node.op->is(Role::kReadVariable); });
  std::string form = precomputed_form(*c.graph, f);
  PERCALE_ASSIGN_OR_RETURN(placed.program, lower(*c.graph, f, device.kind(), ProgramOptions{}, planned));
  placed.part.outputs.push_back({{0}, {}});
  placed.input_keys.assign(placed.part.inputs.size(), {});
  placed.output_keys.assign(placed.part.outputs.size(), {});
  placed.output_over.assign(placed.part.outputs.size(), -1);
  plan->programs.push_back(std::move(placed));
  plan->peak_bytes = run_bytes(*plan);
  c.plan->precompute.steps.push_back({std::move(form), of_variables, std::move(plan)});
  return {};
}

// Notes results that are a feed or a variable without a change.
void note_shown(Compilation& c, const PlacedProgram& placed, size_t num_feeds) {
  if (!placed.device->shares_host_memory()) return;
  for (const ProgramCopy& copy : placed.program->copies) {
    if (copy.to.home != Home::kOutput) continue;
    const std::vector<int32_t>& results = placed.part.outputs[static_cast<size_t>(copy.to.index)].results;
    if (results.empty()) continue;
    if (copy.from.home == Home::kVariable) {
      c.plan->shown.push_back({results[0], -1, static_cast<int32_t>(copy.from.index)});
    } else if (copy.from.home == Home::kInput) {
      const PartInput& input = placed.part.inputs[static_cast<size_t>(copy.from.index)];
      const bool given = input.kind == PartInput::Kind::kFeed && static_cast<size_t>(input.index) < num_feeds;
      if (given) c.plan->shown.push_back({results[0], input.index, -1});
    }
  }
}

Status lower_part(Compilation& c, Part part, const NodeNames& keep, size_t num_feeds) {
  const Device& device = c.device_of(part);
  Function& f = part.function;
  PlacedProgram placed;
  placed.device = &device;
  if (device.takes_partitions()) {
    PERCALE_ASSIGN_OR_RETURN(placed.executable, Executable::compile(device, *c.graph, f));
    placed.program = whole_program(f, device.kind());
    placed.part = std::move(part);
    c.plan->programs.push_back(std::move(placed));
    return {};
  }
  c.plan->captures_work = !c.is_disabled(kCaptureWork);
  PERCALE_ASSIGN_OR_RETURN(
      PlannedNodes planned,
      plan_nodes(*c.graph, f, device.kind(), precomputable_values(f, c.rules), !c.is_disabled(kLayouts)));
  c.plan->report.pass_sizes.emplace_back(kLayouts, f.nodes.size());
  // Kernels are chosen as if slices were not precomputed, so that the bits are the same either way.
  const bool slices = c.request.spec.binding.precomputes_slices();
  const std::vector<ValueId> precomputed = values_to_precompute(f, slices ? c.slice_rules : c.rules, keep);
  for (ValueId id : precomputed) {
    PERCALE_RETURN_IF_ERROR(add_precompute_step(c, device, part, id, planned));
    part.inputs.push_back(
        {PartInput::Kind::kFeed, static_cast<int32_t>(num_feeds + c.plan->precompute.steps.size() - 1)});
  }
  if (!precomputed.empty()) PERCALE_RETURN_IF_ERROR(take_as_inputs(c, f, precomputed, keep));
  const ProgramOptions options{c.request.spec.binding.is_exclusive()};
  PERCALE_ASSIGN_OR_RETURN(placed.program, lower(*c.graph, f, device.kind(), options, planned));
  placed.part = std::move(part);
  note_shown(c, placed, num_feeds);
  c.plan->programs.push_back(std::move(placed));
  return {};
}

// The key of a value that another program hands on without computing it.
StoreKey transfer_key(const Compilation& c, const PartInput& input) {
  const Transfer& t = c.plan->transfers[static_cast<size_t>(input.index)];
  const PlacedProgram& from = c.plan->programs[static_cast<size_t>(t.from_part)];
  const Operand& place = from.program->output_from[static_cast<size_t>(t.from_output)];
  if (place.home == Home::kVariable) return StoreKey::variable(place.index);
  if (place.home != Home::kInput || c.request.store == nullptr) return {};
  const PartInput& source = from.part.inputs[static_cast<size_t>(place.index)];
  const int64_t precomputed = source.index - static_cast<int64_t>(c.plan->feed_types.size());
  if (source.kind != PartInput::Kind::kFeed || precomputed < 0) return {};
  return c.request.store->precomputed(c.plan->precompute.steps[static_cast<size_t>(precomputed)].form);
}

// A result that stays on its device.
struct KeptFetch {
  StoreKey key;
  bool in_place = false;
};

KeptFetch kept_fetch(const Compilation& c, int32_t result) {
  const ResidentSlots& slots = c.request.spec.binding.slots();
  for (size_t i = 0; i < slots.fetches.size(); ++i) {
    const ValueSource& fetch = c.plan->fetches[i];
    if (fetch.kind != ValueSource::Kind::kResult || fetch.index != result) continue;
    return {slots.fetches[i], i < slots.in_place.size() && slots.in_place[i]};
  }
  return {};
}

// Returns the input that has the present value of a variable, where the output may take its memory.
// Devices that compile partitions get operands apart, except for those of other processes, whose
// server knows which of them may be one.
int32_t present_value(const PlacedProgram& placed, size_t output) {
  if (placed.executable != nullptr && placed.device->kind() != kRemoteKind) return -1;
  const int32_t input = input_to_overwrite(placed.part.function, output);
  if (input < 0 || placed.input_keys[static_cast<size_t>(input)] != placed.output_keys[output]) return -1;
  return input;
}

// The key of a feed that its device has already.
StoreKey feed_key(const Compilation& c, size_t feed) {
  const bool stays = feed < c.plan->feed_stays.size() && c.plan->feed_stays[feed];
  return stays ? StoreKey::handed(static_cast<int64_t>(feed)) : c.request.spec.binding.feed_key(feed);
}

// Decides which values a device with memory of its own keeps between runs.
void note_store_keys(Compilation& c, PlacedProgram& placed) {
  placed.input_keys.assign(placed.part.inputs.size(), {});
  placed.output_keys.assign(placed.part.outputs.size(), {});
  placed.output_over.assign(placed.part.outputs.size(), -1);
  if (placed.device->shares_host_memory()) return;
  for (size_t i = 0; i < placed.part.inputs.size(); ++i) {
    const PartInput& input = placed.part.inputs[i];
    placed.input_keys[i] =
        input.kind == PartInput::Kind::kFeed ? feed_key(c, static_cast<size_t>(input.index)) : transfer_key(c, input);
  }
  for (size_t k = 0; k < placed.part.outputs.size(); ++k) {
    const Operand& place = placed.program->output_from[k];
    if (place.home != Home::kOutput || place.index != static_cast<int64_t>(k)) continue;
    for (const int32_t result : placed.part.outputs[k].results) {
      const KeptFetch kept = kept_fetch(c, result);
      if (!kept.key.defined()) continue;
      placed.output_keys[k] = kept.key;
      if (kept.in_place) placed.output_over[k] = present_value(placed, k);
      for (const int32_t other : placed.part.outputs[k].results) {
        c.plan->stays[static_cast<size_t>(other)] = kept.in_place || c.request.spec.binding.slots().keep_on_device;
      }
      break;
    }
  }
}

// True if the value is needed on the host: by a fetch, by a control node, or by shapes of the rest.
bool host_reads(const Plan& plan, ValueSource::Kind kind, int32_t index) {
  const auto is_it = [&](const ValueSource& source) { return source.kind == kind && source.index == index; };
  const auto reads = [&](const ControlNode& node) { return std::ranges::any_of(node.inputs, is_it); };
  if (std::ranges::any_of(plan.fetches, is_it) || std::ranges::any_of(plan.control, reads)) return true;
  for (size_t i = 0; i < plan.rest.inputs.size(); ++i) {
    if (plan.rest.by_value[i] && is_it(plan.rest.inputs[i])) return true;
  }
  return false;
}

// Finds the feeds that only programs on their homes and the rest read.
void note_staying_feeds(Compilation& c) {
  for (size_t feed = 0; feed < c.plan->feed_stays.size(); ++feed) {
    const auto number = static_cast<int32_t>(feed);
    const int32_t home = c.request.spec.feed_home(feed);
    const auto elsewhere = [&](const PlacedProgram& placed) {
      const auto is_feed = [&](const PartInput& input) {
        return input.kind == PartInput::Kind::kFeed && input.index == number;
      };
      return placed.part.device != home && std::ranges::any_of(placed.part.inputs, is_feed);
    };
    const auto passed = [&](const PassedThrough& p) { return p.feed == number; };
    c.plan->feed_stays[feed] = home >= 0 && !host_reads(*c.plan, ValueSource::Kind::kFeed, number) &&
                               std::ranges::none_of(c.plan->programs, elsewhere) &&
                               std::ranges::none_of(c.plan->passed_through, passed);
  }
}

// The output of the programs that is this result and nothing else, in the memory of a device that
// keeps nothing there yet. Null: there is none.
PlacedProgram* find_maker(Plan& plan, int32_t result, size_t* output) {
  for (PlacedProgram& placed : plan.programs) {
    if (placed.device->shares_host_memory()) continue;
    for (size_t k = 0; k < placed.part.outputs.size(); ++k) {
      if (placed.part.outputs[k].results != std::vector<int32_t>{result}) continue;
      const Operand& place = placed.program->output_from[k];
      const bool is_own = place.home == Home::kOutput && place.index == static_cast<int64_t>(k);
      *output = k;
      return is_own && !placed.output_keys[k].defined() ? &placed : nullptr;
    }
  }
  return nullptr;
}

// A resident feed must be read on the device that has it.
Status check_resident_feeds(const Compilation& c, const PlacedProgram& placed) {
  if (!placed.device->shares_host_memory()) return {};
  for (const PartInput& input : placed.part.inputs) {
    const auto feed = static_cast<size_t>(input.index);
    if (input.kind != PartInput::Kind::kFeed || !c.request.spec.binding.feed_key(feed).defined()) continue;
    return unimplemented("'", c.request.spec.feeds[feed], "' lies on a device, and ", placed.device->name(),
                         " would read it");
  }
  return {};
}

// A control edge between two parts. Passes renumber nodes, but do not rename them.
struct Order {
  size_t transfer;
  std::string after, before;
};

std::vector<Order> orders_of(const Cut& cut) {
  std::vector<Order> out;
  const auto name = [&](int32_t part, NodeId node) {
    return cut.parts[static_cast<size_t>(part)].function.node(node).name;
  };
  for (size_t i = 0; i < cut.transfers.size(); ++i) {
    const Transfer& t = cut.transfers[i];
    if (t.to_input < 0) out.push_back({i, name(t.from_part, t.after_node), name(t.to_part, t.before_node)});
  }
  return out;
}

}  // namespace

Status lower_parts(Compilation& c, Cut cut, size_t num_feeds) {
  const std::vector<Order> orders = orders_of(cut);
  std::vector<NodeNames> keep(cut.parts.size());
  for (const Order& order : orders) {
    keep[static_cast<size_t>(cut.transfers[order.transfer].from_part)].insert(order.after);
    keep[static_cast<size_t>(cut.transfers[order.transfer].to_part)].insert(order.before);
  }
  PERCALE_RETURN_IF_ERROR(narrow_floats(c, cut));
  PERCALE_RETURN_IF_ERROR(fuse_parts(c, cut, keep));
  for (size_t i = 0; i < cut.parts.size(); ++i) {
    PERCALE_RETURN_IF_ERROR(lower_part(c, std::move(cut.parts[i]), keep[i], num_feeds));
  }
  const auto function = [&](int32_t part) -> const Function& {
    return c.plan->programs[static_cast<size_t>(part)].part.function;
  };
  for (const Order& order : orders) {
    Transfer& t = cut.transfers[order.transfer];
    PERCALE_ASSIGN_OR_RETURN(t.after_node, find_node(function(t.from_part), order.after));
    PERCALE_ASSIGN_OR_RETURN(t.before_node, find_node(function(t.to_part), order.before));
  }
  c.plan->transfers = std::move(cut.transfers);
  note_staying_feeds(c);
  for (PlacedProgram& placed : c.plan->programs) {
    note_store_keys(c, placed);
    PERCALE_RETURN_IF_ERROR(check_resident_feeds(c, placed));
  }
  return {};
}

void hand_to_rest(Compilation& c) {
  Plan& plan = *c.plan;
  Plan::Rest& rest = plan.rest;
  if (rest.graph == nullptr) return;
  rest.spec.feed_homes.assign(rest.inputs.size(), -1);
  for (size_t i = 0; i < rest.inputs.size(); ++i) {
    const ValueSource& source = rest.inputs[i];
    const auto index = static_cast<size_t>(source.index);
    if (source.kind == ValueSource::Kind::kFeed && plan.feed_stays[index]) {
      rest.spec.feed_homes[i] = plan.spec.feed_home(index);
    }
    if (source.kind != ValueSource::Kind::kResult || host_reads(plan, source.kind, source.index)) continue;
    size_t output = 0;
    PlacedProgram* const maker = find_maker(plan, source.index, &output);
    if (maker == nullptr) continue;
    maker->output_keys[output] = StoreKey::handed(static_cast<int64_t>(i));
    plan.stays[index] = true;
    rest.spec.feed_homes[i] = maker->part.device;
  }
}

}  // namespace percale
