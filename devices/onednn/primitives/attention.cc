// Attention in bf16: two products per head and a softmax between them, with scores in f32. In f32
// the core's own kernel is faster, because it keeps scores in the private cache of a core.
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

constexpr size_t kMask = 3;
enum Slot { kScores, kWeights };

// [batch, heads, sequence, size] with strides. A batch of one is dropped, because oneDNN broadcasts
// a mask over all dims but the first of three, not over the last two of four.
struct Heads {
  Dims dims, strides;
};
void leave_out_batch(Dims& of, bool one) {
  if (one) of.erase(of.begin());
}
Heads heads_of(const Dims& given, bool by_row) {
  refuse_if(given.size() != 4, "an operand does not have rank 4");
  Heads h{given, strides_of(given)};
  if (by_row) std::swap(h.dims[1], h.dims[2]), std::swap(h.strides[1], h.strides[2]);
  for (Dims* of : {&h.dims, &h.strides}) leave_out_batch(*of, given[0] == 1);
  return h;
}
Heads turned(Heads h) {
  std::swap(h.dims.back(), h.dims.end()[-2]), std::swap(h.strides.back(), h.strides.end()[-2]);
  return h;
}

dnnl::post_ops scaled_and_masked(const Node& node, const Dims& scores) {
  dnnl::post_ops ops;
  const double scale = node.attribute("scale", 1.0);
  if (scale != 1) ops.append_eltwise(dnnl::algorithm::eltwise_linear, static_cast<float>(scale), 0);
  if (!node.has(kMask)) return ops;
  refuse_if(node.dtype(kMask) != PERCALE_DTYPE_F32, "the mask is not f32");
  // A row without any key would give NaN.
  refuse_if(node.attribute("nan_is_zero", int64_t{0}) != 0, "nan_is_zero is not supported");
  Dims mask = node.dims(kMask);
  mask.insert(mask.begin(), 4 - std::min(size_t{4}, mask.size()), 1);
  leave_out_batch(mask, scores.size() == 3);
  ops.append_binary(dnnl::algorithm::binary_add, row_major(mask, DataType::f32));
  return ops;
}

template <class PrimitiveDesc, class Primitive>
Made made_of(const PrimitiveDesc& primitive) {
  refuse_reference(primitive);
  return {[primitive] { return Primitive(primitive); }, primitive.scratchpad_desc(), {}};
}

}  // namespace

void prepare_attention(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  refuse_if(float_type(node.dtype(0)) != DataType::bf16, "in f32 the core's own kernel is faster");
  refuse_if(node.gives(1), "supports only the output Y");
  const auto by_row = [&](const char* name) { return node.attribute(name, int64_t{0}) != 0; };
  const Heads q = heads_of(node.dims(0), by_row("q_by_row")), k = turned(heads_of(node.dims(1), by_row("k_by_row"))),
              v = heads_of(node.dims(2), by_row("v_by_row")), y = heads_of(node.output_dims(), by_row("y_by_row"));
  refuse_if(is_empty(q.dims) || is_empty(k.dims) || is_empty(v.dims), "an operand has no elements");
  Dims scores = q.dims;
  scores.back() = k.dims.back();
  refuse_if(k.dims.end()[-3] != q.dims.end()[-3], "heads of Q share heads of K");
  refuse_if(elements(scores) > int64_t{1} << 21, "for so many scores, keeping them in the cache of a core is faster");
  const dnnl::post_ops ops = scaled_and_masked(node, scores);

  const double flops = 2.0 * static_cast<double>(elements(scores)) * static_cast<double>(q.dims.back() + v.dims.back());
  plan.add_all(steps, pieces_for(flops, DataType::bf16), [&](bool) {
    const auto desc = [](const Heads& h) { return MemoryDesc(h.dims, DataType::bf16, h.strides); };
    const auto add = [](Made& made, int name, int operand, const Heads& h) {
      made.add(name, operand, MemoryDesc(h.dims, DataType::bf16, h.strides), h.dims, h.strides);
    };
    const MemoryDesc sums = row_major(scores, DataType::f32), weights = row_major(scores, DataType::bf16);

    const dnnl::matmul::primitive_desc meet(cpu_engine(), desc(q), desc(k), sums, attributes(ops));
    Made first = made_of<dnnl::matmul::primitive_desc, dnnl::matmul>(meet);
    add(first, DNNL_ARG_SRC, 0, q);
    add(first, DNNL_ARG_WEIGHTS, 1, k);
    if (node.has(kMask)) {
      const int name = DNNL_ARG_ATTR_MULTIPLE_POST_OP(ops.len() - 1) | DNNL_ARG_SRC_1;
      const MemoryDesc mask = meet.query_md(dnnl::query::exec_arg_md, name);
      first.add(name, kMask, mask, mask.get_dims());
    }
    first.add_scratch(DNNL_ARG_DST, kScores, sums);

    const dnnl::softmax_forward::primitive_desc softmax(cpu_engine(), dnnl::prop_kind::forward_inference,
                                                        dnnl::algorithm::softmax_accurate, sums, weights,
                                                        static_cast<int>(scores.size()) - 1, attributes());
    Made second = made_of<dnnl::softmax_forward::primitive_desc, dnnl::softmax_forward>(softmax);
    second.add_scratch(DNNL_ARG_SRC, kScores, sums);
    second.add_scratch(DNNL_ARG_DST, kWeights, weights);

    const dnnl::matmul::primitive_desc gather(cpu_engine(), weights, desc(v), desc(y), attributes());
    Made third = made_of<dnnl::matmul::primitive_desc, dnnl::matmul>(gather);
    third.add_scratch(DNNL_ARG_SRC, kWeights, weights);
    add(third, DNNL_ARG_WEIGHTS, 2, v);
    add(third, DNNL_ARG_DST, static_cast<int>(node.inputs()), y);
    return std::vector{first, second, third};
  });
}

}  // namespace percale::onednn
