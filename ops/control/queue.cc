// Queues and mutexes that are shared between runs. They may wait for other runs, so the session
// executes them itself, between programs. They have no kernels.
#include "core/graph/emit/gradient.h"
#include "core/graph/queues.h"
#include "ops/support/families.h"
#include "ops/support/small_types.h"

namespace percale {
namespace {

// ---- Shapes

Status check_name(const ShapeContext& c, std::string_view attribute) {
  if (!c.attributes.get_string(attribute).empty()) return {};
  return c.error("attribute '", attribute, "' must not be empty");
}

Status shape_enqueue(ShapeContext& c) { return check_name(c, "queue"); }
Status shape_lock(ShapeContext& c) { return check_name(c, "mutex"); }

Status shape_dequeue(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_name(c, "queue"));
  const auto declared = declared_components(c.attributes);
  if (!declared.ok()) return c.error(declared.status());
  if (c.outputs.size() > declared->size()) {
    return c.error("'dtypes' declares ", static_cast<uint64_t>(declared->size()),
                   " components, but the number of outputs is ", static_cast<uint64_t>(c.outputs.size()));
  }
  for (size_t i = 0; i < declared->size(); ++i) {
    const ValueType& type = (*declared)[i];
    if (!kStorable.contains(type.dtype)) return c.error("a queue cannot hold ", type.dtype);
    c.set_output(i, type.dtype, type.shape);
  }
  return {};
}

Status shape_size(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_name(c, "queue"));
  c.set_output(0, DType::kI64, Shape{});
  c.set_output(1, DType::kBool, Shape{});
  return {};
}

// ---- Schemas

constexpr double kMostElements = 2147483647;
constexpr AttrSpec kQueue = attr_required("queue", AttrKind::kString);
constexpr AttrSpec kCapacity = attr_int("capacity", 32, 1, kMostElements);
constexpr uint32_t kFlags = kStateful | kRuntime | kWaits;

// A queue is defined by the nodes that name it. They must agree in its capacity and its components.
// It belongs to the table of variables, so all sessions and trainers on one table share it. No
// memory is reserved for its capacity.
constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "QueueEnqueue",
     .doc = "Appends its inputs as one element to a queue of at most `capacity` elements. Waits while the queue is "
            "full; fails with CANCELLED if the queue is closed. Other runs see the element when this run has "
            "succeeded. A queue op runs only if it is a target of the run or its output is needed; a control edge to a "
            "later node does not make it run.",
     .inputs = {InputSpec{"components", 0, kStorable, Presence::kVariadic}},
     .attributes = {kQueue, kCapacity},
     .flags = kFlags,
     .shape = shape_enqueue,
     .grad = grad::none,
     .traits = {.role = Role::kQueueEnqueue}},
    {.domain = "percale",
     .name = "QueueDequeue",
     .doc = "Removes and returns the first element of a queue. Waits while the queue is empty; fails with OUT_OF_RANGE "
            "if it is empty and closed. Component i has dtype dtypes[i] and ranks[i] dims (-1: any number). `dims` "
            "lists the dims of all components one after the other (-1: unknown). A run that fails returns the elements "
            "that it took. Later nodes see the variables as last published.",
     .attributes = {kQueue, kCapacity, attr_required("dtypes", AttrKind::kInts),
                    AttrSpec{.name = "ranks",
                             .kind = AttrKind::kInts,
                             .required = true,
                             .min = -1,
                             .max = static_cast<double>(kMaxRank)},
                    AttrSpec{.name = "dims", .kind = AttrKind::kInts, .min = -1, .max = static_cast<double>(kMaxDim)}},
     .outputs = {OutputSpec{"components", 0, kStorable, Presence::kVariadicOrNone}},
     .flags = kFlags,
     .shape = shape_dequeue,
     .grad = grad::zero,
     .traits = {.role = Role::kQueueDequeue}},
    {.domain = "percale",
     .name = "QueueSize",
     .doc = "The number of elements in a queue, as this run sees it, and whether the queue is closed.",
     .attributes = {kQueue},
     .outputs = {out("size", dtypes::kI64Only), OutputSpec{"closed", 0, dtypes::kBoolOnly, Presence::kOptional}},
     .flags = kFlags,
     .shape = shape_size,
     .grad = grad::zero,
     .traits = {.role = Role::kQueueSize}},
    {.domain = "percale",
     .name = "QueueClose",
     .doc = "Closes a queue at the end of this run; it then accepts no new elements. Enqueues that are already waiting "
            "still complete, or fail with CANCELLED if cancel_pending_enqueues is 1. Elements in the queue can still "
            "be dequeued.",
     .attributes = {kQueue, attr_int("cancel_pending_enqueues", 0, 0, 1)},
     .flags = kFlags,
     .shape = shape_enqueue,
     .grad = grad::none,
     .traits = {.role = Role::kQueueClose}},
    {.domain = "percale",
     .name = "MutexLock",
     .doc = "Locks a mutex until the run ends, successfully or not; waits while another run holds it. Later nodes see "
            "the variables as last published, so reading and assigning under one mutex loses no update.",
     .attributes = {attr_required("mutex", AttrKind::kString)},
     .flags = kFlags,
     .shape = shape_lock,
     .grad = grad::none,
     .traits = {.role = Role::kMutexLock}},
};

}  // namespace

Status register_queue(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
