// Parameters in parts on several devices, each of which commits its own parts.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_PARTITIONED_STORE_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_PARTITIONED_STORE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/train/parallel/parameter_spec.h"
#include "core/train/parameters/host_store.h"
#include "core/train/parameters/ps_commit.h"

namespace percale {

// The working set stays whole: devices with memory of their own hold copies of parts. Where they
// cannot commit, the host does.
class PartitionedStore final : public ParameterStore {
 public:
  // The job that the parts are made from.
  struct Source {
    std::shared_ptr<Engine> engine;
    std::shared_ptr<MemoryPool> memory;
    const TrainGraph* graph = nullptr;  // borrowed
    Optimizer optimizer;
    ParameterSpec spec;
    std::vector<std::string> computing;  // names of the devices that compute shards; empty: all
    DeviceGroup host_group;
  };
  static Result<std::unique_ptr<ParameterStore>> create(Source source, std::unique_ptr<HostStore> host,
                                                        WorkingSet& working);

  Status commit(const StepCommit& step) override;
  void describe(JsonWriter& w) const override;
  std::vector<std::string> take_lost() override;

 private:
  struct Holder {
    int32_t device = 0;  // of the engine
    size_t parts = 0;
    int64_t bytes = 0;  // of values and slots
  };
  PartitionedStore(Source source, std::unique_ptr<HostStore> host, WorkingSet& working)
      : ParameterStore(working), source_(std::move(source)), host_(std::move(host)) {}
  const Device& device(int32_t index) const { return *source_.engine->devices()[static_cast<size_t>(index)]; }
  Status choose_devices();
  Status lay_out();
  Status make_views();
  Status drop_lost();
  Status plan(const std::vector<ValueType>& types);
  Result<bool> commit_parts(const StepCommit& step, const std::vector<Tensor>& feeds);
  Status run_away(const std::vector<Tensor>& feeds, RunOptions options, std::vector<Tensor>& outputs);
  void adopt(const std::vector<Tensor>& outputs);
  void note_lost(const Device& device);

  const Source source_;
  const std::unique_ptr<HostStore> host_;
  std::vector<int32_t> devices_;  // that hold parts; empty: the host commits
  PsCommit parts_;
  std::shared_ptr<Session> session_;
  std::vector<Tensor> state_;       // the parts, as views of the working set
  std::vector<Tensor> fetched_;     // next values from devices with memory of their own
  std::vector<size_t> fetched_to_;  // per element of fetched_ its place in state_
  // A part of a table on a device with memory of its own, which changes it in place: its place in
  // state_, and the places of its changed rows among the outputs of away_.
  struct ChangedRows {
    size_t variable = 0, numbers = 0, values = 0;
  };
  std::vector<ChangedRows> changed_;
  std::vector<ValueType> planned_for_;
  // The commits on devices with memory of their own, and in the host's memory. Null: there are
  // none.
  std::shared_ptr<const Plan> away_, here_;

  mutable std::mutex mutex_;  // guards what follows
  std::vector<Holder> holders_;
  std::vector<std::string> lost_, known_lost_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_PARTITIONED_STORE_H_
