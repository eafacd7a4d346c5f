// Softmax where the core's own kernel is slow: in bf16, and along an axis that is not the innermost
// in memory.
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

using dnnl::softmax_forward;

void add_softmax(Plan& plan, Steps& steps, dnnl::algorithm algorithm) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const DataType type = float_type(node.dtype(0));
  refuse_if(is_empty(x) || x.empty(), "the operand has no elements");
  const auto rank = static_cast<int64_t>(x.size());
  int64_t axis = node.attribute("axis", int64_t{-1});
  if (axis < 0) axis += rank;
  const bool rows = elements(Dims(x.begin() + axis + 1, x.end())) == 1;
  refuse_if(rows && type == DataType::f32 && node.layout(0) == nullptr,
            "the input is row-major along contiguous rows, where the core's own kernel is as fast");
  const char* const format = node.layout(0);
  plan.add(steps, pieces_for(32.0 * static_cast<double>(elements(x))), [&](bool formats) {
    const MemoryDesc desc = lying_in(formats ? format : nullptr, x, type);
    const softmax_forward::primitive_desc primitive(cpu_engine(), dnnl::prop_kind::forward_inference, algorithm, desc,
                                                    desc, static_cast<int>(axis), attributes());
    if (formats) refuse_reference(primitive);
    Made made{[primitive] { return softmax_forward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, 0, desc, x);
    made.add(DNNL_ARG_DST, 1, desc, x);
    return made;
  });
}

}  // namespace

void prepare_softmax(Plan& plan, Steps& steps) { add_softmax(plan, steps, dnnl::algorithm::softmax_accurate); }
void prepare_log_softmax(Plan& plan, Steps& steps) { add_softmax(plan, steps, dnnl::algorithm::softmax_log); }

}  // namespace percale::onednn
