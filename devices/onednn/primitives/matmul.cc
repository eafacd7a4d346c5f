// Products by weights that are the same in all runs and are packed once.
#include "devices/onednn/primitives/matmul.h"

#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

// Returns a number of pieces that shares the columns evenly. oneDNN handles 64 columns at a time.
// Even pieces take together as long as one piece would; sixteen pieces of twelve times 64 columns
// take a third longer.
int even_pieces(int pieces, int64_t columns) {
  if (columns % 64 != 0) return pieces;
  for (int even = pieces; 2 * even >= pieces; even -= 4) {
    if (columns / 64 % even == 0) return even;
  }
  return pieces;
}

void check(const Node& whole, const Anchor& anchor) {
  const Node& node = anchor.node;
  refuse_if(is_empty(node.dims(0)) || is_empty(node.dims(1)), "an operand has no elements");
  refuse_if(node.dtype(0) == PERCALE_DTYPE_F32 && !whole.is_precomputed(static_cast<size_t>(anchor.operands[1])),
            "the right matrix is not constant: the core's own kernel packs it on the fly");
}

void add_product(Plan& plan, Steps& steps, const Product& p) {
  const Node& whole = plan.node();
  const double flops = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.k) * static_cast<double>(p.n);
  const Dims a{p.m, p.k}, b{p.k, p.n}, y{p.m, p.n};
  const Dims b_strides = p.transpose_b ? Dims{1, p.k} : Dims{p.n, 1};
  refuse_if(flops < 2e6 && p.k * p.n <= 65536, "the core's own kernel is faster for so small a product");
  // With one row, the weights are read once whether packed or not. For few columns, oneDNN would
  // read 64.
  refuse_if(p.type == DataType::f32 && (p.m == 1 || (p.m <= 8 && p.n <= 32)),
            "the core's own kernel is as fast, or faster, for so few rows");
  plan.add(steps, even_pieces(pieces_for(flops, p.type), p.n), [&](bool formats) {
    const PostOps post_ops =
        find_post_ops(whole, [](const Dims& dims, DataType t) { return row_major(fold(dims), t); });
    const MemoryDesc b_desc = formats ? any_format(b, p.type) : MemoryDesc(b, p.type, b_strides);
    const MemoryDesc bias = p.bias < 0 ? MemoryDesc() : row_major({1, p.n}, p.type);
    const dnnl::matmul::primitive_desc primitive(cpu_engine(), row_major(a, p.type), b_desc, bias,
                                                 row_major(y, float_type(whole.output_dtype(0))),
                                                 attributes(post_ops.ops));
    refuse_reference(primitive);
    Made made{[primitive] { return dnnl::matmul(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, p.a, primitive.src_desc(), a);
    made.add(DNNL_ARG_WEIGHTS, p.b, primitive.weights_desc(), b, b_strides);
    if (p.bias >= 0) made.add(DNNL_ARG_BIAS, p.bias, bias, {1, p.n});
    made.add(DNNL_ARG_DST, static_cast<int>(whole.inputs()), primitive.dst_desc(), y);
    add_operands(made, post_ops, primitive, fold);
    return made;
  });
}

}  // namespace

Product find_matmul(const Node& whole) {
  const Anchor anchor = find_anchor(whole, "MatMul");
  check(whole, anchor);
  const Dims a = anchor.node.dims(0), b = anchor.node.dims(1);
  refuse_if(b.size() != 2, "the weights must be a single matrix");
  const DataType type = float_type(anchor.node.dtype(0));
  return {elements(a) / a.back(), b[0], b[1], false, anchor.operands[0], anchor.operands[1], -1, type};
}

Product find_gemm(const Node& whole) {
  const Anchor anchor = find_anchor(whole, "Gemm");
  check(whole, anchor);
  const Node& node = anchor.node;
  const Dims y = node.output_dims();
  refuse_if(node.attribute("transA", int64_t{0}) != 0, "the left matrix is transposed");
  refuse_if(node.attribute("alpha", 1.0) != 1, "alpha is not 1");
  if (anchor.has(2)) {
    refuse_if(node.attribute("beta", 1.0) != 1, "beta is not 1");
    refuse_if(elements(node.dims(2)) != y[1] || node.dims(2).back() != y[1], "C is not a row");
  }
  return {y[0],
          node.dims(0)[1],
          y[1],
          node.attribute("transB", int64_t{0}) != 0,
          anchor.operands[0],
          anchor.operands[1],
          anchor.has(2) ? anchor.operands[2] : -1,
          float_type(node.dtype(0))};
}

void prepare_matmul(Plan& plan, Steps& steps) { add_product(plan, steps, find_matmul(plan.node())); }

void prepare_gemm(Plan& plan, Steps& steps) { add_product(plan, steps, find_gemm(plan.node())); }

}  // namespace percale::onednn
