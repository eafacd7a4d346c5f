#include "core/passes/edit/propagate.h"

#include <algorithm>

#include "core/graph/effects.h"
#include "core/passes/edit/partly_known.h"
#include "core/passes/edit/rewrite.h"

namespace percale {
namespace {

// limit for integers computed only because shapes depend on them
constexpr int64_t kMaxShapeBytes = 8192;

class Propagation {
 public:
  Propagation(Function& f, const PassContext& context, const FunctionTypes& functions, bool fold)
      : f_(f),
        context_(context),
        functions_(functions),
        fold_(fold),
        known_(f.values.size()),
        partly_known_(f, context.evaluate, [this](ValueId id) { return known(id); }) {}

  Status run() {
    for (size_t i = 0; i < f_.values.size(); ++i) {
      if (const Tensor* constant = f_.constant(static_cast<ValueId>(i))) known_[i] = *constant;
    }
    std::vector<bool> keep(f_.nodes.size(), true);
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      PERCALE_RETURN_IF_ERROR(infer(f_.nodes[i]));
      PERCALE_ASSIGN_OR_RETURN(std::vector<Tensor> results, compute(f_.nodes[i]));
      if (results.empty()) {
        PERCALE_ASSIGN_OR_RETURN(Tensor result, partly_known_.compute(f_.nodes[i]));
        if (result.defined()) results.push_back(std::move(result));
      }
      if (results.empty()) continue;
      keep[i] = !fold_;
      for (size_t k = 0; k < results.size(); ++k) set_known(f_.nodes[i].outputs[k], std::move(results[k]));
    }
    if (fold_) compact(f_, keep);
    return {};
  }

 private:
  const Tensor* known(ValueId id) const {
    return id != kNoValue && known_[static_cast<size_t>(id)].defined() ? &known_[static_cast<size_t>(id)] : nullptr;
  }

  Status infer(const Node& node) {
    std::vector<ValueType> inputs;
    std::vector<const Tensor*> values;
    for (ValueId id : node.inputs) {
      inputs.push_back(id == kNoValue ? ValueType{} : f_.type(id));
      values.push_back(known(id));
    }
    PERCALE_ASSIGN_OR_RETURN(const auto types,
                             infer_node(*node.op, node.name, std::move(inputs), std::move(values), node.outputs.size(),
                                        node.attributes, &functions_, partly_known_.inputs(node)));
    for (size_t i = 0; i < types.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      ValueType& type = f_.value(node.outputs[i]).type;
      if (type.dtype != types[i].dtype || !compatible(type.shape, types[i].shape)) {
        return invalid_argument(op_name(*node.op), " '", node.name, "': output '", f_.value(node.outputs[i]).name,
                                "' is declared ", type.dtype, " ", type.shape, " and would become ", types[i].dtype,
                                " ", types[i].shape);
      }
      type.shape = merge(type.shape, types[i].shape);
    }
    return {};
  }

  // Computes the outputs of a node whose inputs are known. Returns an empty list if they must not
  // be computed.
  Result<std::vector<Tensor>> compute(const Node& node) const {
    const std::vector<Tensor> nothing;
    const bool pure = node.op->has(kPure) && !node.op->has(kRandom) && !node.op->has(kStateful);
    if (!pure || carries_functions(node.attributes) || node.outputs.empty()) return nothing;
    if (!context_.evaluate || !worth_it(node)) return nothing;
    std::vector<Tensor> inputs;
    for (ValueId id : node.inputs) inputs.push_back(id == kNoValue ? Tensor() : *known(id));
    auto results = context_.evaluate(*node.op, node.name, node.attributes, inputs, node.outputs.size());
    // An error here is reported by the run, which names the node. Memory exhaustion is reported
    // now, because the plan must not depend on how much memory was free when it was made.
    if (results.ok() || results.status().code() == Code::kResourceExhausted) return results;
    return nothing;
  }

  bool worth_it(const Node& node) const {
    int64_t bytes_in = 0, bytes_out = 0;
    for (ValueId id : node.inputs) {
      if (id == kNoValue) continue;
      if (known(id) == nullptr) return false;
      bytes_in += known(id)->bytes();
    }
    for (ValueId id : node.outputs) {
      if (id == kNoValue) return false;
      const ValueType& type = f_.type(id);
      const auto bytes = byte_size(type.dtype, type.shape);
      if (!bytes.ok()) return false;
      if (!fold_ && (is_float(type.dtype) || *bytes > kMaxShapeBytes)) return false;
      bytes_out += *bytes;
    }
    return !fold_ || bytes_out <= std::max(context_.max_folded_bytes, bytes_in);
  }

  void set_known(ValueId id, Tensor tensor) {
    if (id == kNoValue) return;
    known_[static_cast<size_t>(id)] = tensor;
    if (!fold_) return;
    Value& value = f_.value(id);
    value.type = {tensor.dtype(), tensor.shape()};
    value.kind = ValueKind::kConstant;
    value.def = static_cast<int32_t>(f_.constants.size());
    value.output = 0;
    f_.constants.push_back(std::move(tensor));
  }

  Function& f_;
  const PassContext& context_;
  const FunctionTypes& functions_;
  const bool fold_;
  std::vector<Tensor> known_;  // per value; undefined if the value is not known
  PartlyKnown partly_known_;
};

}  // namespace

Result<std::vector<ValueType>> BodyTypes::output_types(std::string_view name,
                                                       const std::vector<ValueType>& inputs) const {
  PERCALE_ASSIGN_OR_RETURN(auto types, declared_.output_types(name, inputs));
  for (const auto& [given, found] : known_[std::string(name)]) {
    if (given == inputs) return found;
  }
  Function body = *graph_.find_function(name);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Shape& shape = body.value(body.inputs[i]).type.shape;
    shape = merge(shape, inputs[i].shape);
  }
  const Status status = propagate(body, context_, *this, false);
  if (status.code() == Code::kResourceExhausted) return status;
  if (status.ok()) {
    for (size_t i = 0; i < types.size(); ++i) types[i] = body.type(body.outputs[i]);
  }
  known_[std::string(name)].emplace_back(inputs, types);
  return types;
}

Status propagate(Function& f, const PassContext& context, const FunctionTypes& functions, bool fold) {
  return Propagation(f, context, functions, fold).run();
}

Status bind_inputs(Function& f, std::span<const Shape> shapes) {
  if (shapes.size() != f.inputs.size()) {
    return invalid_argument("function '", f.name, "' takes ", static_cast<uint64_t>(f.inputs.size()), " inputs, got ",
                            static_cast<uint64_t>(shapes.size()), " shapes");
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    Value& value = f.value(f.inputs[i]);
    if (!compatible(value.type.shape, shapes[i])) {
      return invalid_argument("input '", value.name, "' is declared ", value.type.shape, " but was fed ", shapes[i]);
    }
    value.type.shape = merge(value.type.shape, shapes[i]);
  }
  return {};
}

}  // namespace percale
