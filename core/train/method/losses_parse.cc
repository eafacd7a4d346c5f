// The table of losses: names and keys, as a SPEC and the options of a trainer take them.
#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/similar_name.h"
#include "core/registry/registry.h"
#include "core/train/method/json_keys.h"
#include "core/train/method/losses.h"

namespace percale {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

using LossKey = Key<LossOptions>;
constexpr LossKey kFromLogits = {
    "from_logits", &LossOptions::from_logits,
    "Whether the predictions are scores before softmax or sigmoid instead of probabilities."};
constexpr LossKey kDelta = {"delta", &LossOptions::delta, "Difference beyond which the loss is linear.", 0};
constexpr LossKey kLabelSmoothing = {
    "label_smoothing", &LossOptions::label_smoothing,
    "Fraction of each label that is spread evenly over all classes, or over both outcomes of a binary label.", 0,
    0.999999};
constexpr LossKey kIgnoreClass = {"ignore_class", &LossOptions::ignore_class,
                                  "Rows with this label are ignored in the loss.", INT32_MIN, INT32_MAX};

constexpr LossKey kLossKeys[] = {kFromLogits, kDelta, kLabelSmoothing, kIgnoreClass};
constexpr LossKey kSparseKeys[] = {kFromLogits, kLabelSmoothing, kIgnoreClass};
constexpr LossKey kCrossEntropyKeys[] = {kFromLogits, kLabelSmoothing};
constexpr LossKey kHuberKeys[] = {kDelta};

struct LossRow {
  std::string_view name, doc;
  std::span<const LossKey> keys = {};
};
constexpr LossRow kLosses[] = {
    {"sparse_categorical_crossentropy", "Cross-entropy of class probabilities; labels are class indices.", kSparseKeys},
    {"categorical_crossentropy", "Cross-entropy of class probabilities; labels are probabilities or one-hot.",
     kCrossEntropyKeys},
    {"binary_crossentropy", "Cross-entropy of independent probabilities; labels are between 0 and 1.",
     kCrossEntropyKeys},
    {"mean_squared_error", "Mean of the squared differences, also called mse."},
    {"mean_absolute_error", "Mean of the absolute differences, also called mae."},
    {"huber", "Quadratic for differences up to delta, linear beyond.", kHuberKeys}};
constexpr std::string_view kOwnGraph = "train a graph that has the loss as an output";
constexpr Unsupported kUnsupportedLosses[] = {
    {"poisson", kOwnGraph},
    {"kl_divergence", "use categorical_crossentropy, which has the same gradients"},
    {"cosine_similarity", kOwnGraph},
    {"hinge", kOwnGraph},
    {"squared_hinge", kOwnGraph},
    {"log_cosh", "use huber, or train a graph that has the loss as an output"},
    {"ctc", "there is no substitute"},
    {"mean_absolute_percentage_error", kOwnGraph}};

const LossRow* find_loss(std::string_view name) {
  for (const LossRow& row : kLosses) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

std::string_view whole_loss_name(std::string_view name) {
  if (name == "mse") return "mean_squared_error";
  return name == "mae" ? "mean_absolute_error" : name;
}

std::vector<std::string> loss_names() {
  std::vector<std::string> out;
  for (const LossRow& row : kLosses) out.emplace_back(row.name);
  return out;
}

std::vector<NamedFacts> loss_facts() {
  std::vector<NamedFacts> out;
  for (const LossRow& row : kLosses) {
    out.push_back({std::string(row.name), std::string(row.doc), key_facts(row.keys)});
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> loss_values(const LossOptions& loss) {
  return key_values<LossOptions>(kLossKeys, loss);
}

bool is_loss(std::string_view name) { return find_loss(name) != nullptr; }

Status check_loss_name(std::string_view name) {
  if (is_loss(name)) return {};
  if (const Unsupported* listed = find_unsupported(kUnsupportedLosses, name)) {
    return unimplemented("loss '", name, "' is not implemented; ", listed->instead);
  }
  return invalid_argument("no loss '", name, "'", did_you_mean(name, loss_names()));
}

Status check_loss_options(const LossOptions& loss) {
  const LossRow* row = find_loss(loss.name);
  const auto takes = [&](const LossKey& key) {
    return row != nullptr &&
           std::any_of(row->keys.begin(), row->keys.end(), [&](const LossKey& own) { return own.name == key.name; });
  };
  const auto unused = [&](const LossKey& key) {
    return invalid_argument("'", key.name, "' cannot be used with loss '", loss.name, "'");
  };
  if (loss.label_smoothing != 0 && !takes(kLabelSmoothing)) return unused(kLabelSmoothing);
  if (loss.ignore_class && !takes(kIgnoreClass)) return unused(kIgnoreClass);
  return {};
}

void add_loss_key_names(std::vector<std::string>* out) {
  out->emplace_back("name");
  add_names<LossOptions>(kLossKeys, out);
}

Status read_loss_keys(const Json& object, LossOptions* out) {
  PERCALE_RETURN_IF_ERROR(read_text(object, "name", &out->name));
  PERCALE_RETURN_IF_ERROR(read_members<LossOptions>(object, "loss", kLossKeys, out));
  out->name = std::string(whole_loss_name(out->name));
  PERCALE_RETURN_IF_ERROR(check_loss_name(out->name));
  const Status status = check_loss_options(*out);
  return status.ok() ? status : object.error("loss", status.message());
}

Status read_loss(const Json& loss, LossOptions* out) {
  if (loss.is_object()) {
    static constexpr Unsupported kUnsupportedKeys[] = {
        {"reduction",
         "the loss is the mean over the rows; for their sum, multiply the learning rate by the batch size"}};
    std::vector<std::string> known;
    add_loss_key_names(&known);
    PERCALE_RETURN_IF_ERROR(check_known_keys(loss, "loss", known, kUnsupportedKeys));
    return read_loss_keys(loss, out);
  }
  PERCALE_ASSIGN_OR_RETURN(const std::string name, loss.as_string("loss"));
  out->name = std::string(whole_loss_name(name));
  return check_loss_name(out->name);
}

Status read_class_weight(const Json& object, LossOptions* out) {
  const Json* weights = object.find("class_weight");
  if (weights == nullptr || weights->is_null()) return {};
  if (!weights->is_array()) PERCALE_RETURN_IF_ERROR(weights->expect(Json::Kind::kObject, "class_weight"));
  for (size_t i = 0; i < weights->size(); ++i) {
    int64_t number = static_cast<int64_t>(i);
    if (weights->is_object()) {
      const std::string& key = weights->key(i);
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
      if (error != std::errc() || end != key.data() + key.size() || number < 0) {
        return weights->item(i).error("class_weight", "'", key, "' is not a class index");
      }
    }
    PERCALE_ASSIGN_OR_RETURN(const double weight, weights->item(i).as_double("class_weight"));
    if (!(weight >= 0 && weight <= kMost)) return weights->item(i).error("class_weight", "a weight is ", weight);
    out->class_weight[number] = weight;
  }
  return {};
}

}  // namespace percale
