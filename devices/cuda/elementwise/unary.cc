// Functions of one operand, and Clip.
#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/launch/walk.h"

namespace percale::cuda {
namespace {

// The element types that an op supports here. The library has already checked those of its schema.
enum class Types { kFloat, kInteger, kAnyNumber, kBool };

struct UnaryEntry {
  const char* op;
  UnaryOp code;
  Types types;
  // The attributes that become alpha and beta, with their defaults. If the name is null, the
  // default is the value.
  const char* alpha_name = nullptr;
  double alpha = 0;
  const char* beta_name = nullptr;
  double beta = 0;
};

constexpr double kSeluAlpha = 1.67326319217681884765625, kSeluGamma = 1.05070102214813232421875;
constexpr UnaryEntry kUnary[] = {
    {"Neg", UnaryOp::kNeg, Types::kAnyNumber},
    {"Abs", UnaryOp::kAbs, Types::kAnyNumber},
    {"Sign", UnaryOp::kSign, Types::kAnyNumber},
    {"Sqrt", UnaryOp::kSqrt, Types::kFloat},
    {"Exp", UnaryOp::kExp, Types::kFloat},
    {"Log", UnaryOp::kLog, Types::kFloat},
    {"Reciprocal", UnaryOp::kReciprocal, Types::kFloat},
    {"Sin", UnaryOp::kSin, Types::kFloat},
    {"Cos", UnaryOp::kCos, Types::kFloat},
    {"Floor", UnaryOp::kFloor, Types::kFloat},
    {"Ceil", UnaryOp::kCeil, Types::kFloat},
    {"Round", UnaryOp::kRound, Types::kFloat},
    {"Relu", UnaryOp::kRelu, Types::kAnyNumber},
    {"LeakyRelu", UnaryOp::kLeakyRelu, Types::kFloat, "alpha", 0.01},
    {"Sigmoid", UnaryOp::kSigmoid, Types::kFloat},
    {"Tanh", UnaryOp::kTanh, Types::kFloat},
    {"Erf", UnaryOp::kErf, Types::kFloat},
    {"HardSigmoid", UnaryOp::kHardSigmoid, Types::kFloat, "alpha", 0.2, "beta", 0.5},
    {"HardSwish", UnaryOp::kHardSwish, Types::kFloat},
    {"Elu", UnaryOp::kElu, Types::kFloat, "alpha", 1},
    {"Selu", UnaryOp::kSelu, Types::kFloat, "alpha", kSeluAlpha, "gamma", kSeluGamma},
    {"Celu", UnaryOp::kCelu, Types::kFloat, "alpha", 1},
    {"Softplus", UnaryOp::kSoftplus, Types::kFloat},
    {"Softsign", UnaryOp::kSoftsign, Types::kFloat},
    {"Mish", UnaryOp::kMish, Types::kFloat},
    {"Swish", UnaryOp::kSwish, Types::kFloat, "alpha", 1},
    {"ThresholdedRelu", UnaryOp::kThresholdedRelu, Types::kFloat, "alpha", 1},
    {"Tan", UnaryOp::kTan, Types::kFloat},
    {"Asin", UnaryOp::kAsin, Types::kFloat},
    {"Acos", UnaryOp::kAcos, Types::kFloat},
    {"Atan", UnaryOp::kAtan, Types::kFloat},
    {"Sinh", UnaryOp::kSinh, Types::kFloat},
    {"Cosh", UnaryOp::kCosh, Types::kFloat},
    {"Asinh", UnaryOp::kAsinh, Types::kFloat},
    {"Acosh", UnaryOp::kAcosh, Types::kFloat},
    {"Atanh", UnaryOp::kAtanh, Types::kFloat},
    {"Not", UnaryOp::kNot, Types::kBool},
    {"BitwiseNot", UnaryOp::kBitwiseNot, Types::kInteger},
    {"IsNaN", UnaryOp::kIsNan, Types::kFloat},
    {"IsInf", UnaryOp::kIsInf, Types::kFloat, "detect_negative", 1, "detect_positive", 1},
};

int64_t per_thread(percale_dtype dtype) { return 16 / item_bytes(dtype); }

Run run_unary(const Node& node, const UnaryCode& code) {
  const percale_dtype dtype = node.dtype(0);
  const bool tests = code.op == UnaryOp::kIsNan || code.op == UnaryOp::kIsInf;
  const DeviceKernel kernel{Family::elementwise, std::string(tests ? "percale_test_" : "percale_unary_") +
                                                     suffix(dtype == PERCALE_DTYPE_BOOL ? PERCALE_DTYPE_U8 : dtype)};
  UnaryArgs args{};
  args.size = elements(node.dims(0));
  args.op = code.op;
  args.alpha = code.alpha;
  args.beta = code.beta;
  const LaunchGrid grid = grid_for(args.size, tests ? 1 : per_thread(dtype));
  return [=](const Launch& launch) {
    if (args.size == 0) return;
    UnaryArgs now = args;
    now.x = launch.in(0);
    now.y = launch.out(0);
    launch.run(kernel, grid, now);
  };
}

const UnaryEntry& find_unary(const Node& node) {
  for (const UnaryEntry& entry : kUnary) {
    if (node.op() == entry.op) return entry;
  }
  throw Refusal("this function of one operand is not supported");
}

UnaryCode code_of(const UnaryEntry& entry, const Node& node) {
  const auto parameter = [&](const char* name, double otherwise) {
    if (name == nullptr) return otherwise;
    return node.has_int(name) ? static_cast<double>(node.attribute(name, int64_t{0})) : node.attribute(name, otherwise);
  };
  return {entry.code, parameter(entry.alpha_name, entry.alpha), parameter(entry.beta_name, entry.beta)};
}

Run prepare_unary(Plan& plan) {
  const Node& node = plan.node();
  const UnaryEntry& entry = find_unary(node);
  const percale_dtype dtype = node.dtype(0);
  const bool fits = entry.types == Types::kFloat  ? is_float(dtype)
                    : entry.types == Types::kBool ? dtype == PERCALE_DTYPE_BOOL
                                                  : dtype != PERCALE_DTYPE_BOOL;
  refuse_if(!fits || (entry.types == Types::kInteger && is_float(dtype)), "does not support this element type");
  return run_unary(node, code_of(entry, node));
}

UnaryCode gelu_code(const Node& node) {
  const bool tanh = node.attribute("approximate", std::string_view("none")) == "tanh";
  return {tanh ? UnaryOp::kGeluTanh : UnaryOp::kGelu};
}

Run prepare_gelu(Plan& plan) {
  const Node& node = plan.node();
  refuse_if(!is_float(node.dtype(0)), "does not support this element type");
  return run_unary(node, gelu_code(node));
}

Run prepare_clip(Plan& plan) {
  const Node& node = plan.node();
  const DeviceKernel kernel{Family::elementwise, std::string("percale_clip_") + suffix(node.dtype(0))};
  refuse_if(node.dtype(0) == PERCALE_DTYPE_BOOL, "does not support this element type");
  ClipArgs args{};
  args.size = elements(node.dims(0));
  const bool has_low = node.has(1), has_high = node.has(2);
  const LaunchGrid grid = grid_for(args.size);
  return [=](const Launch& launch) {
    if (args.size == 0) return;
    ClipArgs now = args;
    now.x = launch.in(0);
    if (has_low) now.low = launch.in(1);
    if (has_high) now.high = launch.in(2);
    now.y = launch.out(0);
    launch.run(kernel, grid, now);
  };
}

// CheckNumerics: copies the input, and fails the run if an element is infinite or NaN.
Run prepare_check_numerics(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  refuse_if(!is_float(dtype), "does not support this element type");
  refuse_if(!node.attribute("message", std::string_view()).empty(), "CheckNumerics with a 'message' is not supported");
  const DeviceKernel find{Family::elementwise, std::string("percale_not_finite_") + suffix(dtype)},
      tell{Family::elementwise, "percale_tell_not_finite"};
  FiniteArgs args{};
  args.size = elements(node.dims(0));
  const int64_t bytes = args.size * item_bytes(dtype), found = plan.book(8);
  LaunchGrid one;
  one.threads = 32;
  return [=](const Launch& launch) {
    if (args.size == 0) return;
    FiniteArgs now = args;
    now.x = launch.in(0);
    now.found = launch.scratch(found);
    now.errors = launch.errors();
    run_clear(launch, now.found, 8);
    launch.run(find, grid_for(args.size), now);
    launch.run(tell, one, now);
    run_move(launch, launch.out(0), now.x, bytes);
  };
}

}  // namespace

std::optional<UnaryCode> unary_code(const Node& node) {
  if (node.op() == "Gelu") return gelu_code(node);
  for (const UnaryEntry& entry : kUnary) {
    const bool number = entry.types == Types::kFloat || entry.types == Types::kAnyNumber;
    if (number && node.op() == entry.op) return code_of(entry, node);
  }
  return {};
}

void add_unary(Entries& entries) {
  for (const UnaryEntry& entry : kUnary) entries.push_back({"cuda.unary", "", entry.op, prepare_unary, kAllImages});
  entries.push_back({"cuda.unary", "", "Gelu", prepare_gelu, kAllImages});
  entries.push_back({"cuda.check_numerics", "percale", "CheckNumerics", prepare_check_numerics, 1});
  entries.push_back({"cuda.clip", "", "Clip", prepare_clip, 1});
}

}  // namespace percale::cuda
