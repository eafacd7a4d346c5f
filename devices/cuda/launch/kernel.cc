#include "devices/cuda/launch/kernel.h"

#include <algorithm>

namespace percale::cuda {
namespace {

constexpr int64_t kThreads = 256, kMostBlocks = 4096;
constexpr int64_t kWorkspaceAlignment = 256;

struct Planned {
  size_t inputs;
  Run run;
  std::string who;  // "MatMul 'fc1'"
};

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

percale_status* accepts(void* user, const percale_node_view* view) {
  const auto& context = *static_cast<const KernelContext*>(user);
  return guarded(context.shared->host, [&] {
    Node node(context.shared->host, view);
    prepare(context, node, nullptr);
  });
}

percale_status* plan_node(void* user, const percale_node_view* view, percale_kernel_plan* plan, void** out_state) {
  const auto& context = *static_cast<const KernelContext*>(user);
  *out_state = nullptr;
  return guarded(context.shared->host, [&] {
    Node node(context.shared->host, view);
    Run run = prepare(context, node, plan);
    *out_state = new Planned{node.inputs(), std::move(run), std::string(node.op()) + " '" + node.name() + "'"};
  });
}

// What fails here fails the queue: what would come after it is left out, and synchronising says why.
void run_node(const void* state, const percale_launch* launch) {
  const auto& planned = *static_cast<const Planned*>(state);
  auto& queue = *static_cast<Queue*>(launch->queue);
  if (queue.failed()) return;
  try {
    const Current current(queue.device());
    planned.run(Launch(queue, *launch, planned.inputs));
  } catch (const Failure& failure) {
    queue.fail(Failure(failure.code(), planned.who + ": " + failure.what(), failure.lost()));
  } catch (const std::bad_alloc&) {
    queue.fail(Failure(PERCALE_RESOURCE_EXHAUSTED, "out of host memory"));
  }
}

}  // namespace

Grid grid_for(int64_t size, int64_t each) {
  Grid out;
  const int64_t blocks = (size + kThreads * each - 1) / (kThreads * each);
  out.blocks = static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, kMostBlocks));
  return out;
}

void Plan::may_replace(size_t output, size_t input) {
  if (plan_ != nullptr) context_.shared->host.kernel_plan_set_in_place(plan_, output, input);
}

bool Plan::has_dnn() const { return context_.shared->dnn.open(); }

bool Plan::want_channels_last(size_t operand) {
  const size_t inputs = node_.inputs();
  const bool input = operand < inputs;
  const Dims dims = input ? node_.dims(operand) : node_.output_dims(operand - inputs);
  const percale_dtype dtype = input ? node_.dtype(operand) : node_.output_dtype(operand - inputs);
  if (plan_ == nullptr || (!node_.shows_channels_last() && is_same_memory(dims, dims.size()))) return true;
  const auto bytes = static_cast<uint64_t>(elements(dims) * item_bytes(dtype));
  return context_.shared->host.kernel_plan_set_format(plan_, operand, kChannelsLast, bytes) != 0;
}

int64_t Plan::book(int64_t bytes) {
  const int64_t begin = scratch_;
  scratch_ += (bytes + 255) / 256 * 256;
  if (plan_ != nullptr) context_.shared->host.kernel_plan_set_scratch(plan_, static_cast<uint64_t>(scratch_));
  return begin;
}

int64_t Plan::book_workspace(int64_t bytes) { return bytes == 0 ? 0 : book(bytes + kWorkspaceAlignment); }

Ptr Launch::workspace(int64_t offset) const {
  const uint64_t address = scratch(offset).address;
  return {(address + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment};
}

percale_kernel make_kernel(KernelContext& context) {
  percale_kernel kernel{};
  kernel.struct_size = sizeof(kernel);
  kernel.name = context.entry.name;
  kernel.domain = context.entry.domain;
  kernel.op = context.entry.op;
  kernel.accepts = accepts;
  kernel.plan = plan_node;
  kernel.run = run_node;
  kernel.destroy = [](void* state) { delete static_cast<Planned*>(state); };
  kernel.user = &context;
  return kernel;
}

}  // namespace percale::cuda
