// Learning rates over the steps of a run.
#ifndef PERCALE_CORE_TRAIN_METHOD_SCHEDULE_H_
#define PERCALE_CORE_TRAIN_METHOD_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/text/json.h"
#include "core/train/method/monitor.h"

namespace percale {

// A plain value; by default the optimizer's learning rate all along.
struct Schedule {
  enum class Kind { kConstant, kStep, kCosine, kWarmUp, kOneCycle, kPlateau, kSequence };
  Kind kind = Kind::kConstant;
  // step: the rate is multiplied by `gamma` every `step_size` steps.
  int64_t step_size = 0;
  double gamma = 0.1;
  // cosine: falls to `alpha` times the rate over `decay_steps` (0: the run). warm_up: rises linearly over `steps`.
  int64_t decay_steps = 0, warm_up_steps = 0;
  double alpha = 0;
  // one_cycle: PyTorch's OneCycleLR with cosine annealing in two phases; the learning rate alone is cycled, momentum and betas
  // stay as they are (PyTorch: cycle_momentum=False).
  double max_learning_rate = 0, pct_start = 0.3, div_factor = 25, final_div_factor = 1e4;
  int64_t total_steps = 0;  // 0: the run
  // plateau: epochs decide, not steps; learning_rate() gives the rate from which they start.
  Plateau plateau;

  // sequence: one schedule after the other, each counting its steps from 0 (PyTorch's SequentialLR).
  std::vector<Schedule> parts;
  // Steps as a part of a sequence; 0: the last part, for what is left of the run.
  int64_t duration = 0;

  // The run's number of steps is needed.
  bool needs_total() const;
  // The rate of every step is a part of the optimizer's.
  bool has_base() const;
  // The plateau that the schedule, or a part of it, waits for; null: none.
  const Plateau* waits_for() const;
  // For the step that is the `step`-th of `total`, counted from 0; `base` is the optimizer's learning rate.
  double learning_rate(double base, int64_t step, int64_t total) const;
};

std::vector<std::string> schedule_names();
// Every schedule with its keys.
std::vector<NamedFacts> schedule_facts();
// The keys that a schedule of this kind takes, with their values as JSON. Not for a sequence.
std::vector<std::pair<std::string, std::string>> schedule_values(const Schedule& schedule);
// From a name, {"name": "one_cycle", "max_learning_rate": 0.004, ...}, or a list of such, one after the other: all but the last one
// need a length, which is "duration", or else the "steps" of a warm_up, "decay_steps" of a cosine, "total_steps" of a one_cycle.
Result<Schedule> parse_schedule(const Json& json);
// The same from text: a bare name, or JSON.
Result<Schedule> parse_schedule(std::string_view text);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_SCHEDULE_H_
