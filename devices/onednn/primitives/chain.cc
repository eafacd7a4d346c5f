// Elementwise nodes and groups of them, on tensors that are already in a format of oneDNN.
#include "devices/onednn/primitives/post_ops.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

struct Eltwise {
  dnnl::algorithm algorithm = dnnl::algorithm::undef;
  float alpha = 0, beta = 0;
};

Eltwise eltwise_at(const dnnl::post_ops& ops, int i) {
  Eltwise e;
  ops.get_params_eltwise(i, e.algorithm, e.alpha, e.beta);
  return e;
}

// Returns the post-ops from the second on.
PostOps without_first(const PostOps& all) {
  PostOps out;
  for (int i = 1; i < all.ops.len(); ++i) {
    if (all.ops.kind(i) == dnnl::primitive::kind::eltwise) {
      const Eltwise e = eltwise_at(all.ops, i);
      out.ops.append_eltwise(e.algorithm, e.alpha, e.beta);
    } else {
      dnnl::algorithm algorithm;
      MemoryDesc desc;
      all.ops.get_params_binary(i, algorithm, desc);
      out.ops.append_binary(algorithm, desc);
    }
  }
  for (const BinaryOperand& operand : all.operands) {
    if (operand.post_op > 0) out.operands.push_back({operand.post_op - 1, operand.operand, operand.dims});
  }
  return out;
}

// Makes a primitive of the first post-op; the others become its post-ops. An eltwise primitive has
// no post-ops of its own kind. If a chain of several starts with an eltwise, the primitive is
// therefore a multiplication by 1.
Made make_chain(const Node& node, int source, const MemoryDesc& desc, const PostOps& all) {
  const Dims y = node.output_dims();
  const bool eltwise_first = all.ops.kind(0) == dnnl::primitive::kind::eltwise, several = all.ops.len() > 1;
  const PostOps behind = eltwise_first && several ? all : without_first(all);
  const auto as_given = [](const Dims& dims) { return dims; };
  Made made;
  const auto finish = [&](const auto& primitive) {
    refuse_reference(primitive);
    made.scratchpad = primitive.scratchpad_desc();
    made.add(DNNL_ARG_SRC, source, desc, y);
    made.add(DNNL_ARG_DST, static_cast<int>(node.inputs()), desc, y);
    add_operands(made, behind, primitive, as_given);
  };
  if (eltwise_first && !several) {
    const Eltwise e = eltwise_at(all.ops, 0);
    const dnnl::eltwise_forward::primitive_desc primitive(cpu_engine(), dnnl::prop_kind::forward_inference, e.algorithm,
                                                          desc, desc, e.alpha, e.beta, attributes());
    made.create = [primitive] { return dnnl::eltwise_forward(primitive); };
    finish(primitive);
    return made;
  }
  dnnl::algorithm algorithm = dnnl::algorithm::binary_mul;
  MemoryDesc second = row_major(Dims(y.size(), 1), DataType::f32);
  if (!eltwise_first) all.ops.get_params_binary(0, algorithm, second);
  const dnnl::binary::primitive_desc primitive(cpu_engine(), algorithm, desc, second, desc, attributes(behind.ops));
  made.create = [primitive] { return dnnl::binary(primitive); };
  if (eltwise_first) {
    constexpr float kOne = 1;
    made.add_own(DNNL_ARG_SRC_1, second, &kOne);
  } else {
    made.add(DNNL_ARG_SRC_1, all.operands.front().operand, second, all.operands.front().dims);
  }
  finish(primitive);
  return made;
}

// Returns the operand that the chain processes: its first node reads it, it has the output's shape,
// and it has a format or a dtype in which the core is slow. Returns -1 if there is none.
int find_source(const Body& body) {
  const Node& node = body.whole();
  const Dims y = node.output_dims();
  for (size_t j = 0; j < body.node(0).inputs(); ++j) {
    const int operand = body.input(0, j);
    if (!body.is_operand(operand)) continue;
    const auto i = static_cast<size_t>(operand);
    const bool worth = node.layout(i) != nullptr || node.dtype(i) == PERCALE_DTYPE_BF16;
    if (worth && node.dims(i) == y) return operand;
  }
  return -1;
}

}  // namespace

void prepare_chain(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const Dims y = node.output_dims();
  const Body body(node);
  const int source = find_source(body);
  refuse_if(source < 0, "the inputs are row-major, where the core's own kernel is faster");
  const DataType type = float_type(node.dtype(static_cast<size_t>(source)));
  refuse_if(float_type(node.output_dtype(0)) != type, "the output has another dtype");
  refuse_if(is_empty(y), "an operand has no elements");
  const char* const format = node.layout(static_cast<size_t>(source));
  plan.add(steps, pieces_for(8.0 * static_cast<double>(elements(y))), [&](bool formats) {
    const MemoryDesc desc = lying_in(formats ? format : nullptr, y, type);
    const auto describe = [&](const Dims& dims, DataType t) {
      return dims == y && t == type ? desc : row_major(dims, t);
    };
    return make_chain(node, source, desc, find_post_ops(body, 0, body.size(), source, describe));
  });
}

void prepare_relu_grad(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const DataType type = float_type(node.dtype(0));
  const Dims y = node.output_dims();
  const char* const format = node.layout(1) != nullptr ? node.layout(1) : node.layout(0);
  refuse_if(format == nullptr && type == DataType::f32,
            "the inputs are row-major, where the core's own kernel is faster");
  refuse_if(node.dims(0) != y || node.dims(1) != y, "the inputs differ in shape");
  refuse_if(is_empty(y), "an operand has no elements");
  plan.add(steps, pieces_for(8.0 * static_cast<double>(elements(y))), [&](bool formats) {
    const MemoryDesc desc = lying_in(formats ? format : nullptr, y, type);
    const auto relu = dnnl::algorithm::eltwise_relu_use_dst_for_bwd;
    const dnnl::eltwise_forward::primitive_desc forward(cpu_engine(), dnnl::prop_kind::forward_training, relu, desc,
                                                        desc, 0.0f, 0.0f);
    const dnnl::eltwise_backward::primitive_desc primitive(cpu_engine(), relu, desc, desc, desc, 0.0f, 0.0f, forward,
                                                           attributes());
    refuse_reference(primitive);
    Made made{[primitive] { return dnnl::eltwise_backward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_DIFF_DST, 0, desc, y);
    made.add(DNNL_ARG_DST, 1, desc, y);
    made.add(DNNL_ARG_DIFF_SRC, 2, desc, y);
    return made;
  });
}

}  // namespace percale::onednn
