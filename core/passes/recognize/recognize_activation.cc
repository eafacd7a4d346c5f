// Replaces activations that exporters write out in arithmetic by Gelu (with erf or tanh), Swish,
// HardSigmoid and HardSwish.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/graph/device_hint.h"
#include "core/passes/edit/edit.h"
#include "core/passes/recognize/recognize.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

class ActivationRecognition {
 public:
  ActivationRecognition(const Graph& graph, Function& f, const PassContext& context)
      : f_(f), context_(context), edit_(*graph.registry, f), taken_(f.nodes.size(), false) {}

  Result<bool> run() {
    for (size_t i = f_.nodes.size(); i-- > 0;) {
      if (!taken_[i]) match(static_cast<NodeId>(i));
    }
    PERCALE_RETURN_IF_ERROR(edit_.finish());
    return edit_.changed();
  }

 private:
  // A product of values and one number. It is collected from the tree of Mul and Div nodes below a
  // root, as far as each is used once.
  struct Product {
    std::vector<ValueId> factors;
    double number = 1;
    std::vector<NodeId> nodes;
  };

  const Node* maker(ValueId v, std::string_view op) const { return edit_.maker(v, op); }
  NodeId id_of(const Node* node) const { return edit_.id_of(*node); }

  void take_apart(ValueId v, bool root, Product& out) const {
    if (const auto number = edit_.number(v)) {
      out.number *= *number;
      return;
    }
    if (root || edit_.used_once(v)) {
      if (const Node* mul = maker(v, "Mul")) {
        out.nodes.push_back(id_of(mul));
        take_apart(mul->inputs[0], false, out);
        take_apart(mul->inputs[1], false, out);
        return;
      }
      const Node* div = maker(v, "Div");
      const auto by = div != nullptr ? edit_.number(div->inputs[1]) : std::nullopt;
      if (by && *by != 0) {
        out.nodes.push_back(id_of(div));
        out.number /= *by;
        take_apart(div->inputs[0], false, out);
        return;
      }
    }
    out.factors.push_back(v);
  }
  Product product(ValueId v, bool root = false) const {
    Product out;
    take_apart(v, root, out);
    return out;
  }
  static bool near(double a, double b) { return std::abs(a - b) <= 4e-7 * std::abs(b); }

  // True if v = other + number.
  bool is_sum(ValueId v, double number, ValueId& other, std::vector<NodeId>& nodes) const {
    const Node* add = maker(v, "Add");
    if (add == nullptr) return false;
    for (size_t i = 0; i < 2; ++i) {
      if (!edit_.is_number(add->inputs[i], number)) continue;
      other = add->inputs[1 - i];
      nodes.push_back(id_of(add));
      return true;
    }
    return false;
  }

  // True if v = number * x.
  bool is_multiple(ValueId v, ValueId x, double number, std::vector<NodeId>& nodes) const {
    const Product p = product(v);
    if (p.factors.size() != 1 || p.factors[0] != x || !near(p.number, number)) return false;
    nodes.insert(nodes.end(), p.nodes.begin(), p.nodes.end());
    return true;
  }

  // True if v = number * x^3.
  bool is_cube(ValueId v, ValueId x, double number, std::vector<NodeId>& nodes) const {
    Product p = product(v);
    if (p.factors.size() == 1) {
      const Node* power = maker(p.factors[0], "Pow");
      if (power == nullptr || power->inputs[0] != x || !edit_.is_number(power->inputs[1], 3)) return false;
      p.nodes.push_back(id_of(power));
    } else if (p.factors.size() != 3 || std::count(p.factors.begin(), p.factors.end(), x) != 3) {
      return false;
    }
    if (!near(p.number, number)) return false;
    nodes.insert(nodes.end(), p.nodes.begin(), p.nodes.end());
    return true;
  }

  // True if v = sqrt(2 / pi) (x + 0.044715 x^3), or the same with x (1 + 0.044715 x^2) in the
  // brackets.
  bool is_tanh_argument(ValueId v, ValueId x, std::vector<NodeId>& nodes) const {
    const Product p = product(v);
    if (!near(p.number, std::sqrt(2 * std::numbers::inv_pi))) return false;
    nodes.insert(nodes.end(), p.nodes.begin(), p.nodes.end());
    if (p.factors.size() == 1) {
      const Node* sum = maker(p.factors[0], "Add");
      if (sum == nullptr) return false;
      nodes.push_back(id_of(sum));
      return (sum->inputs[0] == x && is_cube(sum->inputs[1], x, 0.044715, nodes)) ||
             (sum->inputs[1] == x && is_cube(sum->inputs[0], x, 0.044715, nodes));
    }
    if (p.factors.size() != 2) return false;
    const ValueId rest = p.factors[0] == x ? p.factors[1] : p.factors[1] == x ? p.factors[0] : kNoValue;
    ValueId square = kNoValue;
    if (rest == kNoValue || !is_sum(rest, 1, square, nodes)) return false;
    Product q = product(square);
    if (q.factors.size() == 1) {
      const Node* power = maker(q.factors[0], "Pow");
      if (power == nullptr || power->inputs[0] != x || !edit_.is_number(power->inputs[1], 2)) return false;
      q.nodes.push_back(id_of(power));
    } else if (q.factors.size() != 2 || q.factors[0] != x || q.factors[1] != x) {
      return false;
    }
    nodes.insert(nodes.end(), q.nodes.begin(), q.nodes.end());
    return near(q.number, 0.044715);
  }

  struct Found {
    std::string_view op;
    ValueId x = kNoValue;
    Attributes attributes;
    std::vector<NodeId> nodes;
  };

