// TopK: the greatest or least elements of each line, and their indices.
#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/sort_key.h"

namespace percale {
namespace {

Status shape_topk(ShapeContext& context) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t length, vector_length(context, 1));
  if (length >= 0 && length != 1) return context.error("K must hold one number, it has ", length);
  Shape y = context.shape(0);
  if (y.known_rank()) {
    const auto axis = normalize_axis(context.attributes.get_int("axis"), y.rank());
    if (!axis.ok()) return context.error(axis.status());
    const int64_t dim = y[*axis];
    y[*axis] = kUnknownDim;
    if (const auto k = known_ints(context, 1)) {
      if (k->front() < 0 || k->front() > kMaxDim || (dim >= 0 && k->front() > dim)) {
        return context.error("K is ", k->front(), ", but the lines of ", context.shape(0), " along dim ",
                             static_cast<uint64_t>(*axis), " hold ", dim);
      }
      y[*axis] = k->front();
    }
  }
  context.set_output(0, context.dtype(0), y);
  context.set_output(1, DType::kI64, y);
  return {};
}

Status grad_topk(GradContext& g) {
  if (!g.wants(0) || g.grad(0) == kNoValue) return {};
  g.set(0, g.emit("ScatterElements", {full_like(g, g.input(0), 0), g.output(1), g.grad(0)},
                  {{"axis", g.attributes().get_int("axis")}}));
  return g.status();
}

constexpr OpRow kSchemas[] = {
    {.name = "TopK",
     .since = 24,
     .doc = "The K greatest (or least) elements along `axis`, and their indices; among equals, those that come first. "
            "They are always sorted, even without `sorted`. NaN counts as greatest.",
     .inputs = {in("X", 'T', dtypes::kNumeric), in_shape("K")},
     .attributes = {attr_int("axis", -1), attr_int("largest", 1, 0, 1), attr_int("sorted", 1, 0, 1)},
     .outputs = {out("Values", 'T'), out("Indices", dtypes::kI64Only)},
     .shape = shape_topk,
     .grad = grad_topk},
};

struct Candidate {
  uint64_t key;
  int64_t index;
};

struct TopKPlan {
  int64_t outer = 1, size = 1, inner = 1, k = 0, item = 0, pieces = 1;
  bool largest = true;
  DType dtype = DType::kInvalid;
};
Result<TopKPlan> plan_topk(const NodeView& node, KernelPlan& booked) {
  const Shape& x = node.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(node.attributes.get_int("axis"), x.rank()));
  TopKPlan plan{x.product(0, axis), x[axis], x.product(axis + 1, x.rank()), node.output_shape(0)[axis]};
  plan.item = item_bytes(node.dtype(0));
  plan.dtype = node.dtype(0);
  plan.largest = node.attributes.get_int("largest") != 0;
  const int64_t lines = plan.outer * plan.inner;
  // Each piece sorts in its own memory.
  plan.pieces = std::clamp<int64_t>(pieces_for(lines * plan.size), 1, std::max<int64_t>(lines, 1));
  const CheckedSize bytes = CheckedSize(plan.pieces) * plan.size * int64_t{sizeof(Candidate) + sizeof(uint64_t)};
  if (!bytes.valid()) return resource_exhausted("the lines to sort exceed 2^63 bytes");
  booked.scratch_bytes = bytes.value();
  return plan;
}

void run_topk(const TopKPlan& plan, const Launch& launch) {
  const char* x = launch.in<char>(0);
  char* values = launch.out<char>(0);
  auto* indices = launch.out<int64_t>(1);
  const int64_t lines = plan.outer * plan.inner;
  if (lines == 0 || plan.k == 0) return;
  launch.parallel()(plan.pieces, [&](int64_t piece) {
    Candidate* line = launch.scratch<Candidate>() + piece * plan.size;
    uint64_t* keys = reinterpret_cast<uint64_t*>(launch.scratch<Candidate>() + plan.pieces * plan.size);
    keys += piece * plan.size;
    const PieceRange range = piece_range(lines, plan.pieces, piece);
    for (int64_t i = range.begin; i < range.end; ++i) {
      const int64_t first = i / plan.inner * plan.size * plan.inner + i % plan.inner;
      sort_keys(plan.dtype, x + first * plan.item, plan.size, plan.inner, keys);
      for (int64_t n = 0; n < plan.size; ++n) line[n] = {plan.largest ? ~keys[n] : keys[n], n};
      std::partial_sort(line, line + plan.k, line + plan.size, [](const Candidate& a, const Candidate& b) {
        return a.key != b.key ? a.key < b.key : a.index < b.index;
      });
      const int64_t to = i / plan.inner * plan.k * plan.inner + i % plan.inner;
      for (int64_t n = 0; n < plan.k; ++n) {
        const int64_t at = to + n * plan.inner;
        indices[at] = line[n].index;
        std::memcpy(values + at * plan.item, x + (first + line[n].index * plan.inner) * plan.item,
                    static_cast<size_t>(plan.item));
      }
    }
  });
}

}  // namespace

Status register_topk(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(registry,
                         {make_kernel<accepts_types<kNumericList>, plan_topk, run_topk>("portable.TopK", "TopK")});
}

}  // namespace percale
