// Parameters and slots on the devices that compute: a step sends nothing but the batch to a device.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_RESIDENT_RESIDENT_STORE_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_RESIDENT_RESIDENT_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/train/method/train_mode.h"
#include "core/train/parallel/parameter_spec.h"
#include "core/train/parameters/host_store.h"
#include "core/train/parameters/resident/device_sums.h"

namespace percale {

// The settings of a job that decide whether its parameters can stay on devices.
struct ResidentRequest {
  ParameterSpec::Where where = ParameterSpec::Where::kHost;
  TrainMode::Kind mode = TrainMode::Kind::kSync;
  std::string mode_text;
  int64_t accumulation = 1, shards = 0;
  bool recompute = false;  // every step rebuilds activations
};

// The devices that keep the parameters, and the values that they keep.
struct ResidentPlan {
  ParameterSpec::Where where = ParameterSpec::Where::kDevice;
  std::string_view compute;       // the function of a shard
  std::vector<int32_t> devices;   // one: it runs whole steps; several: they compute a shard each
  std::vector<StoreKey> changed;  // the variables that a step changes
  std::vector<StoreKey> added;    // of several: the updates that are added across devices
  ResidentOutputs committed;      // of several: next values, computed by the commit
  int64_t shards() const { return static_cast<int64_t>(devices.size()); }
  bool several() const { return devices.size() > 1; }
};

// Absent where the parameters lie elsewhere: the devices compute in the host's memory, or
// `mirrored` is done another way. May add kStepFunction to the graph, so it comes before the
// session.
Result<std::optional<ResidentPlan>> plan_resident(const ResidentRequest& request, const ReplicaDevices& devices,
                                                  TrainGraph& graph);

// One device runs a whole step as one program. Several compute a shard each, add the updates across
// themselves and commit the same. Once the devices are left the host commits.
class ResidentStore final : public ParameterStore, public ResidentSteps {
 public:
  // Borrows `graph`.
  ResidentStore(ResidentPlan plan, std::shared_ptr<Session> session, const TrainGraph& graph,
                std::unique_ptr<HostStore> host, WorkingSet& working);

  Status commit(const StepCommit& step) override;
  Status synchronize() override;
  void note_assigned() noexcept override;
  ResidentSteps* resident() override { return left_ ? nullptr : this; }
  void describe(JsonWriter& w) const override;

  bool several() const override { return plan_.several(); }
  Result<std::shared_ptr<const Plan>> plan(std::vector<ValueType> feeds, const DeviceGroup& group) override;
  Status begin_step(int64_t rows, double learning_rate) override;
  Status run_shard(size_t replica, const Plan& plan, std::vector<Tensor> feeds, std::vector<Tensor>& totals,
                   RunOptions options) override;
  Status leave_devices(std::string_view why, int64_t step) override;

 private:
  using PerDevice = std::vector<std::unique_ptr<const ResidentValues>>;

  const Device& device(size_t i) const;
  RunSpec shard_spec(const DeviceGroup& group) const;
  Status commit_on_devices(const StepCommit& step);
  Result<std::shared_ptr<const Plan>> plan_commit(size_t i, const ValueType& weight) const;
  Result<PerDevice> hold(const std::vector<StoreKey>& keys) const;

  const ResidentPlan plan_;
  const std::shared_ptr<Session> session_;
  const TrainGraph& graph_;
  const std::unique_ptr<HostStore> host_;
  std::vector<std::shared_ptr<const Plan>> commits_;  // per device
  std::unique_ptr<DeviceSums> sums_;                  // of the updates; null: one device
  // The step under way.
  struct Step {
    double learning_rate = 0;
    int64_t state = 0;               // its number
    std::vector<int64_t> versions;   // of the variables after it
    std::vector<size_t> replica_of;  // by shard
  } step_;
  PerDevice state_;
  bool ahead_ = false;  // the devices' state is newer than the working set
  bool left_ = false;   // the host has the parameters for good
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_RESIDENT_RESIDENT_STORE_H_
