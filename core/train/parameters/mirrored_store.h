// Parameters on every device that computes shards: each commits what the host commits.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_MIRRORED_STORE_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_MIRRORED_STORE_H_

#include <memory>
#include <string>
#include <vector>

#include "core/train/parameters/host_store.h"

namespace percale {

// The working set is the state. Devices with memory of their own that run the host's kernels
// compute copies of the next values; other devices get copies from the host.
class MirroredStore final : public ParameterStore {
 public:
  // Borrows `graph` and `devices`.
  MirroredStore(std::shared_ptr<Session> session, const TrainGraph& graph, const ReplicaDevices& devices,
                std::unique_ptr<HostStore> host, WorkingSet& working);

  Status commit(const StepCommit& step) override;
  void describe(JsonWriter& w) const override;

 private:
  struct Mirror {
    int32_t device = 0;
    std::vector<ValueType> types;
    std::shared_ptr<const Plan> plan;
  };
  bool mirrors(int32_t index) const;
  void commit_mirrors(const StepCommit& step, const std::vector<Tensor>& feeds);
  Status commit_mirror(Mirror& mirror, const std::vector<Tensor>& feeds, const RunOptions& options);

  const std::shared_ptr<Session> session_;
  const TrainGraph& graph_;
  const ReplicaDevices& devices_;
  const std::unique_ptr<HostStore> host_;
  ResidentOutputs next_;  // of the commit of a mirror
  std::vector<Mirror> mirrors_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_MIRRORED_STORE_H_
