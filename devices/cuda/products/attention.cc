// FusedAttention and its gradients, by cuDNN or by kernels of this plug-in.
#include <algorithm>
#include <memory>

#include "devices/cuda/kernels/common/product_args.h"
#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/launch/walk.h"
#include "devices/cuda/vendor/dnn_attention.h"

namespace percale::cuda {
namespace {

// With fewer scores, cuDNN's time for compiling does not pay off. cuDNN needs row sizes that are
// multiples of kLibraryRow.
constexpr int64_t kLibraryScores = 1 << 16, kLibraryRow = 8;
constexpr int64_t kMostWorkspace = int64_t{4} << 30;
// The magnitude from which a negative number in a mask leaves no weight to its key: 60,000 in
// each type.
constexpr uint32_t kLowF32 = 0x476A6000, kInfinityF32 = 0x7F800000;
constexpr uint16_t kLowF16 = 0x7B53, kInfinityF16 = 0x7C00, kLowBF16 = 0x476A, kInfinityBF16 = 0x7F80;

// The sizes of an operand [batch, heads, sequence, size], or [batch, sequence, heads, size] if
// `by_row`, and its strides.
struct Heads {
  int64_t batch, heads, sequence, size;
};
Heads heads_of(const Dims& dims, bool by_row, int64_t (&steps)[3]) {
  const Dims own = row_major(dims);
  steps[0] = own[0];
  steps[1] = own[by_row ? 2 : 1];
  steps[2] = own[by_row ? 1 : 2];
  return {dims[0], dims[by_row ? 2 : 1], dims[by_row ? 1 : 2], dims[3]};
}

// True if a square mask adds nothing up to the diagonal, and hides what is right of it. `low` and
// `infinity` are the bits of the magnitudes of numbers that hide a key.
template <class Bits>
bool is_causal(const Bits* mask, int64_t size, Bits low, Bits infinity) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  for (int64_t query = 0; query < size; ++query) {
    for (int64_t key = 0; key < size; ++key) {
      const Bits bits = *mask++, magnitude = static_cast<Bits>(bits & ~kSign);
      const bool fits = key <= query ? magnitude == 0 : bits >= kSign && magnitude >= low && magnitude <= infinity;
      if (!fits) return false;
    }
  }
  return true;
}
bool is_causal(const Node& node, size_t mask, const AttentionArgs& args) {
  const void* const known = node.constant(mask);
  const Dims dims = node.dims(mask);
  const int64_t size = args.queries;
  if (known == nullptr || args.keys != size || elements(dims) != size * size || dims.back() != size) return false;
  switch (node.dtype(mask)) {
    case PERCALE_DTYPE_F32: return is_causal(static_cast<const uint32_t*>(known), size, kLowF32, kInfinityF32);
    case PERCALE_DTYPE_F16: return is_causal(static_cast<const uint16_t*>(known), size, kLowF16, kInfinityF16);
    case PERCALE_DTYPE_BF16: return is_causal(static_cast<const uint16_t*>(known), size, kLowBF16, kInfinityBF16);
    default: return false;
  }
}

// The sizes and strides of Q, K and V, which are the inputs from `first` on, and of a mask. Y and
// the pointers are not set.
struct Operands {
  AttentionArgs args{};
  Dims mask;
};
Operands operands_of(const Node& node, size_t first, size_t mask) {
  const percale_dtype dtype = node.dtype(first);
  refuse_if(!is_float(dtype), "supports only floating-point types");
  const auto by_row = [&](const char* name) { return node.attribute(name, int64_t{0}) != 0; };
  Operands out;
  AttentionArgs& args = out.args;
  const Heads q = heads_of(node.dims(first), by_row("q_by_row"), args.q_steps),
              k = heads_of(node.dims(first + 1), by_row("k_by_row"), args.k_steps),
              v = heads_of(node.dims(first + 2), by_row("v_by_row"), args.v_steps);
  refuse_if(q.size > kMostHeadSize || v.size > kMostHeadSize, "heads of more than 128 elements are not supported");
  args.batch = q.batch;
  args.heads = q.heads;
  args.kv_heads = k.heads;
  args.queries = q.sequence;
  args.keys = k.sequence;
  args.size = static_cast<int32_t>(q.size);
  args.value_size = static_cast<int32_t>(v.size);
  args.scale = node.attribute("scale", 1.0);
  if (!node.has(mask)) return out;
  args.wide_mask = node.dtype(mask) != dtype;
  refuse_if(args.wide_mask != 0 && (dtype == PERCALE_DTYPE_F64 || node.dtype(mask) != PERCALE_DTYPE_F32),
            "the mask must have the dtype of Q, or be f32 for 16-bit types");
  const Dims steps = broadcast_strides(node.dims(mask), {q.batch, q.heads, q.sequence, k.sequence});
  std::copy(steps.begin(), steps.end(), args.mask_steps);
  out.mask = node.dims(mask);
  out.mask.insert(out.mask.begin(), 4 - out.mask.size(), 1);
  return out;
}

// True if the own kernels use tensor cores.
bool has_half(percale_dtype dtype) { return dtype == PERCALE_DTYPE_F16 || dtype == PERCALE_DTYPE_BF16; }

DeviceKernel attention_kernel(const std::string& what, percale_dtype dtype) {
  return {has_half(dtype) ? Family::attention_tensor : Family::attention, "percale_attention_" + what + suffix(dtype)};
}

// True if cuDNN may be used.
bool suits_library(Plan& plan, percale_dtype dtype, const AttentionArgs& args) {
  return has_half(dtype) && args.batch * args.heads * args.queries * args.keys >= kLibraryScores &&
         args.size % kLibraryRow == 0 && args.value_size % kLibraryRow == 0 && plan.has_dnn();
}

// Returns the mask for cuDNN. This reads all of a mask that is known.
AttentionMask mask_of(const Node& node, size_t mask, const Operands& of) {
  return {of.mask, !of.mask.empty() && is_causal(node, mask, of.args)};
}

// The next multiple of 16.
int64_t padded(int64_t size) { return (size + 15) / 16 * 16; }
int64_t rows_of(const AttentionArgs& args) { return args.batch * args.heads * args.queries; }
int64_t wide_bytes(percale_dtype dtype) { return dtype == PERCALE_DTYPE_F64 ? 8 : 4; }

// Runs a node with cuDNN if possible.
class Library {
 public:
  Library(Plan& plan, percale_dtype dtype, const Operands& of) : rows_(rows_of(of.args)) {
    if (!suits_library(plan, dtype, of.args)) return;
    const AttentionMask mask = mask_of(plan.node(), 3, of);
    planned_ = std::make_shared<PlannedAttention>(dtype, of.args, mask);
    statistics_ = plan.book(rows_ * 4);
    workspace_ = plan.book_workspace(planned_->rules().workspace);
    end_ = {Family::attention, std::string("percale_attention_end_") + suffix(dtype)};
    ends_ = (!mask.dims.empty() && !mask.causal) || of.args.nan_is_zero != 0;
  }
  // Returns false and enqueues nothing if cuDNN does not run the node.
  bool run(const Launch& launch, AttentionArgs a) const {
    if (planned_ == nullptr) return false;
    if (a.statistics.address == 0) a.statistics = launch.scratch(statistics_);
    if (!planned_->run(launch, a, launch.workspace(workspace_))) return false;
    if (!ends_) return true;
    AttentionEndArgs end{a.statistics, a.y, a.batch, a.heads, a.queries, {}, a.value_size, a.nan_is_zero};
    std::copy(a.y_steps, a.y_steps + 3, end.y_steps);
    launch.run(end_, grid_for(rows_), end);
    return true;
  }

