#include "devices/cuda/launch/epilogue.h"

namespace percale::cuda {

Epilogue epilogue_of(const Node& group) {
  Epilogue out;
  for (size_t i = 1; i < group.body_size(); ++i) {
    const Node step = group.body_node(i);
    const int before = group.body_output(i - 1);
    refuse_if(out.relu, "an op after the activation is not supported");
    if (step.op() == "Relu") {
      out.relu = true;
      continue;
    }
    refuse_if(step.op() != "Add" || out.residual, "the epilogue contains an op other than a residual Add and Relu");
    const size_t other = group.body_input(i, 0) == before ? 1 : 0;
    refuse_if(group.body_input(i, 1 - other) != before, "an Add does not read the result before it");
    out.residual = true;
    out.input = group.outer_input(i, other);
    refuse_if(group.dims(out.input) != group.output_dims() || group.dtype(out.input) != group.output_dtype(),
              "the residual is broadcast");
  }
  return out;
}

}  // namespace percale::cuda
