// Losses as a SPEC and the options of a trainer say them.
#include <charconv>
#include <limits>

#include "core/train/method/json_keys.h"
#include "core/train/method/losses.h"

namespace percale {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

}  // namespace

Status read_loss_keys(const Json& object, LossOptions* out) {
  PERCALE_RETURN_IF_ERROR(read_text(object, "name", &out->name));
  PERCALE_RETURN_IF_ERROR(read_flag(object, "from_logits", &out->from_logits));
  PERCALE_RETURN_IF_ERROR(read_number(object, "delta", 0, kMost, &out->delta));
  PERCALE_RETURN_IF_ERROR(read_number(object, "label_smoothing", 0, 0.999999, &out->label_smoothing));
  if (const Json* ignored = object.find("ignore_class"); ignored != nullptr && !ignored->is_null()) {
    int64_t number = 0;
    PERCALE_RETURN_IF_ERROR(read_integer(object, "ignore_class", INT32_MIN, INT32_MAX, &number));
    out->ignore_class = number;
  }
  out->name = std::string(whole_loss_name(out->name));
  PERCALE_RETURN_IF_ERROR(check_loss_name(out->name));
  const Status status = check_loss_options(*out);
  return status.ok() ? status : object.error("loss", status.message());
}

Status read_loss(const Json& loss, LossOptions* out) {
  if (loss.is_object()) {
    PERCALE_RETURN_IF_ERROR(
        check_keys(loss, "loss", {"name", "from_logits", "delta", "label_smoothing", "ignore_class"}, {"reduction"}));
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
        return weights->item(i).error("class_weight", "'", key, "' is no class number");
      }
    }
    PERCALE_ASSIGN_OR_RETURN(const double weight, weights->item(i).as_double("class_weight"));
    if (!(weight >= 0 && weight <= kMost)) return weights->item(i).error("class_weight", "a weight is ", weight);
    out->class_weight[number] = weight;
  }
  return {};
}

}  // namespace percale
