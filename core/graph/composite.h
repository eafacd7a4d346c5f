// Composite ops: ops that others express. A schema's body emits the nodes that mean the same; a device may claim the op whole
// with a kernel of its own, everywhere else the body stands in.
#ifndef PERCALE_CORE_GRAPH_COMPOSITE_H_
#define PERCALE_CORE_GRAPH_COMPOSITE_H_

#include <string_view>
#include <vector>

#include "core/graph/builder.h"

// One node of a composite op, which a body replaces.
struct percale_body_context : percale::Emitter {
  // `inputs`: values of the builder's function, kNoValue where absent. `attributes`: with defaults.
  percale_body_context(percale::FunctionBuilder& builder, std::vector<percale::ValueId> inputs,
                       percale::Attributes attributes, size_t num_outputs)
      : Emitter(builder),
        inputs_(std::move(inputs)),
        attributes_(std::move(attributes)),
        outputs_(num_outputs, percale::kNoValue) {}

  const percale::Attributes& attributes() const { return attributes_; }
  percale::ValueId input(size_t i) const { return i < inputs_.size() ? inputs_[i] : percale::kNoValue; }
  // The value of an input that is a constant, else null.
  const percale::Tensor* known(size_t i) const {
    return input(i) == percale::kNoValue ? nullptr : builder().function().constant(input(i));
  }
  void set(size_t output, percale::ValueId value) {
    if (output < outputs_.size()) outputs_[output] = value;
  }
  const std::vector<percale::ValueId>& outputs() const { return outputs_; }

 private:
  std::vector<percale::ValueId> inputs_;
  percale::Attributes attributes_;
  std::vector<percale::ValueId> outputs_;
};

namespace percale {

// Emits the body of a node of `schema` for these inputs; the values that stand for its outputs.
Result<std::vector<ValueId>> emit_body(FunctionBuilder& builder, const OpSchema& schema, std::string_view name,
                                       const std::vector<ValueId>& inputs, const Attributes& attributes,
                                       size_t num_outputs);

// The body as a closed function: its inputs and outputs are the node's, an absent input is there but not used. `known`: per input, as
// far as there are so many, its value where it is known, else null; those that hold shapes, axes or sizes are constants of the body.
// UNIMPLEMENTED where the body needs one that is not known.
Result<Function> body_of(const Registry& registry, const OpSchema& schema, std::string_view name,
                         const std::vector<ValueType>& inputs, const std::vector<const Tensor*>& known,
                         const Attributes& attributes, size_t num_outputs);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_COMPOSITE_H_
