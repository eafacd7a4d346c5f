#include "core/train/method/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/similar_name.h"
#include "core/registry/registry.h"
#include "core/train/method/json_keys.h"

namespace percale {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

double cosine_between(double from, double to, double part) {
  return to + (from - to) / 2 * (std::cos(std::numbers::pi * part) + 1);
}

double one_cycle(const Schedule& s, int64_t step, int64_t total) {
  const double first = s.max_learning_rate / s.div_factor, last = first / s.final_div_factor;
  const auto at = static_cast<double>(step);
  const double top = s.pct_start * static_cast<double>(total) - 1, end = static_cast<double>(total) - 1;
  const auto part = [&](double from, double to) { return to > from ? std::min(1.0, (at - from) / (to - from)) : 1.0; };
  if (at <= top) return cosine_between(first, s.max_learning_rate, part(0, top));
  return cosine_between(s.max_learning_rate, last, part(top, end));
}

// The threshold is a part of the best, `min_delta` (Keras' word) a difference to it.
Status read_plateau(const Json& json, Plateau* out) {
  PERCALE_RETURN_IF_ERROR(read_monitor(json, &out->monitor));
  PERCALE_RETURN_IF_ERROR(read_number(json, "factor", 0, 1, &out->factor));
  PERCALE_RETURN_IF_ERROR(read_integer(json, "patience", 0, int64_t{1} << 40, &out->patience));
  PERCALE_RETURN_IF_ERROR(read_integer(json, "cooldown", 0, int64_t{1} << 40, &out->cooldown));
  PERCALE_RETURN_IF_ERROR(read_number(json, "min_learning_rate", 0, kMost, &out->min_learning_rate));
  PERCALE_RETURN_IF_ERROR(read_number(json, "threshold", 0, kMost, &out->threshold));
  const Json* min_delta = json.find("min_delta");
  if (min_delta == nullptr || min_delta->is_null()) return {};
  out->relative = false;
  return read_number(json, "min_delta", 0, kMost, &out->threshold);
}

}  // namespace

std::vector<std::string> schedule_names() { return {"constant", "step", "cosine", "warm_up", "one_cycle", "plateau"}; }

double Schedule::learning_rate(double base, int64_t step, int64_t total) const {
  switch (kind) {
    case Kind::kConstant:
    case Kind::kPlateau: return base;
    case Kind::kStep: return base * std::pow(gamma, static_cast<double>(step / step_size));
    case Kind::kCosine: {
      const int64_t length = std::max<int64_t>(1, decay_steps > 0 ? decay_steps : total);
      const double part = std::min(1.0, static_cast<double>(step) / static_cast<double>(length));
      return cosine_between(base, alpha * base, part);
    }
    case Kind::kWarmUp: return base * std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(warm_up_steps));
    case Kind::kOneCycle: return one_cycle(*this, step, total_steps > 0 ? total_steps : total);
  }
  return base;
}

Result<Schedule> parse_schedule(const Json& json) {
  Schedule out;
  std::string name;
  if (json.is_string()) {
    PERCALE_ASSIGN_OR_RETURN(name, json.as_string("schedule"));
  } else {
    PERCALE_RETURN_IF_ERROR(json.expect(Json::Kind::kObject, "schedule"));
    PERCALE_RETURN_IF_ERROR(read_text(json, "name", &name));
    if (name.empty()) return json.error("schedule", "'name' is missing");
  }
  const auto missing = [&](std::string_view key) { return json.error("schedule", name, " needs '", key, "'"); };
  const auto keys = [&](std::initializer_list<std::string_view> known) {
    return json.is_object() ? check_keys(json, str_cat("schedule '", name, "'"), known) : Status();
  };
  if (name == "constant") {
    PERCALE_RETURN_IF_ERROR(keys({"name"}));
  } else if (name == "step") {
    out.kind = Schedule::Kind::kStep;
    PERCALE_RETURN_IF_ERROR(keys({"name", "step_size", "gamma"}));
    PERCALE_RETURN_IF_ERROR(read_integer(json, "step_size", 1, INT64_MAX, &out.step_size));
    PERCALE_RETURN_IF_ERROR(read_number(json, "gamma", 0, kMost, &out.gamma));
    if (out.step_size == 0) return missing("step_size");
  } else if (name == "cosine") {
    out.kind = Schedule::Kind::kCosine;
    PERCALE_RETURN_IF_ERROR(keys({"name", "decay_steps", "alpha"}));
    PERCALE_RETURN_IF_ERROR(read_integer(json, "decay_steps", 1, INT64_MAX, &out.decay_steps));
    PERCALE_RETURN_IF_ERROR(read_number(json, "alpha", 0, 1, &out.alpha));
  } else if (name == "warm_up") {
    out.kind = Schedule::Kind::kWarmUp;
    PERCALE_RETURN_IF_ERROR(keys({"name", "steps"}));
    PERCALE_RETURN_IF_ERROR(read_integer(json, "steps", 1, INT64_MAX, &out.warm_up_steps));
    if (out.warm_up_steps == 0) return missing("steps");
  } else if (name == "one_cycle") {
    out.kind = Schedule::Kind::kOneCycle;
    PERCALE_RETURN_IF_ERROR(
        keys({"name", "max_learning_rate", "pct_start", "div_factor", "final_div_factor", "total_steps"}));
    PERCALE_RETURN_IF_ERROR(read_number(json, "max_learning_rate", 0, kMost, &out.max_learning_rate));
    PERCALE_RETURN_IF_ERROR(read_number(json, "pct_start", 0, 1, &out.pct_start));
    PERCALE_RETURN_IF_ERROR(read_number(json, "div_factor", 1e-9, kMost, &out.div_factor));
    PERCALE_RETURN_IF_ERROR(read_number(json, "final_div_factor", 1e-9, kMost, &out.final_div_factor));
    PERCALE_RETURN_IF_ERROR(read_integer(json, "total_steps", 1, INT64_MAX, &out.total_steps));
    if (out.max_learning_rate == 0) return missing("max_learning_rate");
  } else if (name == "plateau") {
    out.kind = Schedule::Kind::kPlateau;
    PERCALE_RETURN_IF_ERROR(keys(
        {"name", "monitor", "mode", "factor", "patience", "threshold", "min_delta", "cooldown", "min_learning_rate"}));
    PERCALE_RETURN_IF_ERROR(read_plateau(json, &out.plateau));
  } else {
    return json.error("schedule", "no schedule '", name, "'", did_you_mean(name, schedule_names()));
  }
  return out;
}

Result<Schedule> parse_schedule(std::string_view text) {
  PERCALE_ASSIGN_OR_RETURN(const Json json, json_or_name(text));
  return parse_schedule(json);
}

}  // namespace percale
