// Short ways to build a graph and to evaluate it, for tests.
#ifndef PERCALE_TESTS_UNIT_GRAPH_UTIL_H_
#define PERCALE_TESTS_UNIT_GRAPH_UTIL_H_

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/plan/evaluate.h"
#include "ops/all_ops.h"
#include "tests/support/get.h"
#include "tests/support/same_bits.h"

namespace percale {

// All ops with their portable kernels.
inline std::shared_ptr<const Registry> all_ops() {
  auto registry = std::make_shared<Registry>();
  const Status status = register_all_ops(*registry, nullptr);
  REQUIRE_MESSAGE(status.ok(), status.to_string());
  return registry;
}

inline Tensor f64(const Shape& shape, const std::vector<double>& values) {
  return Tensor::of(shape, std::span<const double>(values));
}

inline void check(const Status& status) { REQUIRE_MESSAGE(status.ok(), status.to_string()); }

inline std::vector<Tensor> evaluate(const Graph& graph, const Function& f, const std::vector<Tensor>& inputs,
                                    const std::map<std::string, Tensor>& variables = {}) {
  return get(evaluate_function(graph, "cpu", f, inputs, std::make_shared<MemoryPool>(), variables));
}

// A function under construction with one-line nodes; every error fails the test.
class Build {
 public:
  explicit Build(FunctionBuilder& f) : f_(f) {}

  ValueId input(std::string_view name, const Shape& shape, DType dtype = DType::kF64) {
    return get(f_.add_input(name, dtype, shape));
  }
  ValueId constant(Tensor tensor, std::string_view name = {}) { return get(f_.add_constant(std::move(tensor), name)); }
  ValueId number(double value, DType dtype = DType::kF64) { return constant(scalar_tensor(dtype, value)); }
  ValueId ints(std::vector<int64_t> values) { return constant(Tensor::vector(std::span<const int64_t>(values))); }
  ValueId op(std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes = {},
             std::string_view name = {}) {
    return ops(op, inputs, 1, std::move(attributes), name)[0];
  }
  std::vector<ValueId> ops(std::string_view op, const std::vector<ValueId>& inputs, size_t outputs,
                           Attributes attributes = {}, std::string_view name = {}) {
    const NodeId id = get(f_.add_node(op, inputs, std::move(attributes), outputs, name));
    return f_.function().node(id).outputs;
  }
  void outputs(std::vector<ValueId> values) { check(f_.set_outputs(std::move(values))); }
  FunctionBuilder& builder() { return f_; }

 private:
  FunctionBuilder& f_;
};

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_GRAPH_UTIL_H_
