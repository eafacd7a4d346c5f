// Small tensors of integers of which some elements are known: dims where the batch is free, and what nodes make of them.
#ifndef PERCALE_CORE_PASSES_EDIT_PARTLY_KNOWN_H_
#define PERCALE_CORE_PASSES_EDIT_PARTLY_KNOWN_H_

#include <functional>
#include <unordered_map>
#include <vector>

#include "core/passes/edit/pass.h"

namespace percale {

// Follows values element by element, from Shape nodes on, through nodes that move elements and through elementwise ones.
// An element that is not known remembers whether it is a dim of some value, and which. Borrows its arguments.
// Thread-compatible.
class PartlyKnown {
 public:
  // A value where all of it is known, else null.
  using Known = std::function<const Tensor*(ValueId)>;

  PartlyKnown(const Function& f, const Evaluator& evaluate, Known known)
      : f_(f), evaluate_(evaluate), known_(std::move(known)) {}

  // Looks at a node whose output types are inferred. Its output where all elements are known, else undefined.
  Result<Tensor> compute(const Node& node);

  // The inputs of a node as its shape function takes them: undefined where no element is known, kUnknownNumber for
  // single elements. A dim of the data that a Reshape leaves in its place is 0, which copies it. Empty where no input
  // is known in part.
  std::vector<Tensor> inputs(const Node& node) const;

 private:
  struct Part {
    Tensor numbers;              // any where not known
    std::vector<int64_t> codes;  // per element: kIsKnown, kNotKnown, or the code of a dim
  };

  const Part* find(ValueId id) const;
  Result<Part> follow(const Node& node) const;
  Part dims_of(const Node& node) const;
  std::vector<Tensor> numbers_of(const Node& node) const;
  Result<Part> moved(const Node& node) const;
  Result<Part> combined(const Node& node) const;
  Result<Tensor> evaluate(const Node& node, const std::vector<Tensor>& operands) const;

  const Function& f_;
  const Evaluator& evaluate_;
  const Known known_;
  std::unordered_map<ValueId, Part> parts_;
};

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_EDIT_PARTLY_KNOWN_H_
