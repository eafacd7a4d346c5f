// One execution of a plan inside a run.
#ifndef PERCALE_CORE_SESSION_PLAN_ACTIVATION_H_
#define PERCALE_CORE_SESSION_PLAN_ACTIVATION_H_

#include <memory>
#include <span>
#include <vector>

#include "core/session/plan_runner.h"

namespace percale {

// The copies on devices that a plan leaves for its rest, by input of the rest. The destructor gives
// them back.
class HandedValues {
 public:
  explicit HandedValues(size_t count) : copies_(count, nullptr) {}
  ~HandedValues() {
    for (DeviceStore::Copy* copy : copies_) {
      if (copy != nullptr) DeviceStore::publish(copy, {});
    }
  }
  HandedValues(const HandedValues&) = delete;
  HandedValues& operator=(const HandedValues&) = delete;
  std::span<DeviceStore::Copy*> copies() { return copies_; }

 private:
  std::vector<DeviceStore::Copy*> copies_;  // null: the host has it, or it is not computed yet
};

// The methods are called once each, in the order in which they are declared.
class PlanActivation {
 public:
  PlanActivation(PlanRunner& runner, const Plan& plan, PlanRunner::Sharing sharing);

  // Takes the feeds and appends the precomputed values. `handed`: as RunFrame::handed.
  Status bind_feeds(std::span<const Tensor> feeds, std::span<DeviceStore::Copy* const> handed);
  // Decides where each result of the programs lies: in an output of the caller, in a feed or
  // variable that it shows unchanged, or in new memory.
  Status bind_results(std::span<const Tensor> outputs);
  Status execute();
  Status run_control();
  Status run_rest();
  Status deliver(std::span<Tensor> outputs);

 private:
  void share_shown_results();
  Status allocate_results();
  void copy_passed_through();
  Status deliver_one(size_t fetch, Tensor& output);
  // Null, or an undefined tensor, if the value stays on its device.
  const Tensor* find_value(const ValueSource& source) const;
  ValueType type_of(const ValueSource& source) const;
  DeviceStore::Copy* handed_input(size_t input);
  Result<Tensor> copy_to_host(size_t input, const DeviceStore::Copy& copy) const;
  Tensor value_of(const ValueSource& source) const;
  bool may_share() const { return sharing_ == PlanRunner::Sharing::kAllowed; }

  PlanRunner& runner_;
  const Plan& plan_;
  const PlanRunner::Sharing sharing_;
  const int64_t version_;  // of the variables when the plan began
  const Lent<RunLists> lists_;
  std::vector<Tensor>& feeds_;
  std::vector<Tensor>& results_;
  std::span<DeviceStore::Copy* const> handed_;  // of the feeds
  HandedValues handed_on_;
  std::vector<std::vector<Tensor>> control_outputs_;
  std::vector<Tensor> rest_outputs_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_PLAN_ACTIVATION_H_
