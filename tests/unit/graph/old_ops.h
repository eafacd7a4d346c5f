// Ops as defined in older releases, and a graph with such nodes. Its file must be readable in every
// later release.
#ifndef PERCALE_TESTS_UNIT_GRAPH_OLD_OPS_H_
#define PERCALE_TESTS_UNIT_GRAPH_OLD_OPS_H_

#include <memory>

#include "core/graph/builder.h"

namespace percale::old_ops {

inline Status same_shape(ShapeContext& c) {
  c.set_output(0, c.dtype(0), c.shape(0));
  return {};
}
inline Status first_dim(ShapeContext& c) {
  c.set_output(0, c.dtype(0), Shape{c.shape(0)[0]});
  return {};
}

// Normalizes over all dims from `axis` on; the default axis was 1.
inline constexpr OpRow kSoftmaxRow{.name = "Softmax",
                                   .since = 11,
                                   .doc = "",
                                   .inputs = {in("input", 'T', dtypes::kFloat)},
                                   .attributes = {attr_int("axis", 1)},
                                   .outputs = {out("output", 'T')},
                                   .shape = same_shape,
                                   .grad = grad::none};
inline constexpr OpSchema kSoftmax(kSoftmaxRow);
// Bounds are attributes.
inline constexpr OpRow kClipRow{
    .name = "Clip",
    .since = 6,
    .doc = "",
    .inputs = {in("input", 'T', dtypes::kFloat)},
    .attributes = {attr_optional("min", AttrKind::kFloat), attr_optional("max", AttrKind::kFloat)},
    .outputs = {out("output", 'T')},
    .shape = same_shape,
    .grad = grad::none};
inline constexpr OpSchema kClip(kClipRow);
// Axes are an attribute; here always all but the first.
inline constexpr OpRow kReduceSumRow{.name = "ReduceSum",
                                     .since = 11,
                                     .doc = "",
                                     .inputs = {in("data", 'T', dtypes::kFloat)},
                                     .attributes = {attr_optional("axes", AttrKind::kInts), attr_int("keepdims", 1)},
                                     .outputs = {out("reduced", 'T')},
                                     .shape = first_dim,
                                     .grad = grad::none};
inline constexpr OpSchema kReduceSum(kReduceSumRow);

// sums = sum over axes 1 and 2 of (flag ? min(softmax(x), 0.3) : softmax(x)), for x [2,2,2]. "rows"
// is the softmax, whose helper nodes must not take the name "rows/rows" from the Relu.
inline Result<std::shared_ptr<const Graph>> graph(std::shared_ptr<const Registry> registry) {
  Builder builder(std::move(registry));
  PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * clipped, builder.add_function("clipped"));
  PERCALE_ASSIGN_OR_RETURN(const ValueId inner, clipped->add_input("s", DType::kF32, Shape{2, 2, 2}));
  PERCALE_ASSIGN_OR_RETURN(const NodeId clip, clipped->add_node(kClip, {inner}, {{"max", 0.3}}, 1, "clip"));
  PERCALE_RETURN_IF_ERROR(clipped->set_outputs({clipped->function().node(clip).outputs[0]}));
  PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * plain, builder.add_function("plain"));
  PERCALE_ASSIGN_OR_RETURN(const ValueId same, plain->add_input("s", DType::kF32, Shape{2, 2, 2}));
  PERCALE_RETURN_IF_ERROR(plain->set_outputs({same}));

  FunctionBuilder& f = builder.main();
  PERCALE_ASSIGN_OR_RETURN(const ValueId x, f.add_input("x", DType::kF32, Shape{2, 2, 2}));
  PERCALE_ASSIGN_OR_RETURN(const ValueId flag, f.add_input("flag", DType::kBool, Shape{}));
  PERCALE_ASSIGN_OR_RETURN(const NodeId softmax, f.add_node(kSoftmax, {x}, {}, 1, "rows"));
  Emitter e(f);
  const ValueId relu = e.emit("Relu", {f.function().node(softmax).outputs[0]}, {}, "rows/rows");
  const ValueId chosen = e.emit(
      "If", {flag, relu}, {{"then_branch", FunctionRef{"clipped"}}, {"else_branch", FunctionRef{"plain"}}}, "chosen");
  PERCALE_RETURN_IF_ERROR(e.status());
  PERCALE_ASSIGN_OR_RETURN(
      const NodeId sum,
      f.add_node(kReduceSum, {chosen}, {{"axes", std::vector<int64_t>{1, 2}}, {"keepdims", int64_t{0}}}, 1, "sum"));
  const ValueId sums = f.function().node(sum).outputs[0];
  PERCALE_RETURN_IF_ERROR(f.rename(sums, "sums"));
  PERCALE_RETURN_IF_ERROR(f.add_control(softmax, sum));
  PERCALE_RETURN_IF_ERROR(f.set_outputs({sums, f.function().node(softmax).outputs[0]}));
  return builder.finish();
}

}  // namespace percale::old_ops

#endif  // PERCALE_TESTS_UNIT_GRAPH_OLD_OPS_H_
