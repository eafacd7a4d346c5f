// Assigns the nodes of a forward pass to the stages of a pipeline.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_STAGES_H_
#define PERCALE_CORE_TRAIN_PARALLEL_STAGES_H_

#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/train/parallel/parallel_spec.h"

namespace percale {

// True if the pattern matches the name, or a prefix of it that ends before a slash.
bool names_part(std::string_view pattern, std::string_view name);
// True if the pattern matches (as names_part() does) the node's name, that of its first output, or
// that of the variable that it reads. The name of a layer matches as such a prefix.
bool names_node(std::string_view pattern, const Function& f, const Node& node);
// Returns the distinct names of the nodes that are `used`, each up to its first slash, in order.
std::vector<std::string> layer_names_of(const Function& f, const std::vector<bool>& used);

// Returns the stage of each node, from 0. A node's inputs are in its stage or in earlier ones.
// Nodes that are not `used` get 0.
//
// If the SPEC lists layers, these are in their stages, and nodes between them are in the stage of
// their inputs. If it gives a number, the nodes are cut in order so that arithmetic is balanced and
// few bytes cross. A node that depends on variables and constants alone, or on no named layer, is
// in the stage that first uses it.
//
// INVALID_ARGUMENT if a pattern matches no node, if a layer is in an earlier stage than its inputs,
// for a stage without work, and for more stages than there are products to share.
Result<std::vector<int32_t>> assign_stages(const Function& f, const std::vector<bool>& used, const ParallelSpec& spec);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_STAGES_H_
