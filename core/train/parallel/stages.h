// Which stage of a pipeline computes which node of a forward pass.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_STAGES_H_
#define PERCALE_CORE_TRAIN_PARALLEL_STAGES_H_

#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/train/parallel/parallel_spec.h"

namespace percale {

// Whether a pattern is a name, or what stands before one of its slashes.
bool names_part(std::string_view pattern, std::string_view name);
// Whether a pattern names a node: it is the node's name, that of its first output or of the variable that it reads, or what stands
// before one of their slashes, as the name of a layer does.
bool names_node(std::string_view pattern, const Function& f, const Node& node);
// What the nodes that are `used` are called, up to the first slash, in their order, each once.
std::vector<std::string> layer_names_of(const Function& f, const std::vector<bool>& used);

// Per node the stage, from 0; a node's inputs are of its stage or of earlier ones. Nodes that are not `used` get 0. Where the SPEC
// lists layers, they stand in their stages, and what lies between them goes with what comes before it. Where it gives a
// number, the nodes are cut in their order, so that arithmetic is balanced and few bytes cross. What depends on variables and
// constants alone, or on nothing that any stage names, stands where it is first used.
//
// INVALID_ARGUMENT where a pattern names no node or a layer stands before what it needs, for stages without work, and for more
// stages than there are products to share.
Result<std::vector<int32_t>> assign_stages(const Function& f, const std::vector<bool>& used, const ParallelSpec& spec);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_STAGES_H_
