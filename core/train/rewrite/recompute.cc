#include "core/train/rewrite/recompute.h"

#include <algorithm>

#include "core/graph/effects.h"
#include "core/graph/validate.h"
#include "core/passes/edit/rewrite.h"
#include "core/text/byte_size.h"

namespace percale {
namespace {

constexpr size_t kMostSegments = 64;

bool reads_the_shape_alone(const Node& node) { return node.op->is(Role::kShape) || node.op->is(Role::kSize); }

// The activations of the forward pass and their uses. A view is represented by its root: the value
// that it is a view of.
class Activations {
 public:
  Activations(const Graph& graph, const Function& f, size_t forward)
      : f_(f),
        forward_(forward),
        root_(f.values.size()),
        repeatable_(forward, false),
        last_use_(f.values.size(), 0),
        moving_(f.values.size(), false),
        needed_(f.values.size(), false) {
    for (size_t i = 0; i < root_.size(); ++i) root_[i] = static_cast<ValueId>(i);
    for (ValueId id : f.inputs) moving_[at(id)] = true;
    for (size_t i = 0; i < forward; ++i) {
      const Node& node = f.nodes[i];
      bool moves = false;
      for (ValueId id : node.inputs) {
        if (id == kNoValue) continue;
        moves = moves || moving_[at(id)];
        last_use_[at(root(id))] = i;
      }
      repeatable_[i] = moves && !node.op->has(kWaitsForShards) && !effects_of(graph, node).writes;
      for (ValueId id : node.outputs) {
        if (id != kNoValue) moving_[at(id)] = moves;
      }
      if (node.op->has(kView) && node.inputs[0] != kNoValue) root_[at(node.outputs[0])] = root(node.inputs[0]);
    }
    for (size_t i = forward; i < f.nodes.size(); ++i) {
      if (reads_the_shape_alone(f.nodes[i])) continue;
      for (ValueId id : f.nodes[i].inputs) {
        if (id != kNoValue) needed_[at(root(id))] = true;
      }
    }
  }

  ValueId root(ValueId id) const { return root_[at(id)]; }
  // Returns the node of the forward pass that makes a value, if it may be repeated, else -1.
  NodeId maker(ValueId id) const {
    const Value& v = f_.value(id);
    if (v.kind != ValueKind::kNode || static_cast<size_t>(v.def) >= forward_) return -1;
    return repeatable_[static_cast<size_t>(v.def)] ? v.def : -1;
  }
  // True if a value is a root that may be recomputed. last_use() returns the last node of the
  // forward pass that reads a root.
  bool is_activation(ValueId id) const { return root(id) == id && maker(id) >= 0; }
  size_t last_use(ValueId id) const { return last_use_[at(id)]; }
  // True if the backward pass reads it.
  bool needed(ValueId id) const { return needed_[at(id)]; }
  double bytes(ValueId id) const {
    const ValueType& type = f_.type(id);
    double out = static_cast<double>(dtype_bits(type.dtype)) / 8;
    for (size_t d = 0; type.shape.known_rank() && d < type.shape.rank(); ++d) {
      out *= static_cast<double>(std::max<int64_t>(1, type.shape[d]));
    }
    return out;
  }
  size_t forward() const { return forward_; }
  const Function& function() const { return f_; }

 private:
  static size_t at(ValueId id) { return static_cast<size_t>(id); }

  const Function& f_;
  const size_t forward_;
  std::vector<ValueId> root_;
  std::vector<bool> repeatable_;  // per node of the forward pass
  std::vector<size_t> last_use_;  // per root
  std::vector<bool> moving_, needed_;
};

// Chooses the starts of the segments, without the first one's 0; empty if cutting does not save
// enough.
class Cuts {
 public:
  explicit Cuts(const Activations& a) : crossing_(a.forward() + 1, 0), own_(a.forward(), 0) {
    std::vector<double> change(a.forward() + 2, 0);
    const Function& f = a.function();
    for (size_t i = 0; i < f.values.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      if (!a.is_activation(id)) continue;
      const auto made = static_cast<size_t>(a.maker(id));
      if (a.needed(id)) own_[made] += a.bytes(id);
      if (a.last_use(id) <= made) continue;
      change[made + 1] += a.bytes(id);  // it crosses the cuts before the nodes made + 1 to last_use
      change[a.last_use(id) + 1] -= a.bytes(id);
    }
    double now = 0;
    for (size_t p = 0; p < crossing_.size(); ++p) crossing_[p] = now += change[p];
  }

  std::vector<size_t> choose() const {
    double total = 0;
    for (double bytes : own_) total += bytes;
    std::vector<size_t> best;
    double least = total * 0.95;
    for (size_t parts = 2; parts <= kMostSegments && total > 0; ++parts) {
      const std::vector<size_t> cuts = within(total / static_cast<double>(parts));
      const double bytes = estimate(cuts);
      if (bytes >= least) continue;
      least = bytes;
      best = cuts;
    }
    return best;
  }

