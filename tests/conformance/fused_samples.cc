#include "core/graph/builder.h"
#include "core/passes/device/fuse_elementwise.h"
#include "tests/conformance/samples.h"

namespace percale::conformance {
namespace {

Tensor numbers(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 37 + 11) % 101) * 0.02f - 1;
  return Tensor::of(shape, std::span<const float>(values));
}

// The start of a group: a node over inputs of these shapes, or the first input itself.
struct Start {
  const char* op;
  std::vector<Shape> inputs;
};

Result<Sample> fused(const std::shared_ptr<const Registry>& registry, const Start& start, bool relu_only) {
  Builder builder(registry);
  Emitter e(builder.main());
  std::vector<Tensor> tensors;
  const auto input = [&](const Shape& shape) -> Result<ValueId> {
    tensors.push_back(numbers(shape));
    return builder.main().add_input("", DType::kF32, shape);
  };
  std::vector<ValueId> operands;
  for (const Shape& shape : start.inputs) {
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, input(shape));
    operands.push_back(id);
  }
  ValueId y = *start.op != '\0' ? e.emit(start.op, operands) : operands[0];
  if (!relu_only) {
    PERCALE_RETURN_IF_ERROR(e.status());
    PERCALE_ASSIGN_OR_RETURN(const ValueId row, input(Shape{e.shape(y).back()}));
    y = e.emit("Mul", {e.emit("Sub", {y, row}), e.emit("Tanh", {y})});
  }
  y = e.emit("Relu", {y});
  PERCALE_RETURN_IF_ERROR(e.status());
  PERCALE_RETURN_IF_ERROR(builder.main().set_outputs({y}));
  PERCALE_ASSIGN_OR_RETURN(const auto plain, builder.finish());
  auto graph = std::make_shared<Graph>(*plain);
  Function f = graph->main();
  PERCALE_RETURN_IF_ERROR(fuse_elementwise(*graph, f));
  graph->functions[0] = f;
  if (f.nodes.size() != 1) return internal_error("the sample did not become one node");
  // The pass orders the inputs of the node as the inputs of its body.
  std::vector<Tensor> in_order;
  for (ValueId id : f.nodes[0].inputs) in_order.push_back(tensors[static_cast<size_t>(f.value(id).def)]);
  graph->functions[0].inputs = f.nodes[0].inputs;
  for (size_t i = 0; i < f.nodes[0].inputs.size(); ++i) {
    graph->functions[0].value(f.nodes[0].inputs[i]).def = static_cast<int32_t>(i);
  }
  return Sample{str_cat("Fused ", start.op, relu_only ? ", Relu" : ", tree"),
                f.nodes[0].op,
                with_defaults(*f.nodes[0].op, f.nodes[0].attributes),
                std::move(in_order),
                1,
                1e-4,
                false,
                graph};
}

}  // namespace

Result<std::vector<Sample>> fused_samples(const std::shared_ptr<const Registry>& registry) {
  const Start starts[] = {{"", {{67, 1031}}},
                          {"Conv", {{2, 4, 9, 31}, {6, 4, 3, 3}, {6}}},
                          {"Gemm", {{33, 300}, {300, 65}, {65}}},
                          {"MatMul", {{3, 17, 20}, {3, 20, 19}}}};
  std::vector<Sample> out;
  for (const Start& start : starts) {
    for (const bool relu_only : {false, true}) {
      if (relu_only && *start.op == '\0') continue;
      PERCALE_ASSIGN_OR_RETURN(Sample sample, fused(registry, start, relu_only));
      out.push_back(std::move(sample));
    }
  }
  return out;
}

}  // namespace percale::conformance
