// Compares the gradients of a row with central differences.
#include <algorithm>
#include <cmath>

#include "core/autodiff/gradients.h"
#include "core/plan/evaluate.h"
#include "tests/ops/op_case.h"
#include "tests/ops/op_values.h"

namespace percale {
namespace {

Tensor as_f64(const Tensor& tensor) {
  std::vector<double> values;
  for (size_t i = 0; i < static_cast<size_t>(tensor.num_elements()); ++i) values.push_back(element(tensor, i).real);
  return Tensor::of<double>(tensor.shape(), values);
}

// Returns weights that differ from each other, with both signs.
Tensor weights(const Shape& shape, int64_t seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    values.push_back(std::sin(static_cast<double>(3 * i + 7 * seed + 1)) + 0.1);
  }
  return Tensor::of<double>(shape, values);
}

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  const auto x = a.span<double>(), y = b.span<double>();
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// A function of f64 tensors: the node with all other operands constant, its outputs, and gradients
// on demand.
struct Differentiable {
  std::unique_ptr<Builder> builder;
  std::vector<ValueId> xs, ys;
};
Shape declared(Shape shape, Known known) {
  if (known == Known::kNothing) return Shape::unranked();
  for (size_t d = 0; known == Known::kRanks && d < shape.rank(); ++d) shape[d] = kUnknownDim;
  return shape;
}

Result<Differentiable> build(const std::shared_ptr<const Registry>& registry, const OpCase& row, Known known) {
  Differentiable out;
  out.builder = std::make_unique<Builder>(registry);
  FunctionBuilder& f = out.builder->main();
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, schema_of(*registry, row));
  // An input that shares its dtype with a differentiated one becomes f64, too.
  std::string groups;
  for (size_t i : row.grad) groups += schema->input(i).group;
  std::vector<ValueId> operands;
  for (size_t i = 0; i < row.inputs.size(); ++i) {
    const Tensor& tensor = row.inputs[i];
    const char group = schema->input(i).group;
    const bool in_group = group != 0 && groups.find(group) != std::string::npos;
    if (!tensor.defined()) {
      operands.push_back(kNoValue);
    } else if (std::find(row.grad.begin(), row.grad.end(), i) != row.grad.end()) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId x, f.add_input(str_cat("x", static_cast<uint64_t>(i)), DType::kF64,
                                                            declared(tensor.shape(), known)));
      operands.push_back(x);
      out.xs.push_back(x);
    } else {
      PERCALE_ASSIGN_OR_RETURN(const ValueId c, f.add_constant(in_group ? as_f64(tensor) : tensor));
      operands.push_back(c);
    }
  }
  PERCALE_ASSIGN_OR_RETURN(const NodeId node,
                           f.add_node(*schema, operands, row.attributes, output_count(*schema, row)));
  for (ValueId y : f.function().node(node).outputs) {
    if (f.type(y).dtype == DType::kF64) out.ys.push_back(y);
  }
  if (out.ys.empty()) return internal_error("no output is of dtype f64");
  return out;
}

using Tensors = std::vector<Tensor>;

Result<Tensors> evaluate(const Differentiable& built, const std::vector<ValueId>& wanted, const Tensors& inputs) {
  Function f = built.builder->main().function();
  f.outputs = wanted;
  return evaluate_function(*built.builder->graph().registry, "cpu", f, inputs, std::make_shared<MemoryPool>());
}

// Compares `slopes`, the claimed derivatives of L = sum weights . f(x), with (L(x + h) - L(x - h))
// / 2h.
Status compare_slopes(const Differentiable& built, const std::vector<ValueId>& fs, const Tensors& inputs,
                      const Tensors& slopes, double tolerance, const std::string& what) {
  const auto loss = [&](const Tensors& at) -> Result<double> {
    PERCALE_ASSIGN_OR_RETURN(const Tensors values, evaluate(built, fs, at));
    double sum = 0;
    for (size_t k = 0; k < values.size(); ++k) {
      sum += dot(values[k], weights(values[k].shape(), static_cast<int64_t>(k)));
    }
    return sum;
  };
  constexpr double kStep = 1e-5;
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (slopes[k].dtype() != DType::kF64 || slopes[k].shape() != inputs[k].shape()) {
      return internal_error(what, " of input ", static_cast<uint64_t>(k), " is ", slopes[k].dtype(), " ",
                            slopes[k].shape(), ", wanted ", inputs[k].shape());
    }
    for (size_t i = 0; i < static_cast<size_t>(inputs[k].num_elements()); ++i) {
      Tensors up = inputs, down = inputs;
      up[k] = as_f64(inputs[k]);
      down[k] = as_f64(inputs[k]);
      up[k].mutable_span<double>()[i] += kStep;
      down[k].mutable_span<double>()[i] -= kStep;
      PERCALE_ASSIGN_OR_RETURN(const double above, loss(up));
      PERCALE_ASSIGN_OR_RETURN(const double below, loss(down));
      const double want = (above - below) / (2 * kStep), got = slopes[k].span<double>()[i];
      if (!(std::fabs(got - want) <= tolerance * std::max(1.0, std::fabs(want)))) {
        return internal_error(what, " of input ", static_cast<uint64_t>(k), ", element ", static_cast<uint64_t>(i),
                              ": ", got, ", differences give ", want);
      }
    }
  }
  return {};
}

}  // namespace

Status check_gradient(const std::shared_ptr<const Registry>& registry, const OpCase& row, Known known) {
  PERCALE_ASSIGN_OR_RETURN(Differentiable built, build(registry, row, known));
  FunctionBuilder& f = built.builder->main();
  Tensors inputs;
  for (size_t i : row.grad) inputs.push_back(as_f64(row.inputs[i]));
  PERCALE_ASSIGN_OR_RETURN(const Tensors values, evaluate(built, built.ys, inputs));
  const auto weight_constants = [&](const Tensors& like) -> Result<std::vector<ValueId>> {
    std::vector<ValueId> out;
    for (size_t k = 0; k < like.size(); ++k) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId w, f.add_constant(weights(like[k].shape(), static_cast<int64_t>(k))));
      out.push_back(w);
    }
    return out;
  };
  PERCALE_ASSIGN_OR_RETURN(const auto grad_ys, weight_constants(values));
  PERCALE_ASSIGN_OR_RETURN(const auto first, gradients(f, built.ys, built.xs, grad_ys));
  PERCALE_ASSIGN_OR_RETURN(const Tensors slopes, evaluate(built, first, inputs));
  PERCALE_RETURN_IF_ERROR(compare_slopes(built, built.ys, inputs, slopes, 1e-6, "the gradient"));
  if (!row.grad2) return {};
  PERCALE_ASSIGN_OR_RETURN(const auto grad_slopes, weight_constants(slopes));
  PERCALE_ASSIGN_OR_RETURN(const auto second, gradients(f, first, built.xs, grad_slopes));
  PERCALE_ASSIGN_OR_RETURN(const Tensors curvatures, evaluate(built, second, inputs));
  return compare_slopes(built, first, inputs, curvatures, 1e-5, "the second gradient");
}

}  // namespace percale
