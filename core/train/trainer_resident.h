// Parameters that lie on the devices that compute, and what the optimizer keeps of them: nothing but the batch goes to a device in a step,
// and the working set of the host is brought up to date when somebody asks for it.
#ifndef PERCALE_CORE_TRAIN_TRAINER_RESIDENT_H_
#define PERCALE_CORE_TRAIN_TRAINER_RESIDENT_H_

#include <memory>
#include <vector>

#include "core/train/trainer.h"

namespace percale {

// One device does a whole step as one program. Several compute a shard each, add what they have across themselves, and commit the same.
// Borrows the trainer. One call at a time, but for run().
class Trainer::Resident {
 public:
  // Null where the parameters lie elsewhere: the devices compute in the host's memory, or `mirrored` cannot be had this way. Before the
  // session, since it may add a function to the graph.
  static Result<std::unique_ptr<Resident>> create(Trainer& trainer);

  bool several() const { return devices_.size() > 1; }

  // The plan of a shard of these types on a group of one device.
  Result<std::shared_ptr<const Plan>> plan(std::vector<ValueType> feeds, const std::vector<int32_t>& group);
  // A step of `rows` begins. FAILED_PRECONDITION where they do not give each device a shard.
  Status begin(int64_t rows, double learning_rate);
  // A shard of it, each on a device of its own.
  Status run(size_t replica, int64_t shard, const Plan& plan, std::vector<Tensor> feeds, std::vector<Tensor>& totals,
             RunOptions options);
  // Every shard has run: what the devices make of it is the state. An error: the state is what it was.
  Status adopt(const Tensor& weight);
  // The working set is the state, from whichever device still has it.
  Status bring_home();
  // It was set from outside: what the devices have is old.
  void forget();

  void describe(JsonWriter& w) const;

 private:
  using Held = std::vector<std::unique_ptr<const ResidentValues>>;  // per device

  explicit Resident(Trainer& trainer) : t_(trainer) {}
  Status eligible() const;
  Status can_add() const;
  const Device& device(size_t i) const;
  Status commit(const Tensor& weight);
  Result<std::shared_ptr<const Plan>> plan_commit(size_t i, const ValueType& weight);
  Result<Held> hold(const std::vector<StoreKey>& keys) const;

  Trainer& t_;
  std::vector<int32_t> devices_;
  std::vector<int32_t> kept_;                         // the variables that a step changes
  std::vector<std::string> committed_;                // of several: values of the commit, which are the next of
  std::vector<int32_t> committed_to_;                 // these variables
  std::vector<StoreKey> added_;                       // of what a shard computes behind its totals
  std::vector<std::shared_ptr<const Plan>> commits_;  // per device
  // Of the step under way.
  double learning_rate_ = 0;
  int64_t number_ = 0;
  std::vector<int64_t> next_;     // versions of variables that it makes
  std::vector<size_t> replicas_;  // by shard

  Held held_;           // the state
  bool ahead_ = false;  // of the working set
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_TRAINER_RESIDENT_H_
