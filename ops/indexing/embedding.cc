// EmbeddingBag: gathers rows of a table by index and reduces them per bag. Every index and offset
// is checked where it is used.
#include <algorithm>
#include <string_view>

#include "ops/support/families.h"
#include "ops/support/float_kernels.h"
#include "ops/support/grad_util.h"

namespace percale {
namespace {

enum class Mode : uint8_t { kSum, kMean, kMax };

// ---- Shapes. The bag operands of both ops are table, indices, offsets and weights, the inputs
// from `first` on.

Status check_bags(const ShapeContext& c, size_t first, int64_t* count, int64_t* bags) {
  const std::string_view mode = c.attributes.get_string("mode");
  if (mode != "sum" && mode != "mean" && mode != "max") {
    return c.error("mode is '", mode, "', wanted sum, mean or max");
  }
  const Shape &table = c.shape(first), &indices = c.shape(first + 1);
  if (table.known_rank() && table.rank() != 2) return c.error("the table has shape ", table, ", wanted [rows, width]");
  const bool has_offsets = c.has_input(first + 2), weighted = c.has_input(first + 3);
  if (weighted && mode != "sum") return c.error("weights require mode sum");
  if (weighted && !compatible(c.shape(first + 3), indices)) {
    return c.error("weights ", c.shape(first + 3), " and indices ", indices, " differ in shape");
  }
  *count = *bags = -1;
  if (indices.known_rank()) {
    if (indices.rank() != (has_offsets ? 1u : 2u)) {
      return c.error("indices have shape ", indices,
                     has_offsets ? ", wanted [count] with offsets" : ", wanted [bags, length] without offsets");
    }
    *count = indices[0];
    if (!has_offsets) {
      *bags = indices[0];
      *count = indices[0] < 0 || indices[1] < 0 ? -1 : indices[0] * indices[1];
    }
  }
  if (has_offsets && c.shape(first + 2).known_rank()) {
    const Shape& offsets = c.shape(first + 2);
    if (offsets.rank() != 1) return c.error("offsets have shape ", offsets, ", wanted [bags]");
    const bool ends = c.attributes.get_int("include_last_offset") != 0;
    if (ends && offsets[0] == 0) return c.error("include_last_offset requires at least one offset");
    *bags = offsets[0] < 0 ? -1 : offsets[0] - (ends ? 1 : 0);
  }
  return {};
}

Status shape_embedding_bag(ShapeContext& c) {
  int64_t count = -1, bags = -1;
  PERCALE_RETURN_IF_ERROR(check_bags(c, 0, &count, &bags));
  c.set_output(0, c.dtype(0), Shape{bags, c.shape(0).known_rank() ? c.shape(0)[1] : -1});
  return {};
}

Status shape_embedding_bag_rows(ShapeContext& c) {
  int64_t count = -1, bags = -1;
  PERCALE_RETURN_IF_ERROR(check_bags(c, 1, &count, &bags));
  const Shape &grad = c.shape(0), &table = c.shape(1);
  const int64_t width = table.known_rank() ? table[1] : -1;
  if (!compatible(grad, Shape{bags, width})) {
    return c.error("grad ", grad, " does not match the result of EmbeddingBag, which has shape ", Shape{bags, width});
  }
  c.set_output(0, c.dtype(0), Shape{count, width});
  return {};
}

// ---- Gradients

Attributes bag_attributes(const GradContext& g) {
  return {{"mode", std::string(g.attributes().get_string("mode"))},
          {"padding_idx", g.attributes().get_int("padding_idx")},
          {"include_last_offset", g.attributes().get_int("include_last_offset")}};
}

Status grad_embedding_bag(GradContext& g) {
  const auto input = [&](size_t i) { return i < g.num_inputs() ? g.input(i) : kNoValue; };
  const ValueId table = input(0), indices = input(1), offsets = input(2), weights = input(3);
  const auto rows_of = [&](ValueId by) {
    return g.emit("percale:EmbeddingBagRows", {g.grad(0), table, indices, offsets, by}, bag_attributes(g));
  };
  if (!g.wants(0) && !g.wants(3)) return g.status();
  const ValueId flat = g.emit("Reshape", {indices, g.ints({-1})});
  if (g.wants(0)) {
    g.set(0, g.emit("percale:GatherGrad", {rows_of(weights), flat, shape_of(g, table)}, {{"axis", 0}}));
  }
  if (g.wants(3)) {
    const ValueId looked_up = g.emit("Gather", {table, flat}, {{"axis", 0}});
    const ValueId sums = g.emit("ReduceSum", {mul(g, looked_up, rows_of(kNoValue)), g.ints({1})}, {{"keepdims", 0}});
    g.set(3, g.emit("Reshape", {sums, shape_of(g, indices)}));
  }
  return g.status();
}

// The gradient with respect to grad is EmbeddingBag with the row gradients as its table, where
// every index looks up its own row. Padding looks up a zero row that is inserted in front.
Status grad_embedding_bag_rows(GradContext& g) {
  const auto input = [&](size_t i) { return i < g.num_inputs() ? g.input(i) : kNoValue; };
  const ValueId indices = input(2), offsets = input(3), weights = input(4), back = g.grad(0);
  const bool greatest = g.attributes().get_string("mode") == "max";
  if (greatest && g.wants(0)) {
    return unimplemented("EmbeddingBagRows '", g.node().name, "': the gradient with mode max is not supported");
  }
  if (g.wants(0)) {
    const auto number = [&](int64_t n) { return g.constant(Tensor::scalar(n)); };
    const ValueId flat = cast(g, g.emit("Reshape", {indices, g.ints({-1})}), DType::kI64);
    const ValueId count = g.emit("Squeeze", {shape_of(g, flat)});
    const ValueId own = g.emit("Range", {number(1), add(g, count, number(1)), number(1)});
    const ValueId padded = g.emit("Equal", {flat, number(g.attributes().get_int("padding_idx"))});
    const ValueId rows = g.emit("Reshape", {where(g, padded, number(0), own), shape_of(g, indices)});
    const ValueId table = g.emit("Pad", {back, g.ints({1, 0, 0, 0})});
    Attributes attributes = bag_attributes(g);
    attributes.set("padding_idx", 0);
    g.set(0, g.emit("percale:EmbeddingBag", {table, rows, offsets, weights}, attributes));
  }
  if (g.wants(4)) {
    const ValueId plain =
        g.emit("percale:EmbeddingBagRows", {input(0), input(1), indices, offsets, kNoValue}, bag_attributes(g));
    const ValueId sums = g.emit("ReduceSum", {mul(g, back, plain), g.ints({1})}, {{"keepdims", 0}});
    g.set(4, g.emit("Reshape", {sums, shape_of(g, indices)}));
  }
  return g.status();
}

// ---- Schemas

constexpr InputSpec kTable = in("table", 'T', dtypes::kFloat), kIndices = in_index("indices"),
                    kOffsets = {"offsets", 0, dtypes::kIndex, Presence::kOptional, Bounds::kChecked},
                    kWeights = in_opt("per_sample_weights", 'T', dtypes::kFloat);

constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "EmbeddingBag",
     .doc = "The sum, mean or maximum (`mode`) per bag of the rows of table [rows, width] that its indices select: "
            "[bags, width], zeros for an empty bag (PyTorch's EmbeddingBag). Indices are [bags, length], or [count] "
            "with the offset of the first index of each bag; with include_last_offset the end of the last bag follows. "
            "With mode sum, each row is multiplied by its weight. Indices equal to padding_idx are ignored (-1: none). "
            "Indices are in [0, rows).",
     .inputs = {kTable, kIndices, kOffsets, kWeights},
     .attributes = {attr_string("mode", "mean"), attr_int("padding_idx", -1, -1),
                    attr_int("include_last_offset", 0, 0, 1)},
     .outputs = {out("output", 'T')},
     .shape = shape_embedding_bag,
     .grad = grad_embedding_bag,
     .traits = {.role = Role::kEmbeddingBag}},
    {.domain = "percale",
     .name = "EmbeddingBagRows",
     .doc = "The gradient of EmbeddingBag with respect to the row that each index looked up: [count, width]. If rows "
            "tie for a maximum, the first receives the gradient. Padding receives zeros.",
     .inputs = {in("grad", 'T', dtypes::kFloat), kTable, kIndices, kOffsets, kWeights},
     .attributes = {attr_string("mode", "mean"), attr_int("padding_idx", -1, -1),
                    attr_int("include_last_offset", 0, 0, 1)},
     .outputs = {out("rows", 'T')},
     .shape = shape_embedding_bag_rows,
     .grad = grad_embedding_bag_rows},
};

