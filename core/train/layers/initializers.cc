#include "core/train/layers/initializers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/similar_name.h"
#include "core/registry/registry.h"
#include "core/train/layers/unsupported.h"

namespace percale {
namespace {

enum class Kind { kZeros, kOnes, kUniform, kNormal, kTruncated, kOrthogonal, kUnitForget };
enum class Fan { kFixed, kIn, kAverage };

// The spread is fixed or sqrt(scale / fan). It is the limit of a uniform distribution or the
// standard deviation of a normal one.
struct Initializer {
  std::string_view name;
  Kind kind;
  Fan fan = Fan::kFixed;
  double scale = 0;
};

// A uniform distribution has variance limit^2 / 3. The scales of the uniform initializers include
// the factor 3.
constexpr std::array<Initializer, 13> kInitializers = {{
    {"glorot_normal", Kind::kTruncated, Fan::kAverage, 1},
    {"glorot_uniform", Kind::kUniform, Fan::kAverage, 3},
    {"he_normal", Kind::kTruncated, Fan::kIn, 2},
    {"he_uniform", Kind::kUniform, Fan::kIn, 6},
    {"lecun_normal", Kind::kTruncated, Fan::kIn, 1},
    {"lecun_uniform", Kind::kUniform, Fan::kIn, 3},
    {"ones", Kind::kOnes},
    {"orthogonal", Kind::kOrthogonal},
    {"random_normal", Kind::kNormal, Fan::kFixed, 0.05},
    {"random_uniform", Kind::kUniform, Fan::kFixed, 0.05},
    {"truncated_normal", Kind::kTruncated, Fan::kFixed, 0.05},
    {"uniform", Kind::kUniform, Fan::kFixed, 0.05},
    {"zeros", Kind::kZeros},
}};
constexpr Unsupported kUnsupported[] = {
    {"identity", "use orthogonal, or assign the variable"},
    {"variance_scaling", "use glorot_normal, he_normal, lecun_normal or their uniform forms"}};
// Selected by name only; initializer_names() does not list it.
constexpr Initializer kForget = {kUnitForgetBias, Kind::kUnitForget};

double spread_of(const Initializer& init, const Shape& shape) {
  if (init.fan == Fan::kFixed) return init.scale;
  double in = 1, out = 1;
  const size_t rank = shape.rank();
  if (rank == 1) {
    in = out = static_cast<double>(shape[0]);
  } else if (rank >= 2) {
    double field = 1;
    for (size_t i = 0; i + 2 < rank; ++i) field *= static_cast<double>(shape[i]);
    in = static_cast<double>(shape[rank - 2]) * field;
    out = static_cast<double>(shape[rank - 1]) * field;
  }
  const double fan = init.fan == Fan::kIn ? in : (in + out) / 2;
  return std::sqrt(init.scale / std::max(1.0, fan));
}

ValueId random(Emitter& e, std::string_view op, const Variable& v, const Attributes& parameters) {
  Attributes attributes = parameters;
  attributes.set("dtype", v.dtype);
  attributes.set("shape", std::vector<int64_t>(v.shape.begin(), v.shape.end()));
  return e.emit(op, {}, attributes);
}

// Draws from a normal distribution truncated at two standard deviations, by inversion: sqrt(2)
// erfinv(u) for u uniform within erf(+-sqrt(2)). In this range -log(1 - u^2) < 5, so one polynomial
// gives erfinv (M. Giles, "Approximating the erfinv function", GPU Computing Gems 2, 2011).
ValueId truncated_normal(Emitter& e, const Variable& v, double deviation) {
  constexpr std::array<double, 9> kCoefficients = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                                   -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                                   -0.00417768164,  0.246640727,    1.50140941};
  constexpr double kLimit = 0.9544997361036416;
  const auto number = [&](double x) { return e.scalar(v.dtype, x); };
  const ValueId u = random(e, "RandomUniform", v, {{"low", -kLimit}, {"high", kLimit}});
  const ValueId w = e.emit("Neg", {e.emit("Log", {e.emit("Sub", {number(1), e.emit("Mul", {u, u})})})});
  const ValueId x = e.emit("Sub", {w, number(2.5)});
  ValueId p = number(kCoefficients[0]);
  for (size_t i = 1; i < kCoefficients.size(); ++i) {
    p = e.emit("Add", {e.emit("Mul", {p, x}), number(kCoefficients[i])});
  }
  return e.emit("Mul", {e.emit("Mul", {p, u}), number(std::sqrt(2.0) * deviation)});
}

// Returns Q of the QR decomposition of a normal matrix, with a positive diagonal of R, in f64. With
// A^T A = L L^T, R = L^T and Q = A L^-T. A second pass over the nearly orthogonal result makes Q
// orthogonal to the last digits (CholeskyQR2: Y. Yamamoto et al., "Roundoff error analysis of the
// CholeskyQR2 algorithm", ETNA 44, 2015).
ValueId orthogonal(Emitter& e, const Variable& v) {
  if (v.shape.rank() < 2) {
    e.fail(invalid_argument("variable '", v.name,
                            "': initializer 'orthogonal' requires at least two dims, but the shape is ", v.shape));
    return kNoValue;
  }
  const int64_t rows = v.shape.product(0, v.shape.rank() - 1), columns = v.shape.back();
  Variable tall;
  tall.dtype = DType::kF64;
  tall.shape = Shape{std::max(rows, columns), std::min(rows, columns)};
  ValueId q = random(e, "RandomNormal", tall, {{"mean", 0.0}, {"scale", 1.0}});
  const auto transposed = [&](ValueId x) { return e.emit("Transpose", {x}, {{"perm", std::vector<int64_t>{1, 0}}}); };
  for (int i = 0; i < 2; ++i) {
    const ValueId l = e.emit("percale:Cholesky", {e.emit("MatMul", {transposed(q), q})});
    q = e.emit("MatMul", {q, e.emit("percale:MatrixInverse", {l}, {{"adjoint", 1}})});
  }
  if (rows < columns) q = transposed(q);
  return e.emit("Reshape", {e.emit("Cast", {q}, {{"to", v.dtype}}), e.ints({v.shape.begin(), v.shape.end()})});
}

ValueId constant(Emitter& e, const Variable& v, double value) {
  return e.emit("Expand", {e.scalar(v.dtype, value), e.ints({v.shape.begin(), v.shape.end()})});
}

ValueId unit_forget(Emitter& e, const Variable& v) {
  const int64_t units = v.shape.num_elements() / 4;
  const auto part = [&](double value, int64_t count) {
    return e.emit("Expand", {e.scalar(v.dtype, value), e.ints({count})});
  };
  return e.emit("Concat", {part(0, units), part(1, units), part(0, 2 * units)}, {{"axis", 0}});
}

}  // namespace

