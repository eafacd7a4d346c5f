// Scan: a Loop over the elements of its inputs, along one axis of each. Each Scan node becomes a
// Loop whose body gathers the elements of the trip and calls Scan's own body. It therefore inherits
// the gradient and the passes of Loop.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/graph/emit/upgrade.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"

namespace percale {
namespace {

// Takes a list attribute with one entry per input or output, or zeros if it is absent.
Result<std::vector<int64_t>> take_list(UpgradeContext& c, const char* name, size_t count) {
  std::vector<int64_t> list = c.take_ints(name);
  if (list.empty()) list.resize(count);
  if (list.size() == count) return list;
  return c.error(name, " has ", static_cast<uint64_t>(list.size()), " entries, wanted ", static_cast<uint64_t>(count));
}

struct Scan {
  std::string function;
  size_t carried = 0, scans = 0, outputs = 0;
  std::vector<int64_t> axes, reversed, output_axes, output_reversed;
};

Result<Scan> scan_of(UpgradeContext& c) {
  Scan s;
  const AttrValue* body = c.attributes.find("body");
  if (body == nullptr || body->get_if<FunctionRef>() == nullptr) return c.error("needs the attribute 'body'");
  s.function = body->get_if<FunctionRef>()->name;
  c.attributes.erase("body");
  const int64_t scans = c.take_int("num_scan_inputs", 0), carried = c.take_int("num_carried", 0);
  const auto inputs = static_cast<int64_t>(c.inputs.size());
  if (scans < 1 || carried < 0 || scans > inputs || carried > inputs - scans) {
    return c.error("it has ", inputs, " inputs, but num_carried is ", carried, " and num_scan_inputs ", scans);
  }
  s.scans = static_cast<size_t>(scans);
  s.carried = static_cast<size_t>(carried);
  const Function* function = c.builder().owner().graph().find_function(s.function);
  if (function == nullptr) return c.error("no function '", s.function, "'");
  if (function->inputs.size() != c.inputs.size() || function->outputs.size() < s.carried) {
    return c.error("the body has ", static_cast<uint64_t>(function->inputs.size()), " inputs and ",
                   static_cast<uint64_t>(function->outputs.size()),
                   " outputs, which do not match the node's inputs and outputs");
  }
  s.outputs = function->outputs.size() - s.carried;
  PERCALE_ASSIGN_OR_RETURN(s.axes, take_list(c, "scan_input_axes", s.scans));
  PERCALE_ASSIGN_OR_RETURN(s.reversed, take_list(c, "scan_input_directions", s.scans));
  PERCALE_ASSIGN_OR_RETURN(s.output_axes, take_list(c, "scan_output_axes", s.outputs));
  PERCALE_ASSIGN_OR_RETURN(s.output_reversed, take_list(c, "scan_output_directions", s.outputs));
  for (size_t k = 0; k < s.scans; ++k) {
    const ValueId id = c.input(s.carried + k);
    if (id == kNoValue || !c.shape(id).known_rank()) return c.error("the rank of a scanned input must be known");
    const auto axis = normalize_axis(s.axes[k], c.shape(id).rank());
    if (!axis.ok()) return c.error(axis.status().message());
    s.axes[k] = static_cast<int64_t>(*axis);
  }
  return s;
}

// Returns the number of trips: the length of the first scanned input. The others must have the same
// length.
Result<ValueId> trips_of(UpgradeContext& c, const Scan& s) {
  int64_t known = kUnknownDim;
  for (size_t k = 0; k < s.scans; ++k) {
    const int64_t length = c.shape(c.input(s.carried + k))[static_cast<size_t>(s.axes[k])];
    if (length >= 0 && known >= 0 && length != known)
      return c.error("scanned inputs differ in length: ", known, " and ", length);
    known = std::max(known, length);
  }
  if (known >= 0) return c.scalar(DType::kI64, static_cast<double>(known));
  return c.emit("Squeeze", {c.emit("Shape", {c.input(s.carried)}, {{"start", s.axes[0]}, {"end", s.axes[0] + 1}})});
}

// Builds (trip, cond, carried..., scanned inputs..., trips, captures...) -> (cond, carried..., scan
// outputs...).
Result<std::string> loop_body(UpgradeContext& c, const Scan& s, ValueId trips) {
  std::vector<ValueType> types;
  const Function& function = *c.builder().owner().graph().find_function(s.function);
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    types.push_back(i < s.carried ? function.type(function.inputs[i]) : c.type(c.inputs[i]));
  }
  types.push_back(c.type(trips));
  Builder& owner = c.builder().owner();
  const std::string name = owner.free_function_name(str_cat(s.function, "/trip"));
  PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * f, owner.add_function(name));
  PERCALE_ASSIGN_OR_RETURN(const ValueId trip, f->add_input("", DType::kI64, Shape{}));
  PERCALE_ASSIGN_OR_RETURN(const ValueId cond, f->add_input("", DType::kBool, Shape{}));
  std::vector<ValueId> given;
  for (const ValueType& type : types) {
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, f->add_input("", type.dtype, type.shape));
    given.push_back(id);
  }
  Emitter e(*f);
  const ValueId last = sub(e, given.back(), e.scalar(DType::kI64, 1));
  given.pop_back();
  for (size_t k = 0; k < s.scans; ++k) {
    const ValueId at = s.reversed[k] != 0 ? sub(e, last, trip) : trip;
    ValueId& input = given[s.carried + k];
    input = e.emit("Gather", {input, at}, {{"axis", s.axes[k]}});
  }
  std::vector<ValueId> outputs =
      e.emit_many("percale:Call", given, s.carried + s.outputs, {{"function", FunctionRef{s.function}}});
  PERCALE_RETURN_IF_ERROR(e.status());
  outputs.insert(outputs.begin(), cond);
  PERCALE_RETURN_IF_ERROR(f->set_outputs(std::move(outputs)));
  return name;
}