// ---- Kernels

struct BagPlan {
  size_t table = 0;  // index of the input `table`; indices, offsets and weights follow
  Mode mode = Mode::kSum;
  DType dtype = DType::kInvalid;
  int64_t rows = 0, width = 0, count = 0, bags = 0;
  int64_t length = -1;  // of every bag; -1: by offsets
  int64_t padding = -1;
  bool wide_indices = false, wide_offsets = false, ends = false, weighted = false;
};

Result<BagPlan> make_bags(const NodeView& node, size_t table) {
  BagPlan p{.table = table, .dtype = node.dtype(table)};
  const std::string_view mode = node.attributes.get_string("mode");
  p.mode = mode == "sum" ? Mode::kSum : mode == "mean" ? Mode::kMean : Mode::kMax;
  const Shape& indices = node.shape(table + 1);
  p.rows = node.shape(table)[0];
  p.width = node.shape(table)[1];
  p.count = indices.num_elements();
  p.wide_indices = node.dtype(table + 1) == DType::kI64;
  p.padding = node.attributes.get_int("padding_idx");
  p.weighted = node.has_input(table + 3);
  if (node.has_input(table + 2)) {
    p.wide_offsets = node.dtype(table + 2) == DType::kI64;
    p.ends = node.attributes.get_int("include_last_offset") != 0;
    p.bags = node.shape(table + 2)[0] - (p.ends ? 1 : 0);
  } else {
    p.bags = indices[0];
    p.length = indices[1];
  }
  return p;
}
Result<BagPlan> plan_bag(const NodeView& node, KernelPlan&) { return make_bags(node, 0); }
Result<BagPlan> plan_bag_rows(const NodeView& node, KernelPlan&) { return make_bags(node, 1); }