std::vector<std::string> initializer_names() {
  std::vector<std::string> out;
  for (const Initializer& i : kInitializers) out.emplace_back(i.name);
  return out;
}

Status add_initializer(Builder& builder, const Variable& variable, std::string_view initializer) {
  const Initializer* found = initializer == kUnitForgetBias ? &kForget : nullptr;
  for (const Initializer& i : kInitializers) {
    if (i.name == initializer) found = &i;
  }
  if (found == nullptr) {
    if (const Unsupported* listed = find_unsupported(kUnsupported, initializer)) {
      return unimplemented("variable '", variable.name, "': initializer '", initializer, "' is not implemented; ",
                           listed->instead);
    }
    return invalid_argument("variable '", variable.name, "': no initializer '", initializer, "'",
                            did_you_mean(initializer, initializer_names()));
  }
  if (!is_float(variable.dtype) && found->kind != Kind::kZeros && found->kind != Kind::kOnes) {
    return invalid_argument("variable '", variable.name, "': initializer '", initializer, "' produces floats, not ",
                            variable.dtype);
  }
  FunctionBuilder& init = builder.init();
  Emitter e(init);
  const double spread = spread_of(*found, variable.shape);
  ValueId value = kNoValue;
  switch (found->kind) {
    case Kind::kZeros: value = constant(e, variable, 0); break;
    case Kind::kOnes: value = constant(e, variable, 1); break;
    case Kind::kUniform: value = random(e, "RandomUniform", variable, {{"low", -spread}, {"high", spread}}); break;
    case Kind::kNormal: value = random(e, "RandomNormal", variable, {{"mean", 0.0}, {"scale", spread}}); break;
    case Kind::kOrthogonal: value = orthogonal(e, variable); break;
    case Kind::kUnitForget: value = unit_forget(e, variable); break;
    // Truncation reduces the standard deviation of a unit normal to 0.8796, which is undone here.
    case Kind::kTruncated:
      value = truncated_normal(e, variable, found->fan == Fan::kFixed ? spread : spread / 0.87962566103423978);
      break;
  }
  PERCALE_RETURN_IF_ERROR(e.status());
  PERCALE_RETURN_IF_ERROR(init.rename(value, variable.name));
  std::vector<ValueId> outputs = init.function().outputs;
  outputs.push_back(value);
  return init.set_outputs(std::move(outputs));
}

}  // namespace percale
