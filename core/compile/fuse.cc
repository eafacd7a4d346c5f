#include "core/compile/fuse.h"

#include <algorithm>
#include <set>

#include "core/compile/kernel_probe.h"
#include "core/passes/device/fuse_elementwise.h"
#include "core/passes/device/narrow.h"

namespace percale {
namespace {

// Per value of a part: true for the contents of a variable, read there or in another part.
std::vector<bool> variables_in(const Cut& cut, const Part& part) {
  const auto reads = [](const Function& f, ValueId id) {
    return f.value(id).kind == ValueKind::kNode && f.node(f.value(id).def).op->is(Role::kReadVariable);
  };
  const Function& f = part.function;
  std::vector<bool> out;
  for (size_t i = 0; i < f.values.size(); ++i) out.push_back(reads(f, static_cast<ValueId>(i)));
  for (size_t i = 0; i < part.inputs.size(); ++i) {
    if (part.inputs[i].kind != PartInput::Kind::kTransfer) continue;
    const Transfer& from = cut.transfers[static_cast<size_t>(part.inputs[i].index)];
    const Function& there = cut.parts[static_cast<size_t>(from.from_part)].function;
    if (from.from_output < 0 || !reads(there, there.outputs[static_cast<size_t>(from.from_output)])) continue;
    out[static_cast<size_t>(f.inputs[i])] = true;
  }
  return out;
}

// True if the best kernel for the node in bf16 is not the portable one, which computes in f32
// anyway.
bool gains_by_bf16(const Compilation& c, const Function& f, const Node& node, std::string_view kind,
                   const std::vector<bool>& precomputed) {
  const Attributes attributes = with_defaults(*node.op, node.attributes);
  NodeView view = make_node_view(*c.graph, f, node, attributes, precomputed);
  const auto narrow = [](ValueType& type) {
    if (type.dtype == DType::kF32) type.dtype = DType::kBF16;
  };
  for (size_t i = 0; i < view.inputs.size(); ++i) {
    if (narrows_input(node, i)) narrow(view.inputs[i]);
  }
  for (size_t i = 0; i < view.outputs.size(); ++i) {
    if (narrows_output(node, i)) narrow(view.outputs[i]);
  }
  std::vector<Tensor> numbers(view.values.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Tensor*& value = view.values[i];
    const bool number = value != nullptr && value->dtype() == DType::kF32 && value->num_elements() == 1;
    if (number) numbers[i] = narrowed(*value);
    if (value != nullptr && value->dtype() == DType::kF32) value = number ? &numbers[i] : nullptr;
  }
  for (const Kernel& kernel : c.graph->registry->kernels(kind, *node.op)) {
    if (from_c(kernel.accepts(kernel.user, &view)).ok()) {
      return !std::string_view(kernel.name).starts_with("portable");
    }
  }
  return false;
}

// Fusion tries the largest groups first. If no kernel takes two convolutions together, each is
// grouped with its epilogue. If no kernel takes a product with its epilogue, the epilogue is
// grouped by itself.
enum class Round { kExpansions, kAnchors, kElementwise };

// Undoes the groups that no kernel of the device takes. Returns true if one of them had an anchor.
Result<bool> put_back_refused(Compilation& c, Part& part, Round round) {
  bool anchored = false;
  const std::string_view kind = c.device_of(part).kind();
  const KernelListProbe probe(*c.graph, part.function, precomputable_values(part.function, c.rules));
  std::set<std::string, std::less<>> refused;
  for (const Node& node : part.function.nodes) {
    if (!node.op->is(Role::kFused)) continue;
    const Status status = probe.can_run(node, kind);
    if (status.ok()) continue;
    if (status.code() == Code::kResourceExhausted) return status;
    refused.insert(node.name);
    anchored = anchored || node.attributes.find("anchor") != nullptr;
    if (round == Round::kExpansions) continue;  // hardly any of them is worth it
    auto& told = c.plan->report.refused_groups;
    const auto is_this = [&](const RefusedGroup& r) { return r.node == node.name; };
    if (std::none_of(told.begin(), told.end(), is_this)) told.push_back({node.name, std::string(status.message())});
  }
  if (refused.empty()) return false;
  PERCALE_RETURN_IF_ERROR(
      inline_fused(*c.graph, part.function, [&](const Node& node) { return !refused.contains(node.name); }));
  return anchored;
}

}  // namespace

Status narrow_floats(Compilation& c, Cut& cut) {
  if (!c.options.bf16) return {};
  for (Part& part : cut.parts) {
    if (c.device_of(part).takes_partitions()) continue;
    const std::string_view kind = c.device_of(part).kind();
    NarrowOptions narrowing;
    narrowing.precomputed = precomputable_values(part.function, c.rules);
    narrowing.variables = variables_in(cut, part);
    narrowing.gains = [&](const Node& node) {
      return gains_by_bf16(c, part.function, node, kind, narrowing.precomputed);
    };
    PERCALE_RETURN_IF_ERROR(narrow(*c.graph, part.function, narrowing));
  }
  c.note_sizes(kNarrow, cut);
  return {};
}

Status fuse_parts(Compilation& c, Cut& cut, const std::vector<NodeNames>& keep) {
  if (c.is_disabled(kFuseElementwise)) return {};
  std::vector<bool> wanted(cut.parts.size(), true);
  for (const Round round : {Round::kExpansions, Round::kAnchors, Round::kElementwise}) {
    for (size_t i = 0; i < cut.parts.size(); ++i) {
      if (!wanted[i] || c.device_of(cut.parts[i]).takes_partitions()) continue;
      FuseOptions options;
      options.expansions = round == Round::kExpansions;
      options.anchors = round != Round::kElementwise;
      options.accelerator = c.device_of(cut.parts[i]).kind() != "cpu";
      options.keep = keep[i];
      PERCALE_RETURN_IF_ERROR(fuse_elementwise(*c.graph, cut.parts[i].function, options));
    }
    if (round == Round::kAnchors) c.note_sizes(kFuseElementwise, cut);
    for (size_t i = 0; i < cut.parts.size(); ++i) {
      if (!wanted[i]) continue;
      PERCALE_ASSIGN_OR_RETURN(const bool anchored, put_back_refused(c, cut.parts[i], round));
      wanted[i] = round == Round::kExpansions || anchored;
    }
    if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) break;
  }
  c.note_sizes(kInlineFused, cut);
  return {};
}

}  // namespace percale
