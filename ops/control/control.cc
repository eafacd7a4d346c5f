// If, Loop and Call: ops that carry functions. The executor runs them itself, so they have no
// kernels.
//
// Functions are closed: values that a body needs from the enclosing function are captures, the
// trailing inputs of the node and of the body.
#include "ops/control/control.h"

#include <algorithm>

#include "core/graph/effects.h"
#include "core/graph/emit/gradient.h"
#include "ops/support/families.h"

namespace percale {
namespace {

constexpr DTypeSet kEvery =
    dtypes::kAny | DTypeSet::of(DType::kString, DType::kComplex64, DType::kComplex128, DType::kF8E4M3FN,
                                DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ, DType::kU4, DType::kI4,
                                DType::kF4E2M1, DType::kF8E8M0, DType::kU2, DType::kI2);
constexpr InputSpec kCaptures{"captures", 0, kEvery, Presence::kVariadicOrNone};
constexpr InputSpec kCarriedAndCaptures{"carried_and_captures", 0, kEvery, Presence::kVariadicOrNone};
constexpr InputSpec kCallInputs{"inputs", 0, kEvery, Presence::kVariadicOrNone};
constexpr OutputSpec kOutputs{"outputs", 0, kEvery, Presence::kVariadicOrNone};
constexpr AttrSpec kNumCarried{.name = "num_carried", .kind = AttrKind::kInt, .required = true, .min = 0, .max = 1e6};
constexpr double kMostTrips = 9007199254740992.0;  // 2^53: attribute ranges are stored as doubles

const std::string& function_of(const Attributes& attributes, std::string_view name) {
  return attributes.find(name)->get_if<FunctionRef>()->name;
}

// Returns the most specific shape that matches both. Precondition: the dtypes are equal.
Shape either(const Shape& a, const Shape& b) {
  if (!a.known_rank() || !b.known_rank() || a.rank() != b.rank()) return Shape::unranked();
  Shape out = a;
  for (size_t i = 0; i < out.rank(); ++i) {
    if (a[i] != b[i]) out[i] = kUnknownDim;
  }
  return out;
}

// Checks for a single element. ONNX allows rank 0, or rank 1 with one element.
Status check_single(const ShapeContext& c, size_t i, std::string_view what) {
  const Shape& shape = c.shape(i);
  if (!shape.known_rank() || shape.rank() == 0) return {};
  if (shape.rank() == 1 && (shape[0] == 1 || shape[0] == kUnknownDim)) return {};
  return c.error("'", what, "' must be one element, got ", shape);
}

Result<std::vector<ValueType>> body_types(const ShapeContext& c, std::string_view attribute,
                                          const std::vector<ValueType>& inputs) {
  if (c.functions == nullptr) return c.error("needs the graph that contains its functions");
  auto types = c.functions->output_types(function_of(c.attributes, attribute), inputs);
  if (!types.ok()) return c.error(types.status());
  return types;
}

Status check_count(const ShapeContext& c, size_t have) {
  if (c.outputs.size() <= have) return {};
  return c.error("it has ", static_cast<uint64_t>(have), " outputs, asked for ",
                 static_cast<uint64_t>(c.outputs.size()));
}

Status if_shape(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_single(c, 0, "cond"));
  const std::vector<ValueType> captures(c.inputs.begin() + 1, c.inputs.end());
  PERCALE_ASSIGN_OR_RETURN(const auto then_types, body_types(c, "then_branch", captures));
  PERCALE_ASSIGN_OR_RETURN(const auto else_types, body_types(c, "else_branch", captures));
  if (then_types.size() != else_types.size()) {
    return c.error("the branches have ", static_cast<uint64_t>(then_types.size()), " and ",
                   static_cast<uint64_t>(else_types.size()), " outputs");
  }
  PERCALE_RETURN_IF_ERROR(check_count(c, then_types.size()));
  for (size_t i = 0; i < then_types.size(); ++i) {
    if (then_types[i].dtype != else_types[i].dtype) {
      return c.error("output ", static_cast<uint64_t>(i), " is ", then_types[i].dtype, " in one branch and ",
                     else_types[i].dtype, " in the other");
    }
    c.set_output(i, then_types[i].dtype, either(then_types[i].shape, else_types[i].shape));
  }
  return {};
}

Status call_shape(ShapeContext& c) {
  PERCALE_ASSIGN_OR_RETURN(const auto types, body_types(c, "function", c.inputs));
  PERCALE_RETURN_IF_ERROR(check_count(c, types.size()));
  for (size_t i = 0; i < types.size(); ++i) c.set_output(i, types[i].dtype, types[i].shape);
  return {};
}

// Returns the number of trips if it is known before the run, else kUnknownDim.
int64_t known_trips(const ShapeContext& c) {
  const bool always = !c.has_input(1) || (c.value(1) != nullptr && c.value(1)->span<bool>()[0]);
  if (!always || !c.has_input(0) || c.value(0) == nullptr) return kUnknownDim;
  if (!c.functions->keeps_true(function_of(c.attributes, "body"), 0, 1)) return kUnknownDim;
  const int64_t trips = to_int64s(*c.value(0))[0];
  return trips > kMaxDim ? kUnknownDim : std::max<int64_t>(trips, 0);
}

Status loop_shape(ShapeContext& c) {
  const auto carried = static_cast<size_t>(c.attributes.get_int("num_carried"));
  if (c.num_inputs() < carried + (carried > 0 ? 2 : 0)) {
    return c.error("num_carried is ", static_cast<uint64_t>(carried), ", but the node has only ",
                   static_cast<uint64_t>(c.num_inputs()), " inputs, M and cond included");
  }
  if (c.has_input(0)) PERCALE_RETURN_IF_ERROR(check_single(c, 0, "M"));
  if (c.has_input(1)) PERCALE_RETURN_IF_ERROR(check_single(c, 1, "cond"));
  std::vector<ValueType> inputs{{DType::kI64, {}}, {DType::kBool, {}}};
  for (size_t i = 2; i < c.num_inputs(); ++i) inputs.push_back(c.inputs[i]);

  // A carried value may change its shape from trip to trip. Make dims that differ unknown until
  // nothing changes.
  std::vector<ValueType> types;
  for (bool changed = true; changed;) {
    changed = false;
    PERCALE_ASSIGN_OR_RETURN(types, body_types(c, "body", inputs));
    if (types.size() < 1 + carried) {
      return c.error("the body has ", static_cast<uint64_t>(types.size()), " outputs, wanted cond and ",
                     static_cast<uint64_t>(carried), " carried values");
    }
    for (size_t i = 0; i < carried; ++i) {
      ValueType& in = inputs[2 + i];
      if (types[1 + i].dtype != in.dtype) {
        return c.error("carried value ", static_cast<uint64_t>(i), " starts as ", in.dtype, ", but the body returns ",
                       types[1 + i].dtype);
      }
      const Shape joined = either(in.shape, types[1 + i].shape);
      changed = changed || !(joined == in.shape);
      in.shape = joined;
    }
  }
  if (types[0].dtype != DType::kBool) return c.error("the body's first output must be bool, got ", types[0].dtype);
  PERCALE_RETURN_IF_ERROR(check_count(c, types.size() - 1));
  const int64_t trips = known_trips(c);
  for (size_t i = 0; i + 1 < types.size(); ++i) {
    if (i < carried) {
      c.set_output(i, inputs[2 + i].dtype, inputs[2 + i].shape);
      continue;
    }
    const ValueType& each = types[1 + i];
    Shape stacked = Shape::unranked();
    if (each.shape.known_rank()) {
      if (each.shape.rank() == kMaxRank) return c.error("a scan output of rank 8 cannot be stacked");
      stacked = Shape{trips};
      for (int64_t dim : each.shape) stacked.push_back(dim);
    }
    c.set_output(i, each.dtype, stacked);
  }
  return {};
}

// Return which output gradients exist, and which gradients of the inputs from `first` on are
// wanted.
std::vector<bool> given_of(const GradContext& c) {
  std::vector<bool> out;
  for (size_t i = 0; i < c.node().outputs.size(); ++i) out.push_back(c.grad(i) != kNoValue);
  return out;
}

std::vector<bool> wanted_of(const GradContext& c, size_t first) {
  std::vector<bool> out;
  for (size_t i = first; i < c.num_inputs(); ++i) out.push_back(c.wants(i));
  return out;
}

// Returns the inputs of the node that calls backward functions: the forward node's inputs, then the
// gradients that exist.
std::vector<ValueId> backward_inputs(const GradContext& c) {
  std::vector<ValueId> out = c.node().inputs;
  for (size_t i = 0; i < c.node().outputs.size(); ++i) {
    if (c.grad(i) != kNoValue) out.push_back(c.grad(i));
  }
  return out;
}

void set_wanted(GradContext& c, size_t first, const std::vector<ValueId>& grads) {
  size_t next = 0;
  for (size_t i = first; i < c.num_inputs(); ++i) {
    if (c.wants(i)) c.set(i, grads[next++]);
  }
}

// Emits an If over the backward functions of both branches, which recompute the branch.
Status if_grad(GradContext& c) {
  const std::vector<bool> given = given_of(c), wanted = wanted_of(c, 1);
  FunctionGradients& functions = *c.functions();
  PERCALE_ASSIGN_OR_RETURN(auto then_back,
                           functions.backward(function_of(c.attributes(), "then_branch"), given, wanted));
  PERCALE_ASSIGN_OR_RETURN(auto else_back,
                           functions.backward(function_of(c.attributes(), "else_branch"), given, wanted));
  const auto count = static_cast<size_t>(std::count(wanted.begin(), wanted.end(), true));
  set_wanted(c, 1,
             c.emit_many("If", backward_inputs(c), count,
                         {{"then_branch", FunctionRef{std::move(then_back)}},
                          {"else_branch", FunctionRef{std::move(else_back)}}}));
  return {};
}

Status call_grad(GradContext& c) {
  const std::vector<bool> wanted = wanted_of(c, 0);
  PERCALE_ASSIGN_OR_RETURN(auto back,
                           c.functions()->backward(function_of(c.attributes(), "function"), given_of(c), wanted));
  const auto count = static_cast<size_t>(std::count(wanted.begin(), wanted.end(), true));
  set_wanted(c, 0,
             c.emit_many("percale:Call", backward_inputs(c), count, {{"function", FunctionRef{std::move(back)}}}));
  return {};
}

constexpr OpRow kSchemas[] = {
    {.name = "If",
     .since = 25,
     .doc = "Runs then_branch if cond is true, otherwise else_branch, on the captures; the outputs are the outputs of "
            "that branch.",
     .inputs = {in("cond", 0, dtypes::kBoolOnly), kCaptures},
     .attributes = {attr_required("then_branch", AttrKind::kFunction),
                    attr_required("else_branch", AttrKind::kFunction)},
     .outputs = {kOutputs},
     .flags = kRuntime,
     .shape = if_shape,
     .grad = if_grad,
     .traits = {.role = Role::kIf}},
    {.name = "Loop",
     .since = 25,
     .doc = "Runs body(trip, cond, carried..., captures...) -> (cond, carried..., scan...) at most M times and while "
            "cond is true. The outputs are the last carried values and the scan values of all trips, stacked. More "
            "than trip_limit trips are an error.",
     .inputs = {in_opt("M", 0, dtypes::kI64Only), in_opt("cond", 0, dtypes::kBoolOnly), kCarriedAndCaptures},
     .attributes = {attr_required("body", AttrKind::kFunction), kNumCarried,
                    attr_int("trip_limit", int64_t{1} << 24, 0, kMostTrips)},
     .outputs = {kOutputs},
     .flags = kRuntime,
     .shape = loop_shape,
     .grad = loop_grad,
     .traits = {.role = Role::kLoop}},
    {.domain = "percale",
     .name = "Call",
     .doc = "Calls a function of the graph with the given inputs; the outputs are those of the function.",
     .inputs = {kCallInputs},
     .attributes = {attr_required("function", AttrKind::kFunction)},
     .outputs = {kOutputs},
     .flags = kRuntime,
     .shape = call_shape,
     .grad = call_grad,
     .traits = {.role = Role::kCall}},
};

}  // namespace

Status register_control(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
