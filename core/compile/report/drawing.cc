#include "core/compile/report/drawing.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/compile/report/plan_picture.h"
#include "core/draw/draw.h"
#include "core/draw/picture/picture_builder.h"
#include "core/engine/trace_reader.h"

namespace percale {
namespace {

// By node. Nodes that run as one have equal shares of their time.
struct Share {
  double microseconds = 0;
  size_t together = 1;
};
using Shares = std::map<std::string, Share, std::less<>>;
// The nodes that a node of a plan stands for.
using Members = std::map<std::string, std::vector<std::string>, std::less<>>;

Result<Shares> shares_of(std::string_view trace) {
  PERCALE_ASSIGN_OR_RETURN(const MeasuredTimes times, times_of_trace(trace));
  Shares out;
  for (const auto& [device, entries] : times.devices()) {
    for (const auto& [key, entry] : entries) {
      for (const std::string& node : entry.nodes) {
        Share& share = out[node];
        share.microseconds += entry.seconds * 1e6 / static_cast<double>(entry.nodes.size());
        share.together = std::max(share.together, entry.nodes.size());
      }
    }
  }
  return out;
}

void add_times(Picture& picture, const Shares& shares, const Members& members) {
  for (Box& box : picture.boxes) {
    const auto stands_for = members.find(box.name);
    const std::vector<std::string> own{box.name};
    for (const std::string& node : stands_for == members.end() ? own : stands_for->second) {
      const auto found = shares.find(node);
      if (box.kind != BoxKind::kNode || found == shares.end()) continue;
      box.microseconds = std::max(box.microseconds, 0.0) + found->second.microseconds;
      if (stands_for == members.end() && found->second.together > 1) {
        box.facts.emplace_back("runs as one",
                               str_cat("of ", uint64_t{found->second.together}, " nodes; the time is an equal share"));
      }
    }
  }
}

Members members_of(const Plan& plan) {
  Members out;
  for (const PlacedProgram& placed : plan.programs) {
    for (const ProgramNode& node : placed.program->nodes) {
      if (!node.members.empty()) out[node.name] = node.members;
    }
  }
  return out;
}

Result<std::string> draw_timed(std::vector<Picture> pictures, std::string_view format, std::string_view trace,
                               const Members& members) {
  if (!trace.empty()) {
    PERCALE_ASSIGN_OR_RETURN(const Shares shares, shares_of(trace));
    for (Picture& picture : pictures) add_times(picture, shares, members);
  }
  return draw(pictures, format);
}

}  // namespace

Result<std::string> draw_graph(const Graph& graph, std::string_view format, std::string_view trace) {
  return draw_timed(pictures_of(graph), format, trace, {});
}

Result<std::string> draw_plan(const Plan& plan, std::string_view format, std::string_view trace) {
  std::vector<Picture> pictures = pictures_of(*plan.graph);
  std::erase_if(pictures, [&](const Picture& p) { return p.title == plan.spec.function || p.title == kInitFunction; });
  pictures.insert(pictures.begin(), picture_of(plan));
  return draw_timed(std::move(pictures), format, trace, members_of(plan));
}

}  // namespace percale
