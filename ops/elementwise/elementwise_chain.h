// Elementwise f32 nodes as steps that the SIMD functions run tile by tile: each step is the function that the
// node's own kernel applies, so that a tree of them gives the bits of its nodes one by one.
#ifndef PERCALE_OPS_ELEMENTWISE_ELEMENTWISE_CHAIN_H_
#define PERCALE_OPS_ELEMENTWISE_ELEMENTWISE_CHAIN_H_

#include <span>
#include <vector>

#include "core/registry/kernel.h"
#include "devices/cpu/simd/simd.h"

namespace percale {

// Where an input of a chain comes from.
struct ChainSource {
  int32_t operand = -1;  // of the launch; -1: `constant`
  float constant = 0;
  // Each value stands for `each` elements, and after `period` elements they begin again: 1 for one value, the elements
  // of the output for values that do not repeat.
  int64_t period = 1, each = 1;
  // Short rows, and values for few elements, are written out into scratch, so that tiles stay long: the new period, and
  // where.
  int64_t stretched = 0, scratch_offset = 0;
  // For a tile it is one value, another one for the next.
  bool steps() const { return each > 1 && stretched == 0; }
};

// Steps over an output of `total` elements. A plain value, shared by concurrent runs.
struct Chain {
  int64_t total = 0;
  std::vector<simd::ChainStep> steps;
  std::vector<ChainSource> inputs;
  int64_t scratch_bytes = 0;
};

// Writes a chain down node by node.
class ChainBuilder {
 public:
  // Something that a step may read.
  using Ref = int32_t;
  static constexpr Ref kAbsent = -1;

  // `whole`: the shape of every node of the chain.
  explicit ChainBuilder(const Shape& whole) : whole_(whole) {}

  // Operand `index` of the launch. UNIMPLEMENTED where it is not f32, or repeats in another way than as one
  // value, a row, or a value for each element of leading dims.
  Result<Ref> operand(size_t index, const ValueType& type);
  Ref constant(float value);
  // What stands in the output before the chain runs.
  Ref output_before();
  // The result of a node; `inputs` are its inputs, `attributes` include defaults. UNIMPLEMENTED names what
  // has no step.
  Result<Ref> node(const OpSchema& op, const Attributes& attributes, std::span<const Ref> inputs);
  // The chain whose result is `result`.
  Result<Chain> finish(Ref result);

 private:
  enum class Kind : uint8_t { kInput, kOutputBefore, kStep };
  struct Item {
    Kind kind;
    int32_t index;  // of the input or the step
  };
  struct Step {
    simd::ChainStep step;
    Ref x, y;
  };

  Ref add_source(const ChainSource& source);
  Ref unary(simd::Unary op, Ref x, float a = 0, float b = 0);
  Ref binary(simd::Binary op, Ref x, Ref y, float a = 0);
  Ref reduce(simd::Binary op, std::span<const Ref> inputs);
  const float* constant_of(Ref ref) const;
  Status place(Ref result, std::vector<simd::ChainStep>& out) const;

  Shape whole_;
  std::vector<Item> items_;
  std::vector<ChainSource> sources_;
  std::vector<Step> steps_;
};

// Runs the chain into `out`; `scratch` has chain.scratch_bytes. Pieces are cut by the number of elements
// alone.
void run_elementwise_chain(const simd::SimdTable& simd, const Chain& chain, const Launch& launch, float* out,
                           void* scratch);

// A kernel that runs one node as a chain, by a name such as "simd.Pow", which must be a literal.
Kernel chain_kernel(const char* name, const simd::SimdTable& simd, const char* domain = "");

}  // namespace percale

#endif  // PERCALE_OPS_ELEMENTWISE_ELEMENTWISE_CHAIN_H_
