// Functions of two and more operands that broadcast, and Where.
#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/launch/walk.h"

namespace percale::cuda {
namespace {

struct BinaryEntry {
  const char* domain;
  const char* op;
  BinaryOp code;
  bool compares;
};

constexpr BinaryEntry kBinary[] = {
    {"", "Add", BinaryOp::kAdd, false},
    {"", "Sub", BinaryOp::kSub, false},
    {"", "Mul", BinaryOp::kMul, false},
    {"", "Div", BinaryOp::kDiv, false},
    {"", "Pow", BinaryOp::kPow, false},
    {"", "Mod", BinaryOp::kMod, false},
    {"percale", "ReluGrad", BinaryOp::kReluGrad, false},
    {"", "And", BinaryOp::kAnd, false},
    {"", "Or", BinaryOp::kOr, false},
    {"", "Xor", BinaryOp::kXor, false},
    {"", "BitwiseAnd", BinaryOp::kAnd, false},
    {"", "BitwiseOr", BinaryOp::kOr, false},
    {"", "BitwiseXor", BinaryOp::kXor, false},
    {"", "Equal", BinaryOp::kEqual, true},
    {"", "Greater", BinaryOp::kGreater, true},
    {"", "Less", BinaryOp::kLess, true},
    {"", "GreaterOrEqual", BinaryOp::kGreaterOrEqual, true},
    {"", "LessOrEqual", BinaryOp::kLessOrEqual, true},
    {"", "BitShift", BinaryOp::kShiftRight, false},
};

// A binary op on operands of given shapes. Bools use the kernels of u8.
struct Pair {
  DeviceKernel kernel;
  BinaryArgs args{};
  LaunchGrid grid;
};

Pair make_pair(percale_dtype dtype, BinaryOp op, bool compares, const Dims& a, const Dims& b, const Dims& y) {
  const percale_dtype elements_of = dtype == PERCALE_DTYPE_BOOL ? PERCALE_DTYPE_U8 : dtype;
  Pair out;
  out.kernel = {Family::elementwise,
                std::string(compares ? "percale_compare_" : "percale_binary_") + suffix(elements_of)};
  out.args.size = elements(y);
  out.args.op = op;
  const int64_t a_size = elements(a), b_size = elements(b);
  const bool plain = (a_size == out.args.size || a_size == 1) && (b_size == out.args.size || b_size == 1);
  out.args.general = plain ? 0 : 1;
  out.args.a_step = a_size == 1 ? 0 : 1;
  out.args.b_step = b_size == 1 ? 0 : 1;
  if (!plain) out.args.walk = make_walk<2>(y, {broadcast_strides(a, y), broadcast_strides(b, y)});
  const bool packed = plain && !compares && a_size == b_size;
  out.grid = grid_for(out.args.size, packed ? 16 / item_bytes(dtype) : 1);
  return out;
}

void run_pair(const Pair& pair, const Launch& launch, Ptr a, Ptr b, Ptr y) {
  if (pair.args.size == 0) return;
  BinaryArgs now = pair.args;
  now.a = a;
  now.b = b;
  now.y = y;
  now.errors = launch.errors();
  launch.run(pair.kernel, pair.grid, now);
}

Run prepare_binary(Plan& plan) {
  const Node& node = plan.node();
  for (const BinaryEntry& entry : kBinary) {
    if (node.op() != entry.op) continue;
    BinaryOp op = entry.code;
    const percale_dtype dtype = node.dtype(0);
    refuse_if(dtype != node.dtype(1), "the operands differ in dtype");
    if (op == BinaryOp::kMod) {
      const bool fmod = node.attribute("fmod", int64_t{0}) != 0;
      refuse_if(is_float(dtype) && !fmod, "floating-point operands require fmod = 1");
      if (fmod) op = BinaryOp::kFmod;
    }
    if (node.op() == "BitShift" && node.attribute("direction", std::string_view()) == "LEFT") op = BinaryOp::kShiftLeft;
    const Pair pair = make_pair(dtype, op, entry.compares, node.dims(0), node.dims(1), node.output_dims());
    return [=](const Launch& launch) { run_pair(pair, launch, launch.in(0), launch.in(1), launch.out(0)); };
  }
  throw Refusal("this function of two operands is not supported");
}

// Max, Min, Sum, Mean: combines the first two operands, then each further operand with the result
// so far.
Run prepare_variadic(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  const bool mean = node.op() == "Mean", extreme = node.op() == "Max" || node.op() == "Min";
  const BinaryOp op = node.op() == "Max" ? BinaryOp::kMax : node.op() == "Min" ? BinaryOp::kMin : BinaryOp::kAdd;
  // The library adds in a wider type and rounds once.
  const bool narrow = dtype == PERCALE_DTYPE_F16 || dtype == PERCALE_DTYPE_BF16;
  const size_t count = node.inputs();
  refuse_if(narrow && !extreme && (count > 2 || mean),
            "sums of three or more 16-bit operands would round after each addition");
  const Dims y = node.output_dims();
  std::vector<Pair> pairs;
  if (count == 1) {
    // The maximum of one operand with itself is that operand.
    pairs.push_back(make_pair(dtype, extreme ? op : BinaryOp::kMax, false, node.dims(0), node.dims(0), y));
  }
  for (size_t i = 1; i < count; ++i) {
    pairs.push_back(make_pair(dtype, op, false, i == 1 ? node.dims(0) : y, node.dims(i), y));
  }
  UnaryArgs scale{};
  scale.size = elements(y);
  scale.op = UnaryOp::kScale;
  scale.alpha = 1.0 / static_cast<double>(count);
  const DeviceKernel scaling{Family::elementwise, std::string("percale_unary_") + (mean ? suffix(dtype) : "f32")};
  return [=](const Launch& launch) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Ptr a = i == 0 ? launch.in(0) : launch.out(0);
      run_pair(pairs[i], launch, a, launch.in(count == 1 ? 0 : i + 1), launch.out(0));
    }
    if (!mean || scale.size == 0) return;
    UnaryArgs now = scale;
    now.x = now.y = launch.out(0);
    launch.run(scaling, grid_for(scale.size, 16 / item_bytes(dtype)), now);
  };
}

