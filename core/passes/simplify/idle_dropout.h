// Detects a Dropout outside of training, which returns its input unchanged.
#ifndef PERCALE_CORE_PASSES_SIMPLIFY_IDLE_DROPOUT_H_
#define PERCALE_CORE_PASSES_SIMPLIFY_IDLE_DROPOUT_H_

#include <vector>

#include "core/graph/graph.h"

namespace percale {

// True for a Dropout whose first output equals its first input in every run: `training_mode` is
// absent or a constant false, and nothing reads the mask. `used`: used_values(f).
inline bool is_idle_dropout(const Function& f, const Node& node, const std::vector<bool>& used) {
  if (!node.op->is(Role::kDropout) || !node.control.empty()) return false;
  if (node.outputs.empty() || node.outputs[0] == kNoValue) return false;
  if (node.outputs.size() > 1 && node.outputs[1] != kNoValue && used[static_cast<size_t>(node.outputs[1])])
    return false;
  if (node.inputs.size() < 3 || node.inputs[2] == kNoValue) return true;
  const Tensor* training = f.constant(node.inputs[2]);
  return training != nullptr && training->num_elements() == 1 && !training->span<bool>()[0];
}

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_SIMPLIFY_IDLE_DROPOUT_H_
