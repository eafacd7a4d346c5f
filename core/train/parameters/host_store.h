// Parameters in the host's memory, which the host commits to.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_HOST_STORE_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_HOST_STORE_H_

#include <memory>
#include <vector>

#include "core/train/parameters/parameter_store.h"

namespace percale {

class HostStore final : public ParameterStore {
 public:
  // `alone`: no shard computes during a commit.
  HostStore(std::shared_ptr<Session> session, WorkingSet& working, StepLayout layout, bool alone)
      : ParameterStore(working), session_(std::move(session)), layout_(layout), alone_(alone) {}

  Status commit(const StepCommit& step) override;
  // The same within the guard of a store that could not do it, on the feeds of the commit.
  Status commit(const StepCommit& step, const std::vector<Tensor>& feeds, CommitGuard& guard);

  const StepLayout& layout() const { return layout_; }
  bool alone() const { return alone_; }

 private:
  const std::shared_ptr<Session> session_;
  const StepLayout layout_;
  const bool alone_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_HOST_STORE_H_
