#include "core/train/epoch/objective_totals.h"

#include "core/train/method/metrics.h"

namespace percale {

ObjectiveTotals::ObjectiveTotals(const Objective& objective, const Function& f, Numerics numerics)
    : values_{objective.loss_sum, objective.loss_weight},
      count_(2),
      functions_(numerics.functions()) {  // both are scalars
  for (const Objective::Metric& m : objective.metrics) {
    const size_t begin = count_;
    for (const std::string& value : m.totals) {
      const Shape& shape = f.type(f.outputs[values_.size()]).shape;
      // No step can be planned for another shape.
      if (shape.is_static()) count_ += static_cast<size_t>(shape.num_elements());
      values_.push_back(value);
    }
    metrics_.push_back({m.name, m.rule, {begin, count_ - begin}});
  }
}

std::vector<std::string> ObjectiveTotals::metric_names() const {
  std::vector<std::string> out;
  for (const Metric& m : metrics_) out.push_back(m.name);
  return out;
}

NamedNumbers ObjectiveTotals::finish(const std::vector<double>& sums) const {
  NamedNumbers out = {{"loss", sums[StepLayout::kLoss] / sums[StepLayout::kWeight]}};
  for (const Metric& m : metrics_) out.emplace_back(m.name, finish_metric(m.rule, m.elements.of(sums), functions_));
  return out;
}

}  // namespace percale
