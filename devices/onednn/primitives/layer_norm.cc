// Layer normalisation along rows. Batch normalisation in inference needs no kernel: the planner
// turns it into scales.
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
using dnnl::layer_normalization_forward;
using dnnl::normalization_flags;

void prepare_layer_norm(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const DataType type = float_type(node.dtype(0));
  refuse_if(is_empty(x) || x.empty(), "the operand has no elements");
  refuse_if(node.gives(1) || node.gives(2), "the statistics are requested as outputs");
  const int64_t axis = node.attribute("axis", int64_t{-1});
  const auto first = x.begin() + (axis < 0 ? axis + static_cast<int64_t>(x.size()) : axis);
  const int64_t size = elements(Dims(first, x.end()));
  const Dims rows{elements(x) / size, size}, vector{size};
  refuse_if(type == DataType::f32 && (size > 8192 || elements(x) < 65536),
            "for few or long rows the core's own kernel is as fast");
  const bool shift = node.has(2);
  for (size_t i = 1; i < (shift ? 3 : 2); ++i) {
    refuse_if(elements(node.dims(i)) != size || node.dtype(i) != node.dtype(0),
              "scale and bias must have one element per element of a row");
  }
  plan.add(steps, pieces_for(16.0 * static_cast<double>(elements(x))), [&](bool) {
    const MemoryDesc desc = row_major(rows, type);
    auto flags = normalization_flags::use_scale;
    if (shift) flags |= normalization_flags::use_shift;
    const layer_normalization_forward::primitive_desc primitive(
        cpu_engine(), dnnl::prop_kind::forward_inference, desc, desc, type,
        static_cast<float>(node.attribute("epsilon", 1e-5)), flags, attributes());
    refuse_reference(primitive);
    Made made{[primitive] { return layer_normalization_forward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, 0, desc, rows);
    made.add(DNNL_ARG_SCALE, 1, row_major(vector, type), vector);
    if (shift) made.add(DNNL_ARG_SHIFT, 2, row_major(vector, type), vector);
    made.add(DNNL_ARG_DST, static_cast<int>(node.inputs()), desc, rows);
    return made;
  });
}

}  // namespace percale::onednn
