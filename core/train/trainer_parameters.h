// Parameters that lie elsewhere than on the host alone: on devices that hold parts of them, or mirrored on those that compute.
#ifndef PERCALE_CORE_TRAIN_TRAINER_PARAMETERS_H_
#define PERCALE_CORE_TRAIN_TRAINER_PARAMETERS_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/train/rewrite/ps_commit.h"
#include "core/train/trainer.h"

namespace percale {

// The working set stays whole and right whatever becomes of a device: what a device with memory of its own holds are copies, known by the
// numbers of their contents. One commit at a time; describe() and take_lost() on any thread.
class Trainer::Parameters {
 public:
  // Null where the host does all of it. Borrows the trainer, whose working set is there.
  static Result<std::unique_ptr<Parameters>> create(Trainer& trainer);

  // A commit of these feeds, in the order of TrainGraph::commit_inputs. `next`: the number of the state that it makes. True: the working
  // set has it. False: nothing has changed yet, and the host has to commit. An error: as a commit of the host that fails.
  Result<bool> commit(const std::vector<Tensor>& feeds, const RunOptions& options, int64_t next);

  void describe(JsonWriter& w) const;
  // Names of devices whose loss was seen here since the last call.
  std::vector<std::string> take_lost();

 private:
  struct Holder {
    int32_t device = 0;  // of the engine
    size_t parts = 0;
    int64_t bytes = 0;  // values and slots
  };
  // The commit of a device that mirrors.
  struct Mirror {
    int32_t device = 0;
    std::vector<ValueType> types;
    std::shared_ptr<const Plan> plan;
  };

  explicit Parameters(Trainer& trainer) : t_(trainer) {}
  const Device& device(int32_t index) const { return *t_.engine_->devices()[static_cast<size_t>(index)]; }
  std::vector<int64_t> versions_of(int64_t next) const;
  Status lay_out();
  Status plan_parts(const std::vector<ValueType>& types);
  Result<bool> commit_parts(const std::vector<Tensor>& feeds, RunOptions options, int64_t next);
  void mirror(const std::vector<Tensor>& feeds, RunOptions options, int64_t next);
  Status mirror_on(Mirror& mirror, const std::vector<Tensor>& feeds, const RunOptions& options);
  bool mirrors(int32_t index) const;
  void note_lost(const Device& device);

  Trainer& t_;
  // Of parts. None left: the host commits.
  std::vector<int32_t> devices_;
  PsCommit parts_;
  std::shared_ptr<Session> session_;
  std::vector<Tensor> state_;       // of the parts, in the memory of the working set
  std::vector<Tensor> fetched_;     // what devices with memory of their own have computed
  std::vector<size_t> fetched_to_;  // per one of these its place in state_
  std::vector<ValueType> planned_for_;
  std::shared_ptr<const Plan> away_,
      here_;  // what such devices compute; what is assigned in the host's memory; either may be null

  std::vector<Mirror> mirrors_;
  std::vector<std::string> mirrored_values_;  // fetches of a mirror
  std::vector<int32_t> mirrored_;             // and the variables that they are

  mutable std::mutex mutex_;  // guards what follows
  std::vector<Holder> holders_;
  std::vector<std::string> lost_, known_lost_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_TRAINER_PARAMETERS_H_
