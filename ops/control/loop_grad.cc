// The gradient of Loop. The backward function of the body recomputes a trip from the values at its
// start. The forward loop therefore stacks the carried values that it needs, one entry per trip,
// and the reverse loop gathers them, last trip first. Values that no gradient depends on are not
// saved.
#include <algorithm>

#include "core/graph/clone.h"
#include "core/graph/effects.h"
#include "ops/control/control.h"

namespace percale {
namespace {

// inputs before the carried ones: M and cond of the node, trip and cond of the body
constexpr size_t kFixed = 2;

class LoopGradient {
 public:
  explicit LoopGradient(GradContext& c)
      : c_(c),
        body_(c.attributes().find("body")->get_if<FunctionRef>()->name),
        carried_(static_cast<size_t>(c.attributes().get_int("num_carried"))) {}

  Status run() {
    if (effects_of(graph(), c_.node()).random) {
      return unimplemented("the body draws random numbers, which the reverse loop cannot draw again");
    }
    PERCALE_RETURN_IF_ERROR(find_active());
    PERCALE_RETURN_IF_ERROR(find_given());
    PERCALE_ASSIGN_OR_RETURN(back_, c_.functions()->backward(body_, given_, active_));
    PERCALE_RETURN_IF_ERROR(save());
    return emit_reverse();
  }

 private:
  const Graph& graph() const { return c_.builder().owner().graph(); }
  const Function& function(std::string_view name) const { return *graph().find_function(name); }
  ValueType body_type(size_t input) const {
    const Function& f = function(body_);
    return f.type(f.inputs[input]);
  }

  // A carried value is active if a requested gradient flows through it in some trip.
  Status find_active() {
    active_.assign(std::max(c_.num_inputs(), kFixed), false);
    for (size_t i = kFixed; i < active_.size(); ++i) active_[i] = c_.wants(i);
    for (bool changed = true; changed;) {
      changed = false;
      PERCALE_ASSIGN_OR_RETURN(reached_, c_.functions()->reached(body_, active_));
      for (size_t j = 0; j < carried_; ++j) {
        if (!reached_[1 + j] || active_[kFixed + j]) continue;
        active_[kFixed + j] = changed = true;
      }
    }
    return {};
  }

  // Finds the outputs of the body through which gradients enter a trip.
  Status find_given() {
    given_.assign(reached_.size(), false);
    for (size_t i = 1; i < reached_.size(); ++i) {
      const bool arrives = i <= carried_ ? active_[kFixed + i - 1] : c_.grad(i - 1) != kNoValue;
      given_[i] = reached_[i] && arrives;
    }
    return {};
  }

  // Finds or creates the stacks of the body's inputs that the backward function uses.
  Status save() {
    const Function& back = function(back_);
    used_ = inputs_behind(back, back.outputs);
    stacks_.assign(kFixed + carried_, kNoValue);
    std::vector<size_t> missing;
    for (size_t i = kFixed; i < stacks_.size(); ++i) {
      if (!used_[i]) continue;
      stacks_[i] = existing_stack(i);
      if (stacks_[i] == kNoValue) missing.push_back(i);
    }
    // Some stacked value is needed to tell the number of trips.
    for (size_t i = carried_; i < c_.node().outputs.size() && counter_ == kNoValue; ++i) counter_ = c_.output(i);
    if (counter_ == kNoValue && missing.empty()) missing.push_back(0);
    if (!missing.empty()) PERCALE_RETURN_IF_ERROR(extend(missing));
    return {};
  }

  // Returns a scan output that is the body's input `input` unchanged. It exists if another gradient
  // of this loop requested it before.
  ValueId existing_stack(size_t input) const {
    const Function& body = function(body_);
    for (size_t i = 1 + carried_; i < body.outputs.size(); ++i) {
      if (body.outputs[i] == body.inputs[input] && c_.output(i - 1) != kNoValue) return c_.output(i - 1);
    }
    return kNoValue;
  }

