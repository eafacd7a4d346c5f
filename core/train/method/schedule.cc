#include "core/train/method/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/similar_name.h"
#include "core/train/method/json_keys.h"

namespace percale {
namespace {

constexpr double kMostSteps = 1152921504606846976.0;  // 2^60

double cosine_between(double from, double to, double part, const maths::Functions& f) {
  return to + (from - to) / 2 * (f.cos(std::numbers::pi * part) + 1);
}

double one_cycle(const Schedule& s, int64_t step, int64_t total, const maths::Functions& f) {
  const double first = s.max_learning_rate / s.div_factor, last = first / s.final_div_factor;
  const auto at = static_cast<double>(step);
  const double top = s.pct_start * static_cast<double>(total) - 1, end = static_cast<double>(total) - 1;
  const auto part = [&](double from, double to) { return to > from ? std::min(1.0, (at - from) / (to - from)) : 1.0; };
  if (at <= top) return cosine_between(first, s.max_learning_rate, part(0, top), f);
  return cosine_between(s.max_learning_rate, last, part(top, end), f);
}

using ScheduleKey = Key<Schedule>;

constexpr ScheduleKey kDurationKeys[] = {
    {.name = "duration",
     .value = &Schedule::duration,
     .doc = "Length in steps as an entry of a list of schedules. The last entry has none.",
     .low = 1,
     .high = kMostSteps,
     .fallback = "its own steps, decay_steps or total_steps"}};
constexpr ScheduleKey kStepKeys[] = {
    {.name = "step_size",
     .value = &Schedule::step_size,
     .doc = "Number of steps between two changes.",
     .low = 1,
     .high = kMostSteps,
     .required = true},
    {"gamma", &Schedule::gamma, "Factor that multiplies the learning rate in each change.", 0}};
constexpr ScheduleKey kCosineKeys[] = {
    {"decay_steps", &Schedule::decay_steps, "Number of steps of the decay.", 1, kMostSteps, "the run"},
    {"alpha", &Schedule::alpha, "Final learning rate as a fraction of the optimizer's.", 0, 1}};
constexpr ScheduleKey kWarmUpKeys[] = {{.name = "steps",
                                        .value = &Schedule::warm_up_steps,
                                        .doc = "Number of steps of the rise.",
                                        .low = 1,
                                        .high = kMostSteps,
                                        .required = true}};
constexpr ScheduleKey kOneCycleKeys[] = {
    {.name = "max_learning_rate",
     .value = &Schedule::max_learning_rate,
     .doc = "Largest learning rate of the cycle.",
     .low = 0,
     .required = true},
    {"pct_start", &Schedule::pct_start, "Fraction of the steps in which the rate rises.", 0, 1},
    {"div_factor", &Schedule::div_factor, "The initial rate is max_learning_rate divided by this factor.", 1e-9},
    {"final_div_factor", &Schedule::final_div_factor, "The final rate is the initial rate divided by this factor.",
     1e-9},
    {"total_steps", &Schedule::total_steps, "Number of steps of the cycle.", 1, kMostSteps, "the run"}};

struct ScheduleRow {
  std::string_view name, doc;
  Schedule::Kind kind;
  std::span<const ScheduleKey> keys = {};
};

using ScheduleKind = Schedule::Kind;
constexpr ScheduleRow kSchedules[] = {
    {"constant", "Keeps the learning rate of the optimizer.", ScheduleKind::kConstant},
    {"step", "Multiplies the learning rate by gamma every step_size steps.", ScheduleKind::kStep, kStepKeys},
    {"cosine", "Lowers the learning rate along half a cosine to alpha times its value, then keeps it.",
     ScheduleKind::kCosine, kCosineKeys},
    {"warm_up", "Raises the learning rate in equal parts from rate / steps to the optimizer's rate, then keeps it.",
     ScheduleKind::kWarmUp, kWarmUpKeys},
    {"one_cycle", "Raises and lowers the learning rate once, as PyTorch's OneCycleLR without momentum.",
     ScheduleKind::kOneCycle, kOneCycleKeys},
    {"plateau", "Lowers the learning rate when a monitored value stops improving, as PyTorch's ReduceLROnPlateau.",
     ScheduleKind::kPlateau}};

Status read_schedule_keys(const Json& json, const ScheduleRow& row, Schedule* out) {
  const bool plateau = row.kind == ScheduleKind::kPlateau;
  std::vector<std::string> known = {"name"};
  add_names(row.keys, &known);
  if (plateau) add_names(plateau_keys(), &known);
  add_names<Schedule>(kDurationKeys, &known);
  const std::string where = str_cat("schedule '", row.name, "'");
  if (json.is_object()) PERCALE_RETURN_IF_ERROR(check_known_keys(json, where, known));
  PERCALE_RETURN_IF_ERROR(read_members(json, where, row.keys, out));
  PERCALE_RETURN_IF_ERROR(read_members<Schedule>(json, where, kDurationKeys, out));
  return plateau ? read_plateau(json, &out->plateau) : Status();
}

Result<Schedule> parse_one(const Json& json) {
  std::string name;
  if (json.is_string()) {
    PERCALE_ASSIGN_OR_RETURN(name, json.as_string("schedule"));
  } else {
    PERCALE_RETURN_IF_ERROR(json.expect(Json::Kind::kObject, "schedule"));
    PERCALE_RETURN_IF_ERROR(read_text(json, "name", &name));
    if (name.empty()) return json.error("schedule", "'name' is missing");
  }
  for (const ScheduleRow& row : kSchedules) {
    if (row.name != name) continue;
    Schedule out;
    out.kind = row.kind;
    PERCALE_RETURN_IF_ERROR(read_schedule_keys(json, row, &out));
    return out;
  }
  return json.error("schedule", "no schedule '", name, "'", did_you_mean(name, schedule_names()));
}

// Returns a part's own length, used if "duration" is absent.
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
      return item.error("schedule", "the last entry lasts to the end of the run and must not have a 'duration'");
    }
    if (part.duration == 0 && !last) part.duration = natural_length(part);
    if (part.duration == 0 && !last) {
      return item.error("schedule", "entry ", uint64_t{i + 1}, " of ", uint64_t{json.size()},
                        " needs a length: give it a 'duration' in steps");
    }
    if (part.waits_for() != nullptr && out.waits_for() != nullptr) {
      return item.error("schedule", "a list of schedules can contain only one plateau");
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
  if (kind == ScheduleKind::kPlateau) return &plateau;
  for (const Schedule& part : parts) {
    if (const Plateau* found = part.waits_for(); found != nullptr) return found;
  }
  return nullptr;
}

std::vector<std::string> schedule_names() {
  std::vector<std::string> out;
  for (const ScheduleRow& row : kSchedules) out.emplace_back(row.name);
  return out;
}

std::vector<NamedFacts> schedule_facts() {
  std::vector<NamedFacts> out;
  for (const ScheduleRow& row : kSchedules) {
    NamedFacts& facts = out.emplace_back(NamedFacts{std::string(row.name), std::string(row.doc), key_facts(row.keys)});
    if (row.kind == ScheduleKind::kPlateau) facts.keys = key_facts(plateau_keys());
    facts.keys.push_back(key_facts<Schedule>(kDurationKeys).front());
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> schedule_values(const Schedule& schedule) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const ScheduleRow& row : kSchedules) {
    if (row.kind != schedule.kind) continue;
    out.emplace_back("name", key_table::json_text(row.name));
    for (auto& value : key_values(row.keys, schedule)) out.push_back(std::move(value));
  }
  if (schedule.kind == ScheduleKind::kPlateau) {
    for (auto& value : plateau_values(schedule.plateau)) out.push_back(std::move(value));
  }
  for (auto& value : key_values<Schedule>(kDurationKeys, schedule)) out.push_back(std::move(value));
  return out;
}

double Schedule::learning_rate(double base, int64_t step, int64_t total, const maths::Functions& f) const {
  switch (kind) {
    case Kind::kConstant:
    case ScheduleKind::kPlateau: return base;
    case Kind::kStep: return base * f.pow(gamma, static_cast<double>(step / step_size));
    case Kind::kCosine: {
      const int64_t length = std::max<int64_t>(1, decay_steps > 0 ? decay_steps : total);
      const double part = std::min(1.0, static_cast<double>(step) / static_cast<double>(length));
      return cosine_between(base, alpha * base, part, f);
    }
    case Kind::kWarmUp: return base * std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(warm_up_steps));
    case Kind::kOneCycle: return one_cycle(*this, step, total_steps > 0 ? total_steps : total, f);
    case Kind::kSequence: {
      size_t part = 0;
      for (; part + 1 < parts.size() && step >= parts[part].duration; ++part) {
        step -= parts[part].duration;
        total -= parts[part].duration;
      }
      return parts[part].learning_rate(base, step, part + 1 < parts.size() ? parts[part].duration : total, f);
    }
  }
  return base;
}

Result<Schedule> parse_schedule(const Json& json) {
  if (json.is_array()) return parse_sequence(json);
  PERCALE_ASSIGN_OR_RETURN(Schedule out, parse_one(json));
  if (out.duration > 0) return json.error("schedule", "'duration' is only allowed for an entry of a list of schedules");
  return out;
}

Result<Schedule> parse_schedule(std::string_view text) {
  PERCALE_ASSIGN_OR_RETURN(const Json json, json_or_name(text));
  return parse_schedule(json);
}

}  // namespace percale
