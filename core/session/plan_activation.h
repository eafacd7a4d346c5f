// One execution of a plan inside a run.
#ifndef PERCALE_CORE_SESSION_PLAN_ACTIVATION_H_
#define PERCALE_CORE_SESSION_PLAN_ACTIVATION_H_

#include <memory>
#include <span>
#include <vector>

#include "core/session/plan_runner.h"

namespace percale {

// The methods are called once each, in the order in which they are declared.
class PlanActivation {
 public:
  PlanActivation(PlanRunner& runner, const Plan& plan, PlanRunner::Sharing sharing);

  // Takes the feeds and appends the precomputed values.
  Status bind_feeds(std::span<const Tensor> feeds);
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
  Tensor value_of(const ValueSource& source) const;
  bool may_share() const { return sharing_ == PlanRunner::Sharing::kAllowed; }

  PlanRunner& runner_;
  const Plan& plan_;
  const PlanRunner::Sharing sharing_;
  const int64_t version_;  // of the variables when the plan began
  const Lent<RunLists> lists_;
  std::vector<Tensor>& feeds_;
  std::vector<Tensor>& results_;
  std::vector<std::vector<Tensor>> control_outputs_;
  std::vector<Tensor> rest_outputs_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_PLAN_ACTIVATION_H_
