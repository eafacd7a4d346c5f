// The schema of an op: everything about it but its kernels, in one constexpr table entry.
#ifndef PERCALE_CORE_REGISTRY_OP_SCHEMA_H_
#define PERCALE_CORE_REGISTRY_OP_SCHEMA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "core/base/status.h"
#include "core/registry/attributes.h"
#include "core/tensor/dtype.h"

struct percale_shape_context;
struct percale_grad_context;
struct percale_body_context;

namespace percale {

using ShapeContext = ::percale_shape_context;  // core/registry/shape_context.h
using GradContext = ::percale_grad_context;    // core/graph/gradient.h
using BodyContext = ::percale_body_context;    // core/graph/composite.h

// A list of at most N items that a constexpr table can hold.
template <class T, size_t N>
struct List {
  std::array<T, N> items{};
  size_t count = 0;

  constexpr List() = default;
  template <class... U>
  requires(sizeof...(U) > 0 && sizeof...(U) <= N) constexpr List(U... values)
      : items{T(values)...}, count(sizeof...(U)) {}
  constexpr size_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr const T& operator[](size_t i) const { return items[i]; }
  constexpr const T* begin() const { return items.data(); }
  constexpr const T* end() const { return items.data() + count; }
};

enum class Presence : uint8_t {
  kRequired,
  kOptional,  // may be absent: kNoValue in the node
  kVariadic,  // last one only: any number from one on
  kVariadicOrNone,
};

// "This input holds indices": which input's dim they index, so that every user of indices is checked.
enum class Bounds : uint8_t {
  kNone,     // not an index
  kChecked,  // indices: the kernel checks each element against the axis it indexes
  kShape,    // a shape, axes, sizes, starts or ends: checked by the shape function
};

struct InputSpec {
  std::string_view name;
  char group = 0;  // inputs and outputs of one letter share one dtype; 0 = on its own
  DTypeSet types;
  Presence presence = Presence::kRequired;
  Bounds bounds = Bounds::kNone;
};

struct OutputSpec {
  std::string_view name;
  char group = 0;
  DTypeSet types;  // only read where the group has no input
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
  // Range of an int, of each of ints, of a float; inclusive.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

// What a schema says of a node beyond its values.
enum OpFlags : uint32_t {
  kPure = 1,           // same inputs, same outputs, no effect: may be folded, merged, dropped
  kCommutative = 2,    // the first two inputs may be swapped without changing bits
  kStateful = 4,       // reads or writes variables, or has another effect
  kRandom = 8,         // draws random numbers: has an id, is never merged or folded
  kElementwise = 16,   // output element i depends on element i of each (broadcast) input alone: may be fused
  kReadsRow = 32,      // random: counter is (step, row, element)
  kBatchCoupled = 64,  // rows of a batch influence each other (batch normalisation in training)
  kRuntime = 128,      // carried out by the executor itself: has no kernel
  kWaits = 512,        // may wait for other runs: carried out by the session between programs, on no thread of the pool
  kObserver =
      1024,  // its only effect is to look: output 0 is the input that it may take the memory of, and where a function is
             // computed again it is left out
  kMeetsShards = 2048,  // waits for other shards of the batch: on a thread of the host, once in a run
  kView = 256,  // output 0 is the bytes of input 0 under another shape: needs no work, has a kernel all the same
};

using ShapeFn = Status (*)(ShapeContext&);
// Emits the nodes that a composite op stands for.
using BodyFn = Status (*)(BodyContext&);

// The gradient decision of an op. There is no default: a schema that is silent does not compile.
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
inline constexpr GradFn::Kind none = GradFn::Kind::kNone;  // asking for it is an error
inline constexpr GradFn::Kind zero = GradFn::Kind::kZero;  // piecewise constant: zero everywhere
inline constexpr GradFn::Kind body = GradFn::Kind::kBody;  // that of the body of a composite op
}  // namespace grad

// Output `output` may take the memory of input `input`.
struct InPlace {
  size_t output = 0, input = 0;
};

inline constexpr size_t kMaxInputs = 12;
inline constexpr size_t kMaxOutputs = 8;
inline constexpr size_t kMaxAttributes = 20;

struct OpSchema {
  std::string_view domain = "";  // "" is ONNX's own
  std::string_view name;
  int32_t since = 1;     // opset (ONNX) or version (ours) that gave the op this meaning
  std::string_view doc;  // one sentence, units and source of the formula where there is one
  List<InputSpec, kMaxInputs> inputs = {};
  List<AttrSpec, kMaxAttributes> attributes = {};
  List<OutputSpec, kMaxOutputs> outputs = {};
  uint32_t flags = kPure;
  List<InPlace, 4> in_place = {};
  ShapeFn shape;
  GradFn grad;
  BodyFn body = nullptr;       // of a composite op: what stands in for it where no kernel claims it
  const void* user = nullptr;  // a plug-in's own description of the op

  constexpr bool has(OpFlags flag) const { return (flags & flag) != 0; }
  constexpr bool variadic() const {
    return !inputs.empty() && inputs[inputs.size() - 1].presence >= Presence::kVariadic;
  }
  // The spec of the node's input number i, the variadic one repeated.
  constexpr const InputSpec& input(size_t i) const { return inputs[i < inputs.size() ? i : inputs.size() - 1]; }
  constexpr const OutputSpec& output(size_t i) const { return outputs[i < outputs.size() ? i : outputs.size() - 1]; }
  const AttrSpec* find_attribute(std::string_view attr) const {
    for (const AttrSpec& a : attributes) {
      if (a.name == attr) return &a;
    }
    return nullptr;
  }
};

// Short spellings for the tables.
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
// An attribute that may be absent and then means what the op says.
constexpr AttrSpec attr_optional(std::string_view name, AttrKind kind,
                                 double min = -std::numeric_limits<double>::infinity(),
                                 double max = std::numeric_limits<double>::infinity()) {
  return {.name = name, .kind = kind, .min = min, .max = max};
}

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_OP_SCHEMA_H_
