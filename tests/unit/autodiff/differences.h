// Compares gradients() with central differences.
#ifndef PERCALE_TESTS_UNIT_AUTODIFF_DIFFERENCES_H_
#define PERCALE_TESTS_UNIT_AUTODIFF_DIFFERENCES_H_

#include <cmath>

#include "core/autodiff/gradients.h"
#include "tests/unit/graph_util.h"

namespace percale {

// Returns the largest error of the gradients of the sum of all outputs of "main" with respect to
// all its f64 inputs, relative to max(1, |gradient|). With `order` 2, checks the gradients of the
// sum of the squared gradients instead.
inline double gradient_error(const std::shared_ptr<const Graph>& graph, const std::vector<Tensor>& inputs,
                             int order = 1) {
  Builder builder(*graph);
  FunctionBuilder& f = builder.main();
  std::vector<ValueId> ys = f.function().outputs, xs;
  for (ValueId x : f.function().inputs) {
    if (f.type(x).dtype == DType::kF64) xs.push_back(x);
  }
  std::vector<ValueId> grads = get(gradients(f, ys, xs));
  if (order == 2) {
    std::vector<ValueId> squares;
    for (ValueId g : grads) squares.push_back(Build(f).op("Mul", {g, g}));
    ys = squares;
    grads = get(gradients(f, ys, xs));
  }
  std::vector<ValueId> outputs = ys;
  outputs.insert(outputs.end(), grads.begin(), grads.end());
  check(f.set_outputs(outputs));
  const auto whole = get(builder.finish());

  const auto loss = [&](const std::vector<Tensor>& at) {
    const auto out = evaluate(*whole, whole->main(), at);
    double sum = 0;
    for (size_t i = 0; i < ys.size(); ++i) {
      for (double v : out[i].span<double>()) sum += v;
    }
    return sum;
  };
  const auto analytic = evaluate(*whole, whole->main(), inputs);
  double worst = 0;
  size_t which = ys.size();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != DType::kF64) continue;
    const Tensor& grad = analytic[which++];
    REQUIRE(grad.shape() == inputs[i].shape());
    for (int64_t k = 0; k < inputs[i].num_elements(); ++k) {
      const auto at = static_cast<size_t>(k);
      const auto moved = [&](double by) {
        std::vector<Tensor> copy = inputs;
        const auto values = inputs[i].span<double>();
        copy[i] = f64(inputs[i].shape(), {values.begin(), values.end()});
        copy[i].mutable_span<double>()[at] += by;
        return loss(copy);
      };
      const double h = 1e-5, numeric = (moved(h) - moved(-h)) / (2 * h), got = grad.span<double>()[at];
      worst = std::max(worst, std::fabs(numeric - got) / std::max(1.0, std::fabs(got)));
    }
  }
  return worst;
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_AUTODIFF_DIFFERENCES_H_
