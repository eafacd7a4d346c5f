#include "devices/onednn/primitives/post_ops.h"

#include <bit>
#include <cmath>
#include <limits>
#include <optional>

namespace percale::onednn {
namespace {

using dnnl::algorithm;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::optional<float> one_element(const Node& node, size_t i) {
  const void* bytes = node.constant(i);
  const percale_dtype dtype = bytes == nullptr ? PERCALE_DTYPE_INVALID : node.dtype(i);
  if (dtype != PERCALE_DTYPE_F32 && dtype != PERCALE_DTYPE_BF16) return {};
  for (int64_t d : node.dims(i)) {
    if (d != 1) return {};
  }
  if (dtype == PERCALE_DTYPE_F32) return *static_cast<const float*>(bytes);
  return std::bit_cast<float>(static_cast<uint32_t>(*static_cast<const uint16_t*>(bytes)) << 16);
}

class Chain {
 public:
  Chain(const Body& body, int current, const Describe& describe, bool has_sums)
      : body_(body),
        rank_(body.whole().output_dims().size()),
        describe_(describe),
        has_sums_(has_sums),
        current_(current) {}

  PostOps run(size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      const Node node = body_.node(i);
      if (node.op() == "Cast" && body_.input(i, 0) != current_) {
        casts_.push_back({body_.output(i), body_.input(i, 0)});
        continue;
      }
      if (gate(i, node)) {
        ++i;
      } else if (node.inputs() == 1 || node.op() == "Clip") {
        refuse_if(body_.input(i, 0) != current_, "a node does not read the result of the node before it");
        unary(node);
      } else {
        binary(i, node);
      }
      current_ = body_.output(i);
    }
    return std::move(out_);
  }

 private:
  void eltwise(algorithm a, float alpha, float beta) { out_.ops.append_eltwise(a, alpha, beta); }

  // Returns the operand before a Cast of the group, because post-ops read operands in their own
  // type.
  int before_cast(int value) const {
    for (const auto& [cast, operand] : casts_) {
      if (cast == value) return operand;
    }
    return value;
  }

  // Recognises x * Sigmoid(x) and x * HardSigmoid(x), which are two nodes.
  bool gate(size_t i, const Node& node) {
    const bool hard = node.op() == "HardSigmoid";
    if ((!hard && node.op() != "Sigmoid") || i + 1 >= body_.size() || body_.input(i, 0) != current_) return false;
    const int gate = body_.output(i), a = body_.input(i + 1, 0), b = body_.input(i + 1, 1);
    if (body_.node(i + 1).op() != "Mul" || !((a == gate && b == current_) || (a == current_ && b == gate)))
      return false;
    if (hard) {
      eltwise(algorithm::eltwise_hardswish, static_cast<float>(node.attribute("alpha", 0.2)),
              static_cast<float>(node.attribute("beta", 0.5)));
    } else {
      eltwise(algorithm::eltwise_swish, 1, 0);
    }
    return true;
  }

  void unary(const Node& node) {
    const std::string_view op = node.op();
    const auto alpha = [&](double otherwise) { return static_cast<float>(node.attribute("alpha", otherwise)); };
    if (op == "Relu") return eltwise(algorithm::eltwise_relu, 0, 0);
    if (op == "LeakyRelu") return eltwise(algorithm::eltwise_relu, alpha(0.01), 0);
    if (op == "Clip") return clip(node);
    if (op == "Sigmoid") return eltwise(algorithm::eltwise_logistic, 0, 0);
    if (op == "Tanh") return eltwise(algorithm::eltwise_tanh, 0, 0);
    if (op == "HardSigmoid") {
      return eltwise(algorithm::eltwise_hardsigmoid, alpha(0.2), static_cast<float>(node.attribute("beta", 0.5)));
    }
    if (op == "HardSwish") return eltwise(algorithm::eltwise_hardswish, 1.0f / 6, 0.5f);
    if (op == "Swish") return eltwise(algorithm::eltwise_swish, alpha(1), 0);
    if (op == "Elu") return eltwise(algorithm::eltwise_elu, alpha(1), 0);
    if (op == "Gelu") {
      const bool tanh = node.attribute("approximate", std::string_view("none")) == "tanh";
      return eltwise(tanh ? algorithm::eltwise_gelu_tanh : algorithm::eltwise_gelu_erf, 0, 0);
    }
    if (op == "Cast") return;  // All values are f32 until the result is stored.
    if (op == "Neg") return eltwise(algorithm::eltwise_linear, -1, 0);
    if (op == "Abs") return eltwise(algorithm::eltwise_abs, 0, 0);
    if (op == "Exp") return eltwise(algorithm::eltwise_exp, 0, 0);
    if (op == "Sqrt") return eltwise(algorithm::eltwise_sqrt, 0, 0);
    throw Refusal("no post-op computes " + std::string(op));
  }

