// ReverseSequence, which reverses rows up to each sequence's length, and TensorScatter, which
// writes rows into a cache.
#include <algorithm>
#include <cstring>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/small_types.h"

namespace percale {
namespace {

// ---- ReverseSequence

Status shape_reverse_sequence(ShapeContext& context) {
  const Shape& x = context.shape(0);
  const int64_t batch = context.attributes.get_int("batch_axis"), time = context.attributes.get_int("time_axis");
  if (batch == time) return context.error("batch_axis and time_axis must differ, both are ", batch);
  if (x.known_rank()) {
    if (x.rank() < 2) return context.error("wanted an input of rank 2 or more, got ", x);
    const Shape want{x[static_cast<size_t>(batch)]};
    if (!compatible(context.shape(1), want)) {
      return context.error("sequence_lens has shape ", context.shape(1), ", wanted ", want);
    }
  }
  return shape_same(context);
}
Status grad_reverse_sequence(GradContext& g) {
  if (g.wants(0)) g.set(0, g.emit("ReverseSequence", {g.grad(0), g.input(1)}, g.attributes()));
  return g.status();
}

struct ReversePlan {
  int64_t first = 1, second = 1, bytes = 1;  // the two leading dims; bytes per row
  bool time_first = true;
};
Result<ReversePlan> plan_reverse(const NodeView& node, KernelPlan&) {
  const Shape& x = node.shape(0);
  return ReversePlan{x[0], x[1], x.product(2, x.rank()) * item_bytes(node.dtype(0)),
                     node.attributes.get_int("time_axis") == 0};
}
void run_reverse(const ReversePlan& plan, const Launch& launch) {
  const char* x = launch.in<char>(0);
  const auto* lengths = launch.in<int64_t>(1);
  char* y = launch.out<char>(0);
  const int64_t batch = plan.time_first ? plan.second : plan.first, time = plan.time_first ? plan.first : plan.second;
  for (int64_t b = 0; b < batch; ++b) {
    if (lengths[b] < 0 || lengths[b] > time) return launch.fail(RunError::kIndexOutOfRange, lengths[b]);
  }
  const int64_t rows = plan.first * plan.second;
  if (rows == 0 || plan.bytes == 0) return;
  const int64_t pieces = std::min(rows, pieces_for(rows * plan.bytes, 4 * kGrain));
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(rows, pieces, piece);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const int64_t outer = row / plan.second, inner = row % plan.second;
      const int64_t t = plan.time_first ? outer : inner, length = lengths[plan.time_first ? inner : outer];
      const int64_t source = t < length ? length - 1 - t : t;
      const int64_t from = plan.time_first ? source * plan.second + inner : outer * plan.second + source;
      std::memcpy(y + row * plan.bytes, x + from * plan.bytes, static_cast<size_t>(plan.bytes));
    }
  });
}

// ---- TensorScatter

Status shape_tensor_scatter(ShapeContext& context) {
  const Shape &cache = context.shape(0), &update = context.shape(1);
  const std::string_view mode = context.attributes.get_string("mode");
  if (mode != "linear" && mode != "circular") {
    return context.error("attribute 'mode' is '", mode, "', wanted linear or circular");
  }
  if (cache.known_rank()) {
    const auto axis = normalize_axis(context.attributes.get_int("axis"), cache.rank());
    if (!axis.ok()) return context.error(axis.status());
    if (*axis == 0) return context.error("axis 0 is the batch and must not be chosen");
    if (update.known_rank()) {
      Shape room = cache;
      if (update.rank() == cache.rank()) room[*axis] = update[*axis];
      if (!compatible(room, update)) return context.error("update ", update, " does not fit past_cache ", cache);
      if (cache[*axis] >= 0 && update[*axis] > cache[*axis]) {
        return context.error("update ", update, " is longer than past_cache ", cache);
      }
    }
    if (context.has_input(2) && !compatible(context.shape(2), Shape{cache[0]})) {
      return context.error("write_indices has shape ", context.shape(2), ", wanted ", Shape{cache[0]});
    }
  }
  return shape_same(context);
}

