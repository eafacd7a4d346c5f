// Learning rates over the steps of a run.
#ifndef PERCALE_CORE_TRAIN_METHOD_SCHEDULE_H_
#define PERCALE_CORE_TRAIN_METHOD_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/maths/functions.h"
#include "core/text/json.h"
#include "core/train/method/monitor.h"

namespace percale {

// A learning-rate schedule; by default the optimizer's learning rate throughout. A plain value.
struct Schedule {
  enum class Kind { kConstant, kStep, kCosine, kWarmUp, kOneCycle, kPlateau, kSequence };
  Kind kind = Kind::kConstant;
  // step: multiplies the rate by `gamma` every `step_size` steps.
  int64_t step_size = 0;
  double gamma = 0.1;
  // cosine: falls to `alpha` times the rate over `decay_steps` (0: the whole run). warm_up: rises
  // linearly over `steps`.
  int64_t decay_steps = 0, warm_up_steps = 0;
  double alpha = 0;
  // one_cycle: PyTorch's OneCycleLR with cosine annealing in two phases. Only the learning rate is
  // cycled; momentum and betas stay as they are (PyTorch: cycle_momentum=False).
  double max_learning_rate = 0, pct_start = 0.3, div_factor = 25, final_div_factor = 1e4;
  int64_t total_steps = 0;  // 0: the whole run
  // plateau: reduced after epochs, not steps; learning_rate() returns the rate before reductions.
  Plateau plateau;

  // sequence: one schedule after the other, each counting its steps from 0 (PyTorch's
  // SequentialLR).
  std::vector<Schedule> parts;
  // Length in steps as a part of a sequence; 0: the last part, which gets the rest of the run.
  int64_t duration = 0;

  // True if the run's number of steps must be known.
  bool needs_total() const;
  // True if every rate is a multiple of the optimizer's.
  bool has_base() const;
  // Returns the plateau of the schedule or of one of its parts; null: none.
  const Plateau* waits_for() const;
  // Returns the rate of step `step` of `total`, counted from 0. `base` is the optimizer's learning
  // rate.
  double learning_rate(double base, int64_t step, int64_t total, const maths::Functions& functions) const;
};

std::vector<std::string> schedule_names();
// Every schedule with its keys.
std::vector<NamedFacts> schedule_facts();
// The keys that a schedule of this kind takes, with their values as JSON. Not for a sequence.
std::vector<std::pair<std::string, std::string>> schedule_values(const Schedule& schedule);
// Parses a name, an object {"name": "one_cycle", "max_learning_rate": 0.004, ...}, or a list of
// these, applied in turn. All but the last of a list need a length: "duration", or else "steps" of
// a warm_up, "decay_steps" of a cosine, "total_steps" of a one_cycle.
Result<Schedule> parse_schedule(const Json& json);
// Parses text: a bare name, or JSON.
Result<Schedule> parse_schedule(std::string_view text);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_SCHEDULE_H_
