// A registry with an op that uses every schema feature, and a small graph that uses every part of
// the file format.
#ifndef PERCALE_TESTS_UNIT_GRAPH_SAMPLE_H_
#define PERCALE_TESTS_UNIT_GRAPH_SAMPLE_H_

#include <doctest/doctest.h>

#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/graph/graph.h"

namespace percale::sample {

inline constexpr DTypeSet kEvery = dtypes::kAny | DTypeSet::of(DType::kI4, DType::kF8E5M2, DType::kComplex64);

inline Status everything_shape(ShapeContext& c) {
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    if (!c.has_input(i)) return c.error("output ", static_cast<uint64_t>(i), " needs its input");
    c.set_output(i, c.dtype(i), c.shape(i));
  }
  return {};
}

// A variable read declares no shape of its own; the validator compares with the variable.
inline Status read_shape(ShapeContext& c) {
  c.set_output(0, DType::kF32, Shape::unranked());
  return {};
}

inline Status call_shape(ShapeContext& c) {
  PERCALE_ASSIGN_OR_RETURN(const auto types,
                           c.functions->output_types(c.attributes.find("body")->get_if<FunctionRef>()->name, c.inputs));
  for (size_t i = 0; i < c.outputs.size() && i < types.size(); ++i) {
    c.set_output(i, types[i].dtype, types[i].shape);
  }
  return {};
}

inline constexpr OpRow kOps[] = {
    {.domain = "test",
     .name = "Everything",
     .since = 3,
     .doc = "Output i is input i.",
     .inputs = {in_opt("first", 0, kEvery), InputSpec{"rest", 0, kEvery, Presence::kVariadicOrNone}},
     .attributes = {attr_optional("float", AttrKind::kFloat), attr_optional("int", AttrKind::kInt),
                    attr_optional("string", AttrKind::kString), attr_optional("tensor", AttrKind::kTensor),
                    attr_optional("function", AttrKind::kFunction), attr_optional("floats", AttrKind::kFloats),
                    attr_optional("ints", AttrKind::kInts), attr_optional("strings", AttrKind::kStrings)},
     .outputs = {OutputSpec{"all", 0, kEvery, Presence::kVariadicOrNone}},
     .shape = everything_shape,
     .grad = grad::none},
    {.domain = "test",
     .name = "Add",
     .doc = "The shape of A.",
     .inputs = {in("A", 'T', dtypes::kNumeric), in("B", 'T', dtypes::kNumeric)},
     .outputs = {out("C", 'T')},
     .shape = everything_shape,
     .grad = grad::none},
    {.domain = "test",
     .name = "Read",
     .doc = "A variable.",
     .attributes = {attr_required("variable", AttrKind::kString)},
     .outputs = {out("value", dtypes::kFloat)},
     .flags = kStateful,
     .shape = read_shape,
     .grad = grad::none},
    {.domain = "test",
     .name = "Call",
     .doc = "What the function gives.",
     .inputs = {InputSpec{"inputs", 0, kEvery, Presence::kVariadicOrNone}},
     .attributes = {attr_required("body", AttrKind::kFunction)},
     .outputs = {OutputSpec{"outputs", 0, kEvery, Presence::kVariadicOrNone}},
     .shape = call_shape,
     .grad = grad::none},
};

inline std::shared_ptr<const Registry> registry() {
  auto out = std::make_shared<Registry>();
  REQUIRE(out->add_ops<kOps>().ok());
  return out;
}

template <class T>
T must(Result<T> result) {
  if (!result.ok()) FAIL(result.status().to_string());
  return std::move(result).value();
}

inline ValueId add(FunctionBuilder& f, ValueId a, ValueId b, std::string_view name = {}) {
  return f.function().node(must(f.add_node("test:Add", {a, b}, {}, 1, name))).outputs[0];
}

inline std::shared_ptr<const Graph> everything() {
  Builder builder(registry());
  FunctionBuilder& body = *must(builder.add_function("body"));
  const ValueId bx = must(body.add_input("x", DType::kF32, Shape{-1, 2}));
  const ValueId bc = must(body.add_constant(Tensor::of<float>(Shape{1, 2}, std::vector<float>{3, 4}), "shift"));
  REQUIRE(body.set_outputs({add(body, bx, bc, "sum")}).ok());

  REQUIRE(builder
              .add_variable({"w", DType::kF32, Shape{2}, true, false,
                             Tensor::of<float>(Shape{2}, std::vector<float>{0.5F, -0.0F})})
              .ok());
  REQUIRE(builder.add_variable({"late", DType::kF32, Shape{}, false, true, {}}).ok());
  FunctionBuilder& init = builder.init();
  const ValueId first = must(init.add_constant(Tensor::scalar(7.0F), "late"));
  REQUIRE(init.set_outputs({first}).ok());

  FunctionBuilder& f = builder.main();
  const ValueId x = must(f.add_input("x", DType::kF32, Shape{-1, 2}));
  const ValueId any = must(f.add_input("any", DType::kI64, Shape::unranked()));
  const ValueId flags = must(f.add_constant(
      Tensor::of<bool>(Shape{3}, std::span<const bool>(std::initializer_list<bool>{true, false, true})), "flags"));
  const ValueId none = must(f.add_constant(Tensor::of<int64_t>(Shape{0, 4}, {}), "none"));
  const unsigned char packed[] = {0x21, 0x03};
  const ValueId small = must(f.add_constant(Tensor::copy_of(DType::kI4, Shape{3}, packed, 2), "small"));
  const NodeId read = must(f.add_node("test:Read", {}, {{"variable", "w"}}, 1, "read"));
  f.set_device("cuda:1");
  Attributes attributes{{"float", -0.0},
                        {"int", int64_t{-3}},
                        {"string", "text\nwith\xFF bytes"},
                        {"tensor", Tensor::vector<int64_t>(std::vector<int64_t>{1, 2, 3})},
                        {"function", FunctionRef{"body"}},
                        {"floats", std::vector<double>{0.1, -0.0}},
                        {"ints", std::vector<int64_t>{INT64_MIN, 0}},
                        {"strings", std::vector<std::string>{"", "a"}}};
  const NodeId all = must(f.add_node("test:Everything", {kNoValue, any, flags, none, small}, {}, 0, "sink"));
  const NodeId rich =
      must(f.add_node("test:Everything", {x, f.function().node(read).outputs[0]}, attributes, 2, "rich"));
  REQUIRE(f.add_control(all, rich).ok());
  f.set_device("");
  const NodeId call = must(f.add_node("test:Call", {x}, {{"body", FunctionRef{"body"}}}, 1, "call"));
  REQUIRE(f.set_outputs({add(f, f.function().node(call).outputs[0], x, "y"), x}).ok());
  builder.set_metadata("author", "a test");
  builder.set_metadata("", "");
  return must(builder.finish());
}

// Returns the CPU seconds of a call, so that load from other programs does not count.
inline double seconds(const std::function<void()>& f) {
  const std::clock_t begin = std::clock();
  f();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace percale::sample

#endif  // PERCALE_TESTS_UNIT_GRAPH_SAMPLE_H_