struct ScatterPlan {
  int64_t batch = 1, middle = 1, cache = 1, update = 1, bytes = 1;
  bool circular = false, has_places = false;
};
Result<ScatterPlan> plan_tensor_scatter(const NodeView& node, KernelPlan&) {
  const Shape& x = node.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(node.attributes.get_int("axis"), x.rank()));
  return ScatterPlan{x[0],
                     x.product(1, axis),
                     x[axis],
                     node.shape(1)[axis],
                     x.product(axis + 1, x.rank()) * item_bytes(node.dtype(0)),
                     node.attributes.get_string("mode") == "circular",
                     node.has_input(2)};
}
void run_tensor_scatter(const ScatterPlan& plan, const Launch& launch) {
  const char* update = launch.in<char>(1);
  const auto* places = plan.has_places ? launch.in<int64_t>(2) : nullptr;
  char* y = launch.out<char>(0);
  for (int64_t b = 0; places != nullptr && b < plan.batch; ++b) {
    const bool fits = plan.circular || plan.update == 0 || places[b] <= plan.cache - plan.update;
    if (places[b] < 0 || !fits) return launch.fail(RunError::kIndexOutOfRange, places[b]);
  }
  const int64_t lines = plan.batch * plan.middle;
  if (lines == 0 || plan.bytes == 0) return;
  const auto row_bytes = static_cast<size_t>(plan.bytes);
  if (launch.in<char>(0) != y) std::memcpy(y, launch.in<char>(0), static_cast<size_t>(lines * plan.cache) * row_bytes);
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t place = places != nullptr ? places[line / plan.middle] : 0;
    const int64_t first = plan.circular && plan.cache > 0 ? place % plan.cache : place;
    for (int64_t i = 0; i < plan.update; ++i) {
      const int64_t at = first + i < plan.cache ? first + i : first + i - plan.cache;
      std::memcpy(y + (line * plan.cache + at) * plan.bytes, update + (line * plan.update + i) * plan.bytes, row_bytes);
    }
  }
}

constexpr OpRow kSchemas[] = {
    {.name = "ReverseSequence",
     .since = 10,
     .doc = "The input, with the first sequence_lens[b] elements of sequence b reversed along time_axis.",
     .inputs = {in("input", 'T', dtypes::kAny), in_index("sequence_lens", dtypes::kI64Only)},
     .attributes = {attr_int("batch_axis", 1, 0, 1), attr_int("time_axis", 0, 0, 1)},
     .outputs = {out("Y", 'T')},
     .shape = shape_reverse_sequence,
     .grad = grad_reverse_sequence},
    {.name = "TensorScatter",
     .since = 24,
     .doc = "past_cache with update written along `axis` at write_indices[b] (default 0) and the positions after it. "
            "In circular mode, writing wraps around to the beginning.",
     .inputs = {in("past_cache", 'T', kStorable), in("update", 'T', kStorable),
                InputSpec{"write_indices", 0, dtypes::kI64Only, Presence::kOptional, Bounds::kChecked}},
     .attributes = {attr_int("axis", -2), attr_string("mode", "linear")},
     .outputs = {out("present_cache", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = shape_tensor_scatter,
     .grad = grad::none},
};

}  // namespace

Status register_sequence_rows(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(registry, {
                                       make_kernel<accepts_types<kAnyList>, plan_reverse, run_reverse>(
                                           "portable.ReverseSequence", "ReverseSequence"),
                                       small_kernel<plan_tensor_scatter, run_tensor_scatter>(
                                           "portable.TensorScatter_small", "TensorScatter"),
                                       make_kernel<accepts_types<kAnyList>, plan_tensor_scatter, run_tensor_scatter>(
                                           "portable.TensorScatter", "TensorScatter"),
                                   });
}

}  // namespace percale