  void clip(const Node& node) {
    const auto bound = [&](size_t i, float otherwise) {
      if (!node.has(i)) return otherwise;
      const std::optional<float> value = one_element(node, i);
      refuse_if(!value, "a bound of Clip is unknown before the run");
      return *value;
    };
    eltwise(algorithm::eltwise_clip, bound(1, -kInfinity), bound(2, kInfinity));
  }

  void binary(size_t i, const Node& node) {
    refuse_if(node.inputs() != 2, "no post-op has this number of inputs");
    const bool first = body_.input(i, 0) == current_;
    refuse_if(first == (body_.input(i, 1) == current_),
              "a node reads the result of the node before it twice or not at all");
    const size_t other = first ? 1 : 0;
    if (const std::optional<float> value = one_element(node, other)) return with_number(node.op(), first, *value);
    const int operand = before_cast(body_.input(i, other));
    refuse_if(!body_.is_operand(operand), "a node reads another node of the group");
    const DataType type = float_type(body_.whole().dtype(static_cast<size_t>(operand)));
    const std::string_view op = node.op();
    if (op == "Sub" && !first) eltwise(algorithm::eltwise_linear, -1, 0);
    if (op == "Add" && is_sum(operand, body_.input(i, other))) {
      out_.sum = operand;
      return out_.ops.append_sum();
    }
    Dims dims = node.dims(other);
    dims.insert(dims.begin(), rank_ - dims.size(), 1);
    const algorithm a = op == "Add"            ? algorithm::binary_add
                        : op == "Sub" && first ? algorithm::binary_sub
                        : op == "Sub"          ? algorithm::binary_add
                        : op == "Mul"          ? algorithm::binary_mul
                        : op == "Div" && first ? algorithm::binary_div
                        : op == "Max"          ? algorithm::binary_max
                        : op == "Min"          ? algorithm::binary_min
                                               : algorithm::undef;
    if (a == algorithm::undef) throw Refusal("no post-op computes " + std::string(op));
    out_.operands.push_back({out_.ops.len(), operand, dims});
    out_.ops.append_binary(a, describe_(dims, type));
  }

  // True if the node can be the `sum` post-op, which is cheaper than a binary one if it comes
  // first. The result's memory then holds the other addend, which nothing else may read. `value` is
  // the operand, or a Cast of it.
  bool is_sum(int operand, int value) const {
    const Node& whole = body_.whole();
    const auto i = static_cast<size_t>(operand);
    return has_sums_ && out_.ops.len() == 0 && whole.dims(i) == whole.output_dims() &&
           whole.dtype(i) == whole.output_dtype(0) && uses(operand) == 1 && uses(value) == 1;
  }

  int uses(int value) const {
    int count = 0;
    for (size_t i = 0; i < body_.size(); ++i) {
      const size_t inputs = body_.node(i).inputs();
      for (size_t j = 0; j < inputs; ++j) count += body_.input(i, j) == value ? 1 : 0;
    }
    return count;
  }

  void with_number(std::string_view op, bool first, float v) {
    if (op == "Add") return eltwise(algorithm::eltwise_linear, 1, v);
    if (op == "Sub")
      return first ? eltwise(algorithm::eltwise_linear, 1, -v) : eltwise(algorithm::eltwise_linear, -1, v);
    if (op == "Mul") return eltwise(algorithm::eltwise_linear, v, 0);
    if (op == "Div" && first && v != 0) return eltwise(algorithm::eltwise_linear, 1 / v, 0);
    if (op == "Max") return eltwise(algorithm::eltwise_clip, v, kInfinity);
    if (op == "Min") return eltwise(algorithm::eltwise_clip, -kInfinity, v);
    if (op == "Pow" && first && v == 2) return eltwise(algorithm::eltwise_square, 0, 0);
    throw Refusal("no post-op computes " + std::string(op) + " with a constant");
  }

