#include "core/train/method/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/similar_name.h"
#include "core/train/method/json_keys.h"

namespace percale {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();
constexpr int64_t kMostSteps = int64_t{1} << 60;

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

Result<Schedule> parse_one(const Json& json) {
  Schedule out;
  std::string name;
  if (json.is_string()) {
    PERCALE_ASSIGN_OR_RETURN(name, json.as_string("schedule"));
  } else {
    PERCALE_RETURN_IF_ERROR(json.expect(Json::Kind::kObject, "schedule"));
    PERCALE_RETURN_IF_ERROR(read_text(json, "name", &name));
    if (name.empty()) return json.error("schedule", "'name' is missing");
  }
  if (json.is_object()) PERCALE_RETURN_IF_ERROR(read_integer(json, "duration", 1, kMostSteps, &out.duration));
  const auto missing = [&](std::string_view key) { return json.error("schedule", name, " needs '", key, "'"); };
  const auto keys = [&](std::initializer_list<std::string_view> known) {
    return json.is_object() ? check_keys(json, str_cat("schedule '", name, "'"), known) : Status();
  };
  if (name == "constant") {
    PERCALE_RETURN_IF_ERROR(keys({"name", "duration"}));
  } else if (name == "step") {
    out.kind = Schedule::Kind::kStep;
    PERCALE_RETURN_IF_ERROR(keys({"name", "duration", "step_size", "gamma"}));
    PERCALE_RETURN_IF_ERROR(read_integer(json, "step_size", 1, kMostSteps, &out.step_size));
    PERCALE_RETURN_IF_ERROR(read_number(json, "gamma", 0, kMost, &out.gamma));
    if (out.step_size == 0) return missing("step_size");
  } else if (name == "cosine") {
    out.kind = Schedule::Kind::kCosine;
    PERCALE_RETURN_IF_ERROR(keys({"name", "duration", "decay_steps", "alpha"}));
    PERCALE_RETURN_IF_ERROR(read_integer(json, "decay_steps", 1, kMostSteps, &out.decay_steps));
    PERCALE_RETURN_IF_ERROR(read_number(json, "alpha", 0, 1, &out.alpha));
  } else if (name == "warm_up") {
    out.kind = Schedule::Kind::kWarmUp;
    PERCALE_RETURN_IF_ERROR(keys({"name", "duration", "steps"}));
    PERCALE_RETURN_IF_ERROR(read_integer(json, "steps", 1, kMostSteps, &out.warm_up_steps));
    if (out.warm_up_steps == 0) return missing("steps");
  } else if (name == "one_cycle") {
    out.kind = Schedule::Kind::kOneCycle;
    PERCALE_RETURN_IF_ERROR(
        keys({"name", "duration", "max_learning_rate", "pct_start", "div_factor", "final_div_factor", "total_steps"}));
    PERCALE_RETURN_IF_ERROR(read_number(json, "max_learning_rate", 0, kMost, &out.max_learning_rate));
    PERCALE_RETURN_IF_ERROR(read_number(json, "pct_start", 0, 1, &out.pct_start));
    PERCALE_RETURN_IF_ERROR(read_number(json, "div_factor", 1e-9, kMost, &out.div_factor));
    PERCALE_RETURN_IF_ERROR(read_number(json, "final_div_factor", 1e-9, kMost, &out.final_div_factor));
    PERCALE_RETURN_IF_ERROR(read_integer(json, "total_steps", 1, kMostSteps, &out.total_steps));
    if (out.max_learning_rate == 0) return missing("max_learning_rate");
  } else if (name == "plateau") {
    out.kind = Schedule::Kind::kPlateau;
    PERCALE_RETURN_IF_ERROR(keys({"name", "duration", "monitor", "mode", "factor", "patience", "threshold", "min_delta",
                                  "cooldown", "min_learning_rate"}));
    PERCALE_RETURN_IF_ERROR(read_plateau(json, &out.plateau));
  } else {
    return json.error("schedule", "no schedule '", name, "'", did_you_mean(name, schedule_names()));
  }
  return out;
}

// A part's own length where "duration" does not say it.
int64_t natural_length(const Schedule& s) {
  switch (s.kind) {
    case Schedule::Kind::kWarmUp: return s.warm_up_steps;
    case Schedule::Kind::kCosine: return s.decay_steps;
    case Schedule::Kind::kOneCycle: return s.total_steps;
    default: return 0;
  }
}

Result<Schedule> parse_sequence(const Json& json) {
  Schedule out;
  out.kind = Schedule::Kind::kSequence;
  if (json.size() == 0) return json.error("schedule", "the list is empty");
  for (size_t i = 0; i < json.size(); ++i) {
    const Json& item = json.item(i);
    PERCALE_ASSIGN_OR_RETURN(Schedule part, parse_one(item));
    const bool last = i + 1 == json.size();
    if (last && part.duration > 0) {
      return item.error("schedule", "the last part goes on to the end of the run and has no 'duration'");
    }
    if (part.duration == 0 && !last) part.duration = natural_length(part);
    if (part.duration == 0 && !last) {
      return item.error("schedule", "part ", uint64_t{i + 1}, " of ", uint64_t{json.size()},
                        " needs a length: give it a 'duration' in steps");
    }
    if (part.waits_for() != nullptr && out.waits_for() != nullptr) {
      return item.error("schedule", "a sequence has one plateau at most");
    }
    out.parts.push_back(std::move(part));
  }
  return out;
}

}  // namespace

bool Schedule::needs_total() const {
  if (!parts.empty()) return parts.back().needs_total();
  return (kind == Kind::kOneCycle && total_steps == 0) || (kind == Kind::kCosine && decay_steps == 0);
}

bool Schedule::has_base() const {
  return kind != Kind::kOneCycle &&
         std::all_of(parts.begin(), parts.end(), [](const Schedule& part) { return part.has_base(); });
}

const Plateau* Schedule::waits_for() const {
  if (kind == Kind::kPlateau) return &plateau;
  for (const Schedule& part : parts) {
    if (const Plateau* found = part.waits_for(); found != nullptr) return found;
  }
  return nullptr;
}

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
    case Kind::kSequence: {
      size_t part = 0;
      for (; part + 1 < parts.size() && step >= parts[part].duration; ++part) {
        step -= parts[part].duration;
        total -= parts[part].duration;
      }
      return parts[part].learning_rate(base, step, part + 1 < parts.size() ? parts[part].duration : total);
    }
  }
  return base;
}

Result<Schedule> parse_schedule(const Json& json) {
  if (json.is_array()) return parse_sequence(json);
  PERCALE_ASSIGN_OR_RETURN(Schedule out, parse_one(json));
  if (out.duration > 0) return json.error("schedule", "'duration' is for a part of a list of schedules");
  return out;
}

Result<Schedule> parse_schedule(std::string_view text) {
  PERCALE_ASSIGN_OR_RETURN(const Json json, json_or_name(text));
  return parse_schedule(json);
}

}  // namespace percale
