// The schema of an op: everything about it except its kernels. Families write constexpr tables of
// rows; core/registry/op_table.h turns them into schemas.
#ifndef PERCALE_CORE_REGISTRY_OP_SCHEMA_H_
#define PERCALE_CORE_REGISTRY_OP_SCHEMA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "core/base/status.h"
#include "core/registry/attributes.h"
#include "core/registry/list.h"
#include "core/registry/op_traits.h"
#include "core/tensor/dtype.h"

struct percale_shape_context;
struct percale_grad_context;
struct percale_body_context;

namespace percale {

using ShapeContext = ::percale_shape_context;  // core/registry/shape_context.h
using GradContext = ::percale_grad_context;    // core/graph/emit/gradient.h
using BodyContext = ::percale_body_context;    // core/graph/emit/composite.h

enum class Presence : uint8_t {
  kRequired,
  kOptional,  // may be absent: kNoValue in the node
  kVariadic,  // last one only: one or more
  kVariadicOrNone,
};

// For index-valued inputs: how the indices are checked, so that no use of an index is unchecked.
enum class Bounds : uint8_t {
  kNone,     // not an index
  kChecked,  // indices: the kernel checks each element against the axis it indexes
  kShape,    // a shape, axes, sizes, starts or ends: checked by the shape function
};

struct InputSpec {
  std::string_view name;
  char group = 0;  // Inputs and outputs with the same letter share one dtype; 0: independent.
  DTypeSet types;
  Presence presence = Presence::kRequired;
  Bounds bounds = Bounds::kNone;
};

struct OutputSpec {
  std::string_view name;
  char group = 0;
  DTypeSet types;  // only read if the group has no input
  Presence presence = Presence::kRequired;
};

struct AttrSpec {
  std::string_view name;
  AttrKind kind = AttrKind::kInt;
  bool required = false;
  bool has_default = false;
  int64_t int_default = 0;
  double float_default = 0;
  std::string_view string_default = {};
  // Inclusive range of an int, of each element of ints, or of a float.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

// Properties of an op beyond its values.
enum OpFlags : uint32_t {
  kPure = 1,         // same inputs give same outputs, no effect: may be folded, merged, dropped
  kCommutative = 2,  // the first two inputs may be swapped without changing bits
  kStateful = 4,     // reads or writes variables, or has another effect
  kRandom = 8,       // draws random numbers: has an id, is never merged or folded
  // Output element i depends only on element i of each (broadcast) input: may be fused.
  kElementwise = 16,
  kReadsRow = 32,      // random: the counter is (step, row, element)
  kBatchCoupled = 64,  // rows of a batch influence each other (batch normalisation in training)
  kRuntime = 128,      // executed by the executor itself: has no kernel
  // Output 0 is the bytes of input 0 under another shape. It needs no work, but has a kernel.
  kView = 256,
  // May wait for other runs. The session executes it between programs, on no thread of the pool.
  kWaits = 512,
  // Its only effect is observation (Print). Output 0 is an input, whose memory it may share. The op
  // is left out where a function is recomputed.
  kObserver = 1024,
  kWaitsForShards = 2048,  // waits for other shards of the batch: on a host thread, once per run
};

using ShapeFn = Status (*)(ShapeContext&);
// Emits the nodes that a composite op is equivalent to.
using BodyFn = Status (*)(BodyContext&);

// The gradient of an op. There is no default: a schema without one does not compile.
class GradFn {
 public:
  using Fn = Status (*)(GradContext&);
  enum class Kind : uint8_t { kNone, kZero, kFunction, kBody };
  constexpr GradFn(Fn fn) : fn_(fn), kind_(Kind::kFunction) {}
  constexpr GradFn(Kind kind) : kind_(kind) {}
  constexpr Kind kind() const { return kind_; }
  constexpr Fn fn() const { return fn_; }

 private:
  Fn fn_ = nullptr;
  Kind kind_;
};
namespace grad {
inline constexpr GradFn::Kind none = GradFn::Kind::kNone;  // requesting the gradient is an error
inline constexpr GradFn::Kind zero = GradFn::Kind::kZero;  // piecewise constant: zero everywhere
inline constexpr GradFn::Kind body = GradFn::Kind::kBody;  // the gradient of a composite op's body
}  // namespace grad

// Output `output` may share the memory of input `input`.
struct InPlace {
  size_t output = 0, input = 0;
};

inline constexpr size_t kMaxInputs = 12;
inline constexpr size_t kMaxOutputs = 8;
inline constexpr size_t kMaxAttributes = 20;
inline constexpr size_t kMaxInPlace = 4;

// The lists are stored in a row and referred to by a schema.
template <template <class, size_t> class ListOf>
struct OpFields {
  std::string_view domain = "";  // "" is the ONNX domain
  std::string_view name;
  int32_t since = 1;     // Opset (ONNX) or version (percale) in which the op got this meaning.
  std::string_view doc;  // One sentence, with units and the source of the formula if there is one.
  ListOf<InputSpec, kMaxInputs> inputs = {};
  ListOf<AttrSpec, kMaxAttributes> attributes = {};
  ListOf<OutputSpec, kMaxOutputs> outputs = {};
  uint32_t flags = kPure;
  ListOf<InPlace, kMaxInPlace> in_place = {};
  ShapeFn shape;
  GradFn grad;
  BodyFn body = nullptr;       // for composite ops: replaces the op where no kernel claims it
  OpTraits traits = {};        // not for ops of plug-ins
  const void* user = nullptr;  // a plug-in's own description of the op

