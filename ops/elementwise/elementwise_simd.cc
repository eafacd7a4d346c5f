// Elementwise ops with SIMD kernels: f32, for rows that are long enough to fill a vector.
#include <array>
#include <limits>
#include <vector>

#include "ops/elementwise/elementwise_chain.h"
#include "ops/support/kernel_util.h"
#include "ops/support/simd_kernels.h"

namespace percale {
namespace {

constexpr int64_t kShortestRow = 8;

const simd::ElementwiseFns& functions(const KernelPlan& plan) {
  return *static_cast<const simd::SimdTable*>(plan.user)->elementwise;
}

Status accepts_f32(const NodeView& node) {
  if (node.dtype(0) != DType::kF32) return unimplemented("requires f32");
  return {};
}

// ---- One operand

struct UnaryPlan {
  simd::UnaryFn<float> fn = nullptr;
  float a = 0, b = 0;
  int64_t total = 0;
};

template <simd::Unary kOp>
Result<UnaryPlan> plan_unary(const NodeView& node, KernelPlan& plan) {
  return UnaryPlan{functions(plan).unary_f32[static_cast<int>(kOp)],
                   static_cast<float>(node.attributes.get_float("alpha")),
                   static_cast<float>(node.attributes.get_float("beta")), node.shape(0).num_elements()};
}
void apply(const UnaryPlan& plan, float a, float b, const Launch& launch) {
  const float* x = launch.in<float>(0);
  float* y = launch.out<float>(0);
  const int64_t pieces = pieces_for(plan.total);
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.total, pieces, piece, 16);
    plan.fn(x + range.begin, y + range.begin, range.end - range.begin, a, b);
  });
}
void run_unary(const UnaryPlan& plan, const Launch& launch) { apply(plan, plan.a, plan.b, launch); }

template <simd::Unary kOp>
[[gnu::always_inline]] inline Kernel unary(KernelName name, const simd::SimdTable& simd) {
  return make_kernel<accepts_f32, plan_unary<kOp>, run_unary>(name.text, name.op, "", &simd);
}

// The limits are operands, so they are known only when the kernel runs.
struct ClipPlan {
  UnaryPlan map;
  bool has_low = false, has_high = false;
};
Result<ClipPlan> plan_clip(const NodeView& node, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const UnaryPlan map, plan_unary<simd::Unary::kClip>(node, plan));
  return ClipPlan{map, node.has_input(1), node.has_input(2)};
}
void run_clip(const ClipPlan& plan, const Launch& launch) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  apply(plan.map, plan.has_low ? *launch.in<float>(1) : -kInfinity, plan.has_high ? *launch.in<float>(2) : kInfinity,
        launch);
}

// ---- Two and more operands

struct BinaryPlan {
  // operands: output, left, right; from the second step on, left is the output
  std::vector<StridedLoop> steps;
  simd::BinaryFn<float> fn = nullptr;
  simd::BinaryFn<float> last = nullptr;  // y = y / count, applied to the finished sum
  float count = 1;
  bool swapped = false;  // the function takes the right operand first
};

StridedLoop loop_of(const Shape& out, const Shape& left, const Shape& right) {
  constexpr std::array<int64_t, 3> kItems = {sizeof(float), sizeof(float), sizeof(float)};
  return StridedLoop::broadcast(out, std::array{left, right}, kItems);
}

Status accepts_rows(const NodeView& node) {
  PERCALE_RETURN_IF_ERROR(accepts_f32(node));
  if (node.inputs.size() < 2) return unimplemented("requires two or more operands");
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const StridedLoop loop =
        loop_of(node.output_shape(0), i == 1 ? node.shape(0) : node.output_shape(0), node.shape(i));
    if (loop.total > kShortestRow && loop.row_length() < kShortestRow) {
      return unimplemented("rows of ", loop.row_length(), " elements are too short");
    }
  }
  return {};
}

