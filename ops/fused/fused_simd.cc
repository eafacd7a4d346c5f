// Fused nodes with SIMD kernels. An elementwise tree runs as one chain. For Conv, Gemm or MatMul,
// an epilogue of a bias row, an activation (Relu, Clip, HardSwish), or a bias row and then an
// activation is applied as the output is stored. Other epilogues run as a chain in place.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "core/graph/graph.h"
#include "ops/conv/conv_kernels.h"
#include "ops/elementwise/elementwise_chain.h"
#include "ops/fused/fused_kernels.h"
#include "ops/matmul/matmul_kernels.h"

namespace percale {
namespace {

using Ref = ChainBuilder::Ref;
constexpr size_t kMaxAnchorInputs = 3;

// An input of the anchor: an operand of the node or a constant of the body.
struct AnchorInput {
  int32_t operand = -1;
  Tensor constant;
};

// A parsed body, in the form in which the kernels run it.
struct FusedBody {
  const Function* function = nullptr;  // borrowed, used for planning only
  const Node* anchor = nullptr;
  std::vector<AnchorInput> anchor_inputs;
  Chain chain;  // all nodes but the anchor
};

// Returns the index of the body's input that a value is, or -1 if it is none.
int32_t input_number(const Function& body, ValueId id) {
  return body.value(id).kind == ValueKind::kInput ? body.value(id).def : -1;
}

// Returns the inputs of the anchor, which no other node of the body computes.
Result<std::vector<AnchorInput>> inputs_of_anchor(const Function& f, const Node& anchor) {
  std::vector<AnchorInput> out;
  for (ValueId id : anchor.inputs) {
    AnchorInput& input = out.emplace_back();
    if (id == kNoValue) continue;
    input.operand = input_number(f, id);
    if (const Tensor* constant = f.constant(id)) input.constant = *constant;
    if (input.operand < 0 && !input.constant.defined())
      return unimplemented("requires the anchor to be the first node");
  }
  return out;
}

Result<FusedBody> parse(const NodeView& view, std::string_view anchor) {
  if (view.attributes.get_string("anchor") != anchor) {
    return unimplemented(anchor.empty() ? std::string("requires a body without an anchor")
                                        : str_cat("requires a body with the anchor ", anchor));
  }
  if (view.body == nullptr || view.body->outputs.size() != 1) return unimplemented("requires a body with one output");
  const Function& f = *view.body;
  FusedBody body;
  body.function = &f;
  const ValueType& type = f.type(f.outputs[0]);
  if (type.dtype != DType::kF32) return unimplemented("requires f32");
  ChainBuilder builder(type.shape);
  std::vector<Ref> ref_of(f.values.size(), ChainBuilder::kAbsent);
  const auto read = [&](ValueId id) -> Result<Ref> {
    if (id == kNoValue) return ChainBuilder::kAbsent;
    Ref& ref = ref_of[static_cast<size_t>(id)];
    if (ref != ChainBuilder::kAbsent) return ref;
    if (const Tensor* constant = f.constant(id)) {
      if (constant->dtype() != DType::kF32 || constant->num_elements() != 1) {
        return unimplemented("requires constants to be one f32");
      }
      ref = builder.constant(constant->span<float>()[0]);
      return ref;
    }
    PERCALE_ASSIGN_OR_RETURN(ref, builder.operand(static_cast<size_t>(input_number(f, id)), f.type(id)));
    return ref;
  };
  for (const Node& node : f.nodes) {
    if (node.outputs.size() != 1 || node.outputs[0] == kNoValue || !(f.type(node.outputs[0]) == type)) {
      return unimplemented("requires nodes with one output of the whole shape, got ", op_name(*node.op));
    }
    Ref& result = ref_of[static_cast<size_t>(node.outputs[0])];
    if (body.anchor == nullptr && !anchor.empty() && node.op->domain.empty() && node.op->name == anchor) {
      body.anchor = &node;
      result = builder.output_before();
      continue;
    }
    std::vector<Ref> inputs;
    for (ValueId id : node.inputs) {
      PERCALE_ASSIGN_OR_RETURN(const Ref ref, read(id));
      inputs.push_back(ref);
    }
    PERCALE_ASSIGN_OR_RETURN(result, builder.node(*node.op, with_defaults(*node.op, node.attributes), inputs));
  }
  PERCALE_ASSIGN_OR_RETURN(body.chain, builder.finish(ref_of[static_cast<size_t>(f.outputs[0])]));
  if (anchor.empty()) return body;
  if (body.anchor == nullptr || body.anchor->inputs.size() > kMaxAnchorInputs) {
    return unimplemented("requires the op ", anchor, " in the body");
  }
  PERCALE_ASSIGN_OR_RETURN(body.anchor_inputs, inputs_of_anchor(f, *body.anchor));
  return body;
}

NodeView view_of_anchor(const NodeView& group, const FusedBody& body, const Attributes& attributes) {
  const Function& f = *body.function;
  NodeView view{*body.anchor->op, body.anchor->name, attributes, {}, {}, {}};
  view.numerics = group.numerics;
  for (ValueId id : body.anchor->inputs) {
    view.inputs.push_back(id == kNoValue ? ValueType{} : f.type(id));
    view.values.push_back(f.constant(id));
  }
  view.outputs.push_back(f.type(body.anchor->outputs[0]));
  return view;
}

// ---- Epilogues that an anchor can apply as it stores its output

struct End {
  int32_t bias = -1;  // operand index, -1: none
  simd::Act act;
};

// Returns the constant value of a node's input, `otherwise` if the input is absent, or no value if
// it is not a constant.
std::optional<float> number_of(const Function& f, const Node& node, size_t i, float otherwise) {
  if (i >= node.inputs.size() || node.inputs[i] == kNoValue) return otherwise;
  const Tensor* constant = f.constant(node.inputs[i]);
  if (constant == nullptr || constant->num_elements() != 1 || constant->dtype() != DType::kF32) return std::nullopt;
  return constant->span<float>()[0];
}

// Returns the activation that a node applies, or no value if the node is not a supported
// activation.
std::optional<simd::Act> act_of(const Function& f, const Node& node) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  if (node.op->name == "Relu") return simd::Act::kRelu;
  if (node.op->name == "HardSwish") return simd::Act::kHardSwish;
  if (node.op->name != "Clip") return std::nullopt;
  const auto low = number_of(f, node, 1, -kInf), high = number_of(f, node, 2, kInf);
  if (!low || !high) return std::nullopt;
  return simd::Act::clip(*low, *high);
}

// Returns the epilogue of a body if it is "+ row of `row` elements", an activation, or the former
// followed by the latter. With `row` 0 no bias is allowed.
std::optional<End> end_of(const FusedBody& body, int64_t row) {
  const Function& f = *body.function;
  ValueId last = body.anchor->outputs[0];
  End end;
  bool acts = false;
  for (const Node& node : f.nodes) {
    if (&node == body.anchor) continue;
    if (acts || !node.op->domain.empty()) return std::nullopt;
    if (const auto act = act_of(f, node); act && node.inputs[0] == last) {
      end.act = *act;
      acts = true;
    } else if (node.op->name == "Add" && end.bias < 0 && row > 0 &&
               (node.inputs[0] == last) != (node.inputs[1] == last)) {
      const ValueId other = node.inputs[node.inputs[0] == last ? 1 : 0];
      end.bias = input_number(f, other);
      if (end.bias < 0 || f.type(other).shape.num_elements() != row) return std::nullopt;
    } else {
      return std::nullopt;
    }
    last = node.outputs[0];
  }
  return end;
}

// ---- Anchors: how each is planned, which epilogues it supports, how it runs

struct ConvAnchor {
  using Plan = SimdConv;
  static constexpr std::string_view kOp = "Conv";
  static Status accepts(const NodeView& v) { return accepts_simd_conv(v); }
  static Result<Plan> plan(const NodeView& v, KernelPlan& p) { return plan_simd_conv(v, p); }
  static bool may_end(const Plan&) { return true; }
  static int64_t bias_row(const Plan&) { return 0; }
  static void run(const Plan& p, const Launch& l, const ProductEnd& end) { run_simd_conv(p, l, end.act); }
};
struct GemmAnchor {
  using Plan = GemmPlan;
  static constexpr std::string_view kOp = "Gemm";
  static Status accepts(const NodeView& v) { return accepts_simd_product(v); }
  static Result<Plan> plan(const NodeView& v, KernelPlan& p) { return plan_simd_gemm(v, p); }
  static bool may_end(const Plan& p) { return percale::may_end(p); }
  static int64_t bias_row(const Plan& p) { return p.has_c ? 0 : p.product.product.n; }
  static void run(const Plan& p, const Launch& l, const ProductEnd& end) { run_simd_gemm(p, l, end); }
};
struct MatMulAnchor {
  using Plan = BatchPlan;
  static constexpr std::string_view kOp = "MatMul";
  static Status accepts(const NodeView& v) { return accepts_simd_product(v); }
  static Result<Plan> plan(const NodeView& v, KernelPlan& p) { return plan_simd_matmul(v, p); }
  static bool may_end(const Plan&) { return true; }
  static int64_t bias_row(const Plan& p) { return p.product.n; }
  static void run(const Plan& p, const Launch& l, const ProductEnd& end) { run_simd_matmul(p, l, end); }
};

template <class Anchor>
struct AnchorKernel {
  struct Plan {
    const simd::SimdTable* simd;
    typename Anchor::Plan anchor;
    std::vector<AnchorInput> inputs;
    std::optional<End> end;  // no value: the chain runs instead
    Chain chain;
    int64_t chain_scratch = 0;  // offset in the scratch memory
  };