int64_t integer_at(const void* from, bool wide, int64_t i) {
  return wide ? static_cast<const int64_t*>(from)[i] : int64_t{static_cast<const int32_t*>(from)[i]};
}

// The range of indices of one bag.
struct Bag {
  int64_t begin = 0, end = 0;
  int64_t counted = 0;  // indices that are not padding
};

// Checks that offsets do not decrease and stay within the indices, so that bags do not overlap. On
// failure it fails the run and returns false.
bool check_offsets(const BagPlan& p, const Launch& l) {
  if (p.length >= 0) return true;
  int64_t last = 0;
  for (int64_t b = 0; b < p.bags + (p.ends ? 1 : 0); ++b) {
    const int64_t at = integer_at(l.in<void>(p.table + 2), p.wide_offsets, b);
    if (at < last || at > p.count) {
      l.fail(RunError::kIndexOutOfRange, at);
      return false;
    }
    last = at;
  }
  return true;
}

// Finds the range of a bag and checks its indices. An index out of range fails the run and returns
// false. Precondition: check_offsets() succeeded.
bool find_bag(const BagPlan& p, const Launch& l, int64_t number, Bag* bag) {
  if (p.length >= 0) {
    bag->begin = number * p.length;
    bag->end = bag->begin + p.length;
  } else {
    const void* offsets = l.in<void>(p.table + 2);
    bag->begin = integer_at(offsets, p.wide_offsets, number);
    bag->end = number + 1 < p.bags || p.ends ? integer_at(offsets, p.wide_offsets, number + 1) : p.count;
  }
  const void* indices = l.in<void>(p.table + 1);
  bag->counted = 0;
  for (int64_t i = bag->begin; i < bag->end; ++i) {
    const int64_t at = integer_at(indices, p.wide_indices, i);
    if (at < 0 || at >= p.rows) {
      l.fail(RunError::kIndexOutOfRange, at);
      return false;
    }
    if (at != p.padding) ++bag->counted;
  }
  return true;
}

constexpr int64_t kColumns = 64;

// Calls f(position of the index, its table row from `column` on) in order for every index of the
// bag that is not padding.
template <class T, class F>
void for_each_row(const BagPlan& p, const Launch& l, const Bag& bag, int64_t column, F&& f) {
  const T* table = l.in<T>(p.table);
  const void* indices = l.in<void>(p.table + 1);
  for (int64_t i = bag.begin; i < bag.end; ++i) {
    const int64_t at = integer_at(indices, p.wide_indices, i);
    if (at != p.padding) f(i, table + at * p.width + column);
  }
}

// Finds, for each column, the index of the bag with the greatest element. The first of equal ones
// wins, and NaN beats all others.
template <class T>
void find_greatest(const BagPlan& p, const Launch& l, const Bag& bag, int64_t column, int64_t width, T* best,
                   int64_t* from) {
  bool first = true;
  for_each_row<T>(p, l, bag, column, [&](int64_t i, const T* row) {
    for (int64_t c = 0; c < width; ++c) {
      if (!first && (best[c] != best[c] || row[c] <= best[c])) continue;
      best[c] = row[c];
      from[c] = i;
    }
    first = false;
  });
}