 private:
  const int64_t rows_;
  std::shared_ptr<const PlannedAttention> planned_;
  int64_t statistics_ = 0, workspace_ = 0;
  DeviceKernel end_{};
  bool ends_ = false;
};

// The shared memory of a block of the own kernels, in elements of the type of computing or, on
// tensor cores, of the operands.
int64_t forward_elements(percale_dtype dtype, int64_t size, int64_t value_size) {
  if (!has_half(dtype)) {
    return kAttentionRows * (size + 1) + kAttentionRows * (std::max(size, value_size) + 1) +
           kAttentionRows * (kAttentionRows + 1);
  }
  return (kTensorRows + kTensorOthers) * (padded(size) + kTensorGap) +
         padded(value_size) * (kTensorOthers + kTensorGap);
}
int64_t backward_elements(percale_dtype dtype, int64_t size, int64_t value_size) {
  if (!has_half(dtype))
    return 2 * kAttentionRows * (size + 1) + 2 * kAttentionRows * (value_size + 1) +
           2 * kAttentionRows * (kAttentionRows + 1);
  const int64_t row = padded(size), value_row = padded(value_size);
  return (kTensorRows + kTensorOthers) * (row + value_row + 2 * kTensorGap) +
         (row + value_row) * (kTensorOthers + kTensorGap);
}

// One block for each tile of rows, with so many elements of shared memory.
LaunchGrid tiles_of(const AttentionArgs& args, int64_t sequence, percale_dtype dtype, int64_t elements) {
  LaunchGrid grid;
  const int64_t rows = has_half(dtype) ? kTensorRows : kAttentionRows;
  const int64_t tiles = args.batch * args.heads * ((sequence + rows - 1) / rows);
  grid.blocks = static_cast<unsigned>(std::clamp<int64_t>(tiles, 1, INT32_MAX));
  grid.shared = static_cast<unsigned>(elements * (has_half(dtype) ? item_bytes(dtype) : wide_bytes(dtype)));
  if (has_half(dtype)) grid.threads = kTensorThreads;
  return grid;
}

Run prepare_attention(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  Operands of = operands_of(node, 0, 3);
  AttentionArgs& sizes = of.args;
  const bool masked = node.has(3), asked = node.gives(1);
  heads_of(node.output_dims(), node.attribute("y_by_row", int64_t{0}) != 0, sizes.y_steps);
  sizes.nan_is_zero = node.attribute("nan_is_zero", int64_t{0}) != 0;
  const DeviceKernel kernel = attention_kernel("", dtype);
  const Library library(plan, dtype, of);
  const int64_t bytes = elements(node.output_dims()) * item_bytes(dtype);
  refuse_if(asked && sizes.keys == 0, "there are no keys");
  const LaunchGrid grid = tiles_of(sizes, sizes.queries, dtype, forward_elements(dtype, sizes.size, sizes.value_size));
  return [=, args = sizes](const Launch& launch) {
    if (bytes == 0) return;
    if (args.keys == 0) {  // a sum over no keys
      launch.stream().clear(launch.out(0).address, static_cast<uint64_t>(bytes));
      return;
    }
    AttentionArgs now = args;
    now.q = launch.in(0);
    now.k = launch.in(1);
    now.v = launch.in(2);
    if (masked) now.mask = launch.in(3);
    now.y = launch.out(0);
    if (asked) now.statistics = launch.out(1);
    if (!library.run(launch, now)) launch.run(kernel, grid, now);
  };
}

Run prepare_attention_grad(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(1);
  const Operands of = operands_of(node, 1, 6);
  AttentionGradArgs args{};
  args.of = of.args;
  refuse_if(node.dtype(5) != (dtype == PERCALE_DTYPE_F64 ? dtype : PERCALE_DTYPE_F32),
            "the statistics have an unsupported dtype");
  refuse_if(of.args.queries == 0 || of.args.keys == 0 || of.args.batch == 0 || of.args.heads == 0,
            "an operand has no elements");
  heads_of(node.dims(0), node.attribute("dy_by_row", int64_t{0}) != 0, args.dy_steps);
  heads_of(node.dims(4), node.attribute("y_by_row", int64_t{0}) != 0, args.of.y_steps);
  const bool masked = node.has(6);
  std::shared_ptr<const PlannedAttentionGrad> planned;
  int64_t workspace = 0;
  if (suits_library(plan, dtype, args.of)) {
    const auto made = std::make_shared<const PlannedAttentionGrad>(dtype, args, mask_of(node, 6, of));
    if (made->rules().workspace <= kMostWorkspace) {
      planned = made;
      workspace = plan.book_workspace(made->rules().workspace);
    }
  }
  const int64_t delta = plan.book(rows_of(args.of) * wide_bytes(dtype));
  const DeviceKernel sums{Family::attention, std::string("percale_attention_delta_") + suffix(dtype)};
  const DeviceKernel of_q = attention_kernel("grad_q_", dtype), of_kv = attention_kernel("grad_kv_", dtype);
  const int64_t shared = backward_elements(dtype, args.of.size, args.of.value_size);
  const LaunchGrid by_query = tiles_of(args.of, args.of.queries, dtype, shared),
                   by_key = tiles_of(args.of, args.of.keys, dtype, shared);
  return [=](const Launch& launch) {
    AttentionGradArgs now = args;
    now.dy = launch.in(0);
    now.of.q = launch.in(1);
    now.of.k = launch.in(2);
    now.of.v = launch.in(3);
    now.of.y = launch.in(4);
    now.of.statistics = launch.in(5);
    if (masked) now.of.mask = launch.in(6);
    now.dq = launch.out(0);
    now.dk = launch.out(1);
    now.dv = launch.out(2);
    if (planned != nullptr && planned->run(launch, now, launch.workspace(workspace))) return;
    now.delta = launch.scratch(delta);
    launch.run(sums, grid_for(rows_of(now.of)), now);
    launch.run(of_q, by_query, now);
    launch.run(of_kv, by_key, now);
  };
}

Run prepare_rotary(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  RotaryArgs args{};
  args.size = elements(x);
  args.half = x.back() / 2;
  args.walk = make_walk<2>(x, {broadcast_strides(node.dims(1), x), broadcast_strides(node.dims(2), x)});
  const DeviceKernel kernel{Family::attention, std::string("percale_rotary_") + suffix(node.dtype(0))};
  return [=](const Launch& launch) {
    if (args.size == 0) return;
    RotaryArgs now = args;
    now.x = launch.in(0);
    now.cosine = launch.in(1);
    now.sine = launch.in(2);
    now.y = launch.out(0);
    launch.run(kernel, grid_for(args.size), now);
  };
}

}  // namespace

void add_attention(Entries& entries) {
  entries.push_back({"cuda.rotary", "percale", "FusedRotary", prepare_rotary});
  entries.push_back({"cuda.attention", "percale", "FusedAttention", prepare_attention});
  entries.push_back({"cuda.attention_grad", "percale", "FusedAttentionGrad", prepare_attention_grad});
}

}  // namespace percale::cuda
