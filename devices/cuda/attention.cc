// FusedAttention: cuDNN's, or a kernel of our own; neither ever holds all scores.
#include <algorithm>
#include <memory>

#include "devices/cuda/dnn_attention.h"
#include "devices/cuda/kernels.h"
#include "devices/cuda/walk.h"

namespace percale::cuda {
namespace {

constexpr int64_t kRows = 32, kMostSize = 128;  // as in kernels/attention.cu
// Fewer scores are not worth the time that cuDNN takes to compile for them; it wants rows of so many elements.
constexpr int64_t kLibraryScores = 1 << 16, kLibraryRow = 8;

// [batch, heads, sequence, size] of an operand that may lie by row, [batch, sequence, heads, size], and its steps.
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

// What cuDNN does of a node, if it does.
class Library {
 public:
  Library(Plan& plan, percale_dtype dtype, const AttentionArgs& args, const Dims& mask)
      : rows_(args.batch * args.heads * args.queries) {
    const bool half = dtype == PERCALE_DTYPE_F16 || dtype == PERCALE_DTYPE_BF16;
    if (!half || rows_ * args.keys < kLibraryScores || args.size % kLibraryRow != 0 ||
        args.value_size % kLibraryRow != 0 || !plan.has_dnn()) {
      return;
    }
    planned_ = std::make_shared<PlannedAttention>(dtype, args, mask);
    statistics_ = plan.book(rows_ * 4);
    workspace_ = plan.book_workspace(planned_->rules().workspace);
    end_ = {Family::attention, std::string("percale_attention_end_") + suffix(dtype)};
    ends_ = !mask.empty() || args.nan_is_zero != 0;
  }
  // False, and nothing was enqueued, where it does not.
  bool run(const Launch& launch, const AttentionArgs& a) const {
    if (planned_ == nullptr) return false;
    const Ptr statistics = launch.scratch(statistics_);
    if (!planned_->run(launch, a, statistics, launch.workspace(workspace_))) return false;
    if (!ends_) return true;
    AttentionEndArgs end{statistics, a.y, a.batch, a.heads, a.queries, {}, a.value_size, a.nan_is_zero};
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

Run prepare_attention(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  refuse_if(!is_float(dtype), "attends in floats alone");
  const DeviceKernel kernel{Family::attention, std::string("percale_attention_") + suffix(dtype)};
  const auto by_row = [&](const char* name) { return node.attribute(name, int64_t{0}) != 0; };
  AttentionArgs args{};
  const Heads q = heads_of(node.dims(0), by_row("q_by_row"), args.q_steps),
              k = heads_of(node.dims(1), by_row("k_by_row"), args.k_steps),
              v = heads_of(node.dims(2), by_row("v_by_row"), args.v_steps);
  heads_of(node.output_dims(), by_row("y_by_row"), args.y_steps);
  refuse_if(q.size > kMostSize || v.size > kMostSize, "heads of more than 128 elements");
  args.batch = q.batch;
  args.heads = q.heads;
  args.kv_heads = k.heads;
  args.queries = q.sequence;
  args.keys = k.sequence;
  args.size = static_cast<int32_t>(q.size);
  args.value_size = static_cast<int32_t>(v.size);
  args.scale = node.attribute("scale", 1.0);
  args.nan_is_zero = node.attribute("nan_is_zero", int64_t{0}) != 0;
  const bool masked = node.has(3);
  if (masked) {
    args.wide_mask = node.dtype(3) != dtype;
    refuse_if(args.wide_mask != 0 && (dtype == PERCALE_DTYPE_F64 || node.dtype(3) != PERCALE_DTYPE_F32),
              "a mask is of the type of Q, or f32 for narrower ones");
    const Dims steps = broadcast_strides(node.dims(3), {q.batch, q.heads, q.sequence, k.sequence});
    std::copy(steps.begin(), steps.end(), args.mask_steps);
  }
  Dims mask = masked ? node.dims(3) : Dims();
  if (masked) mask.insert(mask.begin(), 4 - mask.size(), 1);
  const Library library(plan, dtype, args, mask);
  const int64_t bytes = elements(node.output_dims()) * item_bytes(dtype);
  Grid grid;
  grid.blocks =
      static_cast<unsigned>(std::clamp<int64_t>(q.batch * q.heads * ((q.sequence + kRows - 1) / kRows), 1, INT32_MAX));
  const int64_t shared = kRows * (q.size + 1) + kRows * (std::max(q.size, v.size) + 1) + kRows * (kRows + 1);
  grid.shared = static_cast<unsigned>(shared * (dtype == PERCALE_DTYPE_F64 ? 8 : 4));
  return [=](const Launch& launch) {
    if (bytes == 0) return;
    if (args.keys == 0) {  // a sum of nothing
      launch.queue().clear(launch.out(0).address, static_cast<uint64_t>(bytes));
      return;
    }
    AttentionArgs now = args;
    now.q = launch.in(0);
    now.k = launch.in(1);
    now.v = launch.in(2);
    if (masked) now.mask = launch.in(3);
    now.y = launch.out(0);
    if (!library.run(launch, now)) launch.run(kernel, grid, now);
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
}

}  // namespace percale::cuda
