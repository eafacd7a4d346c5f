#include "core/run/node_times.h"

#include <map>
#include <new>
#include <vector>

#include "core/run/compiled.h"
#include "core/run/trace.h"
#include "core/text/json.h"

namespace percale {
namespace {

// Partitions are large; a trace names the nodes of those that a person could read.
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

Result<std::string> text_of(const Json& event, std::string_view key) {
  const Json* value = event.find(key);
  if (value == nullptr) return event.error(key, "is missing");
  return value->as_string(key);
}

// "cpu:0" of "cpu:0 (2)", a further row of the same track.
std::string track_of(std::string row) {
  const size_t space = row.find(" (");
  if (space != std::string::npos) row.resize(space);
  return row;
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

Result<MeasuredTimes> times_of_trace(std::string_view json) {
  PERCALE_ASSIGN_OR_RETURN(const Json root, Json::parse(json, {.values = size_t{1} << 26}));
  const Json* events = root.find("traceEvents");
  if (events == nullptr) return root.error("traceEvents", "is missing: this is no trace");
  PERCALE_RETURN_IF_ERROR(events->expect(Json::Kind::kArray, "traceEvents"));
  MeasuredTimes out;
  std::map<int64_t, std::string> rows;
  for (size_t i = 0; i < events->size(); ++i) {
    const Json& event = events->item(i);
    const Result<std::string> phase = text_of(event, "ph");
    PERCALE_RETURN_IF_ERROR(phase.status());
    const bool names_row = *phase == std::string_view("M");
    if (!names_row && *phase != std::string_view("X")) continue;
    PERCALE_ASSIGN_OR_RETURN(const std::string name, text_of(event, "name"));
    const Json *row = event.find("tid"), *args = event.find("args");
    if (row == nullptr) return event.error("tid", "is missing");
    PERCALE_ASSIGN_OR_RETURN(const int64_t number, row->as_int("tid"));
    if (names_row) {
      if (name != "thread_name" || args == nullptr) continue;
      PERCALE_ASSIGN_OR_RETURN(std::string title, text_of(*args, "name"));
      rows[number] = track_of(std::move(title));
      continue;
    }
    const Json* duration = event.find("dur");
    if (duration == nullptr) return event.error("dur", "is missing");
    PERCALE_ASSIGN_OR_RETURN(const double microseconds, duration->as_double("dur"));
    std::vector<std::string> nodes;
    const Json* members = args == nullptr ? nullptr : args->find("nodes");
    for (size_t m = 0; members != nullptr && m < members->size(); ++m) {
      PERCALE_ASSIGN_OR_RETURN(nodes.emplace_back(), members->item(m).as_string("nodes"));
    }
    // "MatMul fc1"; what is no node's name is found nowhere.
    const size_t space = name.find(' ');
    if (nodes.empty() && space != std::string::npos) nodes.push_back(name.substr(space + 1));
    if (microseconds >= 0) out.add(rows[number], nodes, microseconds * 1e-6);
  }
  return out;
}

}  // namespace percale