Run prepare_where(Plan& plan) {
  const Node& node = plan.node();
  const Dims y = node.output_dims();
  const DeviceKernel kernel{Family::elementwise, "percale_where_" + std::to_string(item_bytes(node.dtype(1)))};
  WhereArgs args{};
  args.size = elements(y);
  args.walk = make_walk<3>(
      y, {broadcast_strides(node.dims(0), y), broadcast_strides(node.dims(1), y), broadcast_strides(node.dims(2), y)});
  const LaunchGrid grid = grid_for(args.size);
  return [=](const Launch& launch) {
    if (args.size == 0) return;
    WhereArgs now = args;
    now.condition = launch.in(0);
    now.a = launch.in(1);
    now.b = launch.in(2);
    now.y = launch.out(0);
    launch.run(kernel, grid, now);
  };
}

}  // namespace

std::optional<BinaryOp> binary_code(const Node& node) {
  if (node.op() == "Max") return BinaryOp::kMax;
  if (node.op() == "Min") return BinaryOp::kMin;
  if (node.op() == "Sum" || node.op() == "Mean") return BinaryOp::kAdd;
  for (const BinaryEntry& entry : kBinary) {
    if (entry.code <= BinaryOp::kPow && node.op() == entry.op) return entry.code;
    if (entry.code == BinaryOp::kReluGrad && node.op() == entry.op) return entry.code;
  }
  return {};
}

void add_binary(Entries& entries) {
  for (const BinaryEntry& entry : kBinary)
    entries.push_back({"cuda.binary", entry.domain, entry.op, prepare_binary, kAllImages});
  for (const char* op : {"Max", "Min", "Sum", "Mean"})
    entries.push_back({"cuda.variadic", "", op, prepare_variadic, kAllImages});
  entries.push_back({"cuda.where", "", "Where", prepare_where, kAllImages});
}

}  // namespace percale::cuda
