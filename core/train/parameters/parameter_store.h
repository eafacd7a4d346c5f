// Where parameters and the optimizer's slots lie while they are trained, and who commits steps to
// them.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_PARAMETER_STORE_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_PARAMETER_STORE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/compile/plan.h"
#include "core/text/json.h"
#include "core/train/parameters/working_set.h"
#include "core/train/shards/row_gradients.h"

namespace percale {

// The input of a commit. Borrowed.
struct StepCommit {
  const Plan* plan = nullptr;       // of commit_spec(); null if the updates stay on devices
  const std::vector<Tensor>& sums;  // over all shards, in the order of StepLayout
  const RowGradients& by_rows;
  double learning_rate = 0;
  int64_t step = 0;  // from 1
  Trace* trace = nullptr;
};

// Runs steps whose parameters and updates stay on the devices that compute them.
class ResidentSteps {
 public:
  virtual ~ResidentSteps() = default;
  // True if several devices compute a shard each.
  virtual bool several() const = 0;
  // The plan of a shard with feeds of these types, on a group of one device.
  virtual Result<std::shared_ptr<const Plan>> plan(std::vector<ValueType> feeds, const DeviceGroup& group) = 0;
  // A step of `rows` rows begins. FAILED_PRECONDITION if they do not give each device a shard.
  virtual Status begin_step(int64_t rows, double learning_rate) = 0;
  // Runs a shard of the step. Called by several threads at once, each for another device.
  virtual Status run_shard(size_t replica, const Plan& plan, std::vector<Tensor> feeds, std::vector<Tensor>& totals,
                           RunOptions options) = 0;
  // From now on the host has the parameters and commits. `why` goes to the log.
  virtual Status leave_devices(std::string_view why, int64_t step) = 0;
};

// The working set is the state, except between a commit of a store on devices and synchronize().
// One commit at a time; describe() and take_lost() on any thread.
class ParameterStore {
 public:
  explicit ParameterStore(WorkingSet& working) : working_(working) {}
  virtual ~ParameterStore() = default;
  ParameterStore(const ParameterStore&) = delete;
  ParameterStore& operator=(const ParameterStore&) = delete;

  // Makes the next state. After an error the values are those before the step.
  virtual Status commit(const StepCommit& step) = 0;
  // Copies the state into the working set where a device has it.
  virtual Status synchronize() { return {}; }
  // The same for a checkpoint: also the optimizer's slots that other ranks of a group have. False
  // if another rank writes the checkpoint. release_slots() must follow.
  virtual Result<bool> collect() {
    PERCALE_RETURN_IF_ERROR(synchronize());
    return true;
  }
  // The working set has memory for all variables, which may be assigned. note_assigned() must
  // follow, or release_slots().
  virtual Status make_slots() { return {}; }
  virtual void release_slots() noexcept {}
  // An exchange of a group has failed in a step that was not committed, which must begin again.
  // Fails where there is no group.
  virtual Status recover() { return failed_precondition("the trainer is in no group"); }
  // Runs an exchange of all ranks that belongs to no step, and returns its error. An exchange that
  // breaks the group is repeated after recover(). False: only another rank has completed it, and
  // this one must do without.
  virtual Result<bool> pass(const std::function<Status()>& exchange) {
    PERCALE_RETURN_IF_ERROR(exchange());
    return true;
  }
  // The working set was assigned from outside: copies on devices are outdated.
  virtual void note_assigned() noexcept { working_.note_assigned(); }
  // Null unless the updates stay on the devices that compute shards.
  virtual ResidentSteps* resident() { return nullptr; }

  // An object per device that holds parameters, as elements of an array.
  virtual void describe(JsonWriter&) const {}
  // Names of devices whose loss a commit has noticed since the last call.
  virtual std::vector<std::string> take_lost() { return {}; }

 protected:
  WorkingSet& working_;
};

// While it lives, the working set has the whole state of a store.
class CollectedState {
 public:
  explicit CollectedState(ParameterStore& store) : store_(store), here_(store.collect()) {}
  ~CollectedState() { store_.release_slots(); }
  CollectedState(const CollectedState&) = delete;
  CollectedState& operator=(const CollectedState&) = delete;
  // False: another rank of the group has it. Or the error of collecting it.
  const Result<bool>& here() const { return here_; }

 private:
  ParameterStore& store_;
  const Result<bool> here_;
};

// An entry of ParameterStore::describe(). `spare_bytes`: memory for the next values.
struct DeviceParameters {
  std::string device;  // its name
  size_t parts = 0;
  int64_t bytes = 0;  // of values and slots
  int64_t resident_bytes = 0, spare_bytes = 0;
};
void write_device(const DeviceParameters& device, JsonWriter& w);

// The inputs of the commit for the sums of a step, in the order of CommitLayout.
std::vector<Tensor> commit_feeds(const StepLayout& layout, const StepCommit& step);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_PARAMETER_STORE_H_
