#include "core/train/method/monitor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/checked.h"
#include "core/train/method/json_keys.h"

namespace percale {
namespace {

constexpr double kMostEpochs = 1099511627776.0;  // 2^40

constexpr Key<EarlyStopping> kEarlyStopping[] = {
    monitor_key<EarlyStopping>(),
    mode_key<EarlyStopping>(),
    {"patience", &EarlyStopping::patience,
     "Number of consecutive epochs without improvement after which training ends.", 0, kMostEpochs},
    {"min_delta", &EarlyStopping::min_delta, "Smallest change that counts as an improvement.", 0},
    {.name = "baseline",
     .value = &EarlyStopping::baseline,
     .doc = "Value that must be surpassed to count as an improvement."},
    {"start_from_epoch", &EarlyStopping::start_from_epoch, "Number of epochs at the start that are not monitored.", 0,
     kMostEpochs},
    {"restore_best_weights", &EarlyStopping::restore_best_weights,
     "Whether a completed fit restores the weights of the best epoch."}};

constexpr Key<Plateau> kPlateau[] = {
    monitor_key<Plateau>(),
    mode_key<Plateau>(),
    {"factor", &Plateau::factor, "Factor that multiplies the learning rate in each reduction.", 0, 1},
    {"patience", &Plateau::patience,
     "Number of consecutive epochs without improvement after which the rate is reduced.", 0, kMostEpochs},
    {"threshold", &Plateau::threshold, "Smallest improvement that counts, relative to the best value so far.", 0},
    {.name = "min_delta",
     .value = ByHand{"float"},
     .doc = "Smallest improvement that counts, as an absolute difference; replaces 'threshold'.",
     .low = 0},
    {"cooldown", &Plateau::cooldown,
     "Number of epochs after a reduction in which a lack of improvement is not counted.", 0, kMostEpochs},
    {"min_learning_rate", &Plateau::min_learning_rate, "Lower bound of the learning rate.", 0}};

// Smaller reductions of the learning rate are skipped (PyTorch's eps).
constexpr double kLeastChange = 1e-8;

}  // namespace

bool larger_is_better(std::string_view name) {
  constexpr std::array<std::string_view, 5> kWords = {"acc", "auc", "f1", "precision", "recall"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](auto word) { return name.find(word) != std::string_view::npos; });
}

Status read_monitor(const Json& object, Monitor* out) {
  std::string mode = "auto";
  PERCALE_RETURN_IF_ERROR(read_text(object, "monitor", &out->name));
  PERCALE_RETURN_IF_ERROR(read_text(object, "mode", &mode));
  if (mode != "auto" && mode != "min" && mode != "max") {
    return object.find("mode")->error("mode", "it is '", mode, "', wanted auto, min or max");
  }
  out->larger_is_better = mode == "auto" ? larger_is_better(out->name) : mode == "max";
  return {};
}

Result<EarlyStopping> parse_early_stopping(const Json& json) {
  EarlyStopping out;
  PERCALE_RETURN_IF_ERROR(read_object<EarlyStopping>(json, "early_stopping", kEarlyStopping, &out));
  out.on = true;
  PERCALE_RETURN_IF_ERROR(read_monitor(json, &out.monitor));
  return out;
}

std::vector<KeyFacts> early_stopping_facts() { return key_facts<EarlyStopping>(kEarlyStopping); }

Status read_plateau(const Json& object, Plateau* out) {
  PERCALE_RETURN_IF_ERROR(read_monitor(object, &out->monitor));
  PERCALE_RETURN_IF_ERROR(read_members<Plateau>(object, "schedule 'plateau'", kPlateau, out));
  if (present(object, "min_delta") == nullptr) return {};
  out->relative = false;
  return read_number(object, "min_delta", 0, std::numeric_limits<double>::max(), &out->threshold);
}

std::span<const Key<Plateau>> plateau_keys() { return kPlateau; }

std::vector<std::pair<std::string, std::string>> plateau_values(const Plateau& plateau) {
  auto out = key_values<Plateau>(kPlateau, plateau);
  out.emplace_back("monitor", key_table::json_text(plateau.monitor.name));
  out.emplace_back("mode", plateau.monitor.larger_is_better ? R"("max")" : R"("min")");
  out.emplace_back("relative", plateau.relative ? "true" : "false");
  return out;
}

bool MonitorState::update(const EarlyStopping& options, int64_t epoch, double value) {
  if (epoch < options.start_from_epoch) return false;
  const auto beats = [&](double other) {
    return options.monitor.larger_is_better ? value - options.min_delta > other : value + options.min_delta < other;
  };
  const bool first = !started, better = compared ? beats(best) : !std::isnan(value);
  started = true;
  ++bad;
  if (!better) {
    stopped = stopped || (bad >= options.patience && epoch > 0);
    return first;
  }
  compared = true;
  best = value;
  best_epoch = epoch + 1;
  if (!options.baseline || beats(*options.baseline)) bad = 0;
  return true;
}

void MonitorState::update(const Plateau& options, double base_rate, double value) {
  const bool up = options.monitor.larger_is_better;
  const double margin = options.relative ? best * options.threshold : options.threshold;
  const bool better = !started || (up ? value > best + margin : value < best - margin);
  started = true;
  if (better) best = value;
  bad = better ? 0 : bad + 1;
  if (cooldown > 0) {
    --cooldown;
    bad = 0;
  }
  if (bad <= options.patience) return;
  const double rate = base_rate * factor, next = std::max(rate * options.factor, options.min_learning_rate);
  if (rate - next > kLeastChange) factor = next / base_rate;
  cooldown = options.cooldown;
  bad = 0;
}

void MonitorState::save(std::string_view prefix, NamedNumbers& out) const {
  if (!started) return;
  const std::string p = str_cat(prefix, ".");
  out.emplace_back(p + "best", best);
  out.emplace_back(p + "compared", compared ? 1 : 0);
  out.emplace_back(p + "bad", static_cast<double>(bad));
  out.emplace_back(p + "cooldown", static_cast<double>(cooldown));
  out.emplace_back(p + "factor", factor);
  out.emplace_back(p + "stopped", stopped ? 1 : 0);
  if (best_epoch > 0) out.emplace_back(p + "best_epoch", static_cast<double>(best_epoch));
}

void MonitorState::load(std::string_view prefix, const NamedNumbers& numbers) {
  *this = {};
  for (const auto& [name, value] : numbers) {
    if (!name.starts_with(prefix) || name.size() <= prefix.size() || name[prefix.size()] != '.') continue;
    const std::string_view key = std::string_view(name).substr(prefix.size() + 1);
    started = true;
    if (key == "best") best = value;
    if (key == "compared") compared = value != 0;
    if (key == "bad") bad = checked_int(value).value_or(0);
    if (key == "cooldown") cooldown = checked_int(value).value_or(0);
    if (key == "factor") factor = value;
    if (key == "stopped") stopped = value != 0;
    if (key == "best_epoch") best_epoch = checked_int(value).value_or(0);
  }
}

}  // namespace percale