  Status extend(const std::vector<size_t>& inputs) {
    Builder& builder = c_.builder().owner();
    const std::string name = builder.free_function_name(str_cat(body_, "/saving"));
    PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * saving, builder.add_function(name));
    const Function& body = function(body_);
    PERCALE_ASSIGN_OR_RETURN(const auto map, clone_function(body, *saving));
    // Scan outputs that the node does not use are dropped, so that the new ones directly follow its
    // existing outputs.
    const size_t asked = std::max(1 + carried_, 1 + c_.node().outputs.size());
    std::vector<ValueId> outputs;
    for (size_t i = 0; i < asked; ++i) outputs.push_back(map[static_cast<size_t>(body.outputs[i])]);
    for (size_t i : inputs) outputs.push_back(map[static_cast<size_t>(body.inputs[i])]);
    PERCALE_RETURN_IF_ERROR(saving->set_outputs(std::move(outputs)));

    // carried ones that the node does not use
    const size_t skipped = asked - 1 - c_.node().outputs.size();
    Attributes attributes = c_.node().attributes;
    attributes.set("body", FunctionRef{name});
    const Function& f = c_.builder().function();
    const NodeId id = f.value(first_output()).def;
    PERCALE_ASSIGN_OR_RETURN(const auto added,
                             c_.builder().extend_node(id, std::move(attributes), skipped + inputs.size()));
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (inputs[k] >= kFixed) stacks_[inputs[k]] = added[skipped + k];
      counter_ = added[skipped + k];
    }
    return {};
  }

  // Returns the first output that exists. There is one, because some output has a gradient.
  ValueId first_output() const {
    for (ValueId v : c_.node().outputs) {
      if (v != kNoValue) return v;
    }
    return kNoValue;
  }

  ValueId add_input(FunctionBuilder& f, const ValueType& type) {
    const auto id = f.add_input("", type.dtype, type.shape);
    if (!id.ok()) c_.fail(id.status());
    return id.ok() ? *id : kNoValue;
  }

  // Adds a capture to the reverse loop and returns the value inside the body.
  ValueId capture(FunctionBuilder& f, ValueId outer) {
    captures_.push_back(outer);
    return add_input(f, c_.type(outer));
  }

  // The body of the reverse loop under construction.
  struct Reverse {
    FunctionBuilder& f;
    Emitter e;
    ValueId cond = kNoValue, at = kNoValue;  // `at` is the trip of the forward loop
    std::vector<ValueId> initial = {};       // of the carried values, outside of the body
    std::vector<ValueId> inner = {};         // the carried values, inside of it
  };

  Status emit_reverse() {
    Builder& builder = c_.builder().owner();
    const std::string name = builder.free_function_name(str_cat(body_, "/reverse"));
    PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * f, builder.add_function(name));
    const ValueId trips = c_.emit("Gather", {c_.emit("Shape", {counter_}), c_.scalar(DType::kI64, 0)});
    PERCALE_RETURN_IF_ERROR(c_.status());
    Reverse reverse{*f, Emitter(*f)};
    begin_reverse(reverse, trips);
    const std::vector<ValueId> operands = backward_operands(reverse);
    PERCALE_RETURN_IF_ERROR(reverse.e.status());
    PERCALE_RETURN_IF_ERROR(c_.status());
    PERCALE_RETURN_IF_ERROR(finish_reverse(reverse, operands));

