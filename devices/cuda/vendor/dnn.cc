#include "devices/cuda/vendor/dnn.h"

#include <algorithm>

#include "devices/cuda/launch/walk.h"

namespace percale::cuda {
namespace {

constexpr int64_t kMostWorkspace = int64_t{256} << 20;

// Returns the strides of images or weights with the channels in the second dim or last.
Dims strides_of(const Dims& dims, bool channels_last) {
  if (!channels_last) return row_major(dims);
  Dims moved = dims;
  std::rotate(moved.begin() + 1, moved.begin() + 2, moved.end());
  Dims out = row_major(moved);
  std::rotate(out.begin() + 1, out.end() - 1, out.end());
  return out;
}

// The dims of images and weights for cuDNN, which needs at least two spatial dims. A leading dim
// without effect is dropped.
struct Geometry {
  explicit Geometry(const ConvArgs& a) {
    const WindowArgs& w = a.window;
    const auto does_nothing = [&](size_t d) {
      return w.in[d] == 1 && w.out[d] == 1 && w.kernel[d] == 1 && w.pad[d] == 0;
    };
    x = {a.batch, a.groups * a.in_channels};
    y = {a.batch, a.groups * a.out_channels};
    weights = {a.groups * a.out_channels, a.in_channels};
    for (size_t d = does_nothing(0) ? 1 : 0; d < 3; ++d) {
      x.push_back(w.in[d]);
      y.push_back(w.out[d]);
      weights.push_back(w.kernel[d]);
      strides.push_back(w.stride[d]);
      dilations.push_back(w.dilation[d]);
      before.push_back(w.pad[d]);
      // The actual extent of the last window, whatever pads the node specifies.
      const int64_t reach = (w.out[d] - 1) * w.stride[d] + (w.kernel[d] - 1) * w.dilation[d] + 1;
      behind.push_back(std::max<int64_t>(reach - w.in[d] - w.pad[d], 0));
    }
  }
  Dims x, y, weights, strides, dilations, before, behind;
};

// The names of an operation's attributes.
struct Names {
  int operation, alpha, beta, conv, x, w, y;
};
Names names_of(Convolution::Result result) {
  using namespace abi;
  switch (result) {
    case Convolution::Result::kY:
      return {kDnnForward,  kDnnForwardAlpha, kDnnForwardBeta, kDnnForwardConv,
              kDnnForwardX, kDnnForwardW,     kDnnForwardY};
    case Convolution::Result::kDx:
      return {kDnnBackwardData, kDnnDataAlpha, kDnnDataBeta, kDnnDataConv, kDnnDataDx, kDnnDataW, kDnnDataDy};
    default:
      return {kDnnBackwardFilter, kDnnFilterAlpha, kDnnFilterBeta, kDnnFilterConv,
              kDnnFilterX,        kDnnFilterDw,    kDnnFilterDy};
  }
}

// A convolution's graph, and the numbers of its tensors.
struct Written {
  DnnGraph graph;
  DnnGraph::Number x, w, y, residual = -1, bias = -1;

  explicit Written(const Convolution& c) {
    const Geometry g(c.args);
    const bool last = c.args.channels_last != 0, wide = c.dtype == PERCALE_DTYPE_F64;
    const Dims y_strides = strides_of(g.y, last);
    x = graph.tensor(c.dtype, g.x, strides_of(g.x, last));
    w = graph.tensor(c.dtype, g.weights, strides_of(g.weights, last));
    y = graph.tensor(c.dtype, g.y, y_strides);
    const DnnGraph::Number how = graph.add(abi::kDnnConvolution);
    graph.set_enum(abi::kDnnConvComputeType, abi::kDnnTypeDataType, wide ? abi::kDnnDouble : abi::kDnnFloat);
    graph.set_enum(abi::kDnnConvMode, abi::kDnnTypeConvolutionMode, abi::kDnnCrossCorrelation);
    graph.set(abi::kDnnConvSpatialDims, static_cast<int64_t>(g.strides.size()));
    graph.set(abi::kDnnConvStrides, g.strides);
    graph.set(abi::kDnnConvDilations, g.dilations);
    graph.set(abi::kDnnConvPrePads, g.before);
    graph.set(abi::kDnnConvPostPads, g.behind);

    // The order for which cuDNN has precompiled code.
    std::vector<std::pair<int, DnnGraph::Number>> then;
    if (c.residual) then.emplace_back(abi::kDnnPointwiseAdd, residual = graph.tensor(c.dtype, g.y, y_strides));
    if (c.bias) {
      Dims row(g.y.size(), 1);
      row[1] = g.y[1];
      then.emplace_back(abi::kDnnPointwiseAdd, bias = graph.tensor(c.dtype, row, strides_of(row, last)));
    }
    if (c.relu) then.emplace_back(abi::kDnnPointwiseRelu, -1);
    DnnGraph::Number at = then.empty() ? y : graph.between(g.y, y_strides);
    const Names names = names_of(c.result);
    graph.add(names.operation);
    graph.set_descriptor(names.conv, how);
    graph.set_descriptor(names.x, x);
    graph.set_descriptor(names.w, w);
    graph.set_descriptor(names.y, at);
    graph.set_scalar(names.alpha, 1, wide);
    graph.set_scalar(names.beta, 0, wide);
    graph.is_operation();
    for (size_t i = 0; i < then.size(); ++i) {
      const DnnGraph::Number next = i + 1 == then.size() ? y : graph.between(g.y, y_strides);
      graph.pointwise(then[i].first, at, then[i].second, next);
      at = next;
    }
  }
};

DnnRules rules_of(const Convolution& c) {
  DnnRules out;
  // Enough for two copies of all operands in another layout.
  const Geometry g(c.args);
  const int64_t bytes = (elements(g.x) + elements(g.y) + elements(g.weights)) * item_bytes(c.dtype);
  out.workspace = std::min(2 * bytes + (1 << 20), kMostWorkspace);
  out.rounds = c.dtype != PERCALE_DTYPE_F32;
  // The fallback engines are slower than a separate convolution followed by its epilogue.
  out.fallback = !c.residual && !c.bias && !c.relu;
  return out;
}

}  // namespace

struct PlannedConvolution::Made {
  explicit Made(const Convolution& c) : convolution(c), written(c), rules(rules_of(c)), planned(written.graph, rules) {}
  const Convolution convolution;
  const Written written;
  const DnnRules rules;
  const PlannedGraph planned;
};

PlannedConvolution::PlannedConvolution(const Convolution& convolution)
    : made_(std::make_unique<const Made>(convolution)) {}
PlannedConvolution::~PlannedConvolution() = default;

const Convolution& PlannedConvolution::convolution() const { return made_->convolution; }
int64_t PlannedConvolution::workspace() const { return made_->rules.workspace; }
const DnnGraph& PlannedConvolution::graph() const { return made_->written.graph; }
const DnnRules& PlannedConvolution::rules() const { return made_->rules; }

bool PlannedConvolution::run(const Launch& launch, const Operands& operands, Ptr workspace) const {
  const Written& w = made_->written;
  std::vector<PlannedGraph::Operand> given{{w.x, operands.x}, {w.w, operands.w}, {w.y, operands.y}};
  if (w.residual >= 0) given.push_back({w.residual, operands.residual});
  if (w.bias >= 0) given.push_back({w.bias, operands.bias});
  return made_->planned.run(launch, given, workspace);
}

}  // namespace percale::cuda
