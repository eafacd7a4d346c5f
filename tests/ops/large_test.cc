// Sizes at which loops are divided into pieces. They are too large for the tables, whose rows test
// the formulas.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/plan/evaluate.h"
#include "tests/ops/op_case.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

Tensor numbers(const Shape& shape, uint32_t seed) {
  std::vector<float> values;
  uint32_t state = seed;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(static_cast<float>(state >> 8) / 8388608.0f - 1.0f + 1e-4f);
  }
  return Tensor::of<float>(shape, values);
}
Tensor ints(std::vector<int64_t> values) { return Tensor::vector(std::span<const int64_t>(values)); }

Tensor bytes(const Shape& shape, uint32_t seed) {
  const Tensor real = numbers(shape, seed);
  std::vector<uint8_t> values;
  for (const float x : real.span<float>()) values.push_back(static_cast<uint8_t>(std::fabs(x) * 255));
  return Tensor::of<uint8_t>(shape, values);
}

// Runs the pieces in reverse order.
ParallelFor backwards() {
  return {[](void*, int64_t pieces, ParallelFor::Body body, void* arg) {
            for (int64_t i = pieces; i-- > 0;) body(arg, i);
          },
          nullptr};
}

std::vector<OpCase> large_cases() {
  const auto make = [](std::string op, std::vector<Tensor> inputs, Attributes attributes = {}) {
    OpCase row;
    row.op = std::move(op);
    row.inputs = std::move(inputs);
    row.attributes = std::move(attributes);
    return row;
  };
  const Tensor plane = numbers({3, 41, 1021}, 1), flat = numbers({200003}, 2);
  static constexpr bool kMask[] = {true, false, true};
  std::vector<OpCase> out;
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Mean"}) {
    out.push_back(make(op, {flat, numbers({200003}, 3)}));
    out.push_back(make(op, {plane, numbers({1021}, 4)}));
    out.push_back(make(op, {numbers({41, 1}, 5), plane}));
    out.push_back(make(op, {plane, numbers({3, 1, 1}, 6)}));
  }
  for (const char* op : {"Neg", "Abs", "Exp", "Reciprocal", "Floor", "Ceil", "Round", "Relu", "LeakyRelu", "Sigmoid",
                         "Tanh", "Erf", "HardSigmoid", "HardSwish", "Sign", "Sin", "Atan", "Sinh"}) {
    out.push_back(make(op, {flat}));
  }
  out.push_back(make("Sqrt", {Tensor(flat)}));
  out.push_back(make("Clip", {flat, Tensor::scalar(-0.5f), Tensor::scalar(0.25f)}));
  out.push_back(make("percale:ReluGrad", {flat, numbers({200003}, 9)}));
  for (const char* op : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"}) {
    for (const auto& axes : std::vector<std::vector<int64_t>>{{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}}) {
      out.push_back(make(op, {plane, ints(axes)}));
    }
    out.push_back(make(op, {flat}));
    out.push_back(make(op, {numbers({70, 3, 5, 7, 11}, 7), ints({0, 2, 4})}));
    out.push_back(make(op, {numbers({40000, 3}, 8), ints({0})}));
    out.push_back(make(op, {numbers({3, 40000}, 8), ints({1})}));
    out.push_back(make(op, {numbers({50, 40, 30}, 8), ints({1})}));
  }
  for (const auto& shape :
       std::vector<std::vector<int64_t>>{{1021}, {41, 1}, {3, 1, 1}, {1, 41, 1021}, {}, {3, 1, 1021}}) {
    out.push_back(make("percale:SumToShape", {plane, ints(shape)}));
  }
  for (const auto& perm : std::vector<std::vector<int64_t>>{{0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}, {1, 0, 2}}) {
    out.push_back(make("Transpose", {plane}, {{"perm", perm}}));
  }
  out.push_back(make("ArgMax", {plane}, {{"axis", 2}}));
  out.push_back(make("ArgMin", {plane}, {{"axis", -1}}));
  out.push_back(make("ArgMax", {plane}, {{"axis", 1}}));
  out.push_back(make("Concat", {plane, plane}, {{"axis", 1}}));
  out.push_back(make("Slice", {plane, ints({1020, 40}), ints({-5000, -5000}), ints({2, 1}), ints({-1, -2})}));
  out.push_back(make("Expand", {numbers({41, 1}, 5), ints({3, 41, 1021})}));
  out.push_back(make("Pad", {plane, ints({0, 2, 3, 0, 1, 4})}, {{"mode", "reflect"}}));
  out.push_back(make("Gather", {plane, ints({40, 0, 0, 7})}, {{"axis", 1}}));
  out.push_back(make("percale:GatherGrad", {plane, ints({2, 0, 2}), ints({4, 41, 1021})}));
  out.push_back(make("CumSum", {plane, Tensor::scalar(int64_t{1})}));
  out.push_back(make("CumProd", {plane, Tensor::scalar(int64_t{2})}));
  for (int64_t axis = 0; axis < 3; ++axis) out.push_back(make("TopK", {plane, ints({3})}, {{"axis", axis}}));
  out.push_back(make("ReverseSequence", {plane, ints({0, 1, 2, 3, 3, 2, 1, 0, 3, 1, 2, 3, 0, 1, 2, 3, 3, 2, 1, 0, 3,
                                                      1, 2, 3, 0, 1, 2, 3, 3, 2, 1, 0, 3, 1, 2, 3, 0, 1, 2, 3, 3})}));
  out.push_back(make("Unique", {plane}, {{"axis", 1}}));
  out.push_back(make("Unique", {flat}, {{"sorted", 0}}));
  out.push_back(make("NonZero", {plane}));
  out.push_back(make("Compress", {plane, Tensor::vector(std::span<const bool>(kMask))}, {{"axis", 0}}));
  out.push_back(make("Col2Im", {numbers({4, 12, 2500}, 3), ints({51, 51}), ints({2, 2})}));
  out.push_back(make("Trilu", {plane}));
  out.push_back(make("Cast", {plane}, {{"to", DType::kF16}}));
  out.push_back(make("MatMulInteger", {bytes({3, 41, 1021}, 10), bytes({1021, 33}, 11), Tensor::scalar(uint8_t{9})}));
  out.push_back(make("ConvInteger", {bytes({2, 8, 40, 41}, 12), bytes({12, 8, 3, 3}, 13)}));
  out.push_back(make("LayerNormalization", {numbers({37, 701}, 1), numbers({701}, 2), numbers({701}, 3)}));
  out.push_back(make("RMSNormalization", {numbers({5, 37, 701}, 1), numbers({37, 701}, 2)}, {{"axis", 1}}));
  out.push_back(make("Gelu", {numbers({37, 701}, 1)}));
  out.push_back(make("Gelu", {numbers({37, 701}, 1)}, {{"approximate", "tanh"}}));
  out.push_back(make("Swish", {numbers({37, 701}, 1)}, {{"alpha", 1.702}}));
  for (const int64_t by_row : {0, 1}) {
    const auto part = [&](int64_t rows, int64_t size, uint32_t seed) {
      return numbers(by_row != 0 ? Shape{1, rows, 2, size} : Shape{1, 2, rows, size}, seed);
    };
    const Attributes attributes{
        {"q_by_row", by_row}, {"k_by_row", by_row}, {"v_by_row", by_row}, {"y_by_row", by_row}, {"scale", 0.125}};
    out.push_back(make("percale:FusedAttention",
                       {part(203, 64, 1), part(1111, 64, 2), part(1111, 37, 3), numbers({203, 1111}, 4)}, attributes));
    out.push_back(make("percale:FusedAttention", {part(2, 64, 1), part(1111, 64, 2), part(1111, 37, 3)}, attributes));
  }
  out.push_back(make("Attention",
                     {numbers({2, 130, 4 * 64}, 1), numbers({2, 300, 2 * 64}, 2), numbers({2, 300, 2 * 32}, 3)},
                     {{"q_num_heads", 4}, {"kv_num_heads", 2}}));
  out.push_back(make("GlobalAveragePool", {numbers({3, 37, 7, 7}, 1)}));
  out.push_back(make("GlobalMaxPool", {numbers({3, 37, 19, 31}, 1)}));
  out.push_back(make("Conv", {numbers({2, 64, 300, 1}, 1), numbers({48, 64, 5, 1}, 2), numbers({48}, 3)}));
  for (const int64_t classes : {2, 5, 16}) out.push_back(make("Softmax", {numbers({701, classes}, 1)}));
  // Weights are small, so that a difference in the last bits does not grow from step to step.
  for (const auto& [op, gates] : {std::pair{"LSTM", 4}, {"GRU", 3}, {"RNN", 1}}) {
    const auto weights = [&](int64_t columns, uint32_t seed) {
      const Tensor w = numbers({2, gates * 300, columns}, seed);
      for (float& v : w.mutable_span<float>()) v *= 0.05f;
      return w;
    };
    out.push_back(
        make(op, {numbers({7, 45, 130}, 1), weights(130, 2), weights(300, 3)}, {{"direction", "bidirectional"}}));
    out.push_back(make(str_cat("percale:", op, "Grad"),
                       {numbers({7, 45, 130}, 1), weights(130, 2), weights(300, 3), Tensor(), Tensor(), Tensor()},
                       {{"direction", "bidirectional"}}));
    for (size_t i = out.back().inputs.size(); i < (gates == 4 ? 8 : 6); ++i) out.back().inputs.emplace_back();
    out.back().inputs.push_back(numbers({7, 2, 45, 300}, 4));
  }
  return out;
}

