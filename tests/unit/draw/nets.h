// Graphs used as drawing input.
#ifndef PERCALE_TESTS_UNIT_DRAW_NETS_H_
#define PERCALE_TESTS_UNIT_DRAW_NETS_H_

#include <memory>
#include <string>

#include "tests/unit/graph_util.h"

namespace percale {

// Returns x -> `layers` residual layers -> "y". A layer is MatMul with a variable, Add with a
// constant, Relu, and Add with the layer's input. Names are like "body/layer3/MatMul" with
// `scopes`, else like "n17".
inline std::shared_ptr<const Graph> residual_net(int layers, bool scopes = true) {
  Builder owner(all_ops());
  Build b(owner.main());
  int count = 0;
  ValueId x = b.input("x", Shape{2, 4}, DType::kF32);
  for (int i = 0; i < layers; ++i) {
    const auto name = [&](std::string_view op) {
      return scopes ? str_cat("body/layer", i, "/", op) : str_cat("n", count++);
    };
    const std::string weight = str_cat("layer", i, "/kernel");
    check(owner.add_variable({weight, DType::kF32, Shape{4, 4}, true, false,
                              Tensor::of(Shape{4, 4}, std::span<const float>(std::vector<float>(16, 0.5F)))}));
    const ValueId w = b.op("percale:ReadVariable", {},
                           {{"variable", weight}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>{4, 4}}});
    ValueId h = b.op("MatMul", {x, w}, {}, name("MatMul"));
    h = b.op("Add", {h, b.number(0.25, DType::kF32)}, {}, name("Add"));
    h = b.op("Relu", {h}, {}, name("Relu"));
    x = b.op("Add", {h, x}, {}, name("Add_1"));
  }
  check(owner.main().rename(x, "y"));
  b.outputs({x});
  return get(owner.finish());
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_DRAW_NETS_H_