  constexpr bool has(OpFlags flag) const { return (flags & flag) != 0; }
  constexpr bool is(Role role) const { return traits.role == role; }
  constexpr bool variadic() const {
    return !inputs.empty() && inputs[inputs.size() - 1].presence >= Presence::kVariadic;
  }
  // Return the spec of input or output number i of a node. The variadic last one repeats.
  constexpr const InputSpec& input(size_t i) const { return inputs[i < inputs.size() ? i : inputs.size() - 1]; }
  constexpr const OutputSpec& output(size_t i) const { return outputs[i < outputs.size() ? i : outputs.size() - 1]; }
  const AttrSpec* find_attribute(std::string_view attr) const {
    for (const AttrSpec& a : attributes) {
      if (a.name == attr) return &a;
    }
    return nullptr;
  }
};

// An entry of a family's table. It has room for the longest lists, so it is large; only the
// compiler sees it.
using OpRow = OpFields<List>;

struct OpSchema : OpFields<View> {
  constexpr OpSchema(const OpRow& row, std::span<const InputSpec> row_inputs, std::span<const AttrSpec> row_attributes,
                     std::span<const OutputSpec> row_outputs, std::span<const InPlace> row_in_place)
      : OpFields<View>{row.domain, row.name,     row.since, row.doc,  row_inputs, row_attributes, row_outputs,
                       row.flags,  row_in_place, row.shape, row.grad, row.body,   row.traits,     row.user} {}
  // Refers to the lists of `row`, which must outlive it.
  constexpr explicit OpSchema(const OpRow& row)
      : OpSchema(row, row.inputs.view(), row.attributes.view(), row.outputs.view(), row.in_place.view()) {}
};

// Short constructors for the tables.
constexpr InputSpec in(std::string_view name, char group, DTypeSet types) { return {name, group, types}; }
constexpr InputSpec in_opt(std::string_view name, char group, DTypeSet types) {
  return {name, group, types, Presence::kOptional};
}
constexpr InputSpec in_variadic(std::string_view name, char group, DTypeSet types) {
  return {name, group, types, Presence::kVariadic};
}
constexpr InputSpec in_index(std::string_view name, DTypeSet types = dtypes::kIndex) {
  return {name, 0, types, Presence::kRequired, Bounds::kChecked};
}
constexpr InputSpec in_shape(std::string_view name, Presence presence = Presence::kRequired,
                             DTypeSet types = dtypes::kI64Only) {
  return {name, 0, types, presence, Bounds::kShape};
}
constexpr OutputSpec out(std::string_view name, char group) { return {name, group, {}}; }
constexpr OutputSpec out(std::string_view name, DTypeSet types) { return {name, 0, types}; }
constexpr OutputSpec out_opt(std::string_view name, char group) { return {name, group, {}, Presence::kOptional}; }
constexpr AttrSpec attr_int(std::string_view name, int64_t value, double min = -std::numeric_limits<double>::infinity(),
                            double max = std::numeric_limits<double>::infinity()) {
  return {.name = name, .kind = AttrKind::kInt, .has_default = true, .int_default = value, .min = min, .max = max};
}
constexpr AttrSpec attr_float(std::string_view name, double value,
                              double min = -std::numeric_limits<double>::infinity(),
                              double max = std::numeric_limits<double>::infinity()) {
  return {.name = name, .kind = AttrKind::kFloat, .has_default = true, .float_default = value, .min = min, .max = max};
}
constexpr AttrSpec attr_string(std::string_view name, std::string_view value) {
  return {.name = name, .kind = AttrKind::kString, .has_default = true, .string_default = value};
}
constexpr AttrSpec attr_required(std::string_view name, AttrKind kind) {
  return {.name = name, .kind = kind, .required = true};
}
// An attribute that may be absent; the op defines what its absence means.
constexpr AttrSpec attr_optional(std::string_view name, AttrKind kind,
                                 double min = -std::numeric_limits<double>::infinity(),
                                 double max = std::numeric_limits<double>::infinity()) {
  return {.name = name, .kind = kind, .min = min, .max = max};
}

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_OP_SCHEMA_H_
