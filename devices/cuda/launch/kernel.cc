#include "devices/cuda/launch/kernel.h"

#include <algorithm>
#include <utility>

namespace percale::cuda {
namespace {

constexpr int64_t kThreads = 256, kMostBlocks = 4096;
constexpr int64_t kWorkspaceAlignment = 256;

// The rank of images where one of them lies with channels last, else 0.
size_t rank_of_images(const Node& node, size_t images) {
  for (size_t i = 0; i < std::min(images, node.inputs()); ++i) {
    if (node.has_channels_last(i)) return node.dims(i).size();
  }
  return 0;
}

Run prepare(const KernelContext& context, Node& node, percale_kernel_plan* plan) {
  const size_t images = std::min(context.entry.images, node.inputs()), rank = rank_of_images(node, images);
  std::vector<size_t> moved;  // operands whose memory is another with channels last
  if (rank > 0) {
    for (size_t i = 0; i < images; ++i) {
      if (!node.has(i) || is_same_memory(node.dims(i), rank)) continue;
      refuse_if(node.dims(i).size() != rank, "an operand does not repeat by rows or columns in a channels-last layout");
      moved.push_back(i);
    }
    for (size_t k = 0; k < node.outputs(); ++k) {
      if (!node.gives(k) || is_same_memory(node.output_dims(k), rank)) continue;
      refuse_if(node.output_dims(k).size() != rank, "a result cannot be channels-last");
      moved.push_back(node.inputs() + k);
    }
    node.show_channels_last(rank, images);
  }
  Plan planner(context, node, plan);
  Run run = context.entry.prepare(planner);
  for (size_t operand : moved) planner.want_channels_last(operand);
  return run;
}

}  // namespace

Grid grid_for(int64_t size, int64_t each) {
  Grid out;
  const int64_t blocks = (size + kThreads * each - 1) / (kThreads * each);
  out.blocks = static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, kMostBlocks));
  return out;
}

void PlannedNode::run(const percale_launch& launch) const noexcept {
  auto& stream = *static_cast<Stream*>(launch.stream);
  if (stream.failed()) return;
  try {
    const Current current(stream.device());
    run_(Launch(stream, launch, inputs_));
  } catch (const Failure& failure) {
    stream.fail(Failure(failure.code(), who_ + ": " + failure.what(), failure.lost()));
  } catch (const std::bad_alloc&) {
    stream.fail(Failure(PERCALE_RESOURCE_EXHAUSTED, "out of host memory"));
  }
}

void KernelContext::accepts(const percale_node_view* view) const {
  Node node(host(), view);
  prepare(*this, node, nullptr);
}

std::unique_ptr<PlannedNode> KernelContext::plan(const percale_node_view* view, percale_kernel_plan* plan) const {
  Node node(host(), view);
  Run run = prepare(*this, node, plan);
  return std::make_unique<PlannedNode>(node.inputs(), std::move(run),
                                       std::string(node.op()) + " '" + node.name() + "'");
}

void Plan::may_replace(size_t output, size_t input) { requests_.set_in_place(output, input); }

bool Plan::has_dnn() const { return context_.shared->dnn.open(); }

bool Plan::want_channels_last(size_t operand) {
  const size_t inputs = node_.inputs();
  const bool input = operand < inputs;
  const Dims dims = input ? node_.dims(operand) : node_.output_dims(operand - inputs);
  const percale_dtype dtype = input ? node_.dtype(operand) : node_.output_dtype(operand - inputs);
  if (!requests_.is_real() || (!node_.shows_channels_last() && is_same_memory(dims, dims.size()))) return true;
  const auto bytes = static_cast<uint64_t>(elements(dims) * item_bytes(dtype));
  return requests_.set_layout(operand, kChannelsLast, bytes);
}

int64_t Plan::book(int64_t bytes) {
  const int64_t begin = scratch_;
  scratch_ += (bytes + 255) / 256 * 256;
  requests_.set_scratch(static_cast<uint64_t>(scratch_));
  return begin;
}

int64_t Plan::book_workspace(int64_t bytes) { return bytes == 0 ? 0 : book(bytes + kWorkspaceAlignment); }

Ptr Launch::workspace(int64_t offset) const {
  const uint64_t address = scratch(offset).address;
  return {(address + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment};
}

}  // namespace percale::cuda
