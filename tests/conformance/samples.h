// Nodes to run on a device: the rows of tests/ops and samples made from them.
#ifndef PERCALE_TESTS_CONFORMANCE_SAMPLES_H_
#define PERCALE_TESTS_CONFORMANCE_SAMPLES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/registry/registry.h"

namespace percale::conformance {

// A node to run: a row of the tables, or one derived from it.
struct Sample {
  std::string name;
  const OpSchema* schema;
  Attributes attributes;  // with defaults
  std::vector<Tensor> inputs;
  size_t outputs;
  double tolerance;
  bool must_fail;
  // For a Fused node: a graph whose main contains only that node.
  std::shared_ptr<const Graph> graph = nullptr;
};

// Returns the view that a kernel gets; borrows from the sample. Fails if the op does not accept the
// inputs.
Result<NodeView> view_of(const Sample& sample);

// Returns samples for every op that has a kernel on that kind of device. Each row is used
// unchanged, in the other floating-point types that the op accepts, and, if it is elementwise,
// large enough to be split into pieces. Nodes of the random ops are added.
Result<std::vector<Sample>> samples_for(const Registry& registry, std::string_view device_kind);

// Returns groups as the fusion pass makes them: chains, and nodes that end a chain.
Result<std::vector<Sample>> fused_samples(const std::shared_ptr<const Registry>& registry);

// Returns element i of floating-point memory; 0 for other types.
double element(DType dtype, const unsigned char* data, size_t i);

}  // namespace percale::conformance

#endif  // PERCALE_TESTS_CONFORMANCE_SAMPLES_H_
