#include "core/train/parallel/stages.h"

#include <algorithm>
#include <limits>
#include <map>

#include "core/base/similar_name.h"
#include "core/train/method/name_pattern.h"
#include "core/train/parallel/step_flops.h"

namespace percale {
namespace {

// Weight of crossing bytes against balance, per multiple of the smallest cut's bytes. For
// comparison: with two stages, an imbalance of a tenth of a stage costs 0.02.
constexpr double kCrossing = 0.05;

class Assignment {
 public:
  Assignment(const Function& f, const std::vector<bool>& used, const ParallelSpec& spec)
      : f_(f), used_(used), spec_(spec), out_(f.nodes.size(), kOpen), moving_(f.nodes.size(), false) {
    // Marks the nodes that depend on the data of a batch, also through control edges.
    for (size_t i = 0; i < f.nodes.size(); ++i) {
      const Node& node = f.nodes[i];
      bool moves = std::any_of(node.control.begin(), node.control.end(), [&](NodeId n) { return moving_[at(n)]; });
      for (ValueId id : node.inputs) moves = moves || is_moving(id);
      moving_[i] = moves;
    }
  }

  Result<std::vector<int32_t>> run() {
    if (spec_.layers.empty()) {
      PERCALE_RETURN_IF_ERROR(cut_by_cost());
    } else {
      PERCALE_RETURN_IF_ERROR(take_layers());
    }
    settle_rest();
    return std::move(out_);
  }

 private:
  static constexpr int32_t kOpen = -1;
  static size_t at(int32_t id) { return static_cast<size_t>(id); }

  bool is_moving(ValueId id) const {
    if (id == kNoValue) return false;
    const Value& v = f_.value(id);
    return v.kind == ValueKind::kInput || (v.kind == ValueKind::kNode && moving_[at(v.def)]);
  }

  // Visits the nodes that a node depends on.
  template <class Do>
  void for_sources(const Node& node, const Do& visit) const {
    for (ValueId id : node.inputs) {
      if (id != kNoValue && f_.value(id).kind == ValueKind::kNode) visit(f_.value(id).def);
    }
    for (NodeId before : node.control) visit(before);
  }

  Status take_layers() {
    std::vector<bool> has_work(spec_.layers.size(), false);
    std::vector<std::vector<bool>> matched;
    for (const auto& patterns : spec_.layers) matched.emplace_back(patterns.size(), false);
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      if (!used_[i]) continue;
      const Node& node = f_.nodes[i];
      int32_t own = kOpen;
      for (size_t s = 0; s < spec_.layers.size(); ++s) {
        for (size_t k = 0; k < spec_.layers[s].size(); ++k) {
          if (!names_node(spec_.layers[s][k], f_, node)) continue;
          matched[s][k] = true;
          if (own != kOpen && own != static_cast<int32_t>(s)) {
            return invalid_argument("'stages': '", node.name, "' belongs to both stage ", own + 1, " and stage ",
                                    static_cast<uint64_t>(s + 1));
          }
          own = static_cast<int32_t>(s);
        }
      }
      if (!moving_[i]) continue;
      int32_t least = kOpen;
      NodeId latest = -1;
      for_sources(node, [&](NodeId source) {
        if (out_[at(source)] <= least) return;
        least = out_[at(source)];
        latest = source;
      });
      if (own != kOpen && own < least) {
        return invalid_argument("'stages': '", node.name, "' of stage ", own + 1, " needs '", f_.node(latest).name,
                                "' of stage ", least + 1, ", which comes after it");
      }
      out_[i] = std::max(own, least);
      if (own != kOpen) has_work[at(own)] = true;
    }
    for (size_t s = 0; s < spec_.layers.size(); ++s) {
      for (size_t k = 0; k < spec_.layers[s].size(); ++k) {
        if (!matched[s][k]) return no_such_layer(spec_.layers[s][k]);
      }
      if (!has_work[s]) {
        return invalid_argument("'stages': stage ", static_cast<uint64_t>(s + 1), " has no nodes to compute");
      }
    }
    return {};
  }

  Status no_such_layer(const std::string& pattern) const {
    const std::vector<std::string> layers = layer_names_of(f_, used_);
    return invalid_argument("'stages': no layer matches '", pattern, "'", did_you_mean(pattern, layers));
  }

  double bytes_per_row(ValueId id) const {
    const ValueType& type = f_.type(id);
    double out = static_cast<double>(dtype_bits(type.dtype)) / 8;
    for (size_t d = 0; type.shape.known_rank() && d < type.shape.rank(); ++d) {
      out *= static_cast<double>(std::max<int64_t>(1, type.shape[d]));
    }
    return out;
  }

  // A possible cut before order_[at], with the arithmetic before it and the bytes that cross it.
  struct Place {
    size_t at;
    double flops, bytes;
  };

