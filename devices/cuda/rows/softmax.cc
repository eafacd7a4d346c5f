// Softmax, log-softmax, the losses of scores against class indices, and the gradients of these
// losses.
#include <algorithm>
#include <array>

#include "devices/cuda/kernels/common/row_args.h"
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

// Lines of up to this many elements are processed by one warp, longer ones by a block.
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

// Returns 0 for none, 1 for sum, 2 for mean.
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

// A loss, which may be a node in the body of the plan's node. `in` holds the indices of scores,
// labels and weights among the inputs.
Run class_loss(Plan& plan, const Node& loss, const std::array<size_t, 3>& in) {
  const Node& node = plan.node();
  const DeviceKernel each{Family::softmax, std::string("percale_class_loss_") + suffix(node.dtype(in[0]))};
  const DeviceKernel sum{Family::softmax, "percale_loss_sum"};
  const Lines of = lines_of(node.dims(in[0]));
  ClassLossArgs args{};
  args.lines = of.lines;
  args.classes = of.classes;
  args.inner = of.inner;
  args.ignores = loss.has_int("ignore_index");
  args.ignore_index = loss.attribute("ignore_index", int64_t{0});
  args.wide_labels = node.dtype(in[1]) == PERCALE_DTYPE_I64;
  args.softmax = loss.op() == "SoftmaxCrossEntropyLoss";
  const bool weighted = loss.has(2), log_prob = args.softmax != 0 && loss.gives(1);
  const int64_t losses = plan.book(of.lines * 8), weights = plan.book(of.lines * 8);
  LossSumArgs last{};
  last.lines = of.lines;
  last.reduction = reduction_of(loss);
  last.dtype = node.output_dtype();
  const Grid grid = lines_grid(of.lines, args.softmax != 0 ? of.classes : 1),
             one = last.reduction == 0 ? grid_for(of.lines) : Grid{};
  return [=](const Launch& launch) {
    ClassLossArgs now = args;
    now.scores = launch.in(in[0]);
    now.labels = launch.in(in[1]);
    if (weighted) now.weights = launch.in(in[2]);
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

Run prepare_loss(Plan& plan) { return class_loss(plan, plan.node(), {0, 1, 2}); }

// The gradient of a loss, in the same way. `in` holds the indices of dloss, scores, labels and
// weights.
Run class_loss_grad(Plan& plan, const Node& loss, const std::array<size_t, 4>& in) {
  const Node& node = plan.node();
  const std::string name = suffix(node.dtype(in[1]));
  const DeviceKernel weigh{Family::softmax, "percale_line_weights_" + name},
      add{Family::softmax, "percale_sum_weights"}, grad{Family::softmax, "percale_class_grad_" + name};
  const Lines of = lines_of(node.dims(in[1]));
  ClassGradArgs args{};
  args.lines = of.lines;
  args.classes = of.classes;
  args.inner = of.inner;
  args.ignores = loss.has_int("ignore_index");
  args.ignore_index = loss.attribute("ignore_index", int64_t{0});
  args.wide_labels = node.dtype(in[2]) == PERCALE_DTYPE_I64;
  args.softmax = loss.op() == "SoftmaxCrossEntropyGrad";
  args.dloss_dtype = node.dtype(in[0]);
  const int32_t reduction = reduction_of(loss);
  args.per_line = reduction == 0;
  const bool weighted = loss.has(3), mean = reduction == 2;
  const int64_t weights = mean ? plan.book(of.lines * 8) : 0, total = mean ? plan.book(8) : 0;
  const Grid grid = lines_grid(of.lines, of.classes);
  return [=](const Launch& launch) {
    if (args.lines == 0 || args.classes == 0) return;
    ClassGradArgs now = args;
    now.dloss = launch.in(in[0]);
    now.scores = launch.in(in[1]);
    now.labels = launch.in(in[2]);
    if (weighted) now.weights = launch.in(in[3]);
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

Run prepare_loss_grad(Plan& plan) { return class_loss_grad(plan, plan.node(), {0, 1, 2, 3}); }

// A loss in f32 of scores in 16 bits, and its gradient, which is cast back. The scores are large,
// so they are read and written in 16 bits.
Run prepare_fused_loss(Plan& plan) {
  const Node& node = plan.node();
  const std::string_view anchor = node.attribute("anchor", std::string_view());
  const bool back = anchor == "SoftmaxCrossEntropyGrad";
  refuse_if((!back && anchor != "SoftmaxCrossEntropyLoss") || node.body_size() != (back ? 3u : 2u),
            "requires a group of a loss and Casts");
  const Node loss = node.body_node(1);
  const size_t scores = node.outer_input(0, 0), at = back ? 1 : 0;
  const percale_dtype dtype = node.dtype(scores);
  refuse_if(node.body_node(0).op() != "Cast" || loss.op() != anchor || node.body_input(1, at) != node.body_output(0) ||
                (back && (node.body_node(2).op() != "Cast" || node.output_dtype() != dtype)),
            "the Casts are not those of the scores and their gradient");
  refuse_if((dtype != PERCALE_DTYPE_F16 && dtype != PERCALE_DTYPE_BF16) || loss.dtype(at) != PERCALE_DTYPE_F32,
            "the Casts must be between f32 and a 16-bit type");
  refuse_if(loss.has(at + 2) || (!back && loss.gives(1)), "weights, and the output of logarithms, are not supported");
  if (!back) return class_loss(plan, loss, {scores, node.outer_input(1, 1), 0});
  return class_loss_grad(plan, loss, {node.outer_input(1, 0), scores, node.outer_input(1, 2), 0});
}

}  // namespace

void add_softmax(Entries& entries) {
  for (const char* op : {"Softmax", "LogSoftmax"}) entries.push_back({"cuda.softmax", "", op, prepare_softmax});
}

void add_class_loss(Entries& entries) {
  entries.push_back({"cuda.class_loss", "percale", "Fused", prepare_fused_loss});
  for (const char* op : {"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"}) {
    entries.push_back({"cuda.class_loss", "", op, prepare_loss});
  }
  for (const char* op : {"SoftmaxCrossEntropyGrad", "NegativeLogLikelihoodGrad"}) {
    entries.push_back({"cuda.class_loss_grad", "percale", op, prepare_loss_grad});
  }
}

}  // namespace percale::cuda
