// Softmax and its logarithm, the losses of scores against the index of a class, and the gradients of these.
#include <algorithm>

#include "devices/cuda/kernels.h"

namespace percale::cuda {
namespace {

// A warp for a line of up to so many elements, else a block.
constexpr int64_t kWarpLine = 1024;

Grid lines_grid(int64_t lines, int64_t size) {
  Grid out;
  const bool narrow = size <= kWarpLine;
  out.threads = narrow ? 32 : 256;
  out.threads_y = narrow ? 8 : 1;
  out.blocks = static_cast<unsigned>(std::clamp<int64_t>((lines + out.threads_y - 1) / out.threads_y, 1, 65535));
  return out;
}

Run prepare_softmax(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const DeviceKernel kernel{Family::softmax, std::string("percale_softmax_") + suffix(node.dtype(0))};
  const size_t axis = normal_axis(node.attribute("axis", int64_t{-1}), x.size());
  SoftmaxArgs args{};
  args.outer = elements(Dims(x.begin(), x.begin() + static_cast<ptrdiff_t>(axis)));
  args.size = x.empty() ? 1 : x[axis];
  args.inner = x.empty() ? 1 : elements(Dims(x.begin() + static_cast<ptrdiff_t>(axis) + 1, x.end()));
  args.log = node.op() == "LogSoftmax";
  const Grid grid = lines_grid(args.outer * args.inner, args.size);
  return [=](const Launch& launch) {
    if (args.outer * args.size * args.inner == 0) return;
    SoftmaxArgs now = args;
    now.x = launch.in(0);
    now.y = launch.out(0);
    launch.run(kernel, grid, now);
  };
}

// 0: none, 1: sum, 2: mean.
int32_t reduction_of(const Node& node) {
  const std::string_view text = node.attribute("reduction", std::string_view("mean"));
  return text == "none" ? 0 : text == "sum" ? 1 : 2;
}

struct Lines {
  int64_t lines, classes, inner;
};
Lines lines_of(const Dims& scores) {
  const int64_t inner = elements(Dims(scores.begin() + 2, scores.end()));
  return {scores[0] * inner, scores[1], inner};
}

Run prepare_loss(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  const DeviceKernel each{Family::softmax, std::string("percale_class_loss_") + suffix(dtype)};
  const DeviceKernel sum{Family::softmax, "percale_loss_sum"};
  const Lines of = lines_of(node.dims(0));
  ClassLossArgs args{};
  args.lines = of.lines;
  args.classes = of.classes;
  args.inner = of.inner;
  args.ignores = node.has_int("ignore_index");
  args.ignore_index = node.attribute("ignore_index", int64_t{0});
  args.wide_labels = node.dtype(1) == PERCALE_DTYPE_I64;
  args.softmax = node.op() == "SoftmaxCrossEntropyLoss";
  const bool weighted = node.has(2), log_prob = args.softmax != 0 && node.gives(1);
  const int64_t losses = plan.book(of.lines * 8), weights = plan.book(of.lines * 8);
  LossSumArgs last{};
  last.lines = of.lines;
  last.reduction = reduction_of(node);
  last.dtype = dtype;
  const Grid grid = lines_grid(of.lines, args.softmax != 0 ? of.classes : 1),
             one = last.reduction == 0 ? grid_for(of.lines) : Grid{};
  return [=](const Launch& launch) {
    ClassLossArgs now = args;
    now.scores = launch.in(0);
    now.labels = launch.in(1);
    if (weighted) now.weights = launch.in(2);
    now.losses = launch.scratch(losses);
    now.line_weights = launch.scratch(weights);
    if (log_prob) now.log_prob = launch.out(1);
    now.errors = launch.errors();
    if (args.lines > 0) launch.run(each, grid, now);
    LossSumArgs then = last;
    then.losses = now.losses;
    then.line_weights = now.line_weights;
    then.y = launch.out(0);
    if (args.lines > 0 || last.reduction != 0) launch.run(sum, one, then);
  };
}

Run prepare_loss_grad(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(1);
  const std::string name = suffix(dtype);
  const DeviceKernel weigh{Family::softmax, "percale_line_weights_" + name},
      add{Family::softmax, "percale_sum_weights"}, grad{Family::softmax, "percale_class_grad_" + name};
  const Lines of = lines_of(node.dims(1));
  ClassGradArgs args{};
  args.lines = of.lines;
  args.classes = of.classes;
  args.inner = of.inner;
  args.ignores = node.has_int("ignore_index");
  args.ignore_index = node.attribute("ignore_index", int64_t{0});
  args.wide_labels = node.dtype(2) == PERCALE_DTYPE_I64;
  args.softmax = node.op() == "SoftmaxCrossEntropyGrad";
  const int32_t reduction = reduction_of(node);
  args.per_line = reduction == 0;
  const bool weighted = node.has(3), mean = reduction == 2;
  const int64_t weights = mean ? plan.book(of.lines * 8) : 0, total = mean ? plan.book(8) : 0;
  const Grid grid = lines_grid(of.lines, of.classes);
  return [=](const Launch& launch) {
    if (args.lines == 0 || args.classes == 0) return;
    ClassGradArgs now = args;
    now.dloss = launch.in(0);
    now.scores = launch.in(1);
    now.labels = launch.in(2);
    if (weighted) now.weights = launch.in(3);
    now.dscores = launch.out(0);
    now.errors = launch.errors();
    if (mean) {
      now.line_weights = launch.scratch(weights);
      launch.run(weigh, grid_for(args.lines), now);
      LossSumArgs sum{};
      sum.line_weights = now.line_weights;
      sum.lines = args.lines;
      sum.y = now.total = launch.scratch(total);
      launch.run(add, Grid{}, sum);
    }
    launch.run(grad, grid, now);
  };
}

}  // namespace

void add_softmax(Entries& entries) {
  for (const char* op : {"Softmax", "LogSoftmax"}) entries.push_back({"cuda.softmax", "", op, prepare_softmax});
}

void add_class_loss(Entries& entries) {
  for (const char* op : {"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"}) {
    entries.push_back({"cuda.class_loss", "", op, prepare_loss});
  }
  for (const char* op : {"SoftmaxCrossEntropyGrad", "NegativeLogLikelihoodGrad"}) {
    entries.push_back({"cuda.class_loss_grad", "percale", op, prepare_loss_grad});
  }
}

}  // namespace percale::cuda
