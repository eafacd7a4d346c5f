// The variables of a training graph while they are trained: values, versions, averages.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_WORKING_SET_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_WORKING_SET_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/train/parameters/train_runs.h"
#include "core/train/rewrite/train_graph.h"

namespace percale {

// Copies the bytes of a tensor to another one of its type.
void copy_contents(const Tensor& from, const Tensor& to) noexcept;

// Owns the memory of the variables. A version number stands for the contents of a variable: other
// contents have another number, which no other variable ever has. Thread-compatible.
class WorkingSet {
 public:
  // Copies `first`, a value per variable of the graph. `averaged`: the optimizer keeps averages of
  // the parameters in slots.
  static Result<std::unique_ptr<WorkingSet>> create(const TrainGraph& graph, std::span<const Tensor> first,
                                                    bool averaged, const std::shared_ptr<MemoryPool>& memory);

  size_t size() const { return values_.size(); }
  const std::vector<Tensor>& values() const { return values_; }
  // The same, for a store that copies the state back from devices.
  std::vector<Tensor>& memory() { return values_; }
  const std::vector<int64_t>& versions() const { return versions_; }
  int64_t state_version() const { return state_version_; }
  // The values as a run reads them.
  RunValues view() const { return RunValues::of_caller(values_, {.all = state_version_, .each = &versions_}); }

  // The variables that training changes besides slots: parameters, then statistics.
  const std::vector<size_t>& trained() const { return trained_; }
  const std::vector<size_t>& statistics() const { return statistics_; }
  // True if the commit assigns the variable.
  bool is_committed(size_t i) const { return committed_[i]; }
  int64_t committed_bytes() const;
  // The variable that holds the average of variable `i`; -1: none.
  int32_t average_of(size_t i) const { return averages_[i]; }
  // The variable that stands for variable `i` outside of training: its average, if it has one and a
  // step was made.
  size_t served_at(size_t i, int64_t steps) const;

  // Copies `value` into the variable and into its average. note_assigned() must follow.
  void assign(size_t i, const Tensor& value) noexcept;
  // Variables were assigned other than by a commit.
  void note_assigned() noexcept;
  // A commit ended. One that failed may have written: its version is not used again.
  void note_commit(bool succeeded) noexcept;
  // The number of the state that the next commit makes.
  int64_t next_state() const { return state_version_ + 1; }
  // Reserves a state number for a commit outside of this memory.
  int64_t reserve_state() { return ++state_version_; }
  // The versions of all variables once the commit with this state number has succeeded.
  std::vector<int64_t> versions_after(int64_t state) const;
  // That commit has succeeded; its values are not in this memory yet.
  void adopt_versions(std::vector<int64_t> versions) { versions_ = std::move(versions); }

 private:
  WorkingSet() = default;
  int64_t version_number(int64_t state, size_t variable) const {
    return state * static_cast<int64_t>(values_.size()) + static_cast<int64_t>(variable);
  }
  void note_state(bool all) noexcept;

  std::vector<Tensor> values_;
  std::vector<int64_t> versions_;
  std::vector<int32_t> averages_;
  std::vector<bool> committed_;
  std::vector<size_t> trained_, statistics_;
  int64_t state_version_ = 0;  // counts changes of the contents
};

// While it lives, a commit writes into the working set. The end notes it as failed unless succeed()
// was called, so that nothing derived from old or half-written contents is used again.
class CommitGuard {
 public:
  explicit CommitGuard(WorkingSet& working) : working_(working) {}
  ~CommitGuard() { working_.note_commit(succeeded_); }
  CommitGuard(const CommitGuard&) = delete;
  CommitGuard& operator=(const CommitGuard&) = delete;
  void succeed() { succeeded_ = true; }

 private:
  WorkingSet& working_;
  bool succeeded_ = false;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_WORKING_SET_H_
