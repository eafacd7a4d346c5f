#include "devices/cuda/vendor/dnn_attention.h"

#include <limits>

#include "devices/cuda/launch/walk.h"

namespace percale::cuda {
namespace {

constexpr int64_t kWorkspace = 1 << 20;
// The bytes per score that the gradients need. Sequence lengths are rounded up to kSequence.
constexpr int64_t kScoreBytes = 6, kSequence = 64;
// The score of a key that a causal mask hides. It is finite, as in NVIDIA's own graphs.
constexpr float kHidden = std::numeric_limits<float>::lowest();

// The strides of [batch, heads, sequence, size], and of the same with the last two dims swapped.
Dims rows(const int64_t (&steps)[3]) { return {steps[0], steps[1], steps[2], 1}; }
Dims columns(const int64_t (&steps)[3]) { return {steps[0], steps[1], 1, steps[2]}; }

// The common beginning of both graphs, in the form that cuDNN recognises as flash attention, and
// the numbers of its tensors. Several heads of Q may share one of K and V.
struct Beginning {
  const percale_dtype dtype;
  const AttentionArgs a;
  const Dims per_score{a.batch, a.heads, a.queries, a.keys}, per_row{a.batch, a.heads, a.queries, 1};
  DnnGraph graph;
  DnnGraph::Number q, k, scale, mask = -1, hidden = -1, statistics, scores;

  Beginning(percale_dtype type, const AttentionArgs& args, const AttentionMask& given) : dtype(type), a(args) {
    q = graph.tensor(dtype, {a.batch, a.heads, a.queries, a.size}, rows(a.q_steps));
    k = graph.tensor(dtype, {a.batch, a.kv_heads, a.size, a.keys}, columns(a.k_steps));
    scale = graph.number(per_score.size());
    statistics = graph.tensor(PERCALE_DTYPE_F32, per_row, row_major(per_row));
    const auto product = between(per_score), scaled = between(per_score);
    graph.matmul(q, k, product);
    graph.pointwise(abi::kDnnPointwiseMul, product, scale, scaled);
    scores = scaled;
    if (given.dims.empty()) return;
    if (given.causal) {
      const auto query = between(per_score, PERCALE_DTYPE_I32), key = between(per_score, PERCALE_DTYPE_I32),
                 seen = between(per_score, PERCALE_DTYPE_BOOL);
      graph.index(2, scaled, query);
      graph.index(3, scaled, key);
      graph.at_least(query, key, seen);
      hidden = graph.number(per_score.size());
      scores = between(per_score);
      graph.select(seen, scaled, hidden, scores);
    } else {
      mask = graph.tensor(a.wide_mask != 0 ? PERCALE_DTYPE_F32 : dtype, given.dims, row_major(given.dims));
      scores = between(per_score);
      graph.pointwise(abi::kDnnPointwiseAdd, scaled, mask, scores);
    }
  }

  DnnGraph::Number between(const Dims& dims, percale_dtype type = PERCALE_DTYPE_F32) {
    return graph.between(dims, row_major(dims), type);
  }
  void operands(const AttentionArgs& now, const float& factor, std::vector<PlannedGraph::Operand>& out) const {
    const auto on_host = [](const float& number) { return Ptr{reinterpret_cast<uint64_t>(&number)}; };
    out.insert(out.end(), {{q, now.q}, {k, now.k}, {statistics, now.statistics}, {scale, on_host(factor)}});
    if (mask >= 0) out.push_back({mask, now.mask});
    if (hidden >= 0) out.push_back({hidden, on_host(kHidden)});
  }
};

struct Forward : Beginning {
  DnnGraph::Number v, y;

  Forward(percale_dtype type, const AttentionArgs& args, const AttentionMask& given) : Beginning(type, args, given) {
    v = graph.tensor(dtype, {a.batch, a.kv_heads, a.keys, a.value_size}, rows(a.v_steps));
    y = graph.tensor(dtype, {a.batch, a.heads, a.queries, a.value_size}, rows(a.y_steps));
    const auto most = between(per_row), less = between(per_score), weights = between(per_score), sum = between(per_row),
               log = between(per_row), p = between(per_score, dtype);
    graph.reduction(abi::kDnnReduceMax, scores, most);
    graph.pointwise(abi::kDnnPointwiseSub, scores, most, less);
    graph.pointwise(abi::kDnnPointwiseExp, less, -1, weights);
    graph.reduction(abi::kDnnReduceAdd, weights, sum);
    graph.pointwise(abi::kDnnPointwiseLog, sum, -1, log);
    graph.pointwise(abi::kDnnPointwiseAdd, most, log, statistics);
    graph.pointwise(abi::kDnnPointwiseDiv, weights, sum, p);
    graph.matmul(p, v, y);
  }
};

// With P = exp(scores - statistics): dV = P^T dY, dS = scale P * (dY V^T - rows of dY * Y summed),
// dQ = dS K, dK = dS^T Q.
struct Backward : Beginning {
  DnnGraph::Number v, y, dy, dq, dk, dv;

