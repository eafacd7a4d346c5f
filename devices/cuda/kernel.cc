#include "devices/cuda/kernel.h"

#include <algorithm>

namespace percale::cuda {
namespace {

constexpr int64_t kThreads = 256, kMostBlocks = 4096;

struct Planned {
  const percale_host_api* host;
  size_t inputs;
  Run run;
  std::string who;  // "MatMul 'fc1'"
};

percale_status* accepts(void* user, const percale_node_view* view) {
  const auto& context = *static_cast<const KernelContext*>(user);
  return guarded(*context.host, [&] {
    const Node node(*context.host, view);
    Plan plan(*context.host, node, nullptr);
    context.entry.prepare(plan);
  });
}

percale_status* plan_node(void* user, const percale_node_view* view, percale_kernel_plan* plan, void** out_state) {
  const auto& context = *static_cast<const KernelContext*>(user);
  *out_state = nullptr;
  return guarded(*context.host, [&] {
    const Node node(*context.host, view);
    Plan planner(*context.host, node, plan);
    Run run = context.entry.prepare(planner);
    *out_state =
        new Planned{context.host, node.inputs(), std::move(run), std::string(node.op()) + " '" + node.name() + "'"};
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
    queue.fail(Failure(PERCALE_RESOURCE_EXHAUSTED, "no host memory"));
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
  if (plan_ != nullptr) host_.kernel_plan_set_in_place(plan_, output, input);
}

int64_t Plan::book(int64_t bytes) {
  const int64_t begin = scratch_;
  scratch_ += (bytes + 255) / 256 * 256;
  if (plan_ != nullptr) host_.kernel_plan_set_scratch(plan_, static_cast<uint64_t>(scratch_));
  return begin;
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