  // Returns the possible cuts: between any two nodes with arithmetic the one that the fewest bytes
  // cross.
  std::vector<Place> places(double* total) {
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      if (used_[i] && moving_[i]) order_.push_back(i);
    }
    std::vector<double> change(order_.size() + 1, 0);
    std::vector<size_t> last_use(f_.values.size(), 0);
    for (size_t p = 0; p < order_.size(); ++p) {
      for (ValueId id : f_.nodes[order_[p]].inputs) {
        if (id != kNoValue) last_use[at(id)] = p;
      }
    }
    for (size_t p = 0; p < order_.size(); ++p) {
      for (ValueId id : f_.nodes[order_[p]].outputs) {
        if (id == kNoValue || last_use[at(id)] <= p) continue;
        change[p + 1] += bytes_per_row(id);  // it crosses the cuts from p + 1 to its last use
        change[last_use[at(id)] + 1] -= bytes_per_row(id);
      }
    }
    std::vector<Place> out;
    double flops = 0, bytes = 0;
    for (size_t p = 0; p < order_.size(); ++p) {
      bytes += change[p];
      if (flops > 0) {
        if (out.empty() || out.back().flops < flops) {
          out.push_back({p, flops, bytes});
        } else if (bytes < out.back().bytes) {
          out.back() = {p, flops, bytes};
        }
      }
      flops += flops_per_row(f_, f_.nodes[order_[p]]);
    }
    // A cut after the last arithmetic would leave an empty stage.
    while (!out.empty() && out.back().flops >= flops) out.pop_back();
    *total = flops;
    return out;
  }

  Status cut_by_cost() {
    double total = 0;
    const std::vector<Place> all = places(&total);
    const auto stages = static_cast<size_t>(spec_.stages);
    if (all.size() + 1 < stages) {
      return invalid_argument("'stages' is ", spec_.stages, ", but the model has only ",
                              static_cast<uint64_t>(total > 0 ? all.size() + 1 : 0),
                              " products or convolutions to distribute");
    }
    double least = std::numeric_limits<double>::max();
    for (const Place& p : all) least = std::min(least, p.bytes);
    const double unit = std::max(least, 1.0);
    // best[s][i]: the lowest cost of ending stage s at cut i.
    constexpr double kNever = std::numeric_limits<double>::max();
    std::vector<std::vector<double>> best(stages, std::vector<double>(all.size(), kNever));
    std::vector<std::vector<size_t>> from(stages, std::vector<size_t>(all.size(), 0));
    const auto imbalance = [&](double flops) {
      const double share = flops / total * static_cast<double>(stages) - 1;
      return share * share;
    };
    for (size_t s = 0; s + 1 < stages; ++s) {
      for (size_t i = s; i < all.size(); ++i) {
        const double crossing = kCrossing * all[i].bytes / unit;
        if (s == 0) best[s][i] = imbalance(all[i].flops) + crossing;
        for (size_t k = s == 0 ? i : s - 1; k < i; ++k) {
          if (best[s - 1][k] == kNever) continue;
          const double cost = best[s - 1][k] + imbalance(all[i].flops - all[k].flops) + crossing;
          if (cost >= best[s][i]) continue;
          best[s][i] = cost;
          from[s][i] = k;
        }
      }
    }
    std::vector<size_t> cuts;
    if (stages > 1) {
      size_t last = 0;
      double cheapest = kNever;
      for (size_t i = stages - 2; i < all.size(); ++i) {
        const double cost = best[stages - 2][i] + imbalance(total - all[i].flops);
        if (cost >= cheapest) continue;
        cheapest = cost;
        last = i;
      }
      for (size_t s = stages - 1; s-- > 0; last = from[s][last]) cuts.push_back(all[last].at);
      std::reverse(cuts.begin(), cuts.end());
    }
    for (size_t p = 0, s = 0; p < order_.size(); ++p) {
      while (s < cuts.size() && cuts[s] == p) ++s;
      out_[order_[p]] = static_cast<int32_t>(s);
    }
    return {};
  }

  // Puts each remaining node into the stage that first uses it, or into stage 0 if it has no use.
  void settle_rest() {
    for (size_t i = f_.nodes.size(); i-- > 0;) {
      if (!used_[i]) {
        out_[i] = 0;
        continue;
      }
      if (out_[i] == kOpen) out_[i] = pending_.contains(static_cast<NodeId>(i)) ? pending_[static_cast<NodeId>(i)] : 0;
      for_sources(f_.nodes[i], [&](NodeId source) {
        if (out_[at(source)] != kOpen) return;
        const auto [found, added] = pending_.emplace(source, out_[i]);
        if (!added) found->second = std::min(found->second, out_[i]);
      });
    }
  }

  const Function& f_;
  const std::vector<bool>& used_;
  const ParallelSpec& spec_;
  std::vector<int32_t> out_;
  std::vector<bool> moving_;
  std::vector<size_t> order_;  // the nodes that depend on the data, in order
  std::map<NodeId, int32_t> pending_;
};

}  // namespace

bool names_part(std::string_view pattern, std::string_view name) {
  if (matches_pattern(pattern, name)) return true;
  for (size_t at = name.find('/'); at != std::string_view::npos; at = name.find('/', at + 1)) {
    if (matches_pattern(pattern, name.substr(0, at))) return true;
  }
  return false;
}

bool names_node(std::string_view pattern, const Function& f, const Node& node) {
  if (names_part(pattern, node.name)) return true;
  if (!node.outputs.empty() && node.outputs[0] != kNoValue && names_part(pattern, f.value(node.outputs[0]).name))
    return true;
  return node.op->is(Role::kReadVariable) && names_part(pattern, node.attributes.get_string("variable"));
}

std::vector<std::string> layer_names_of(const Function& f, const std::vector<bool>& used) {
  std::vector<std::string> out;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    std::string name = f.nodes[i].name.substr(0, f.nodes[i].name.find('/'));
    if (used[i] && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

Result<std::vector<int32_t>> assign_stages(const Function& f, const std::vector<bool>& used, const ParallelSpec& spec) {
  return Assignment(f, used, spec).run();
}

}  // namespace percale
