#include "devices/cuda/dnn_attention.h"

#include "devices/cuda/walk.h"

namespace percale::cuda {
namespace {

constexpr int64_t kWorkspace = 1 << 20;

// The graph, written out as cuDNN knows flash attention, and the numbers of its tensors. Heads of Q share those of K and V.
struct Written {
  DnnGraph graph;
  DnnGraph::Number q, k, v, scale, mask = -1, statistics, y;

  Written(percale_dtype dtype, const AttentionArgs& a, const Dims& mask_dims) {
    const auto heads = [](const int64_t(&steps)[3]) { return Dims{steps[0], steps[1], steps[2], 1}; };
    const Dims scores{a.batch, a.heads, a.queries, a.keys}, rows{a.batch, a.heads, a.queries, 1};
    const auto between = [&](const Dims& dims, percale_dtype type = PERCALE_DTYPE_F32) {
      return graph.between(dims, row_major(dims), type);
    };
    q = graph.tensor(dtype, {a.batch, a.heads, a.queries, a.size}, heads(a.q_steps));
    k = graph.tensor(dtype, {a.batch, a.kv_heads, a.size, a.keys}, {a.k_steps[0], a.k_steps[1], 1, a.k_steps[2]});
    v = graph.tensor(dtype, {a.batch, a.kv_heads, a.keys, a.value_size}, heads(a.v_steps));
    y = graph.tensor(dtype, {a.batch, a.heads, a.queries, a.value_size}, heads(a.y_steps));
    scale = graph.number(scores.size());
    statistics = graph.tensor(PERCALE_DTYPE_F32, rows, row_major(rows));
    const auto product = between(scores), scaled = between(scores);
    graph.matmul(q, k, product);
    graph.pointwise(abi::kDnnPointwiseMul, product, scale, scaled);
    DnnGraph::Number at = scaled;
    if (!mask_dims.empty()) {
      mask = graph.tensor(a.wide_mask != 0 ? PERCALE_DTYPE_F32 : dtype, mask_dims, row_major(mask_dims));
      at = between(scores);
      graph.pointwise(abi::kDnnPointwiseAdd, scaled, mask, at);
    }
    const auto most = between(rows), less = between(scores), weights = between(scores), sum = between(rows),
               log = between(rows), p = between(scores, dtype);
    graph.reduction(abi::kDnnReduceMax, at, most);
    graph.pointwise(abi::kDnnPointwiseSub, at, most, less);
    graph.pointwise(abi::kDnnPointwiseExp, less, -1, weights);
    graph.reduction(abi::kDnnReduceAdd, weights, sum);
    graph.pointwise(abi::kDnnPointwiseLog, sum, -1, log);
    graph.pointwise(abi::kDnnPointwiseAdd, most, log, statistics);
    graph.pointwise(abi::kDnnPointwiseDiv, weights, sum, p);
    graph.matmul(p, v, y);
  }
};

}  // namespace

struct PlannedAttention::Made {
  Made(percale_dtype dtype, const AttentionArgs& args, const Dims& mask)
      : written(dtype, args, mask),
        rules{.workspace = kWorkspace, .rounds = true, .compiles = true},
        planned(written.graph, rules) {}
  const Written written;
  const DnnRules rules;
  const PlannedGraph planned;
};

PlannedAttention::PlannedAttention(percale_dtype dtype, const AttentionArgs& args, const Dims& mask)
    : made_(std::make_unique<const Made>(dtype, args, mask)) {}
PlannedAttention::~PlannedAttention() = default;

const DnnGraph& PlannedAttention::graph() const { return made_->written.graph; }
const DnnRules& PlannedAttention::rules() const { return made_->rules; }

bool PlannedAttention::run(const Launch& launch, const AttentionArgs& operands, Ptr statistics, Ptr workspace) const {
  const Written& w = made_->written;
  const auto scale = static_cast<float>(operands.scale);
  std::vector<PlannedGraph::Operand> given{{w.q, operands.q},          {w.k, operands.k},
                                           {w.v, operands.v},          {w.y, operands.y},
                                           {w.statistics, statistics}, {w.scale, {reinterpret_cast<uint64_t>(&scale)}}};
  if (w.mask >= 0) given.push_back({w.mask, operands.mask});
  return made_->planned.run(launch, given, workspace);
}

}  // namespace percale::cuda
