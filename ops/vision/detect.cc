// NonMaxSuppression: drops boxes that overlap a better box.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "ops/support/families.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

struct Suppression {
  int64_t batches = 0, classes = 0, boxes = 0, most = 0;
  float overlap = 0, score = -std::numeric_limits<float>::infinity();
  bool centered = false;
};

template <class T>
const T* single(const Tensor* value) {
  return value == nullptr || value->num_elements() == 0 ? nullptr : value->span<T>().data();
}

// Reads the options from a shape context or a node view. Inputs from 2 on must be known or absent.
template <class Context>
Result<Suppression> suppression_of(const Context& c) {
  Suppression s;
  s.batches = c.shape(0)[0];
  s.boxes = c.shape(0)[1];
  s.classes = c.shape(1)[1];
  s.centered = c.attributes.get_int("center_point_box") != 0;
  const auto value = [&](size_t i) { return c.has_input(i) ? c.value(i) : nullptr; };
  if (const auto* most = single<int64_t>(value(2))) s.most = std::clamp<int64_t>(*most, 0, s.boxes);
  if (const auto* overlap = single<float>(value(3))) s.overlap = *overlap;
  if (const auto* score = single<float>(value(4))) s.score = *score;
  if (!(s.overlap >= 0 && s.overlap <= 1)) {
    return invalid_argument("iou_threshold is ", double{s.overlap}, ", wanted 0 to 1");
  }
  return s;
}

struct Box {
  float y0, x0, y1, x1;
  float area() const { return (y1 - y0) * (x1 - x0); }
};

Box box_at(const float* at, bool centered) {
  if (centered) {  // x, y, width, height (centre)
    return {at[1] - at[3] / 2, at[0] - at[2] / 2, at[1] + at[3] / 2, at[0] + at[2] / 2};
  }
  return {std::min(at[0], at[2]), std::min(at[1], at[3]), std::max(at[0], at[2]), std::max(at[1], at[3])};
}

// True if the intersection over union is above the limit.
bool overlaps(const Box& a, const Box& b, float limit) {
  const float height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0), width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  if (!(height > 0 && width > 0)) return false;
  const float common = height * width, all = a.area() + b.area() - common;
  return all > 0 && common / all > limit;
}

// Returns rows (batch, class, box), the best boxes of each class first. Among equal scores, the
// lower box index comes first.
std::vector<int64_t> select(const Suppression& s, const float* boxes, const float* scores) {
  std::vector<int64_t> rows, order;
  std::vector<Box> all(static_cast<size_t>(s.boxes)), kept;
  for (int64_t batch = 0; batch < s.batches && s.most > 0; ++batch) {
    for (int64_t i = 0; i < s.boxes; ++i) {
      all[static_cast<size_t>(i)] = box_at(boxes + (batch * s.boxes + i) * 4, s.centered);
    }
    for (int64_t label = 0; label < s.classes; ++label) {
      const float* score = scores + (batch * s.classes + label) * s.boxes;
      order.clear();
      for (int64_t i = 0; i < s.boxes; ++i) {
        // Without a threshold every number passes; NaN never does.
        if (score[i] > s.score || (std::isinf(s.score) && score[i] == s.score)) order.push_back(i);
      }
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return score[a] > score[b]; });
      kept.clear();
      for (const int64_t i : order) {
        if (static_cast<int64_t>(kept.size()) == s.most) break;
        const Box& box = all[static_cast<size_t>(i)];
        if (std::any_of(kept.begin(), kept.end(), [&](const Box& k) { return overlaps(box, k, s.overlap); })) continue;
        kept.push_back(box);
        rows.insert(rows.end(), {batch, label, i});
      }
    }
  }
  return rows;
}

// The number of remaining boxes depends on the values of all inputs, so all of them are read here.
Status shape_non_max_suppression(ShapeContext& c) {
  const Shape &boxes = c.shape(0), &scores = c.shape(1);
  if (!compatible(boxes, Shape{kUnknownDim, kUnknownDim, 4})) return c.error("wanted boxes [B,N,4], got ", boxes);
  if (!compatible(scores, Shape{kUnknownDim, kUnknownDim, kUnknownDim})) {
    return c.error("wanted scores [B,C,N], got ", scores);
  }
  if (boxes.known_rank() && scores.known_rank() && !compatible(scores, Shape{boxes[0], kUnknownDim, boxes[1]})) {
    return c.error("scores ", scores, " do not match boxes ", boxes);
  }
  bool known = boxes.is_static() && scores.is_static();
  for (size_t i = 0; i < c.num_inputs(); ++i) known = known && (!c.has_input(i) || c.value(i) != nullptr);
  for (size_t i = 2; i < c.num_inputs(); ++i) {
    if (!c.has_input(i) || !c.shape(i).is_static() || c.shape(i).num_elements() <= 1) continue;
    return c.error("'", c.schema.input(i).name, "' must be one element, got ", c.shape(i));
  }
  int64_t count = kUnknownDim;
  if (known) {
    const auto s = suppression_of(c);
    if (!s.ok()) return c.error(s.status());
    const auto rows = select(*s, c.value(0)->span<float>().data(), c.value(1)->span<float>().data());
    count = static_cast<int64_t>(rows.size()) / 3;
  }
  c.set_output(0, DType::kI64, Shape{count, 3});
  return {};
}

constexpr InputSpec read_input(std::string_view name, DType dtype, Presence presence = Presence::kRequired) {
  return in_shape(name, presence, DTypeSet::of(dtype));
}

constexpr OpRow kSchemas[] = {
    {.name = "NonMaxSuppression",
     .since = 11,
     .doc = "Rows (batch, class, box) of the boxes with scores above score_threshold, by descending score in each "
            "class. A box is dropped if its intersection over union with a better one is above iou_threshold.",
     .inputs = {read_input("boxes", DType::kF32), read_input("scores", DType::kF32),
                read_input("max_output_boxes_per_class", DType::kI64, Presence::kOptional),
                read_input("iou_threshold", DType::kF32, Presence::kOptional),
                read_input("score_threshold", DType::kF32, Presence::kOptional)},
     .attributes = {attr_int("center_point_box", 0, 0, 1)},
     .outputs = {out("selected_indices", dtypes::kI64Only)},
     .shape = shape_non_max_suppression,
     .grad = grad::none},
};

// The boxes are known when the node is planned, so the plan holds the result.
Result<std::vector<int64_t>> plan_non_max_suppression(const NodeView& node, KernelPlan&) {
  if (node.value(0) == nullptr || node.value(1) == nullptr)
    return internal_error("boxes and scores must be known when the kernel is planned");
  PERCALE_ASSIGN_OR_RETURN(const Suppression s, suppression_of(node));
  return select(s, node.value(0)->span<float>().data(), node.value(1)->span<float>().data());
}
void run_non_max_suppression(const std::vector<int64_t>& rows, const Launch& launch) {
  std::copy(rows.begin(), rows.end(), launch.out<int64_t>(0));
}

}  // namespace

Status register_detect(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(registry, {make_kernel<accepts_all, plan_non_max_suppression, run_non_max_suppression>(
                                       "portable.NonMaxSuppression", "NonMaxSuppression")});
}

}  // namespace percale
