// Runs elementwise f32 nodes as steps of SIMD functions, tile by tile. Each step is the function
// that the node's own kernel applies, so a chain gives the same bits as its nodes run one by one.
#ifndef PERCALE_OPS_ELEMENTWISE_ELEMENTWISE_CHAIN_H_
#define PERCALE_OPS_ELEMENTWISE_ELEMENTWISE_CHAIN_H_

#include <span>
#include <vector>

#include "core/registry/kernel.h"
#include "devices/cpu/simd/simd.h"
#include "ops/support/kernel_util.h"

namespace percale {

// The origin and the repetition of a chain's input.
struct ChainSource {
  int32_t operand = -1;  // index in the launch; -1: `constant`
  float constant = 0;
  // Each value covers `each` elements of the output, and the values repeat after `period` elements.
  // `period` is 1 for a single value and the number of output elements for values that do not
  // repeat.
  int64_t period = 1, each = 1;
  // Short rows, and values that cover few elements, are expanded into scratch so that tiles stay
  // long. `stretched` is the period after that (0: not expanded), `scratch_offset` the position in
  // floats.
  int64_t stretched = 0, scratch_offset = 0;
  // True if the input is one value within a tile and another one in the next.
  bool steps() const { return each > 1 && stretched == 0; }
};

// Steps that compute an output of `total` elements. A plain value, shared by concurrent runs.
struct Chain {
  int64_t total = 0;
  std::vector<simd::ChainStep> steps;
  std::vector<ChainSource> inputs;
  int64_t scratch_bytes = 0;
};

// Builds a chain node by node.
class ChainBuilder {
 public:
  // Refers to a value that a step may read.
  using Ref = int32_t;
  static constexpr Ref kAbsent = -1;

  // `whole` is the shape of every node of the chain.
  explicit ChainBuilder(const Shape& whole) : whole_(whole) {}

  // Adds operand `index` of the launch. Returns UNIMPLEMENTED if it is not f32, or if it is not a
  // single value, a row, or one value for each element of leading dims.
  Result<Ref> operand(size_t index, const ValueType& type);
  Ref constant(float value);
  // Adds the content of the output before the chain runs.
  Ref output_before();
  // Adds a node and returns its result. `attributes` must include defaults. UNIMPLEMENTED names an
  // op that has no step.
  Result<Ref> node(const OpSchema& op, const Attributes& attributes, std::span<const Ref> inputs);
  // Finishes the chain whose result is `result`.
  Result<Chain> finish(Ref result);

 private:
  enum class Kind : uint8_t { kInput, kOutputBefore, kStep };
  struct Item {
    Kind kind;
    int32_t index;  // index of the input or the step
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
  // For each item, the first and the last step that reads it. An item that none reads has the
  // number of steps, and 0.
  struct Readers {
    std::vector<size_t> first, last;
  };
  Readers find_readers() const;
  // Returns the operand of an item that exists before the chain runs.
  simd::ChainOperand operand_of(const Item& item) const;
  Status place(Ref result, std::vector<simd::ChainStep>& out) const;

  Shape whole_;
  std::vector<Item> items_;
  std::vector<ChainSource> sources_;
  std::vector<Step> steps_;
};

// Runs the chain into `out`. `scratch` holds chain.scratch_bytes bytes. Pieces depend on the number
// of elements alone.
void run_elementwise_chain(const simd::SimdTable& simd, const Chain& chain, const Launch& launch, float* out,
                           void* scratch);

// Returns a kernel that runs one node as a chain. `name`, such as "simd.Pow", must be a literal.
Kernel chain_kernel(KernelName name, const simd::SimdTable& simd, const char* domain = "");

}  // namespace percale

#endif  // PERCALE_OPS_ELEMENTWISE_ELEMENTWISE_CHAIN_H_
