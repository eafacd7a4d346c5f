// Gather and scatter of slices by index tuples. Every index is checked where it is used.
#include <algorithm>
#include <array>
#include <vector>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/scatter_join.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

// ---- Shapes

// Returns [dims of indices but the last] + [dims of data after the indexed ones]: the shape of
// GatherND's output and of ScatterND's updates.
Result<Shape> slices_shape(const ShapeContext& context, const Shape& data, const Shape& indices, int64_t batch) {
  if (!data.known_rank() || !indices.known_rank()) return Shape::unranked();
  if (data.rank() == 0 || indices.rank() == 0) {
    return context.error("data ", data, " and indices ", indices, " must be of rank 1 or more");
  }
  const auto most = static_cast<int64_t>(std::min(data.rank(), indices.rank()));
  if (batch < 0 || batch >= most) return context.error("batch_dims is ", batch, ", wanted 0 to ", most - 1);
  const int64_t tuple = indices.back();
  if (tuple < 0) return Shape::unranked();
  if (tuple + batch > static_cast<int64_t>(data.rank())) {
    return context.error("tuples of ", tuple, " indices are too long for data ", data, " with ", batch, " batch dims");
  }
  for (size_t d = 0; d < static_cast<size_t>(batch); ++d) {
    if (data[d] >= 0 && indices[d] >= 0 && data[d] != indices[d]) {
      return context.error("the batch dims of data ", data, " and indices ", indices, " differ");
    }
  }
  std::vector<int64_t> dims(indices.begin(), indices.end() - 1);
  for (auto d = static_cast<size_t>(tuple + batch); d < data.rank(); ++d) dims.push_back(data[d]);
  auto out = Shape::make(dims);
  if (!out.ok()) return context.error(out.status());
  return out;
}

Status shape_gather_nd(ShapeContext& context) {
  PERCALE_ASSIGN_OR_RETURN(const Shape out, slices_shape(context, context.shape(0), context.shape(1),
                                                         context.attributes.get_int("batch_dims")));
  context.set_output(0, context.dtype(0), out);
  return {};
}
Status shape_scatter_nd(ShapeContext& context) {
  PERCALE_ASSIGN_OR_RETURN(const Shape want, slices_shape(context, context.shape(0), context.shape(1), 0));
  if (!compatible(want, context.shape(2))) return context.error("updates are ", context.shape(2), ", wanted ", want);
  context.set_output(0, context.dtype(0), context.shape(0));
  return {};
}

// ---- Gradients

Status grad_gather_nd(GradContext& g) {
  if (!g.wants(0)) return {};
  if (g.attributes().get_int("batch_dims") != 0) {
    g.fail(unimplemented("GatherND '", g.node().name, "': the gradient with batch_dims is not supported"));
    return g.status();
  }
  g.set(0, g.emit("ScatterND", {full_like(g, g.input(0), 0), g.input(1), g.grad(0)}, {{"reduction", "add"}}));
  return g.status();
}
Status grad_scatter_nd(GradContext& g) {
  const std::string_view reduction = g.attributes().get_string("reduction");
  if (reduction != "none" && reduction != "add") {
    g.fail(unimplemented("ScatterND '", g.node().name, "': the gradient with reduction '", reduction,
                         "' is not supported"));
    return g.status();
  }
  if (g.wants(0)) {
    g.set(0,
          reduction == "add" ? g.grad(0) : g.emit("ScatterND", {g.grad(0), g.input(1), full_like(g, g.input(2), 0)}));
  }
  if (g.wants(2)) g.set(2, g.emit("GatherND", {g.grad(0), g.input(1)}));
  return g.status();
}

// ---- Schemas