  Backward(percale_dtype type, const AttentionGradArgs& g, const AttentionMask& given) : Beginning(type, g.of, given) {
    const Dims of_y{a.batch, a.heads, a.queries, a.value_size};
    v = graph.tensor(dtype, {a.batch, a.heads, a.value_size, a.keys}, columns(a.v_steps));
    y = graph.tensor(dtype, of_y, rows(a.y_steps));
    dy = graph.tensor(dtype, of_y, rows(g.dy_steps));
    dq = graph.tensor(dtype, {a.batch, a.heads, a.queries, a.size}, rows(a.q_steps));
    dk = graph.tensor(dtype, {a.batch, a.heads, a.keys, a.size}, rows(a.k_steps));
    dv = graph.tensor(dtype, {a.batch, a.heads, a.keys, a.value_size}, rows(a.v_steps));

    const auto along = between(of_y), delta = between(per_row), less = between(per_score), p = between(per_score);
    graph.pointwise(abi::kDnnPointwiseMul, dy, y, along);
    graph.reduction(abi::kDnnReduceAdd, along, delta);
    graph.pointwise(abi::kDnnPointwiseSub, scores, statistics, less);
    graph.pointwise(abi::kDnnPointwiseExp, less, -1, p);
    const auto narrow_p = between(per_score, dtype);
    graph.pointwise(abi::kDnnPointwiseIdentity, p, -1, narrow_p);
    graph.matmul(turned(narrow_p), dy, dv);

    const auto dp = between(per_score), centered = between(per_score), weighed = between(per_score),
               ds = between(per_score, dtype);
    graph.matmul(dy, v, dp);
    graph.pointwise(abi::kDnnPointwiseSub, dp, delta, centered);
    graph.pointwise(abi::kDnnPointwiseMul, centered, p, weighed);
    graph.pointwise(abi::kDnnPointwiseMul, weighed, scale, ds);
    const auto keys = graph.between({a.batch, a.heads, a.keys, a.size}, rows(a.k_steps), dtype);
    graph.reshape(k, keys);
    graph.matmul(ds, keys, dq);
    graph.matmul(turned(ds), q, dk);
  }

  // Transposes a tensor of scores to [batch, heads, keys, queries].
  DnnGraph::Number turned(DnnGraph::Number scores_like) {
    const Dims steps = row_major(per_score);
    const auto out =
        graph.between({a.batch, a.heads, a.keys, a.queries}, {steps[0], steps[1], steps[3], steps[2]}, dtype);
    graph.reshape(scores_like, out);
    return out;
  }

  int64_t workspace() const {
    const auto padded = [](int64_t n) { return (n + kSequence - 1) / kSequence * kSequence; };
    return kWorkspace + kScoreBytes * a.batch * a.heads * padded(a.queries) * padded(a.keys);
  }
};

}  // namespace

struct PlannedAttention::Made {
  Made(percale_dtype dtype, const AttentionArgs& args, const AttentionMask& mask)
      : written(dtype, args, mask),
        rules{.workspace = kWorkspace, .rounds = true, .compiles = true},
        planned(written.graph, rules) {}
  const Forward written;
  const DnnRules rules;
  const PlannedGraph planned;
};

PlannedAttention::PlannedAttention(percale_dtype dtype, const AttentionArgs& args, const AttentionMask& mask)
    : made_(std::make_unique<const Made>(dtype, args, mask)) {}
PlannedAttention::~PlannedAttention() = default;

const DnnGraph& PlannedAttention::graph() const { return made_->written.graph; }
const DnnRules& PlannedAttention::rules() const { return made_->rules; }

bool PlannedAttention::run(const Launch& launch, const AttentionArgs& now, Ptr workspace) const {
  const Forward& w = made_->written;
  const auto scale = static_cast<float>(now.scale);
  std::vector<PlannedGraph::Operand> given{{w.v, now.v}, {w.y, now.y}};
  w.operands(now, scale, given);
  return made_->planned.run(launch, given, workspace);
}

struct PlannedAttentionGrad::Made {
  Made(percale_dtype dtype, const AttentionGradArgs& args, const AttentionMask& mask)
      : written(dtype, args, mask),
        rules{.workspace = written.workspace(), .rounds = true, .compiles = true},
        planned(written.graph, rules) {}
  const Backward written;
  const DnnRules rules;
  const PlannedGraph planned;
};

PlannedAttentionGrad::PlannedAttentionGrad(percale_dtype dtype, const AttentionGradArgs& args,
                                           const AttentionMask& mask)
    : made_(std::make_unique<const Made>(dtype, args, mask)) {}
PlannedAttentionGrad::~PlannedAttentionGrad() = default;

const DnnGraph& PlannedAttentionGrad::graph() const { return made_->written.graph; }
const DnnRules& PlannedAttentionGrad::rules() const { return made_->rules; }

bool PlannedAttentionGrad::run(const Launch& launch, const AttentionGradArgs& now, Ptr workspace) const {
  const Backward& w = made_->written;
  const auto scale = static_cast<float>(now.of.scale);
  std::vector<PlannedGraph::Operand> given{{w.v, now.of.v}, {w.y, now.of.y}, {w.dy, now.dy},
                                           {w.dq, now.dq},  {w.dk, now.dk},  {w.dv, now.dv}};
  w.operands(now.of, scale, given);
  return made_->planned.run(launch, given, workspace);
}

}  // namespace percale::cuda
