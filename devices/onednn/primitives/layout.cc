// Conversions between formats and between types.
#include "devices/onednn/primitives/int8.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
void prepare_reorder(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const char *from = node.layout(0), *to = node.output_layout(0);
  refuse_if(from == nullptr && to == nullptr, "both formats are row-major, where the core's own kernel copies");
  const MemoryDesc src = from != nullptr ? decode(from).in_format : decode(to).row_major;
  const MemoryDesc dst = to != nullptr ? decode(to).in_format : decode(from).row_major;
  const bool shifts = src.get_data_type() == DataType::u8 && dst.get_data_type() == DataType::s8;
  plan.add_as_given(steps, pieces_for(32.0 * static_cast<double>(elements(node.dims(0)))), [&] {
    std::vector<Made> all;
    constexpr int kSlot = 0;
    const MemoryDesc given = shifts ? row_major(src.get_dims(), DataType::s8) : src;
    if (shifts) all.push_back(in_s8(0, kSlot, src.get_dims()));
    const dnnl::reorder::primitive_desc primitive(cpu_engine(), given, cpu_engine(), dst, attributes());
    Made& made = all.emplace_back();
    made.create = [primitive] { return dnnl::reorder(primitive); };
    made.scratchpad = primitive.scratchpad_desc();
    if (shifts) {
      made.add_scratch(DNNL_ARG_FROM, kSlot, given);
    } else {
      made.operands.push_back({{DNNL_ARG_FROM, 0, 0, src}, src});
    }
    made.operands.push_back({{DNNL_ARG_TO, 1, 0, dst}, dst});
    return all;
  });
}

// Converts between f32 and bf16, and to f32 from integers of at most 32 bits, in any format of the
// input.
void prepare_cast(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const char* const format = node.layout(0);
  const DataType to = float_type(node.output_dtype(0));
  const percale_dtype given = node.dtype(0);
  const bool whole = given == PERCALE_DTYPE_I32 || given == PERCALE_DTYPE_U8 || given == PERCALE_DTYPE_I8;
  const DataType from = whole && to == DataType::f32 ? data_type(given) : float_type(given);
  refuse_if(is_empty(x), "the operand has no elements");
  refuse_if(whole && format == nullptr && elements(x) < 4096, "the core's own kernel is faster for so few elements");
  plan.add(steps, pieces_for(32.0 * static_cast<double>(elements(x))), [&](bool formats) {
    const MemoryDesc src = lying_in(formats ? format : nullptr, x, from);
    // A format that is not described by strides has no counterpart in another type.
    const bool strided = src.get_format_kind() == dnnl::memory::format_kind::blocked && src.get_inner_nblks() == 0;
    const MemoryDesc dst = strided ? MemoryDesc(x, to, src.get_strides()) : row_major(x, to);
    const dnnl::reorder::primitive_desc primitive(cpu_engine(), src, cpu_engine(), dst, attributes());
    Made made{[primitive] { return dnnl::reorder(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_FROM, 0, src, x);
    made.add(DNNL_ARG_TO, 1, dst, x);
    return made;
  });
}

}  // namespace percale::onednn