  static Status accepts(const NodeView& view) {
    PERCALE_ASSIGN_OR_RETURN(const FusedBody body, parse(view, Anchor::kOp));
    return Anchor::accepts(view_of_anchor(view, body, with_defaults(*body.anchor->op, body.anchor->attributes)));
  }

  static Result<Plan> plan(const NodeView& view, KernelPlan& plan) {
    PERCALE_ASSIGN_OR_RETURN(FusedBody body, parse(view, Anchor::kOp));
    const Attributes attributes = with_defaults(*body.anchor->op, body.anchor->attributes);
    PERCALE_ASSIGN_OR_RETURN(auto anchor, Anchor::plan(view_of_anchor(view, body, attributes), plan));
    Plan out{
        static_cast<const simd::SimdTable*>(plan.user), std::move(anchor), std::move(body.anchor_inputs), {}, {}, 0};
    if (Anchor::may_end(out.anchor)) out.end = end_of(body, Anchor::bias_row(out.anchor));
    if (out.end) return out;
    out.chain = std::move(body.chain);
    out.chain_scratch = (plan.scratch_bytes + 63) / 64 * 64;
    plan.scratch_bytes = out.chain_scratch + out.chain.scratch_bytes;
    return out;
  }

  static void run(const Plan& plan, const Launch& launch) {
    std::array<void*, kMaxAnchorInputs + 1> operands{};
    for (size_t i = 0; i < plan.inputs.size(); ++i) {
      const AnchorInput& input = plan.inputs[i];
      operands[i] = input.operand >= 0 ? const_cast<void*>(launch.in<void>(static_cast<size_t>(input.operand)))
                                       : input.constant.data();
    }
    operands[plan.inputs.size()] = launch.out<void>(0);
    const percale_launch inner{operands.data(), launch.scratch<void>(), nullptr, &launch.run()};
    ProductEnd end;
    if (plan.end) end.act = plan.end->act;
    if (plan.end && plan.end->bias >= 0) end.bias = launch.in<float>(static_cast<size_t>(plan.end->bias));
    Anchor::run(plan.anchor, Launch(inner, plan.inputs.size()), end);
    if (plan.end || launch.cancelled()) return;
    run_elementwise_chain(*plan.simd, plan.chain, launch, launch.out<float>(0),
                          launch.scratch<char>() + plan.chain_scratch);
  }