template <simd::Binary kOp, bool kMean = false>
Result<BinaryPlan> plan_rows(const NodeView& node, KernelPlan& plan) {
  BinaryPlan out;
  out.fn = functions(plan).binary_f32[static_cast<int>(kOp)];
  out.swapped = kOp == simd::Binary::kReluGrad;
  const Shape& shape = node.output_shape(0);
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    out.steps.push_back(loop_of(shape, i == 1 ? node.shape(0) : shape, node.shape(i)));
  }
  if (kMean) {
    out.last = functions(plan).binary_f32[static_cast<int>(simd::Binary::kDiv)];
    out.count = static_cast<float>(node.inputs.size());
  }
  return out;
}

void run_rows(const BinaryPlan& plan, const Launch& launch) {
  char* y = launch.out<char>(0);
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const StridedLoop& loop = plan.steps[s];
    const auto& strides = loop.strides[loop.rank - 1];
    const char* left = s == 0 ? launch.in<char>(0) : y;
    const char* right = launch.in<char>(s + 1);
    const bool ends = plan.last != nullptr && s + 1 == plan.steps.size();
    loop.run_parallel(launch.parallel(), [&](const StridedLoop::Offsets& offsets, int64_t n, int64_t) {
      const auto* a = reinterpret_cast<const float*>(left + offsets[1]);
      const auto* b = reinterpret_cast<const float*>(right + offsets[2]);
      auto* to = reinterpret_cast<float*>(y + offsets[0]);
      const bool one_a = strides[1] == 0 && n > 1, one_b = strides[2] == 0 && n > 1;
      if (plan.swapped) {
        plan.fn(b, one_b, a, one_a, to, n, 0);
      } else {
        plan.fn(a, one_a, b, one_b, to, n, 0);
      }
      if (ends) plan.last(to, false, &plan.count, true, to, n, 0);
    });
  }
}

template <simd::Binary kOp, bool kMean = false>
[[gnu::always_inline]] inline Kernel rows(KernelName name, const simd::SimdTable& simd, const char* domain = "") {
  return make_kernel<accepts_rows, plan_rows<kOp, kMean>, run_rows>(name.text, name.op, domain, &simd);
}

}  // namespace

Status register_elementwise_simd(Registry& registry, const simd::SimdTable& simd) {
  using simd::Binary;
  using simd::Unary;
  return add_cpu_kernels(registry, {
                                       rows<Binary::kAdd>("simd.Add", simd),
                                       rows<Binary::kSub>("simd.Sub", simd),
                                       rows<Binary::kMul>("simd.Mul", simd),
                                       rows<Binary::kDiv>("simd.Div", simd),
                                       rows<Binary::kMax>("simd.Max", simd),
                                       rows<Binary::kMin>("simd.Min", simd),
                                       rows<Binary::kAdd>("simd.Sum", simd),
                                       rows<Binary::kAdd, true>("simd.Mean", simd),
                                       chain_kernel("simd.Pow", simd),
                                       unary<Unary::kNeg>("simd.Neg", simd),
                                       unary<Unary::kAbs>("simd.Abs", simd),
                                       unary<Unary::kSqrt>("simd.Sqrt", simd),
                                       unary<Unary::kExp>("simd.Exp", simd),
                                       unary<Unary::kLog>("simd.Log", simd),
                                       unary<Unary::kReciprocal>("simd.Reciprocal", simd),
                                       unary<Unary::kFloor>("simd.Floor", simd),
                                       unary<Unary::kCeil>("simd.Ceil", simd),
                                       unary<Unary::kRound>("simd.Round", simd),
                                   });
}

Status register_activation_simd(Registry& registry, const simd::SimdTable& simd) {
  using simd::Binary;
  using simd::Unary;
  return add_cpu_kernels(registry, {
                                       unary<Unary::kRelu>("simd.Relu", simd),
                                       unary<Unary::kLeakyRelu>("simd.LeakyRelu", simd),
                                       unary<Unary::kSigmoid>("simd.Sigmoid", simd),
                                       unary<Unary::kTanh>("simd.Tanh", simd),
                                       unary<Unary::kErf>("simd.Erf", simd),
                                       unary<Unary::kHardSigmoid>("simd.HardSigmoid", simd),
                                       unary<Unary::kHardSwish>("simd.HardSwish", simd),
                                       make_kernel<accepts_f32, plan_clip, run_clip>("simd.Clip", "Clip", "", &simd),
                                       rows<Binary::kReluGrad>("simd.ReluGrad", simd, "percale"),
                                   });
}

}  // namespace percale