  // Matches x / 2 (1 + erf(x / sqrt 2)), or the same with tanh.
  std::optional<Found> gelu(const Product& p) const {
    if (p.factors.size() != 2 || !near(p.number, 0.5)) return std::nullopt;
    for (size_t i = 0; i < 2; ++i) {
      Found found{"Gelu", p.factors[i], {}, p.nodes};
      ValueId bend = kNoValue;
      if (!is_sum(p.factors[1 - i], 1, bend, found.nodes)) continue;
      if (const Node* erf = maker(bend, "Erf")) {
        found.nodes.push_back(id_of(erf));
        if (is_multiple(erf->inputs[0], found.x, 1 / std::numbers::sqrt2, found.nodes)) return found;
      } else if (const Node* tanh = maker(bend, "Tanh")) {
        found.nodes.push_back(id_of(tanh));
        found.attributes.set("approximate", "tanh");
        if (is_tanh_argument(tanh->inputs[0], found.x, found.nodes)) return found;
      }
    }
    return std::nullopt;
  }

  // Matches x sigmoid(alpha x).
  std::optional<Found> swish(const Product& p) const {
    if (p.factors.size() != 2 || p.number != 1) return std::nullopt;
    for (size_t i = 0; i < 2; ++i) {
      const Node* sigmoid = maker(p.factors[1 - i], "Sigmoid");
      if (sigmoid == nullptr) continue;
      Found found{"Swish", p.factors[i], {}, p.nodes};
      found.nodes.push_back(id_of(sigmoid));
      const Product q = product(sigmoid->inputs[0]);
      if (sigmoid->inputs[0] == found.x) return found;
      if (q.factors.size() != 1 || q.factors[0] != found.x) continue;
      found.nodes.insert(found.nodes.end(), q.nodes.begin(), q.nodes.end());
      found.attributes.set("alpha", q.number);
      return found;
    }
    return std::nullopt;
  }

  // Returns x if v = clip(x + 3, 0, 6), else kNoValue.
  ValueId clipped(ValueId v, std::vector<NodeId>& nodes) const {
    const Node* clip = maker(v, "Clip");
    if (clip == nullptr || clip->inputs.size() != 3) return kNoValue;
    const auto low = edit_.number(clip->inputs[1]);
    ValueId x = kNoValue;
    if (!low || *low != 0 || !edit_.is_number(clip->inputs[2], 6)) return kNoValue;
    nodes.push_back(id_of(clip));
    return is_sum(clip->inputs[0], 3, x, nodes) ? x : kNoValue;
  }
  std::optional<Found> hard(const Product& p) const {
    if (p.factors.size() == 1 && near(p.number, 1.0 / 6)) {
      Found found{"HardSigmoid", kNoValue, {{"alpha", 1.0 / 6}, {"beta", 0.5}}, p.nodes};
      found.x = clipped(p.factors[0], found.nodes);
      if (found.x != kNoValue) return found;
    }
    if (p.factors.size() != 2) return std::nullopt;
    for (size_t i = 0; i < 2; ++i) {
      Found found{"HardSwish", p.factors[i], {}, p.nodes};
      if (near(p.number, 1.0 / 6) && clipped(p.factors[1 - i], found.nodes) == found.x) return found;
      const Node* gate = maker(p.factors[1 - i], "HardSigmoid");
      if (p.number != 1 || gate == nullptr || gate->inputs[0] != found.x) continue;
      if (!near(gate->attributes.get_float("alpha", 0.2), 1.0 / 6) || gate->attributes.get_float("beta", 0.5) != 0.5)
        continue;
      found.nodes.push_back(id_of(gate));
      return found;
    }
    return std::nullopt;
  }

  void match(NodeId id) {
    const Node& node = f_.node(id);
    const bool multiplies = node.op->name == "Mul" || node.op->name == "Div";
    if (names_device(node.device) || !node.op->domain.empty() || !multiplies || node.outputs.size() != 1) return;
    const ValueType type = f_.type(node.outputs[0]);
    if ((type.dtype != DType::kF32 && type.dtype != DType::kF64) || !type.shape.is_static()) return;
    const Product p = product(node.outputs[0], true);
    std::optional<Found> found = gelu(p);
    if (!found) found = swish(p);
    if (!found) found = hard(p);
    if (!found || !(f_.type(found->x) == type) || !edit_.closed(found->nodes, id)) return;
    const OpSchema* schema = edit_.schema(found->op);
    if (schema == nullptr) return;
    Node asked = node;
    asked.op = schema;
    asked.inputs = {found->x};
    asked.attributes = found->attributes;
    if (!context_.claims(f_, asked)) return;
    edit_.become(id, found->op, {found->x}, std::move(found->attributes));
    for (NodeId part : found->nodes) taken_[static_cast<size_t>(part)] = true;
  }

  Function& f_;
  const PassContext& context_;
  Edit edit_;
  std::vector<bool> taken_;
};

}  // namespace

Status recognize_activation(const Graph& graph, Function& f, PassContext& context) {
  if constexpr (!is_built("Gelu") && !is_built("Swish") && !is_built("HardSigmoid") && !is_built("HardSwish"))
    return {};
  if (!context.claims || trains(graph, f)) return {};
  // A second round is needed, because a HardSigmoid found in the first may be the gate of a
  // HardSwish.
  for (int round = 0; round < 2; ++round) {
    PERCALE_ASSIGN_OR_RETURN(const bool changed, ActivationRecognition(graph, f, context).run());
    if (!changed) return {};
    PERCALE_RETURN_IF_ERROR(dead_code(graph, f, context));
  }
  return {};
}

}  // namespace percale
