#include "core/session/plan_activation.h"

#include <cstring>

#include "core/session/executor/executor.h"
#include "core/session/precompute.h"

namespace percale {

PlanActivation::PlanActivation(PlanRunner& runner, const Plan& plan, PlanRunner::Sharing sharing)
    : runner_(runner),
      plan_(plan),
      sharing_(sharing),
      version_(runner.frame().state.version),
      lists_(plan.lists),
      feeds_(lists_->feeds),
      results_(lists_->results),
      handed_on_(plan.rest.inputs.size()) {}

Status PlanActivation::bind_feeds(std::span<const Tensor> feeds, std::span<DeviceStore::Copy* const> handed) {
  handed_ = handed;
  feeds_.assign(feeds.begin(), feeds.end());
  if (plan_.precompute.steps.empty()) return {};
  PERCALE_ASSIGN_OR_RETURN(const auto precomputed, precomputed_values(runner_.session(), runner_.frame(), plan_));
  feeds_.insert(feeds_.end(), precomputed->values.begin(), precomputed->values.end());
  return {};
}

Status PlanActivation::bind_results(std::span<const Tensor> outputs) {
  results_.resize(plan_.results.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueSource& source = plan_.fetches[i];
    if (source.kind != ValueSource::Kind::kResult || !outputs[i].defined()) continue;
    Tensor& result = results_[static_cast<size_t>(source.index)];
    if (!result.defined()) result = outputs[i];
  }
  share_shown_results();
  PERCALE_RETURN_IF_ERROR(allocate_results());
  copy_passed_through();
  return {};
}

void PlanActivation::share_shown_results() {
  const StateFrame& state = runner_.frame().state;
  for (const ShownResult& shown : plan_.shown) {
    Tensor& result = results_[static_cast<size_t>(shown.result)];
    if (result.defined() || state.exclusive || (!may_share() && shown.fetched)) continue;
    const Tensor& from = shown.feed >= 0 ? feeds_[static_cast<size_t>(shown.feed)] : state.value(shown.variable);
    result = from.reshaped(plan_.results[static_cast<size_t>(shown.result)].shape);
  }
}

Status PlanActivation::allocate_results() {
  for (size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].defined() || plan_.stays[i]) continue;
    const ValueType& type = plan_.results[i];
    PERCALE_ASSIGN_OR_RETURN(results_[i], Tensor::allocate(runner_.session().memory, type.dtype, type.shape));
  }
  return {};
}

void PlanActivation::copy_passed_through() {
  for (const PassedThrough& p : plan_.passed_through) {
    const Tensor& from = p.feed >= 0 ? feeds_[static_cast<size_t>(p.feed)] : p.constant;
    void* to = results_[static_cast<size_t>(p.result)].data();
    if (to != from.data()) std::memcpy(to, from.data(), static_cast<size_t>(from.bytes()));
  }
}

Status PlanActivation::execute() {
  RunFrame& frame = runner_.frame();
  frame.handed = handed_;
  frame.to_hand_on = handed_on_.copies();
  return execute_programs(plan_, *runner_.session().engine, frame, feeds_, results_);
}

const Tensor* PlanActivation::find_value(const ValueSource& source) const {
  const auto i = static_cast<size_t>(source.index);
  switch (source.kind) {
    case ValueSource::Kind::kFeed: return source.index < 0 ? nullptr : &feeds_[i];
    case ValueSource::Kind::kResult: return &results_[i];
    case ValueSource::Kind::kControl: return &control_outputs_[i][static_cast<size_t>(source.output)];
    case ValueSource::Kind::kRest: return &rest_outputs_[i];
  }
  return nullptr;
}

Tensor PlanActivation::value_of(const ValueSource& source) const {
  const Tensor* found = find_value(source);
  return found == nullptr ? Tensor() : *found;
}

Status PlanActivation::run_control() {
  for (const ControlNode& control : plan_.control) {
    std::vector<Tensor> inputs;
    for (const ValueSource& source : control.inputs) inputs.push_back(value_of(source));
    PERCALE_ASSIGN_OR_RETURN(auto outputs, runner_.run_control_node(control, inputs, version_));
    control_outputs_.push_back(std::move(outputs));
  }
  return {};
}

