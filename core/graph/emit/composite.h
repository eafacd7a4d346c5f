// Composite ops: ops that can be expressed by other ops. A schema's body emits the equivalent
// nodes. A device may claim the op as a whole with a kernel; elsewhere the body replaces it.
#ifndef PERCALE_CORE_GRAPH_EMIT_COMPOSITE_H_
#define PERCALE_CORE_GRAPH_EMIT_COMPOSITE_H_

#include <string_view>
#include <vector>

#include "core/graph/builder.h"

// One node of a composite op that is to be replaced by its body.
struct percale_body_context : percale::Emitter {
  // `inputs` are values of the builder's function, kNoValue if absent. `attributes` include the
  // defaults.
  percale_body_context(percale::FunctionBuilder& builder, std::vector<percale::ValueId> inputs,
                       percale::Attributes attributes, size_t num_outputs)
      : Emitter(builder),
        inputs_(std::move(inputs)),
        attributes_(std::move(attributes)),
        outputs_(num_outputs, percale::kNoValue) {}

  const percale::Attributes& attributes() const { return attributes_; }
  percale::ValueId input(size_t i) const { return i < inputs_.size() ? inputs_[i] : percale::kNoValue; }
  // Returns the value of an input that is a constant, else null.
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

// Emits the body of a node of `schema` for these inputs. Returns the values that replace its
// outputs.
Result<std::vector<ValueId>> emit_body(FunctionBuilder& builder, const OpSchema& schema, std::string_view name,
                                       const std::vector<ValueId>& inputs, const Attributes& attributes,
                                       size_t num_outputs);

// Returns the body as a closed function with the inputs and outputs of the node; an absent input
// becomes an unused one. `known` has, per input, its value if known, else null; it may be shorter
// than `inputs`. Known inputs that hold shapes, axes or sizes become constants of the body.
// UNIMPLEMENTED if the body needs such a value that is not known.
Result<Function> body_of(const Registry& registry, const OpSchema& schema, std::string_view name,
                         const std::vector<ValueType>& inputs, const std::vector<const Tensor*>& known,
                         const Attributes& attributes, size_t num_outputs);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_EMIT_COMPOSITE_H_