  const Body& body_;
  const size_t rank_;
  const Describe& describe_;
  const bool has_sums_;
  std::vector<std::pair<int, int>> casts_;  // the output of each Cast and its input
  int current_;
  PostOps out_;
};

}  // namespace

int Body::input(size_t i, size_t j) const {
  if (fused_ == 0) return whole_.has(j) ? static_cast<int>(j) : -1;
  return whole_.body_input(i, j);
}

int Body::output(size_t i) const { return fused_ == 0 ? static_cast<int>(whole_.inputs()) : whole_.body_output(i); }

Anchor find_anchor(const Node& whole, std::string_view op) {
  const Body body(whole);
  Anchor anchor{body.node(0), {}};
  if (anchor.node.op() != op) throw Refusal("the group does not begin with " + std::string(op));
  for (size_t i = 0; i < anchor.node.inputs(); ++i) {
    const int operand = body.input(0, i);
    refuse_if(operand >= 0 && !body.is_operand(operand), "an input is a constant inside the group");
    anchor.operands.push_back(operand);
  }
  return anchor;
}

PostOps find_post_ops(const Body& body, size_t first, size_t last, int current, const Describe& describe) {
  return Chain(body, current, describe, false).run(first, last);
}

PostOps find_post_ops(const Node& whole, const Describe& describe) {
  const Body body(whole);
  return Chain(body, body.output(0), describe, true).run(1, body.size());
}

Epilogue find_epilogue(const PostOps& post_ops, const Dims& y, size_t columns) {
  Epilogue epilogue;
  epilogue.addend = post_ops.sum;
  const dnnl::post_ops& ops = post_ops.ops;
  int i = post_ops.sum >= 0 ? 1 : 0;
  for (const BinaryOperand& operand : post_ops.operands) {
    dnnl::algorithm algorithm;
    MemoryDesc desc;
    if (operand.post_op == i) ops.get_params_binary(i, algorithm, desc);
    refuse_if(operand.post_op != i || algorithm != dnnl::algorithm::binary_add, "the first post-op is not a sum");
    ++i;
    const bool is_row =
        operand.dims != y && elements(operand.dims) == y[columns] && operand.dims[columns] == y[columns];
    int& place = is_row ? epilogue.row : epilogue.addend;
    refuse_if((!is_row && operand.dims != y) || place >= 0,
              "an addend is neither a row nor of the result's shape, or there are two addends");
    place = operand.operand;
  }
  if (i == ops.len()) return epilogue;
  refuse_if(i + 1 < ops.len() || ops.kind(i) != dnnl::primitive::kind::eltwise,
            "the epilogue contains more than one function");
  dnnl::algorithm algorithm;
  float alpha = 0, beta = 0;
  ops.get_params_eltwise(i, algorithm, alpha, beta);
  switch (algorithm) {
    case dnnl::algorithm::eltwise_relu:
      refuse_if(alpha != 0, "the epilogue contains a Relu with a slope");
      epilogue.low = 0;
      break;
    case dnnl::algorithm::eltwise_clip: epilogue.low = alpha, epilogue.high = beta; break;
    case dnnl::algorithm::eltwise_gelu_erf: epilogue.function = Epilogue::Function::kGelu; break;
    case dnnl::algorithm::eltwise_gelu_tanh: epilogue.function = Epilogue::Function::kGeluTanh; break;
    case dnnl::algorithm::eltwise_swish: epilogue.function = Epilogue::Function::kSwish, epilogue.alpha = alpha; break;
    case dnnl::algorithm::eltwise_logistic: epilogue.function = Epilogue::Function::kSigmoid; break;
    default: throw Refusal("the epilogue contains a function that the plug-in's loops do not support");
  }
  return epilogue;
}

}  // namespace percale::onednn