constexpr OpRow kSchemas[] = {
    {.name = "GatherND",
     .since = 13,
     .doc = "The slices of data that tuples of indices select; the last dim of indices holds the tuples, and negative "
            "indices count from the end.",
     .inputs = {in("data", 'T', dtypes::kAny), in_index("indices", dtypes::kI64Only)},
     .attributes = {attr_int("batch_dims", 0, 0, static_cast<double>(kMaxRank))},
     .outputs = {out("output", 'T')},
     .shape = shape_gather_nd,
     .grad = grad_gather_nd},
    {.name = "ScatterND",
     .since = 18,
     .doc = "data with updates set, added, multiplied, or combined by max or min, in the order of the tuples, at the "
            "slices that tuples of indices select.",
     .inputs = {in("data", 'T', dtypes::kAny), in_index("indices", dtypes::kI64Only), in("updates", 'T', dtypes::kAny)},
     .attributes = {attr_string("reduction", "none")},
     .outputs = {out("output", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = shape_scatter_nd,
     .grad = grad_scatter_nd},
};

// ---- Kernels

struct TuplesPlan {
  int64_t batches = 1, tuples = 0;  // tuples per batch
  size_t length = 0;                // indices of one tuple
  // dims of data that a tuple indexes; strides in elements
  std::array<int64_t, kMaxRank> dims{}, strides{};
  int64_t batch_stride = 0;                // elements of data per batch
  int64_t slice = 1, item = 0, total = 0;  // elements of a slice, bytes of one, elements of data
  // Combines the updates [begin, end) with the elements of a slice of the data.
  void (*join)(char* slice, const char* update, int64_t begin, int64_t end) = nullptr;
};
TuplesPlan make_tuples(const NodeView& node, size_t batch) {
  const Shape &data = node.shape(0), &indices = node.shape(1);
  TuplesPlan plan;
  plan.length = static_cast<size_t>(indices.back());
  plan.batches = indices.product(0, batch);
  plan.tuples = indices.product(batch, indices.rank() - 1);
  const auto strides = contiguous_strides(data, 1);
  for (size_t i = 0; i < plan.length; ++i) {
    plan.dims[i] = data[batch + i];
    plan.strides[i] = strides[batch + i];
  }
  plan.batch_stride = data.product(batch, data.rank());
  plan.slice = data.product(batch + plan.length, data.rank());
  plan.item = item_bytes(node.dtype(0));
  plan.total = data.num_elements();
  return plan;
}

// Returns the offset of a tuple's slice within its batch. If an index is out of range, the function
// fails the run and returns -1.
int64_t slice_of(const TuplesPlan& plan, const int64_t* tuple, const Launch& launch) {
  int64_t at = 0;
  for (size_t i = 0; i < plan.length; ++i) {
    const int64_t dim = plan.dims[i];
    if (tuple[i] < -dim || tuple[i] >= dim) {
      launch.fail(RunError::kIndexOutOfRange, tuple[i]);
      return -1;
    }
    at += (tuple[i] < 0 ? tuple[i] + dim : tuple[i]) * plan.strides[i];
  }
  return at;
}

Result<TuplesPlan> plan_gather_nd(const NodeView& node, KernelPlan&) {
  return make_tuples(node, static_cast<size_t>(node.attributes.get_int("batch_dims")));
}
void run_gather_nd(const TuplesPlan& plan, const Launch& launch) {
  const char* x = launch.in<char>(0);
  const auto* indices = launch.in<int64_t>(1);
  char* y = launch.out<char>(0);
  const int64_t count = plan.batches * plan.tuples, bytes = plan.slice * plan.item;
  if (count == 0) return;
  const int64_t pieces = std::min(count, pieces_for(count * std::max<int64_t>(1, plan.slice)));
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(count, pieces, piece);
    for (int64_t t = range.begin; t < range.end; ++t) {
      const int64_t at = slice_of(plan, indices + t * static_cast<int64_t>(plan.length), launch);
      char* to = y + t * bytes;
      if (at < 0) {
        std::fill_n(to, bytes, char{0});
      } else {
        std::copy_n(x + (t / plan.tuples * plan.batch_stride + at) * plan.item, bytes, to);
      }
    }
  });
}

template <class T, ScatterJoin kJoin>
void join_slice(char* slice, const char* update, int64_t begin, int64_t end) {
  T* y = reinterpret_cast<T*>(slice);
  const T* from = reinterpret_cast<const T*>(update);
  for (int64_t i = begin; i < end; ++i) y[i] = scatter_join<T, kJoin>(y[i], from[i]);
}
Result<TuplesPlan> plan_scatter_nd(const NodeView& node, KernelPlan&) {
  TuplesPlan plan = make_tuples(node, 0);
  PERCALE_RETURN_IF_ERROR(
      dispatch_scatter(node, [&]<class T, ScatterJoin kJoin>() { plan.join = join_slice<T, kJoin>; }));
  return plan;
}
// Several tuples may name the same slice, so each thread applies all tuples in order, to its own
// part of the slices.
void run_scatter_nd(const TuplesPlan& plan, const Launch& launch) {
  const char* x = launch.in<char>(0);
  const auto* indices = launch.in<int64_t>(1);
  const char* updates = launch.in<char>(2);
  char* y = launch.out<char>(0);
  if (x != y) std::copy_n(x, plan.total * plan.item, y);
  const int64_t pieces = pieces_for(plan.slice);
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.slice, pieces, piece, 16);
    for (int64_t t = 0; t < plan.tuples; ++t) {
      const int64_t at = slice_of(plan, indices + t * static_cast<int64_t>(plan.length), launch);
      if (at < 0) continue;
      plan.join(y + at * plan.item, updates + t * plan.slice * plan.item, range.begin, range.end);
    }
  });
}

}  // namespace

Status register_index_nd(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry,
      {
          make_kernel<accepts_types<kAnyList>, plan_gather_nd, run_gather_nd>("portable.GatherND", "GatherND"),
          make_kernel<accepts_types<kAnyList>, plan_scatter_nd, run_scatter_nd>("portable.ScatterND", "ScatterND"),
      });
}

}  // namespace percale
