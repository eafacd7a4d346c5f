// Asks the kernel lists of a registry which nodes can run on which kinds of device.
#ifndef PERCALE_CORE_COMPILE_KERNEL_PROBE_H_
#define PERCALE_CORE_COMPILE_KERNEL_PROBE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/placement/place.h"
#include "core/plan/node_view.h"

namespace percale {

// Borrows the graph and the function.
class KernelListProbe final : public KernelProbe {
 public:
  // `precomputed`: per value of `f`, as precomputable_values() tells; may be empty.
  KernelListProbe(const Graph& graph, const Function& f, std::vector<bool> precomputed = {})
      : graph_(graph), f_(f), precomputed_(std::move(precomputed)) {}

  // OK if a kernel takes the node. Else the reasons of all kernels of its op.
  Status can_run(const Node& node, std::string_view kind) const override {
    const Attributes attributes = with_defaults(*node.op, node.attributes);
    const NodeView view = make_node_view(graph_, f_, node, attributes, precomputed_);
    std::string reasons;
    for (const Kernel& kernel : graph_.registry->kernels(kind, *node.op)) {
      const Status status = from_c(kernel.accepts(kernel.user, &view));
      if (status.ok() || status.code() == Code::kResourceExhausted) return status;
      reasons += str_cat(reasons.empty() ? "" : "; ", kernel.name, ": ", status.message());
    }
    return unimplemented(reasons.empty() ? std::string("no kernel") : reasons);
  }

 private:
  const Graph& graph_;
  const Function& f_;
  const std::vector<bool> precomputed_;
};

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_KERNEL_PROBE_H_
