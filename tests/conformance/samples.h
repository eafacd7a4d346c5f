// Nodes to run on a device: the rows of tests/ops, and what can be made of them.
#ifndef PERCALE_TESTS_CONFORMANCE_SAMPLES_H_
#define PERCALE_TESTS_CONFORMANCE_SAMPLES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/registry/registry.h"

namespace percale::conformance {

// A node to run: a row of the tables, or one made larger.
struct Sample {
  std::string name;
  const OpSchema* schema;
  Attributes attributes;  // with defaults
  std::vector<Tensor> inputs;
  size_t outputs;
  double tolerance;
  bool must_fail;
  std::shared_ptr<const Graph> graph = nullptr;  // of a Fused node: main is that node and nothing else
};

// What a kernel sees of it; borrows from the sample. An error where the op does not take such inputs.
Result<NodeView> view_of(const Sample& sample);

// Every row of an op that has a kernel on that kind of device: as it stands, in the other floating-point types that the op
// takes, and, where it is elementwise, large enough to be cut into pieces; and nodes of the random ops.
Result<std::vector<Sample>> samples_for(const Registry& registry, std::string_view device_kind);

// Groups as the fusion pass makes them: a chain, and what ends in one.
Result<std::vector<Sample>> fused_samples(const std::shared_ptr<const Registry>& registry);

// Element i of floating-point memory; 0 for other types.
double element(DType dtype, const unsigned char* data, size_t i);

}  // namespace percale::conformance

#endif  // PERCALE_TESTS_CONFORMANCE_SAMPLES_H_
