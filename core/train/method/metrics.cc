#include "core/train/method/metrics.h"

#include <cmath>

namespace percale {
namespace {

template <class T>
void add_elements(const Tensor& tensor, double* to) {
  for (const T& v : tensor.span<T>()) *to++ += static_cast<double>(v);
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

double f1(MetricRule rule, std::span<const double> totals) {
  const size_t classes = totals.size() / 3;
  const double *hits = totals.data(), *predicted = hits + classes, *wanted = predicted + classes;
  double sum = 0, weight = 0;
  if (rule == MetricRule::kF1Micro) {
    for (size_t i = 0; i < classes; ++i) {
      sum += 2 * hits[i];
      weight += predicted[i] + wanted[i];
    }
    return ratio(sum, weight);
  }
  for (size_t i = 0; i < classes; ++i) {
    const double share = rule == MetricRule::kF1Weighted ? wanted[i] : 1;
    sum += share * ratio(2 * hits[i], predicted[i] + wanted[i]);
    weight += share;
  }
  return ratio(sum, weight);
}

double area(std::span<const double> totals) {
  const size_t thresholds = totals.size() / 2;
  const double *hits = totals.data(), *alarms = hits + thresholds;
  const double positives = hits[0], negatives = alarms[0];
  double out = 0;
  for (size_t i = 0; i + 1 < thresholds; ++i) {
    const double width = ratio(alarms[i], negatives) - ratio(alarms[i + 1], negatives);
    out += width * (ratio(hits[i], positives) + ratio(hits[i + 1], positives)) / 2;
  }
  return out;
}

}  // namespace

double finish_metric(MetricRule rule, std::span<const double> totals, const maths::Functions& functions) {
  switch (rule) {
    case MetricRule::kMean: return totals[0] / totals[1];
    case MetricRule::kRootMean: return std::sqrt(totals[0] / totals[1]);
    case MetricRule::kExpMean: return functions.exp(totals[0] / totals[1]);
    case MetricRule::kRatio: return ratio(totals[0], totals[1]);
    case MetricRule::kF1Macro:
    case MetricRule::kF1Micro:
    case MetricRule::kF1Weighted: return f1(rule, totals);
    case MetricRule::kAuc: return area(totals);
  }
  return 0;
}

double scalar_value(const Tensor& scalar) {
  return scalar.dtype() == DType::kF64 ? scalar.span<double>()[0] : static_cast<double>(scalar.span<float>()[0]);
}

void add_totals(std::span<const Tensor> totals, std::vector<double>& sums) {
  if (sums.empty()) {
    size_t count = 0;
    for (const Tensor& t : totals) count += static_cast<size_t>(t.num_elements());
    sums.assign(count, 0);
  }
  double* to = sums.data();
  for (const Tensor& t : totals) {
    t.dtype() == DType::kF64 ? add_elements<double>(t, to) : add_elements<float>(t, to);
    to += t.num_elements();
  }
}

}  // namespace percale