// The type of a feed or a result, whose tensor may be undefined.
ValueType PlanActivation::type_of(const ValueSource& source) const {
  const auto i = static_cast<size_t>(source.index);
  return source.kind == ValueSource::Kind::kResult ? plan_.results[i] : plan_.feed_types[i];
}

// The copy of an input of the rest that lies on a device; null: the host has it.
DeviceStore::Copy* PlanActivation::handed_input(size_t input) {
  const ValueSource& source = plan_.rest.inputs[input];
  const auto feed = static_cast<size_t>(source.index);
  if (source.kind == ValueSource::Kind::kFeed) return feed < handed_.size() ? handed_[feed] : nullptr;
  return handed_on_.copies()[input];
}

// The host's copy of an input of the rest, which a device has.
Result<Tensor> PlanActivation::copy_to_host(size_t input, const DeviceStore::Copy& copy) const {
  const ValueType type = type_of(plan_.rest.inputs[input]);
  PERCALE_ASSIGN_OR_RETURN(const Tensor out, Tensor::allocate(runner_.session().memory, type.dtype, type.shape));
  const Device& device = *runner_.session().engine->devices()[static_cast<size_t>(plan_.rest.spec.feed_home(input))];
  if (out.bytes() > 0) PERCALE_RETURN_IF_ERROR(copy.copy_to_host(device, out.data(), out.bytes()));
  return out;
}

Status PlanActivation::run_rest() {
  const Plan::Rest& rest = plan_.rest;
  if (rest.graph == nullptr) return {};
  PERCALE_RETURN_IF_ERROR(runner_.frame().stop_reason());
  std::vector<ValueType> types;
  std::vector<Tensor> inputs, contents(rest.inputs.size());
  std::vector<DeviceStore::Copy*> handed;
  for (size_t i = 0; i < rest.inputs.size(); ++i) {
    const Tensor& value = inputs.emplace_back(value_of(rest.inputs[i]));
    handed.push_back(handed_input(i));
    types.push_back(handed[i] != nullptr ? type_of(rest.inputs[i]) : ValueType{value.dtype(), value.shape()});
    if (rest.by_value[i]) contents[i] = value;
  }
  PERCALE_ASSIGN_OR_RETURN(
      const auto plan, runner_.session().cache->find_or_compile({*rest.graph, plan_.id, rest.spec, types, contents}));
  for (size_t i = 0; i < handed.size(); ++i) {
    if (handed[i] == nullptr || plan->feed_stays[i]) continue;
    PERCALE_ASSIGN_OR_RETURN(inputs[i], copy_to_host(i, *handed[i]));
    handed[i] = nullptr;
  }
  rest_outputs_.resize(rest.spec.fetches.size());
  return runner_.run_plan(*plan, inputs, rest_outputs_, PlanRunner::Sharing::kAllowed, handed);
}

Status PlanActivation::deliver(std::span<Tensor> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) PERCALE_RETURN_IF_ERROR(deliver_one(i, outputs[i]));
  return {};
}

Status PlanActivation::deliver_one(size_t fetch, Tensor& output) {
  const ValueSource& source = plan_.fetches[fetch];
  const Tensor* value = find_value(source);
  if (value == nullptr || !value->defined()) return {};  // it stays on its device
  const Tensor& found = *value;
  if (!output.defined() && (may_share() || source.kind != ValueSource::Kind::kFeed)) {
    output = found;
    return {};
  }
  if (!output.defined()) {
    PERCALE_ASSIGN_OR_RETURN(output, Tensor::allocate(runner_.session().memory, found.dtype(), found.shape()));
  }
  if (output.dtype() != found.dtype() || !(output.shape() == found.shape())) {
    return invalid_argument("fetch '", plan_.spec.fetches[fetch], "' is ", found.dtype(), " ", found.shape(),
                            ", the output given for it is ", output.dtype(), " ", output.shape());
  }
  if (output.data() != found.data()) std::memcpy(output.data(), found.data(), static_cast<size_t>(found.bytes()));
  return {};
}

}  // namespace percale
