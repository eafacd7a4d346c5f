// Decides when sessions see what was trained, and publishes it.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_PUBLISHER_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_PUBLISHER_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/state/variables.h"
#include "core/train/parameters/parameter_store.h"

namespace percale {

// When the table gets a version of what was trained so far. A fit that ends always publishes,
// unless by hand.
struct Publishing {
  enum class When {
    kAuto,    // after each epoch of fit(), after each step()
    kSteps,   // whenever the number of completed steps is a multiple of `steps`
    kEpoch,   // after each epoch
    kByHand,  // by publish() alone
  };
  When when = When::kAuto;
  int64_t steps = 1;

  bool by_hand() const { return when == When::kByHand; }
  // True if a step of a fit is published.
  bool after_fit_step(int64_t step, bool ends_epoch) const {
    return when == When::kSteps ? is_multiple(step) : ends_epoch && !by_hand();
  }
  // True if a step whose batch the caller feeds is published.
  bool after_fed_step(int64_t step) const { return when == When::kAuto || (when == When::kSteps && is_multiple(step)); }
  // True if the number of a step alone decides, and publishes this one.
  bool by_steps(int64_t step) const { return when == When::kSteps && is_multiple(step); }

 private:
  bool is_multiple(int64_t step) const { return step % steps == 0; }
};
// "auto", "step", "epoch", "hand", or a number of steps.
Result<Publishing> parse_publishing(std::string_view text);

// The values that a table has for the variables of a graph, in the graph's order; initial values
// for slots. NOT_FOUND or INVALID_ARGUMENT if the table lacks a variable or has another type.
Result<std::vector<Tensor>> first_values(const Graph& graph, const Variables& table);

// Connects the working set with the table of variables that sessions read. Thread-compatible.
class Publisher {
 public:
  // The memory of a version before its values are there.
  struct Draft {
    std::vector<std::pair<int32_t, Tensor>> changes;
    std::vector<size_t> sources;  // per change: the variable of the working set
    std::shared_ptr<VariablesVersion> version;
  };

  // Borrows the working set and the store. `graph`: its variables. `memory`: of published versions.
  Publisher(std::shared_ptr<Variables> table, const Graph& graph, WorkingSet& working, ParameterStore& store,
            std::shared_ptr<MemoryPool> memory);

  const std::shared_ptr<Variables>& table() const { return table_; }
  // Assignments to the table since the last call go into the working set; other variables stay.
  Status take_up_table();
  // The working set is newer than the table from now on.
  void note_step() { ahead_ = true; }
  bool ahead() const { return ahead_; }

  // Makes what was trained so far the next version of the table. `steps`: completed so far.
  Status publish(int64_t steps);
  // The same if it is due and the table is behind.
  Status publish_if(bool due, int64_t steps) { return due && ahead_ ? publish(steps) : Status(); }
  // The same in two parts, for a step that must not fail once it is made. Precondition of the
  // second part: the store is synchronized.
  Result<Draft> draft() const;
  void publish(Draft draft, int64_t steps) noexcept;

 private:
  const std::shared_ptr<Variables> table_;
  std::vector<int32_t> places_;  // in the table, by variable of the working set; -1: a slot
  WorkingSet& working_;
  ParameterStore& store_;
  const std::shared_ptr<MemoryPool> memory_;
  std::shared_ptr<const VariablesVersion> seen_;  // that the working set agrees with or is ahead of
  bool ahead_ = false;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_PUBLISHER_H_
