#include "core/plan/precompute.h"

#include <algorithm>
#include <string_view>
#include <type_traits>

namespace percale {
namespace {

// kGiven: exists already; kWork: computed from kGiven or kWork.
enum class From : uint8_t { kElsewhere, kGiven, kWork };

bool is_fused(const Node& node) { return node.op->is(Role::kFused); }

const FunctionRef* carried_function(const Node& node) {
  for (const auto& [name, value] : node.attributes) {
    if (const auto* ref = value.get_if<FunctionRef>()) return ref;
  }
  return nullptr;
}

std::vector<From> sources(const Function& f, const PrecomputeRules& rules, const NodeNames& keep) {
  std::vector<From> from(f.values.size(), From::kElsewhere);
  for (size_t i = 0; i < f.values.size(); ++i) {
    if (f.values[i].kind == ValueKind::kConstant) from[i] = From::kGiven;
  }
  for (const Node& node : f.nodes) {
    From result = From::kElsewhere;
    if (node.op->is(Role::kReadVariable)) {
      const bool same = !rules.all_variables && !rules.variables.contains(node.attributes.get_string("variable"));
      if (same) result = From::kGiven;
    } else if (node.op->has(kPure) && !node.op->has(kRandom) && !node.op->has(kStateful) && !keep.contains(node.name) &&
               (!rules.slices_alone || node.op->is(Role::kSlice))) {
      bool work = !node.op->has(kView), elsewhere = false;
      for (ValueId id : node.inputs) {
        if (id == kNoValue) continue;
        const From source = from[static_cast<size_t>(id)];
        work = work || source == From::kWork;
        elsewhere = elsewhere || source == From::kElsewhere;
      }
      if (!elsewhere) result = work ? From::kWork : From::kGiven;
    }
    for (ValueId id : node.outputs) {
      if (id != kNoValue) from[static_cast<size_t>(id)] = result;
    }
  }
  return from;
}

// Writes the computation of a function as text. Values are written by number, because names differ
// between plans.
class FormWriter {
 public:
  explicit FormWriter(const Graph& graph) : graph_(graph) {}

  void function(const Function& f) {
    for (size_t i = 0; i < f.values.size(); ++i) {
      const Value& v = f.values[i];
      text_ += str_cat(static_cast<uint64_t>(i), '=', v.type.dtype, v.type.shape);
      if (const Format* format = f.format(static_cast<ValueId>(i))) text_ += str_cat('@', format->key);
      if (const Tensor* constant = f.constant(static_cast<ValueId>(i))) tensor(*constant);
      text_ += ';';
    }
    for (const Node& node : f.nodes) {
      text_ += str_cat(node.op->domain, ':', node.op->name, '(');
      list(node.inputs);
      text_ += ")->";
      list(node.outputs);
      for (const auto& [name, value] : node.attributes) attribute(name, value);
      text_ += ';';
    }
    text_ += "->";
    list(f.outputs);
  }

  std::string take() { return std::move(text_); }

 private:
  void list(const std::vector<ValueId>& values) {
    for (ValueId id : values) text_ += str_cat(id, ',');
  }

  void bytes(const void* data, size_t size) {
    text_ += str_cat(static_cast<uint64_t>(size), ':');
    text_.append(static_cast<const char*>(data), size);
  }

  // Writes a small tensor by its contents and a large one by its address.
  void tensor(const Tensor& t) {
    text_ += str_cat('#', t.dtype(), t.shape());
    const void* address = t.data();
    if (t.bytes() <= 64) {
      bytes(address, static_cast<size_t>(t.bytes()));
    } else {
      bytes(static_cast<const void*>(&address), sizeof(address));
    }
  }

  void attribute(const std::string& name, const AttrValue& value) {
    text_ += str_cat('[', name, '/', static_cast<int64_t>(value.kind()), ' ');
    std::visit([this](const auto& v) { one(v); }, value.variant());
    text_ += ']';
  }

  template <class T>
  void one(const T& v) {
    if constexpr (std::is_arithmetic_v<T>) {
      bytes(&v, sizeof(v));
    } else if constexpr (std::is_same_v<T, std::string>) {
      bytes(v.data(), v.size());
    } else if constexpr (std::is_same_v<T, Tensor>) {
      tensor(v);
    } else if constexpr (std::is_same_v<T, FunctionRef>) {
      if (const Function* body = graph_.find_function(v.name)) function(*body);
    } else {
      for (const auto& element : v) one(element);
    }
  }

  const Graph& graph_;
  std::string text_;
};

}  // namespace

PrecomputeRules precompute_rules(const Function& whole) {
  PrecomputeRules rules;
  for (const Node& node : whole.nodes) {
    if (node.op->has(kWaits) || (carried_function(node) != nullptr && !is_fused(node))) rules.all_variables = true;
    if (node.op->has(kStateful) && !node.op->is(Role::kReadVariable)) {
      rules.variables.emplace(node.attributes.get_string("variable"));
    }
  }
  return rules;
}

std::vector<bool> precomputable_values(const Function& part, const PrecomputeRules& rules) {
  std::vector<bool> out;
  for (const From from : sources(part, rules, {})) out.push_back(from != From::kElsewhere);
  return out;
}

std::vector<ValueId> values_to_precompute(const Function& part, const PrecomputeRules& rules, const NodeNames& keep) {
  const std::vector<From> from = sources(part, rules, keep);
  std::vector<bool> used(part.values.size(), false);
  for (const Node& node : part.nodes) {
    const bool stays = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
      return id != kNoValue && from[static_cast<size_t>(id)] == From::kElsewhere;
    });
    if (!stays && !node.outputs.empty()) continue;
    for (ValueId id : node.inputs) {
      if (id != kNoValue) used[static_cast<size_t>(id)] = true;
    }
  }
  for (ValueId id : part.outputs) used[static_cast<size_t>(id)] = true;
  std::vector<ValueId> out;
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i] && from[i] == From::kWork && part.values[i].type.shape.is_static()) {
      out.push_back(static_cast<ValueId>(i));
    }
  }
  return out;
}

std::string precomputed_form(const Graph& graph, const Function& f) {
  FormWriter writer(graph);
  writer.function(f);
  return writer.take();
}

}  // namespace percale