// True if two kernels agree. Sums of `summed` numbers in [-1, 1] are computed in different orders
// and precisions, so they may differ by some of the last bits of each.
bool agree(const Tensor& a, const Tensor& b, int64_t summed) {
  if (a.dtype() != DType::kF32) return std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0;
  const double allowed = 1e-7 * static_cast<double>(summed);
  const auto x = a.span<float>(), y = b.span<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    const double distance = std::fabs(double{x[i]} - double{y[i]});
    if (!(distance <= 4e-6 * std::max(1.0, std::fabs(double{y[i]})) + allowed)) return false;
  }
  return true;
}

TEST_CASE("on large tensors all kernels of an op agree, and the order of pieces does not change a bit") {
  const auto ops = make_test_ops();
  REQUIRE(ops.ok());
  for (const OpCase& row : large_cases()) {
    const auto kernels = cpu_kernels(*ops->registry, row);
    REQUIRE(kernels.ok());
    const auto found = schema_of(*ops->registry, row);
    REQUIRE(found.ok());
    const OpSchema* schema = *found;
    const size_t outputs = output_count(*schema, row);
    const auto run = [&](const std::string& kernel, const ParallelFor& parallel) {
      return evaluate_node(*ops->registry, "cpu", *schema, "test", row.attributes, row.inputs, outputs,
                           std::make_shared<MemoryPool>(), parallel, kernel);
    };
    // The last kernel that accepts the row. A kernel for other types may follow it.
    std::string portable;
    Result<std::vector<Tensor>> want = internal_error("no kernel");
    for (auto kernel = kernels->rbegin(); portable.empty() && kernel != kernels->rend(); ++kernel) {
      want = run(*kernel, {});
      if (want.ok() || want.status().code() != Code::kUnimplemented) portable = *kernel;
    }
    REQUIRE_MESSAGE(want.ok(), row.op << ": " << want.status().to_string());
    for (const std::string& kernel : *kernels) {
      CAPTURE(kernel);
      CAPTURE((*want)[0].shape().to_string());
      const auto got = run(kernel, {}), reversed = run(kernel, backwards());
      if (got.status().code() == Code::kUnimplemented && kernel != portable) continue;
      REQUIRE_MESSAGE(got.ok(), got.status().to_string());
      REQUIRE(reversed.ok());
      CHECK(std::memcmp((*got)[0].data(), (*reversed)[0].data(), static_cast<size_t>((*got)[0].bytes())) == 0);
      const bool sums = row.op == "ReduceSum" || row.op == "percale:SumToShape";
      int64_t summed = sums ? row.inputs[0].num_elements() / (*want)[0].num_elements() : 0;
      if (row.op == "Conv") summed = row.inputs[1].num_elements() / row.inputs[1].shape()[0];
      CHECK(agree((*got)[0], (*want)[0], summed));
    }
  }
}

TEST_CASE("products of integers sum in 32 bits however long the rows are, and wrap") {
  const auto ops = make_test_ops();
  REQUIRE(ops.ok());
  for (const int64_t length : {int64_t{16384}, int64_t{16385}, int64_t{33025}, int64_t{40000}}) {
    const Tensor row = Tensor::of<uint8_t>(Shape{1, length}, std::vector<uint8_t>(static_cast<size_t>(length), 255));
    const Tensor column = Tensor::of<uint8_t>(Shape{length, 1}, std::vector<uint8_t>(static_cast<size_t>(length), 255));
    const auto got = evaluate_node(*ops->registry, "cpu", *ops->registry->find_op("", "MatMulInteger"), "test", {},
                                   {row, column}, 1, std::make_shared<MemoryPool>());
    REQUIRE_MESSAGE(got.ok(), got.status().to_string());
    CHECK(static_cast<uint32_t>((*got)[0].span<int32_t>()[0]) == static_cast<uint32_t>(length * 255 * 255));
  }
}

}  // namespace
}  // namespace percale
