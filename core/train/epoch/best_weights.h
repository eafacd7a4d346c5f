// The weights of the best epoch so far, beside those that are trained.
#ifndef PERCALE_CORE_TRAIN_EPOCH_BEST_WEIGHTS_H_
#define PERCALE_CORE_TRAIN_EPOCH_BEST_WEIGHTS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/train/parameters/working_set.h"

namespace percale {

// Copies of the parameters, of their averages and of the statistics. Thread-compatible.
class BestWeights {
 public:
  // Borrows the working set. `variables`: those of its graph.
  BestWeights(WorkingSet& working, const std::vector<Variable>& variables);

  // Takes the memory, once.
  Status make_room(const std::shared_ptr<MemoryPool>& memory);
  bool has_room() const { return !best_.empty(); }
  // The working set is the best so far. Does nothing without room.
  void keep() noexcept;
  bool kept() const { return kept_; }
  // Copies what was kept into the working set. Precondition: kept().
  void bring_back() noexcept;

  void save(Checkpoint& out) const;
  // Finds the values of a checkpoint, per variable; empty if it lacks any of them.
  std::vector<const Tensor*> find(const Checkpoint& saved) const;
  // Takes up what find() gave.
  void adopt(const std::vector<const Tensor*>& saved) noexcept;

 private:
  WorkingSet& working_;
  std::vector<std::string> names_;
  // By variable; undefined for those that training does not change. Empty: no memory was taken.
  std::vector<Tensor> best_;
  bool kept_ = false;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_EPOCH_BEST_WEIGHTS_H_