 private:
  // Cuts into segments that store at most `most` bytes. Each ends at the cheapest cut of its second
  // half.
  std::vector<size_t> within(double most) const {
    std::vector<size_t> out;
    size_t begin = 0, place = 0;
    double bytes = 0;
    for (size_t i = 0; i < own_.size(); ++i) {
      if (bytes + own_[i] > most && i > begin) {
        if (place <= begin) place = i;
        out.push_back(place);
        begin = place;
        bytes = 0;
        for (size_t k = begin; k < i; ++k) bytes += own_[k];
      }
      bytes += own_[i];
      if (bytes * 2 >= most && (place <= begin || crossing_[i + 1] < crossing_[place])) place = i + 1;
    }
    return out;
  }

  // Values that cross cuts are stored all the time; those inside a segment only while its gradients
  // are computed.
  double estimate(const std::vector<size_t>& cuts) const {
    double kept = 0, most = 0, bytes = 0;
    for (size_t i = 0, next = 0; i < own_.size(); ++i) {
      if (next < cuts.size() && cuts[next] == i) {
        kept += crossing_[i];
        most = std::max(most, bytes);
        bytes = 0;
        ++next;
      }
      bytes += own_[i];
    }
    return kept + std::max(most, bytes);
  }

  // Per cut before a node: bytes of activations that are made before it and read after it.
  std::vector<double> crossing_;
  std::vector<double> own_;  // per node: bytes of its outputs that the backward pass reads
};

// Rewrites the function with repeated nodes between those of the backward pass.
class Repeater {
 public:
  Repeater(Function& f, const Activations& a, const std::vector<size_t>& cuts, NodeId anchor, const OpSchema* identity)
      : f_(f),
        a_(a),
        cuts_(cuts),
        anchor_(anchor),
        identity_(identity),
        names_(f),
        kept_(f.values.size(), false),
        done_(cuts.size(), false),
        wanted_(a.forward(), false) {}

  void run() {
    find_kept();
    find_wanted();
    std::vector<NodeId> moved(f_.nodes.size(), -1);
    std::vector<Node> old = std::move(f_.nodes);
    f_.nodes.clear();
    old_ = &old;
    instead_.assign(kept_.size(), kNoValue);
    for (size_t i = 0; i < old.size(); ++i) {
      Node node = old[i];
      if (i >= a_.forward() && !reads_the_shape_alone(node)) {
        for (ValueId& id : node.inputs) {
          if (!is_rebuilt(id)) continue;
          const size_t segment = segment_of(a_.maker(id));
          if (!done_[segment]) repeat(segment);
          id = instead_[static_cast<size_t>(id)];
        }
      }
      for (NodeId& before : node.control) before = moved[static_cast<size_t>(before)];
      moved[i] = static_cast<NodeId>(f_.nodes.size());
      for (ValueId id : node.outputs) {
        if (id != kNoValue) f_.value(id).def = moved[i];
      }
      f_.nodes.push_back(std::move(node));
    }
  }

 private:
  size_t segment_of(NodeId node) const {
    return static_cast<size_t>(std::upper_bound(cuts_.begin(), cuts_.end(), static_cast<size_t>(node)) - cuts_.begin());
  }

  // True for an activation inside a segment that is repeated.
  bool is_rebuilt(ValueId id) const {
    if (id == kNoValue || static_cast<size_t>(id) >= kept_.size() || kept_[static_cast<size_t>(a_.root(id))])
      return false;
    const NodeId maker = a_.maker(id);
    return maker >= 0 && a_.maker(a_.root(id)) >= 0 && segment_of(maker) < cuts_.size();
  }

  void find_kept() {
    for (size_t i = 0; i < f_.values.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      if (!a_.is_activation(id)) continue;
      const auto next = std::upper_bound(cuts_.begin(), cuts_.end(), static_cast<size_t>(a_.maker(id)));
      kept_[i] = next != cuts_.end() && a_.last_use(id) >= *next;
    }
    for (ValueId id : f_.outputs) kept_[static_cast<size_t>(a_.root(id))] = true;
  }

  // Finds the nodes that must be repeated, starting from the values that the backward pass reads.
  void find_wanted() {
    const auto want = [&](const Node& node) {
      for (ValueId id : node.inputs) {
        if (is_rebuilt(id)) wanted_[static_cast<size_t>(a_.maker(id))] = true;
      }
    };
    for (size_t i = a_.forward(); i < f_.nodes.size(); ++i) {
      if (!reads_the_shape_alone(f_.nodes[i])) want(f_.nodes[i]);
    }
    for (size_t i = a_.forward(); i-- > 0;) {
      if (wanted_[i]) want(f_.nodes[i]);
    }
  }

  ValueId add_output(const Node& node, size_t output, const ValueType& type) {
    Value value{names_.value(output == 0 ? node.name : str_cat(node.name, ":", static_cast<uint64_t>(output))), type,
                ValueKind::kNode, static_cast<int32_t>(f_.nodes.size()), static_cast<int32_t>(output)};
    f_.values.push_back(std::move(value));
    return static_cast<ValueId>(f_.values.size() - 1);
  }

