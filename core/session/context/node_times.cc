#include "core/session/context/node_times.h"

#include <new>
#include <vector>

#include "core/compile/plan.h"
#include "core/engine/trace.h"

namespace percale {
namespace {

// The trace names the nodes of a partition only if they are few enough to read.
constexpr size_t kNamedNodes = 64;

void record(const PlacedProgram& placed, const Instruction& instruction, int64_t begin_ns, int64_t end_ns, Trace* trace,
            NodeTimes* times) {
  const Program& program = *placed.program;
  const std::string& device = placed.device->name();
  const double seconds = static_cast<double>(end_ns - begin_ns) * 1e-9;
  if (placed.executable != nullptr) {
    std::vector<std::string> names;
    for (const ProgramNode& node : program.nodes) names.push_back(node.name);
    if (times != nullptr) times->add(device, names, seconds);
    if (trace == nullptr) return;
    const std::string title = str_cat("Partition of ", static_cast<uint64_t>(names.size()), " nodes");
    if (names.size() > kNamedNodes) names.clear();
    return trace->add(title, device, begin_ns, end_ns, "", names);
  }
  const ProgramNode& node = program.nodes[static_cast<size_t>(instruction.node)];
  if (times != nullptr) {
    times->add(device, node.members.empty() ? std::span(&node.name, 1) : std::span(node.members), seconds);
  }
  if (trace != nullptr) {
    trace->add(str_cat(node.op->name, " ", node.name), device, begin_ns, end_ns, node.kernel, node.members);
  }
}

}  // namespace

void NodeTimes::add(std::string_view device, std::span<const std::string> nodes, double seconds) {
  const std::lock_guard lock(mutex_);
  times_.add(device, nodes, seconds);
}

MeasuredTimes NodeTimes::copy() const {
  const std::lock_guard lock(mutex_);
  return times_;
}

void record_instruction(const PlacedProgram& placed, int32_t instruction, int64_t begin_ns, int64_t end_ns,
                        Trace* trace, NodeTimes* times) noexcept {
  try {
    record(placed, placed.program->instructions[static_cast<size_t>(instruction)], begin_ns, end_ns, trace, times);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace percale