  static Kernel make(const char* name, const simd::SimdTable& simd) {
    return make_kernel<&AnchorKernel::accepts, &AnchorKernel::plan, &AnchorKernel::run>(name, "Fused", "percale",
                                                                                        &simd);
  }
};

// ---- No anchor

struct ChainPlan {
  const simd::SimdTable* simd;
  Chain chain;
};
Status accepts_chain(const NodeView& view) { return parse(view, "").status(); }
Result<ChainPlan> plan_chain(const NodeView& view, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(FusedBody body, parse(view, ""));
  plan.scratch_bytes = body.chain.scratch_bytes;
  return ChainPlan{static_cast<const simd::SimdTable*>(plan.user), std::move(body.chain)};
}
void run_chain(const ChainPlan& plan, const Launch& launch) {
  run_elementwise_chain(*plan.simd, plan.chain, launch, launch.out<float>(0), launch.scratch<void>());
}

}  // namespace

Status register_fused_simd(Registry& registry, const simd::SimdTable& simd) {
  const Kernel kernels[] = {
      make_kernel<&accepts_chain, &plan_chain, &run_chain>("simd.chain", "Fused", "percale", &simd),
      AnchorKernel<ConvAnchor>::make("simd.conv_chain", simd), AnchorKernel<GemmAnchor>::make("simd.gemm_chain", simd),
      AnchorKernel<MatMulAnchor>::make("simd.matmul_chain", simd)};
  for (const Kernel& kernel : kernels) PERCALE_RETURN_IF_ERROR(registry.add_kernel("cpu", kernel));
  return {};
}

}  // namespace percale
