#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/graph/effects.h"
#include "core/passes/edit/rewrite.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

// larger constants are rarely equal and slow to compare
constexpr int64_t kMaxConstantBytes = 4096;

void mix(size_t& hash, size_t part) { hash = (hash ^ part) * 0x9E3779B97F4A7C15ull + (hash >> 29); }

bool equal(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0;
}

// Returns the inputs; the first two inputs of a commutative op are sorted.
std::vector<ValueId> canonical_inputs(const Node& node) {
  std::vector<ValueId> out = node.inputs;
  if (node.op->has(kCommutative) && out.size() >= 2 && out[0] > out[1]) std::swap(out[0], out[1]);
  return out;
}

bool equal(const Node& a, const Node& b) {
  return a.op == b.op && canonical_inputs(a) == canonical_inputs(b) && a.outputs.size() == b.outputs.size() &&
         a.device == b.device && a.attributes == b.attributes;
}

class Cse {
 public:
  Cse(const Graph& graph, Function& f) : graph_(graph), f_(f), rewrite_(f) {}

  void run() {
    merge_constants();
    std::vector<bool> keep(f_.nodes.size(), true);
    std::unordered_multimap<size_t, NodeId> seen;
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      Node& node = f_.nodes[i];
      for (ValueId& v : node.inputs) v = rewrite_.now(v);
      if (!node.control.empty() || !effects_of(graph_, node).pure) continue;
      const size_t hash = hash_of(node);
      NodeId same = -1;
      for (auto [at, end] = seen.equal_range(hash); at != end && same < 0; ++at) {
        if (equal(f_.node(at->second), node)) same = at->second;
      }
      if (same >= 0 && merge(node, f_.node(same))) {
        keep[i] = false;
      } else {
        seen.emplace(hash, static_cast<NodeId>(i));
      }
    }
    rewrite_.apply();
    compact(f_, keep);
  }

 private:
  void merge_constants() {
    std::unordered_multimap<size_t, ValueId> seen;
    for (size_t i = 0; i < f_.values.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      const Tensor* t = f_.constant(id);
      if (t == nullptr || t->dtype() == DType::kString || t->bytes() > kMaxConstantBytes) continue;
      size_t hash = static_cast<size_t>(t->dtype());
      const auto* bytes = static_cast<const unsigned char*>(t->data());
      for (int64_t b = 0; b < t->bytes(); ++b) mix(hash, bytes[b]);
      bool merged = false;
      for (auto [at, end] = seen.equal_range(hash); at != end && !merged; ++at) {
        merged = equal(*f_.constant(at->second), *t) && rewrite_.replace(id, at->second);
      }
      if (!merged) seen.emplace(hash, id);
    }
  }

  static size_t hash_of(const Node& node) {
    size_t hash = std::hash<const void*>()(node.op);
    for (ValueId v : canonical_inputs(node)) mix(hash, static_cast<size_t>(v));
    mix(hash, node.outputs.size());
    return hash;
  }

  // Replaces all outputs or none.
  bool merge(const Node& node, const Node& same) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      const bool output = std::find(f_.outputs.begin(), f_.outputs.end(), node.outputs[i]) != f_.outputs.end();
      if (output || same.outputs[i] == kNoValue) return false;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoValue) rewrite_.replace(node.outputs[i], same.outputs[i]);
    }
    return true;
  }

  const Graph& graph_;
  Function& f_;
  Rewrite rewrite_;
};

}  // namespace

Status cse(const Graph& graph, Function& f, PassContext&) {
  Cse(graph, f).run();
  return {};
}

}  // namespace percale
