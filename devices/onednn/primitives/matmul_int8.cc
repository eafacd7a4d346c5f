// Products of matrices of 8-bit integers.
#include "devices/onednn/primitives/int8.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

struct IntegerProduct {
  size_t a, b;  // inputs of the node
  ZeroPoint a_zero, b_zero;
  DataType result;
  std::optional<Requantization> requantization = {};
};

// The sizes that oneDNN sees: one matrix B for all rows of A, or one for each matrix of A.
struct Sizes {
  Dims a, b, y;
};
Sizes sizes_of(const Dims& a, const Dims& b, const Dims& y) {
  refuse_if(is_empty(a) || is_empty(b), "an operand has no elements");
  refuse_if(a.size() < 2 || b.size() < 2, "an operand is a vector");
  const int64_t k = a.back(), n = b.back();
  if (b.size() == 2) return {{elements(a) / k, k}, b, {elements(y) / n, n}};
  const int64_t m = a[a.size() - 2], batch = elements(a) / (m * k);
  refuse_if(a.size() != b.size() || !std::equal(a.begin(), a.end() - 2, b.begin()), "one operand is broadcast");
  return {{batch, m, k}, {batch, k, n}, {batch, m, n}};
}

void add_product(Plan& plan, Steps& steps, const IntegerProduct& product) {
  const Node& node = plan.node();
  const DataType type = byte_type(node.dtype(product.a));
  const Sizes s = sizes_of(node.dims(product.a), node.dims(product.b), node.output_dims());
  Dims per_column(s.y.size(), 1);
  per_column.back() = s.y.back();
  const double flops = 2.0 * static_cast<double>(elements(s.y)) * static_cast<double>(s.a.back());
  plan.add_all(steps, pieces_for(flops, type), [&](bool formats) {
    dnnl::primitive_attr attr =
        attributes(product.requantization ? post_ops_of(*product.requantization, per_column) : dnnl::post_ops());
    if (!product.a_zero.is_zero()) attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    if (!product.b_zero.is_zero()) attr.set_zero_points_mask(DNNL_ARG_WEIGHTS, 0);
    const bool packs = formats && node.is_precomputed(product.b);
    const dnnl::matmul::primitive_desc primitive(cpu_engine(), row_major(s.a, type),
                                                 packs ? any_format(s.b, DataType::s8) : row_major(s.b, DataType::s8),
                                                 row_major(s.y, product.result), attr);
    refuse_reference(primitive);
    const int b = static_cast<int>(product.b), slot = !packs && node.dtype(product.b) == PERCALE_DTYPE_U8 ? 0 : -1;
    Made made{[primitive] { return dnnl::matmul(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, static_cast<int>(product.a), primitive.src_desc(), s.a);
    add_weights(made, b, slot, node.dtype(product.b), primitive.weights_desc(), s.b);
    made.add(DNNL_ARG_DST, static_cast<int>(node.inputs()), primitive.dst_desc(), s.y);
    add_zero_point(made, DNNL_ARG_SRC, product.a_zero);
    add_zero_point(made, DNNL_ARG_WEIGHTS, product.b_zero);
    if (product.requantization) add_factors(made, *product.requantization, per_column);
    return slot < 0 ? std::vector{made} : std::vector{in_s8(b, slot, s.b), made};
  });
}

}  // namespace

void prepare_matmul_integer(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const ZeroPoint a_zero = zero_point(node, 2), b_zero = weight_zero_point(node, 1, 3);
  refuse_if(is_empty(node.dims(1)), "an operand has no elements");
  refuse_inexact(plan, 0, 1, a_zero, b_zero, Filters::kColumns);
  add_product(plan, steps, {.a = 0, .b = 1, .a_zero = a_zero, .b_zero = b_zero, .result = DataType::s32});
}

void prepare_qlinear_matmul(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const Requantization r = requantization(node, 1, 4, 6, 7, node.dims(3).back());
  add_product(plan, steps,
              {.a = 0,
               .b = 3,
               .a_zero = zero_point(node, 2),
               .b_zero = weight_zero_point(node, 3, 5),
               .result = byte_type(node.output_dtype(0)),
               .requantization = r});
}

}  // namespace percale::onednn
