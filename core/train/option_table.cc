#include "core/train/option_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/train/method/json_keys.h"
#include "core/train/spec_keys.h"
#include "core/train/trainer_keys.h"

namespace percale {
namespace {

Status read_optimizer(const Json& value, const Key<TrainerOptions>&, TrainerOptions* out) {
  PERCALE_ASSIGN_OR_RETURN(out->optimizer, parse_optimizer(value));
  return {};
}

Status read_schedule(const Json& value, const Key<TrainerOptions>&, TrainerOptions* out) {
  PERCALE_ASSIGN_OR_RETURN(out->schedule, parse_schedule(value));
  return {};
}

// Options that are no key of a SPEC, or whose values differ from those of the key.
constexpr Key<TrainerOptions> kOwnKeys[] = {
    {.name = "loss",
     .value = ByHand{"text"},
     .doc = "Output that is the mean loss of a batch; empty: the only scalar floating-point output. For a graph of "
            "predictions, JSON such as {\"name\": \"sparse_categorical_crossentropy\", \"labels\": \"y\"}: a loss as "
            "in a SPEC, with \"labels\", the name of an input. Further keys are \"predictions\" (default: the only "
            "output), \"sample_weight\" (an input), \"class_weight\" and \"weight\". A list of losses is summed by "
            "their weights.",
     .option = {.name = "loss", .form = AsOption::Form::kText, .with_spec = false}},
    {.name = "optimizer",
     .value = ReadBy<TrainerOptions>{"text or object", read_optimizer},
     .doc = "Name, or JSON such as {\"name\": \"sgd\", \"momentum\": 0.9}.",
     .option = {.name = "optimizer", .form = AsOption::Form::kNameOrJson, .fallback = "adam", .with_spec = false}},
    {.name = "schedule",
     .value = ReadBy<TrainerOptions>{"text, object or list", read_schedule},
     .doc = "Name, or JSON such as {\"name\": \"one_cycle\", \"max_learning_rate\": 0.004}.",
     .option = {.name = "schedule", .form = AsOption::Form::kNameOrJson, .fallback = "constant", .with_spec = false}},
    {.name = "metrics",
     .value = ByHand{"text"},
     .doc = "Metrics reported after epochs and by evaluations, as JSON: names, or objects as in a SPEC. An object may "
            "add \"predictions\" (default: the only output besides the loss), \"labels\" (default: the only input that "
            "the predictions do not need), \"loss\" (selects the meaning of the labels) and \"from_logits\": "
            "[\"accuracy\", {\"name\": \"auc\", \"predictions\": \"scores\", \"from_logits\": true}].",
     .option = {.name = "metrics", .form = AsOption::Form::kText, .fallback = "[]", .with_spec = false}},
    {.name = "any_fingerprint",
     .value = &TrainerOptions::any_fingerprint,
     .doc = "Accepts a checkpoint that was computed by other kernels, although results may then differ in bits.",
     .option = {.name = "any_fingerprint"}}};

// Calls `visit` with each table that has options, and the object that it sets. The order is that
// in which options are applied: 'optimizer' comes before the clipping that changes a part of it.
template <class Visit>
Status visit_tables(Spec* spec, Visit&& visit) {
  TrainerOptions* trainer = &spec->trainer;
  PERCALE_RETURN_IF_ERROR(visit(std::span<const Key<TrainerOptions>>(kOwnKeys), trainer));
  PERCALE_RETURN_IF_ERROR(visit(clip_keys(), &trainer->optimizer));
  PERCALE_RETURN_IF_ERROR(visit(update_keys(), &trainer->optimizer));
  PERCALE_RETURN_IF_ERROR(visit(trainer_keys(), trainer));
  PERCALE_RETURN_IF_ERROR(visit(checkpoint_keys(), trainer));
  return visit(spec_keys(), spec);
}

// Calls `visit` with each key that is an option, and the object that it sets.
template <class Visit>
Status visit_options(Spec* spec, Visit&& visit) {
  return visit_tables(spec, [&](const auto& keys, auto* target) -> Status {
    for (const auto& key : keys) {
      if (!key.option.name.empty()) PERCALE_RETURN_IF_ERROR(visit(key, target));
    }
    return {};
  });
}

std::pair<OptionType, std::string> type_and_default(int64_t start) { return {OptionType::kInt, str_cat(start)}; }
std::pair<OptionType, std::string> type_and_default(double start) { return {OptionType::kFloat, str_cat(start)}; }
std::pair<OptionType, std::string> type_and_default(bool start) { return {OptionType::kSwitch, start ? "on" : "off"}; }
std::pair<OptionType, std::string> type_and_default(const std::string& start) { return {OptionType::kText, start}; }

// `start` holds the defaults.
template <class T>
std::pair<OptionType, std::string> type_and_default(const Key<T>& key, const T& start) {
  return std::visit(
      [&](auto how) -> std::pair<OptionType, std::string> {
        using How = decltype(how);
        if constexpr (std::is_same_v<How, ByHand> || std::is_same_v<How, ReadBy<T>>) {
          const bool choice = key.option.form == AsOption::Form::kPlain && !key.choices.empty();
          return {choice ? OptionType::kChoice : OptionType::kText, std::string(key.option.fallback)};
        } else if constexpr (std::is_same_v<How, Bytes<T>>) {
          return {OptionType::kBytes, str_cat(start.*how.member)};
        } else if constexpr (std::is_same_v<How, std::optional<double> T::*> ||
                             std::is_same_v<How, std::optional<int64_t> T::*> ||
                             std::is_same_v<How, std::optional<bool> T::*>) {
          return {OptionType::kText, ""};  // no option is optional in this sense
        } else {
          return type_and_default(start.*how);
        }
      },
      key.value);
}

double or_infinity(double bound) {
  return std::abs(bound) == std::numeric_limits<double>::max()
             ? std::copysign(std::numeric_limits<double>::infinity(), bound)
             : bound;
}

template <class T>
OptionSpec option_of(const Key<T>& key, const T& start = T()) {
  auto [type, fallback] = type_and_default(key, start);
  std::string doc(key.doc);
  if (!key.option.note.empty()) doc += str_cat(" ", key.option.note);
  if (!key.option.with_spec) doc += " Not for a SPEC.";
  return {.key = key.option.name,
          .type = type,
          .fallback = std::move(fallback),
          .doc = std::move(doc),
          .min = or_infinity(key.low),
          .max = or_infinity(key.high),
          .choices = key.choices,
          .check = key.option.check};
}

Json list_of(std::string_view text) {
  std::vector<Json> items;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (end > 0) items.push_back(Json::of(std::string(text.substr(0, end))));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return Json::list(std::move(items));
}

template <class V>
Json json_number(const std::string& text) {
  V value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return Json::of(value);
}

// `text`: from checked_option()
Result<Json> value_of(AsOption::Form form, OptionType type, std::string text) {
  switch (form) {
    case AsOption::Form::kJson: return Json::parse(text);
    case AsOption::Form::kNameOrJson: return json_or_name(text);
    case AsOption::Form::kList: return list_of(text);
    case AsOption::Form::kText: return Json::of(std::move(text));
    case AsOption::Form::kPlain: break;
  }
  switch (type) {
    case OptionType::kInt:
    case OptionType::kBytes: return json_number<int64_t>(text);
    case OptionType::kFloat: return json_number<double>(text);
    case OptionType::kSwitch: return Json::of(text == "on");
    case OptionType::kText:
    case OptionType::kChoice: break;
  }
  return Json::of(std::move(text));
}

}  // namespace

std::vector<OptionSpec> trainer_option_specs() {
  std::vector<OptionSpec> out;
  Spec defaults;
  const Status status = visit_options(&defaults, [&](const auto& key, const auto* start) -> Status {
    out.push_back(option_of(key, *start));
    return {};
  });
  static_cast<void>(status);  // no visit fails
  return out;
}

Status check_options_beside_spec(const OptionTexts& options) {
  Spec unused;
  return visit_options(&unused, [&](const auto& key, const auto*) -> Status {
    if (key.option.with_spec || !options.contains(key.option.name)) return {};
    return invalid_argument("option '", key.option.name, "' stands in the SPEC and cannot be set beside it");
  });
}

Status apply_options(const OptionTexts& options, Spec* out) {
  if (const auto strategy = options.find("strategy"); strategy != options.end() && options.contains("parallel")) {
    return strategy_beside_parallel(Json::of(strategy->second));
  }
  return visit_options(out, [&](const auto& key, auto* target) -> Status {
    const auto found = options.find(key.option.name);
    if (found == options.end()) return {};
    const OptionSpec option = option_of(key);
    PERCALE_ASSIGN_OR_RETURN(std::string text, checked_option(option, found->second));
    PERCALE_ASSIGN_OR_RETURN(const Json value, value_of(key.option.form, option.type, std::move(text)));
    return read_value(value, key, target);
  });
}

}  // namespace percale
