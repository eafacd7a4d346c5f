#include "core/train/trainer_options.h"

#include <algorithm>

#include "core/base/similar_name.h"

namespace percale {

bool TrainerOptions::watches_validation() const {
  const Plateau* plateau = schedule.waits_for();
  return (plateau != nullptr && plateau->monitor.of_validation()) ||
         (early_stopping.on && early_stopping.monitor.of_validation()) ||
         (keep_best > 0 && keep_monitor.of_validation());
}

Status check_monitors(const TrainerOptions& options, const std::vector<std::string>& metrics) {
  std::vector<std::string> known = {"loss"};
  known.insert(known.end(), metrics.begin(), metrics.end());
  const auto check = [&](std::string_view what, const Monitor& monitor) -> Status {
    const std::string name = monitor.of_validation() ? monitor.name.substr(4) : monitor.name;
    if (std::ranges::find(known, name) != known.end()) return {};
    return invalid_argument(what, " cannot watch '", monitor.name,
                            "': there is 'loss', a metric of the job, or one of these with 'val_' before it",
                            did_you_mean(name, known));
  };
  if (const Plateau* plateau = options.schedule.waits_for(); plateau != nullptr) {
    PERCALE_RETURN_IF_ERROR(check("the schedule", plateau->monitor));
  }
  if (options.early_stopping.on) PERCALE_RETURN_IF_ERROR(check("early_stopping", options.early_stopping.monitor));
  return options.keep_best > 0 ? check("keep_best", options.keep_monitor) : Status();
}

}  // namespace percale
