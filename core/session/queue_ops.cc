#include "core/session/queue_ops.h"

#include <cstring>

namespace percale {
namespace {

Result<std::vector<Tensor>> enqueue(std::string_view queue, const std::vector<Tensor>& inputs, RunFrame& frame) {
  std::vector<Tensor> components;
  for (const Tensor& input : inputs) {
    // The caller may write to feeds and fetched values once the run is over.
    PERCALE_ASSIGN_OR_RETURN(Tensor own, Tensor::allocate(frame.memory, input.dtype(), input.shape()));
    if (input.bytes() > 0) std::memcpy(own.data(), input.data(), static_cast<size_t>(input.bytes()));
    components.push_back(std::move(own));
  }
  PERCALE_RETURN_IF_ERROR(frame.resources->enqueue(queue, std::move(components)));
  return std::vector<Tensor>();
}

Result<std::vector<Tensor>> dequeue(const Node& node, std::string_view queue, RunFrame& frame) {
  PERCALE_ASSIGN_OR_RETURN(const auto declared, declared_components(node.attributes));
  PERCALE_ASSIGN_OR_RETURN(auto components, frame.resources->dequeue(queue));
  // The queue may have been declared with less precise types when the element was put in.
  QueueType type{0, declared}, given{0, {}};
  for (const Tensor& t : components) given.components.push_back({t.dtype(), t.shape()});
  PERCALE_RETURN_IF_ERROR(merge_queue_types(queue, type, given));
  if (frame.see_latest) frame.see_latest();
  return components;
}

Result<std::vector<Tensor>> carry_out(const Node& node, const std::vector<Tensor>& inputs, RunFrame& frame) {
  const std::string_view queue = node.attributes.get_string("queue");
  switch (node.op->traits.role) {
    case Role::kQueueEnqueue: return enqueue(queue, inputs, frame);
    case Role::kQueueDequeue: return dequeue(node, queue, frame);
    case Role::kQueueSize: {
      PERCALE_ASSIGN_OR_RETURN(const QueueSize size, frame.resources->size(queue));
      return std::vector{Tensor::scalar(size.elements), Tensor::scalar(size.closed)};
    }
    case Role::kQueueClose:
      PERCALE_RETURN_IF_ERROR(frame.resources->close(queue, node.attributes.get_int("cancel_pending_enqueues") != 0));
      return std::vector<Tensor>();
    case Role::kMutexLock:
      PERCALE_RETURN_IF_ERROR(frame.resources->lock(node.attributes.get_string("mutex")));
      if (frame.see_latest) frame.see_latest();
      return std::vector<Tensor>();
    default: break;
  }
  return unimplemented("cannot be carried out by this version");
}

}  // namespace

Status RunWaiter::begin(Waker& waker) {
  if (frame_.session_cancel != nullptr) frame_.session_cancel->attach(waker);
  try {
    if (frame_.options.cancel != nullptr) frame_.options.cancel->attach(waker);
    Status status = frame_.options.places != nullptr ? frame_.options.places->leave() : Status();
    if (!status.ok()) detach(waker);
    return status;
  } catch (const std::bad_alloc&) {
    detach(waker);
    return Status::out_of_memory();
  }
}

void RunWaiter::end(Waker& waker) {
  detach(waker);
  if (frame_.options.places == nullptr) return;
  frame_.options.places->come_back([](const void* frame) { return static_cast<const RunFrame*>(frame)->should_stop(); },
                                   &frame_);
}

void RunWaiter::detach(Waker& waker) {
  if (frame_.session_cancel != nullptr) frame_.session_cancel->detach(waker);
  if (frame_.options.cancel != nullptr) frame_.options.cancel->detach(waker);
}

Result<std::vector<Tensor>> run_queue_op(const Node& node, const std::vector<Tensor>& inputs, RunFrame& frame) {
  auto out = carry_out(node, inputs, frame);
  if (!out.ok()) return out.status().with_context(str_cat(op_name(*node.op), " '", node.name, "'"));
  return out;
}

}  // namespace percale
