// Small integer tensors with some known elements: the dims of a shape with a free batch, and values
// computed from them.
#ifndef PERCALE_CORE_PASSES_EDIT_PARTLY_KNOWN_H_
#define PERCALE_CORE_PASSES_EDIT_PARTLY_KNOWN_H_

#include <functional>
#include <unordered_map>
#include <vector>

#include "core/passes/edit/pass.h"

namespace percale {

// Tracks values element by element, starting at Shape nodes and continuing through elementwise
// nodes and nodes that move elements. For an unknown element it records whether the element is a
// dim of some value, and which one. Borrows its arguments. Thread-compatible.
class PartlyKnown {
 public:
  // Returns a value that is known completely, else null.
  using Known = std::function<const Tensor*(ValueId)>;

  PartlyKnown(const Function& f, const EvaluateNode& evaluate, Known known)
      : f_(f), evaluate_(evaluate), known_(std::move(known)) {}

  // Processes a node whose output types are inferred. Returns its output if all elements are known,
  // else an undefined tensor.
  Result<Tensor> compute(const Node& node);

  // Returns the inputs of a node in the form that shape functions take: an undefined tensor if no
  // element is known, kUnknownNumber for a single unknown element. A dim of the data that a Reshape
  // leaves at its position becomes 0, which copies it. Returns an empty list if no input is partly
  // known.
  std::vector<Tensor> inputs(const Node& node) const;

 private:
  struct Part {
    Tensor numbers;              // the value where it is not known is arbitrary
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
  const EvaluateNode& evaluate_;
  const Known known_;
  std::unordered_map<ValueId, Part> parts_;
};

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_EDIT_PARTLY_KNOWN_H_
