// Traits of an op: facts that passes, planners and the session need besides its schema. Percale's
// own schemas set them; a schema made by a plug-in leaves them at their defaults. Core reads traits
// and never compares names, so that an op "sample:Assign" is not taken for Percale's Assign.
#ifndef PERCALE_CORE_REGISTRY_OP_TRAITS_H_
#define PERCALE_CORE_REGISTRY_OP_TRAITS_H_

#include <cstdint>
#include <string_view>

namespace percale {

class FlopsContext;  // core/registry/flops_context.h

// Identifies the ops that core executes itself, rewrites, or looks through.
enum class Role : uint8_t {
  kNone,
  // State, executed by the session.
  kReadVariable,
  kAssign,
  kAssignAdd,
  kQueueEnqueue,
  kQueueDequeue,
  kQueueSize,
  kQueueClose,
  kMutexLock,
  // Functions of the graph.
  kIf,
  kLoop,
  kCall,
  kFused,
  // Arithmetic with shapes, and the elements that it moves.
  kShape,
  kSize,
  kIdentity,
  kReshape,
  kTranspose,
  kConcat,
  kSlice,
  // Lookups of rows in a table.
  kGather,
  kEmbeddingBag,
  // Layers.
  kConv,
  kRecurrent,
  kDropout,
  kBatchNormalization,
};

// Defines how mixed precision treats an op: core/passes/device/narrow.h.
struct Bf16Rule {
  enum class Kind : uint8_t {
    kNone,         // stays in f32, unless it is elementwise or a view
    kProduct,      // starts bf16: a matrix product, a convolution, attention
    kFollows,      // computes in bf16 if its inputs are bf16 already
    kMoves,        // moves elements and computes nothing
    kMovesNearest  // the same if its attribute `mode` is "nearest"
  };
  static constexpr uint8_t kAll = UINT8_MAX;

  Kind kind = Kind::kNone;
  uint8_t inputs = kAll, outputs = kAll;  // number of leading inputs and outputs that may be bf16
};

// Defines how accelerators fuse an op that is not elementwise with its neighbours:
// core/passes/device/fuse_elementwise.h.
struct FusionRule {
  enum class Kind : uint8_t {
    kNone,
    kProduct,  // anchor of the elementwise nodes behind it: a matrix product or a convolution
    kBegins,   // anchor of the elementwise nodes behind it: a normalisation or a loss
    kEnds,     // last node of its group
  };

  Kind kind = Kind::kNone;
  int8_t input = -1;            // the input whose maker may be copied into the group; -1: none
  std::string_view maker = {};  // op of that maker, as "Cast" or "percale:ReluGrad"
  bool only_training = false;   // only if the attribute `training_mode` is set
};

// Defines how model parallelism passes a value that is cut along an axis through an op, besides
// elementwise ops: core/train/parallel/split_graph.h.
enum class SplitRule : uint8_t {
  kNone,
  kProduct,    // MatMul or Gemm with a weight, which is cut by rows or columns
  kTable,      // Gather from a table of rows
  kReshape,    // a new shape that keeps the cut axis
  kTranspose,  // a permutation of the axes
  kSoftmax,    // may be cut along every axis but the attribute `axis`
};

// Returns the multiplications and additions of a node.
using FlopsFn = double (*)(const FlopsContext& node);

struct OpTraits {
  Role role = Role::kNone;
  Bf16Rule bf16 = {};
  FusionRule fusion = {};
  SplitRule split = SplitRule::kNone;
  FlopsFn flops = nullptr;  // null: elementwise, or too few to count
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_OP_TRAITS_H_