  // Returns a stored value behind an Identity that waits for another node. No pass looks through
  // it, so nodes that use it are not merged with those that use the value itself.
  ValueId behind_barrier(ValueId id, const std::string& device) {
    Node node;
    node.name = names_.node(str_cat("recompute/", f_.value(id).name, "/kept"));
    node.op = identity_;
    node.inputs = {id};
    node.control = {anchor_};
    node.device = device;
    node.outputs = {add_output(node, 0, f_.type(id))};
    f_.nodes.push_back(std::move(node));
    return f_.nodes.back().outputs[0];
  }

  void repeat(size_t segment) {
    done_[segment] = true;
    const size_t begin = segment == 0 ? 0 : cuts_[segment - 1], end = cuts_[segment];
    std::vector<std::pair<ValueId, ValueId>> barriers;
    for (size_t i = begin; i < end; ++i) {
      if (!wanted_[i]) continue;
      Node node = (*old_)[i];
      node.name = names_.node(str_cat("recompute/", node.name));
      node.control.clear();
      for (ValueId& id : node.inputs) {
        if (is_rebuilt(id)) {
          id = instead_[static_cast<size_t>(id)];
        } else if (id != kNoValue && (a_.maker(id) >= 0 || f_.value(id).kind == ValueKind::kInput)) {
          const auto found =
              std::find_if(barriers.begin(), barriers.end(), [&](const auto& b) { return b.first == id; });
          const ValueId held = found != barriers.end() ? found->second : behind_barrier(id, node.device);
          if (found == barriers.end()) barriers.emplace_back(id, held);
          id = held;
        }
      }
      for (size_t k = 0; k < node.outputs.size(); ++k) {
        const ValueId before = node.outputs[k];
        if (before == kNoValue) continue;
        node.outputs[k] = add_output(node, k, f_.type(before));
        instead_[static_cast<size_t>(before)] = node.outputs[k];
      }
      f_.nodes.push_back(std::move(node));
    }
  }

  Function& f_;
  const Activations& a_;
  const std::vector<size_t>& cuts_;
  const NodeId anchor_;
  const OpSchema* identity_;
  FreeNames names_;
  std::vector<bool> kept_;    // per root: it crosses a cut, or is an output
  std::vector<bool> done_;    // per segment
  std::vector<bool> wanted_;  // per node of the forward pass: it is repeated
  const std::vector<Node>* old_ = nullptr;
  std::vector<ValueId> instead_;  // replacement of each original value
};

// Returns a node that no pass drops or merges, for barriers to wait for: the first read of a
// variable.
NodeId find_anchor(const Function& f, size_t forward) {
  for (size_t i = 0; i < forward; ++i) {
    if (f.nodes[i].op->is(Role::kReadVariable)) return static_cast<NodeId>(i);
  }
  return -1;
}

}  // namespace

Result<Recompute> parse_recompute(const Json& json) {
  using When = Recompute::When;
  const auto above = [&](int64_t bytes) -> Result<Recompute> {
    if (bytes < 1) return json.error("recompute", bytes, " bytes is too small, wanted at least 1");
    return Recompute{When::kAboveBytes, bytes};
  };
  if (json.kind() == Json::Kind::kBool) {
    return Recompute{*json.as_bool("recompute") ? When::kAlways : When::kNever};
  }
  if (json.kind() == Json::Kind::kInt) return above(*json.as_int("recompute"));
  PERCALE_ASSIGN_OR_RETURN(const std::string text, json.as_string("recompute"));
  for (const auto& [name, when] : {std::pair{"off", When::kNever}, {"on", When::kAlways}, {"auto", When::kAuto}}) {
    if (text == name) return Recompute{when};
  }
  if (const auto bytes = parse_byte_size(text); bytes.ok()) return above(*bytes);
  return json.error("recompute", "it is '", text, "', wanted true, false, \"auto\" or a number of bytes");
}

Result<std::shared_ptr<const Graph>> recompute_activations(const Graph& graph, std::string_view function,
                                                           size_t forward) {
  auto out = std::make_shared<Graph>(graph);
  Function* f = out->find_function(function);
  if (f == nullptr) return not_found("no function '", function, "' to recompute activations in");
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* identity, graph.registry->require_op("", "Identity"));
  const NodeId anchor = find_anchor(*f, forward);
  if (anchor < 0) return std::shared_ptr<const Graph>();
  const Function before = *f;
  const Activations activations(graph, before, forward);
  const std::vector<size_t> cuts = Cuts(activations).choose();
  if (cuts.empty()) return std::shared_ptr<const Graph>();
  Repeater(*f, activations, cuts, anchor, identity).run();
  PERCALE_RETURN_IF_ERROR(validate(*out));
  return std::shared_ptr<const Graph>(std::move(out));
}

}  // namespace percale