// Puts values that the loop stacked along axis 0 into the order and along the axis that the node
// requests.
Result<ValueId> arranged(UpgradeContext& c, ValueId y, int64_t axis, bool reversed) {
  if (reversed) {
    y = c.emit("Slice", {y, c.ints({-1}), c.ints({std::numeric_limits<int64_t>::min()}), c.ints({0}), c.ints({-1})});
  }
  if (axis == 0) return y;
  const Shape shape = c.shape(y);
  if (!shape.known_rank()) return c.error("the rank of the values stacked along axis ", axis, " must be known");
  const auto to = normalize_axis(axis, shape.rank());
  if (!to.ok()) return c.error(to.status().message());
  std::vector<int64_t> perm;
  for (size_t d = 1; d < shape.rank(); ++d) perm.push_back(static_cast<int64_t>(d));
  perm.insert(perm.begin() + static_cast<ptrdiff_t>(*to), 0);
  return c.emit("Transpose", {y}, {{"perm", perm}});
}

Status scan_is_loop(UpgradeContext& c) {
  if (c.version < 9) {
    return unimplemented("Scan '", c.name, "' of opset ", c.version,
                         ": scans of batches with sequences of different lengths are not supported");
  }
  PERCALE_ASSIGN_OR_RETURN(const Scan s, scan_of(c));
  PERCALE_ASSIGN_OR_RETURN(const ValueId trips, trips_of(c, s));
  PERCALE_RETURN_IF_ERROR(c.status());
  PERCALE_ASSIGN_OR_RETURN(std::string body, loop_body(c, s, trips));
  std::vector<ValueId> inputs = {trips, kNoValue};
  inputs.insert(inputs.end(), c.inputs.begin(), c.inputs.end());
  inputs.push_back(trips);
  std::vector<ValueId> outputs =
      c.emit_many("Loop", inputs, s.carried + s.outputs,
                  {{"body", FunctionRef{std::move(body)}}, {"num_carried", static_cast<int64_t>(s.carried)}});
  PERCALE_RETURN_IF_ERROR(c.status());
  for (size_t k = 0; k < s.outputs; ++k) {
    ValueId& y = outputs[s.carried + k];
    PERCALE_ASSIGN_OR_RETURN(y, arranged(c, y, s.output_axes[k], s.output_reversed[k] != 0));
  }
  if (outputs.size() < c.num_outputs)
    return c.error("its body yields only ", static_cast<uint64_t>(outputs.size()), " outputs");
  outputs.resize(c.num_outputs);
  c.replace(std::move(outputs));
  return c.status();
}

// Applies to every opset: the registry has no op named Scan.
constexpr OpUpgrade kUpgrades[] = {
    {.name = "Scan", .before = std::numeric_limits<int32_t>::max(), .upgrade = scan_is_loop, .becomes = "Loop"}};

}  // namespace

Status register_scan(Registry& registry, const simd::SimdTable*) { return registry.add_upgrades<kUpgrades>(); }

}  // namespace percale