    std::vector<ValueId> inputs{trips, kNoValue};
    inputs.insert(inputs.end(), reverse.initial.begin(), reverse.initial.end());
    inputs.insert(inputs.end(), captures_.begin(), captures_.end());
    const auto results = c_.emit_many("Loop", inputs, reverse.initial.size(),
                                      {{"body", FunctionRef{name}},
                                       {"num_carried", static_cast<int64_t>(reverse.initial.size())},
                                       {"trip_limit", c_.attributes().get_int("trip_limit")}});
    size_t next_active = 0;
    for (size_t i = kFixed; i < active_.size(); ++i) {
      if (!active_[i]) continue;
      if (c_.wants(i)) c_.set(i, results[next_active]);
      ++next_active;
    }
    return {};
  }

  // The reverse loop carries the gradients of the active carried values, then the gradient sums of
  // the captures.
  void begin_reverse(Reverse& r, ValueId trips) {
    const ValueId trip = add_input(r.f, {DType::kI64, {}});
    r.cond = add_input(r.f, {DType::kBool, {}});
    for (size_t i = kFixed; i < active_.size(); ++i) {
      if (!active_[i]) continue;
      const size_t j = i - kFixed;
      const bool sum = j >= carried_;
      r.initial.push_back(sum || c_.output(j) == kNoValue ? full_like(c_, c_.input(i), 0) : c_.grad_or_zeros(j));
      r.inner.push_back(add_input(r.f, sum ? c_.type(c_.input(i)) : body_type(i)));
    }
    const ValueId count = capture(r.f, trips);
    r.at = r.e.emit("Sub", {r.e.emit("Sub", {count, r.e.scalar(DType::kI64, 1)}), trip});
  }

  // Returns the inputs of the backward function: those of the body that it uses, then gradients.
  std::vector<ValueId> backward_operands(Reverse& r) {
    std::vector<ValueId> operands(function(back_).inputs.size(), kNoValue);
    operands[0] = r.at;
    if (used_[1]) operands[1] = r.e.constant(Tensor::scalar(true));
    for (size_t i = kFixed; i < active_.size(); ++i) {
      if (!used_[i]) continue;
      const bool stacked = i < kFixed + carried_;
      const ValueId inside = capture(r.f, stacked ? stacks_[i] : c_.input(i));
      operands[i] = stacked ? r.e.emit("Gather", {inside, r.at}) : inside;
    }
    size_t next = active_.size(), next_active = 0;
    for (size_t i = 1; i < given_.size(); ++i) {
      const bool is_carried = i <= carried_;
      const ValueId carried_grad = is_carried && active_[kFixed + i - 1] ? r.inner[next_active++] : kNoValue;
      if (!given_[i]) continue;
      operands[next++] = is_carried ? carried_grad : r.e.emit("Gather", {capture(r.f, c_.grad(i - 1)), r.at});
    }
    return operands;
  }

  // Clones the backward function into the body and sets the body's outputs.
  Status finish_reverse(Reverse& r, const std::vector<ValueId>& operands) {
    const Function& back = function(back_);
    PERCALE_ASSIGN_OR_RETURN(const auto map, clone_body(back, r.f, operands, &back.outputs));
    std::vector<ValueId> outputs{r.cond};
    size_t next_active = 0;
    for (size_t i = kFixed; i < active_.size(); ++i) {
      if (!active_[i]) continue;
      const ValueId grad = map[static_cast<size_t>(back.outputs[next_active])];
      outputs.push_back(i < kFixed + carried_ ? grad : r.e.emit("Add", {r.inner[next_active], grad}));
      ++next_active;
    }
    PERCALE_RETURN_IF_ERROR(r.e.status());
    return r.f.set_outputs(std::move(outputs));
  }

  GradContext& c_;
  const std::string body_;
  const size_t carried_;
  std::string back_;                   // the backward function of the body
  std::vector<bool> active_;           // per input of the body
  std::vector<bool> reached_, given_;  // per output of the body
  std::vector<bool> used_;             // per input of the backward function
  std::vector<ValueId> stacks_;        // per input of the body up to the last carried one
  std::vector<ValueId> captures_;      // captures of the reverse loop
  ValueId counter_ = kNoValue;         // a value with one entry per trip
};

}  // namespace

Status loop_grad(GradContext& context) { return LoopGradient(context).run(); }

}  // namespace percale