// Reduces one bag. Sums are computed in f64, in the order of the indices.
template <class T>
void join_bag(const BagPlan& p, const Launch& l, const Bag& bag, T* out) {
  const T* weights = p.weighted ? l.in<T>(p.table + 3) : nullptr;
  for (int64_t column = 0; column < p.width; column += kColumns) {
    const int64_t width = std::min(kColumns, p.width - column);
    if (p.mode == Mode::kMax) {
      T best[kColumns] = {};
      int64_t from[kColumns];
      find_greatest(p, l, bag, column, width, best, from);
      std::copy_n(best, width, out + column);
      continue;
    }
    double sums[kColumns] = {};
    for_each_row<T>(p, l, bag, column, [&](int64_t i, const T* row) {
      const double weight = weights == nullptr ? 1 : static_cast<double>(weights[i]);
      for (int64_t c = 0; c < width; ++c) sums[c] += weight * static_cast<double>(row[c]);
    });
    const double by = p.mode == Mode::kMean ? static_cast<double>(std::max<int64_t>(bag.counted, 1)) : 1;
    for (int64_t c = 0; c < width; ++c) out[column + c] = static_cast<T>(sums[c] / by);
  }
}

// Distributes the gradient `grad` of one bag to the rows [count, width] of its indices.
template <class T>
void spread_bag(const BagPlan& p, const Launch& l, const Bag& bag, const T* grad, T* out) {
  const T* weights = p.weighted ? l.in<T>(p.table + 3) : nullptr;
  std::fill(out + bag.begin * p.width, out + bag.end * p.width, T{});
  for (int64_t column = 0; column < p.width; column += kColumns) {
    const int64_t width = std::min(kColumns, p.width - column);
    const T* g = grad + column;
    if (p.mode == Mode::kMax) {
      if (bag.counted == 0) break;
      T best[kColumns];
      int64_t from[kColumns];
      find_greatest(p, l, bag, column, width, best, from);
      for (int64_t c = 0; c < width; ++c) out[from[c] * p.width + column + c] = g[c];
      continue;
    }
    const auto by = static_cast<T>(p.mode == Mode::kMean ? bag.counted : 1);
    for_each_row<T>(p, l, bag, column, [&](int64_t i, const T*) {
      T* to = out + i * p.width + column;
      const T weight = weights == nullptr ? T{1} : weights[i];
      for (int64_t c = 0; c < width; ++c) to[c] = g[c] * weight / by;
    });
  }
}

void run_bag(const BagPlan& p, const Launch& l) {
  if (!check_offsets(p, l)) return;
  const int64_t pieces = piece_count(p.bags, work_of(p.count / std::max<int64_t>(p.bags, 1) + 1, p.width));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.bags, pieces, piece);
    for (int64_t b = range.begin; b < range.end; ++b) {
      Bag bag;
      if (!find_bag(p, l, b, &bag)) return;
      with_float(p.dtype, [&]<class T>() { join_bag<T>(p, l, bag, l.out<T>(0) + b * p.width); });
    }
  });
}

void run_bag_rows(const BagPlan& p, const Launch& l) {
  if (!check_offsets(p, l)) return;
  if (p.length < 0) {  // indices before the first bag and after the last one get zeros
    with_float(p.dtype, [&]<class T>() { std::fill_n(l.out<T>(0), p.count * p.width, T{}); });
  }
  const int64_t pieces = piece_count(p.bags, work_of(p.count / std::max<int64_t>(p.bags, 1) + 1, p.width));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.bags, pieces, piece);
    for (int64_t b = range.begin; b < range.end; ++b) {
      Bag bag;
      if (!find_bag(p, l, b, &bag)) return;
      with_float(p.dtype, [&]<class T>() { spread_bag<T>(p, l, bag, l.in<T>(0) + b * p.width, l.out<T>(0)); });
    }
  });
}

}  // namespace

Status register_embedding(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_bag, &run_bag>(
      registry, "EmbeddingBag", "percale", "portable.EmbeddingBag", "portable.EmbeddingBag_widened")));
  return add_float_kernels<&plan_bag_rows, &run_bag_rows>(
      registry, "EmbeddingBagRows", "percale", "portable.EmbeddingBagRows", "portable.EmbeddingBagRows_widened");
}

}  // namespace percale
