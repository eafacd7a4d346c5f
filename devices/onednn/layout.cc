// What only moves elements: from one format to another, and several tensors into one.
#include "devices/onednn/kernels.h"

namespace percale::onednn {

void prepare_reorder(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const char *from = node.format(0), *to = node.output_format(0);
  refuse_if(from == nullptr && to == nullptr, "both formats are row-major: the core's own kernel copies");
  const MemoryDesc src = from != nullptr ? decode(from).in_format : decode(to).row_major;
  const MemoryDesc dst = to != nullptr ? decode(to).in_format : decode(from).row_major;
  plan.add_as_given(steps, 2.0 * static_cast<double>(elements(node.dims(0))), [&] {
    const dnnl::reorder::primitive_desc primitive(cpu_engine(), src, cpu_engine(), dst, attributes());
    Made made{[primitive] { return dnnl::reorder(primitive); }, primitive.scratchpad_desc(), {}};
    made.operands = {{{DNNL_ARG_FROM, 0, 0, src}, src}, {{DNNL_ARG_TO, 1, 0, dst}, dst}};
    return made;
  });
}

void prepare_concat(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const Dims y = node.output_dims();
  bool formatted = false;
  for (size_t i = 0; i < node.inputs(); ++i) {
    refuse_if(node.dtype(i) != PERCALE_DTYPE_F32, "only f32");
    refuse_if(is_empty(node.dims(i)), "an operand is empty");
    formatted = formatted || node.format(i) != nullptr;
  }
  refuse_if(!formatted, "the inputs are row-major: the core's own kernel is as fast");
  int64_t axis = node.attribute("axis", int64_t{0});
  if (axis < 0) axis += static_cast<int64_t>(y.size());
  plan.add(steps, 2.0 * static_cast<double>(elements(y)), [&](bool formats) {
    std::vector<MemoryDesc> from;
    for (size_t i = 0; i < node.inputs(); ++i) {
      const char* format = formats ? node.format(i) : nullptr;
      from.push_back(format != nullptr ? decode(format).in_format : row_major(node.dims(i), DataType::f32));
    }
    const MemoryDesc to = formats ? any_format(y, DataType::f32) : row_major(y, DataType::f32);
    const dnnl::concat::primitive_desc primitive(cpu_engine(), to, static_cast<int>(axis), from, attributes());
    refuse_reference(primitive);
    Made made{[primitive] { return dnnl::concat(primitive); }, primitive.scratchpad_desc(), {}};
    for (size_t i = 0; i < from.size(); ++i) {
      made.add(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), static_cast<int>(i), from[i], node.dims(i));
    }
    made.add(DNNL_ARG_DST, static_cast<int>(node.inputs()), primitive.dst_desc(), y);
    return made;
  });
}

}  // namespace percale::onednn
