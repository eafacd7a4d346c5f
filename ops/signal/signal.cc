// DFT, STFT and MelWeightMatrix: the signal ops of speech models.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/checked.h"
#include "core/graph/emit/composite.h"
#include "ops/signal/fourier.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

// Returns the number that an input of one element holds, `otherwise` if the input is absent, or no
// value if it is unknown.
template <class Context>
std::optional<int64_t> number_of(const Context& c, size_t i, int64_t otherwise) {
  if (!c.has_input(i)) return otherwise;
  const Tensor* value = c.value(i);
  if (value == nullptr || value->num_elements() != 1) return std::nullopt;
  return to_int64s(*value)[0];
}

Status check_number(const ShapeContext& c, size_t i) {
  if (!c.has_input(i) || !c.shape(i).is_static() || c.shape(i).num_elements() == 1) return {};
  return c.error("'", c.schema.input(i).name, "' must be one number, got ", c.shape(i));
}

// ---- DFT

struct DftSizes {
  size_t axis = 0;
  // along the axis: dim of the input, transform length, dim of the output
  int64_t given = 0, length = 0, made = 0;
  bool inverse = false, onesided = false;
};

// Precondition: the rank, the axis, the length and the dim of the axis are known.
Result<DftSizes> dft_sizes(const Attributes& attributes, const Shape& x, int64_t axis, std::optional<int64_t> asked) {
  DftSizes s;
  s.inverse = attributes.get_int("inverse") != 0;
  s.onesided = attributes.get_int("onesided") != 0;
  PERCALE_ASSIGN_OR_RETURN(s.axis, normalize_axis(axis, x.rank()));
  if (s.axis + 1 == x.rank())
    return invalid_argument("axis ", axis, " holds the real and imaginary parts and cannot be transformed");
  s.given = x[s.axis];
  s.length = asked.value_or(s.inverse && s.onesided ? 2 * (s.given - 1) : s.given);
  if (s.length < 1 || s.length > kMaxDim) return invalid_argument("cannot transform ", s.length, " numbers");
  s.made = s.onesided && !s.inverse ? s.length / 2 + 1 : s.length;
  return s;
}

Status shape_dft(ShapeContext& c) {
  for (const size_t i : {1u, 2u}) PERCALE_RETURN_IF_ERROR(check_number(c, i));
  const Shape& x = c.shape(0);
  const bool inverse = c.attributes.get_int("inverse") != 0, onesided = c.attributes.get_int("onesided") != 0;
  Shape y = x;
  if (x.known_rank()) {
    if (x.rank() < 2) return c.error("wanted input of rank 2 or more, got ", x);
    const int64_t parts = x.back(), wanted = inverse ? 2 : 1;
    if (parts >= 0 && parts != 1 && parts != 2) return c.error("the last dim of ", x, " is neither 1 nor 2");
    if (onesided && parts >= 0 && parts != wanted) {
      return c.error("onesided", inverse ? " and inverse" : "", " requires a last dim of ", wanted, ", got ", x);
    }
    y[x.rank() - 1] = onesided && inverse ? 1 : 2;
    const auto axis = number_of(c, 2, -2), length = number_of(c, 1, -1);
    const auto normal = axis.has_value() ? normalize_axis(*axis, x.rank()) : Result<size_t>(size_t{0});
    if (!normal.ok()) return c.error(normal.status());
    if (!axis.has_value()) {
      for (size_t d = 0; d + 1 < x.rank(); ++d) y[d] = kUnknownDim;
    } else if (!length.has_value() || (!c.has_input(1) && x[*normal] < 0)) {
      y[*normal] = kUnknownDim;
    } else {
      const auto s = dft_sizes(c.attributes, x, *axis, c.has_input(1) ? length : std::nullopt);
      if (!s.ok()) return c.error(s.status());
      y[s->axis] = s->made;
    }
  }
  c.set_output(0, c.dtype(0), y);
  return {};
}

// The transform is linear. Its gradient is the transposed transform, cut or zero-padded to the
// input's length.
Status grad_dft(GradContext& g) {
  if (g.grad(0) == kNoValue || !g.wants(0)) return {};
  const bool inverse = g.attributes().get_int("inverse") != 0, onesided = g.attributes().get_int("onesided") != 0;
  const ValueId x = g.input(0), y = g.output(0), zero = g.ints({0});
  const ValueId axis = g.input(2) != kNoValue ? g.emit("Reshape", {g.input(2), g.ints({1})}) : g.ints({-2});
  const auto along = [&](ValueId value) { return g.emit("Gather", {shape_of(g, value), axis}); };
  ValueId length = along(y);
  if (onesided && !inverse) {
    length = g.input(1) == kNoValue ? along(x) : cast(g, g.emit("Reshape", {g.input(1), g.ints({1})}), DType::kI64);
  }
  const ValueId whole = g.emit("Reshape", {length, g.ints({})}), at = g.emit("Reshape", {axis, g.ints({})});
  const ValueId real = cast(g, whole, g.dtype(x));
  ValueId dx = g.emit("DFT", {g.grad(0), whole, at}, {{"inverse", !inverse}, {"onesided", onesided && inverse}});
  if (!inverse) {
    dx = mul(g, dx, real);  // the gradient's inverse transform must not divide by the length
  } else {
    dx = div(g, dx, real);
  }
  if (inverse && onesided) {
    // Every bin except the first one, and the middle one of an even length, stands for two.
    const ValueId one = g.scalar(DType::kI64, 1), two = g.scalar(DType::kI64, 2);
    const ValueId last = g.emit("Squeeze", {g.emit("Gather", {shape_of(g, dx), axis})});
    const ValueId place = g.emit("Range", {g.scalar(DType::kI64, 0), last, one});
    const ValueId alone = g.emit(
        "Or", {g.emit("Equal", {place, g.scalar(DType::kI64, 0)}), g.emit("Equal", {mul(g, place, two), whole})});
    const ValueId weight = where(g, alone, scalar_like(g, dx, 1), scalar_like(g, dx, 2));
    // The weights along the axis, with dims of 1 elsewhere.
    const ValueId rank = g.emit("Shape", {shape_of(g, dx)});
    const ValueId ones = g.emit("Expand", {g.ints({1}), rank});
    const ValueId normal = g.emit("Mod", {add(g, axis, rank), rank});
    const ValueId dims = g.emit("ScatterElements", {ones, normal, g.ints({-1})});
    dx = mul(g, dx, g.emit("Reshape", {weight, dims}));
  }
  const ValueId reached = along(dx);
  dx = g.emit("Slice", {dx, zero, along(x), axis});
  // A real input receives the real part.
  dx = g.emit("Slice", {dx, zero, g.emit("Shape", {x}, {{"start", -1}}), g.ints({-1})});
  g.set(0, g.emit("percale:SliceGrad", {dx, shape_of(g, x), zero, reached, axis}));
  return g.status();
}

struct DftPlan {
  DftSizes sizes;
  Fourier fourier;
  DType dtype = DType::kInvalid;
  int64_t outer = 1, inner = 1, parts_in = 1, parts_out = 2, pieces = 1, piece_numbers = 0;
};

Result<DftPlan> plan_dft(const NodeView& node, KernelPlan& plan) {
  const Shape& x = node.shape(0);
  const auto axis = number_of(node, 2, -2), length = number_of(node, 1, -1);
  if (!axis.has_value() || !length.has_value())
    return internal_error("the axis and the length must be known when the kernel is planned");
  PERCALE_ASSIGN_OR_RETURN(const DftSizes sizes,
                           dft_sizes(node.attributes, x, *axis, node.has_input(1) ? length : std::nullopt));
  DftPlan p;
  p.sizes = sizes;
  p.dtype = node.dtype(0);
  for (size_t d = 0; d < sizes.axis; ++d) p.outer *= x[d];
  for (size_t d = sizes.axis + 1; d + 1 < x.rank(); ++d) p.inner *= x[d];
  p.parts_in = x.back();
  p.parts_out = node.output_shape(0).back();
  if (p.outer * p.inner == 0) return p;
  PERCALE_ASSIGN_OR_RETURN(p.fourier, Fourier::make(sizes.length, node.numerics.functions()));
  p.piece_numbers = sizes.length + p.fourier.scratch_numbers();
  constexpr int64_t kMostScratch = int64_t{1} << 22;  // ComplexNumbers
  p.pieces = std::min(piece_count(p.outer * p.inner, work_of(p.piece_numbers, 32)),
                      std::max<int64_t>(kMostScratch / p.piece_numbers, 1));
  plan.scratch_bytes = p.pieces * p.piece_numbers * static_cast<int64_t>(sizeof(ComplexNumber));
  return p;
}

// Loads one line. Element j is at from[j * step].
template <class T>
void load_line(const DftPlan& p, const T* from, int64_t step, ComplexNumber* line) {
  const DftSizes& s = p.sizes;
  const int64_t count = std::min(s.given, s.length);
  for (int64_t j = 0; j < count; ++j) {
    line[j] = {static_cast<double>(from[j * step]), p.parts_in == 2 ? static_cast<double>(from[j * step + 1]) : 0};
  }
  std::fill(line + count, line + s.length, ComplexNumber{});
  if (!s.inverse || !s.onesided) return;
  // The other half is the conjugate of this one. Elements without a counterpart are real.
  line[0].im = 0;
  for (int64_t j = s.length / 2 + 1; j < s.length; ++j) line[j] = {line[s.length - j].re, -line[s.length - j].im};
  if (s.length % 2 == 0) line[s.length / 2].im = 0;
}

template <class T>
void transform(const DftPlan& p, const T* x, T* y, const Launch& l) {
  const DftSizes& s = p.sizes;
  const int64_t lines = p.outer * p.inner, step_in = p.inner * p.parts_in, step_out = p.inner * p.parts_out;
  if (lines == 0) return;
  const double scale = s.inverse ? 1 / static_cast<double>(s.length) : 1;
  l.parallel()(p.pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(lines, p.pieces, piece);
    ComplexNumber* line = l.scratch<ComplexNumber>() + piece * p.piece_numbers;
    for (int64_t i = range.begin; i < range.end && !l.cancelled(); ++i) {
      const int64_t outer = i / p.inner, inner = i % p.inner;
      load_line(p, x + outer * s.given * step_in + inner * p.parts_in, step_in, line);
      p.fourier.run(line, line + s.length, s.inverse);
      T* to = y + outer * s.made * step_out + inner * p.parts_out;
      for (int64_t j = 0; j < s.made; ++j) {
        to[j * step_out] = static_cast<T>(line[j].re * scale);
        if (p.parts_out == 2) to[j * step_out + 1] = static_cast<T>(line[j].im * scale);
      }
    }
  });
}

void run_dft(const DftPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { transform<T>(p, l.in<T>(0), l.out<T>(0), l); });
}

// ---- STFT

// Returns the length of a frame: frame_length, the length of the window or, without both, `total`,
// the length of the signal.
Result<int64_t> stft_frame_length(const ShapeContext& c, int64_t total) {
  const int64_t length = number_of(c, 3, -1).value_or(kUnknownDim);
  if (!c.has_input(2)) return c.has_input(3) ? length : total;
  PERCALE_ASSIGN_OR_RETURN(const int64_t window, vector_length(c, 2));
  if (length >= 0 && window >= 0 && length != window)
    return c.error("frame_length is ", length, ", but the window is ", c.shape(2));
  return std::max(length, window);
}

Status shape_stft(ShapeContext& c) {
  for (const size_t i : {1u, 3u}) PERCALE_RETURN_IF_ERROR(check_number(c, i));
  const Shape &x = c.shape(0), any{kUnknownDim, kUnknownDim, kUnknownDim};
  if (!compatible(x, any)) return c.error("wanted signal [batch, length, 1 or 2], got ", x);
  const int64_t batch = x.known_rank() ? x[0] : kUnknownDim, total = x.known_rank() ? x[1] : kUnknownDim;
  const int64_t parts = x.known_rank() ? x[2] : kUnknownDim;
  if (parts >= 0 && parts != 1 && parts != 2) return c.error("the last dim of ", x, " is neither 1 nor 2");
  const bool onesided = c.attributes.get_int("onesided") != 0;
  if (onesided && parts == 2) return c.error("onesided requires a real signal, got ", x);
  PERCALE_ASSIGN_OR_RETURN(const int64_t length, stft_frame_length(c, total));
  const auto step = number_of(c, 1, 1);
  if (step.has_value() && *step < 1) return c.error("frame_step must be at least 1, got ", *step);
  if (c.has_input(3) && c.value(3) != nullptr && length < 1)
    return c.error("frame_length must be at least 1, got ", length);
  int64_t frames = kUnknownDim;
  if (step.has_value() && length >= 0 && total >= 0) {
    if (length < 1 || length > total) return c.error("frame_length is ", length, ", which does not fit the signal ", x);
    frames = (total - length) / *step + 1;
  }
  c.set_output(0, c.dtype(0), Shape{batch, frames, length < 0 ? kUnknownDim : onesided ? length / 2 + 1 : length, 2});
  return {};
}

// Gathers the frames, multiplies each by the window and applies DFT.
Status stft(BodyContext& c) {
  const ValueId x = c.input(0), zero = c.scalar(DType::kI64, 0), one = c.scalar(DType::kI64, 1);
  const auto number = [&](size_t i) { return cast(c, c.emit("Reshape", {c.input(i), c.ints({})}), DType::kI64); };
  const auto size = [&](ValueId value, int64_t axis) {
    return c.emit("Squeeze", {c.emit("Shape", {value}, {{"start", axis}, {"end", axis + 1}})});
  };
  const ValueId total = size(x, 1), step = number(1);
  const ValueId length = c.input(3) != kNoValue ? number(3) : c.input(2) != kNoValue ? size(c.input(2), 0) : total;
  const ValueId frames = add(c, div(c, sub(c, total, length), step), one);
  const ValueId starts = mul(c, c.emit("Range", {zero, frames, one}), step);
  const ValueId places = add(c, c.emit("Unsqueeze", {starts, c.ints({1})}), c.emit("Range", {zero, length, one}));
  ValueId framed = c.emit("Gather", {x, places}, {{"axis", 1}});
  if (c.input(2) != kNoValue) framed = mul(c, framed, c.emit("Unsqueeze", {c.input(2), c.ints({1})}));
  c.set(0, c.emit("DFT", {framed}, {{"onesided", c.attributes().get_int("onesided")}}));
  return c.status();
}

// ---- MelWeightMatrix

constexpr int64_t kMostBands = int64_t{1} << 20;

struct MelSizes {
  int64_t bands = 0, length = 0, rate = 0;
  double lower = 0, upper = 0;
};

double real_of(const Tensor& value) {
  double out = 0;
  dispatch(kFloatList, value.dtype(), [&]<class T>() { out = static_cast<double>(widen(value.span<T>()[0])); });
  return out;
}

// Precondition: all inputs are known and hold one number.
template <class Context>
Result<MelSizes> mel_sizes(const Context& c) {
  MelSizes s{to_int64s(*c.value(0))[0], to_int64s(*c.value(1))[0], to_int64s(*c.value(2))[0], real_of(*c.value(3)),
             real_of(*c.value(4))};
  if (s.bands < 1 || s.bands > kMostBands) return invalid_argument("num_mel_bins is out of range: ", s.bands);
  if (s.length < 1 || s.length > kMaxDim) return invalid_argument("dft_length is out of range: ", s.length);
  if (s.rate < 1) return invalid_argument("sample_rate must be at least 1, got ", s.rate);
  if (!(s.lower >= 0 && s.upper >= s.lower && std::isfinite(s.upper))) {
    return invalid_argument("the bands need 0 <= lower_edge_hertz <= upper_edge_hertz, got ", s.lower, " and ", s.upper,
                            " Hz");
  }
  return s;
}

Status shape_mel(ShapeContext& c) {
  const auto dtype = static_cast<DType>(c.attributes.get_int("output_datatype"));
  if (c.attributes.get_int("output_datatype") >= kNumDTypes || !dtypes::kNumeric.contains(dtype)) {
    return c.error("output_datatype must be a number type, got ", c.attributes.get_int("output_datatype"));
  }
  bool known = true;
  for (size_t i = 0; i < 5; ++i) {
    PERCALE_RETURN_IF_ERROR(check_number(c, i));
    known = known && c.value(i) != nullptr;
  }
  Shape y{kUnknownDim, kUnknownDim};
  if (known) {
    const auto s = mel_sizes(c);
    if (!s.ok()) return c.error(s.status());
    y = Shape{s->length / 2 + 1, s->bands};
  }
  c.set_output(0, dtype, y);
  return {};
}

struct MelPlan {
  // bins at which bands begin, peak and end; band b uses edges b, b + 1 and b + 2
  std::vector<int64_t> edges;
  int64_t bins = 0, bands = 0;
  void (*store)(double value, int64_t at, char* to) = nullptr;
};

Result<MelPlan> plan_mel(const NodeView& node, KernelPlan&) {
  for (size_t i = 0; i < 5; ++i) {
    if (node.value(i) == nullptr) return internal_error("its inputs must be known when the kernel is planned");
  }
  PERCALE_ASSIGN_OR_RETURN(const MelSizes s, mel_sizes(node));
  MelPlan p;
  p.bins = s.length / 2 + 1;
  p.bands = s.bands;
  const maths::Functions& functions = node.numerics.functions();
  const auto mel = [&](double hertz) { return 2595 * functions.log10(1 + hertz / 700); };
  const double low = mel(s.lower), step = (mel(s.upper) - low) / static_cast<double>(s.bands + 2);
  for (int64_t i = 0; i < s.bands + 2; ++i) {
    const double hertz = 700 * (functions.pow(10.0, (static_cast<double>(i) * step + low) / 2595) - 1);
    const double bin = std::floor(static_cast<double>(s.length + 1) * hertz / static_cast<double>(s.rate));
    p.edges.push_back(saturate<int64_t>(bin));
  }
  dispatch(kNumericList, node.outputs[0].dtype, [&]<class T>() {
    p.store = [](double value, int64_t at, char* to) {
      if constexpr (is_float_like<T>) {
        reinterpret_cast<T*>(to)[at] = narrow<T>(static_cast<Wide<T>>(value));
      } else {
        reinterpret_cast<T*>(to)[at] = saturate<T>(value);
      }
    };
  });
  return p;
}

// One triangle per band with the value 1 at its peak. A band whose rising side is empty has its
// peak there.
void run_mel(const MelPlan& p, const Launch& l) {
  for (int64_t band = 0; band < p.bands; ++band) {
    const auto at = static_cast<size_t>(band);
    const int64_t low = p.edges[at], peak = p.edges[at + 1], high = p.edges[at + 2];
    for (int64_t bin = 0; bin < p.bins; ++bin) {
      double value = 0;
      if (bin == peak && low == peak) {
        value = 1;
      } else if (bin >= low && bin <= peak) {
        value = static_cast<double>(bin - low) / static_cast<double>(peak - low);
      } else if (bin > peak && bin < high) {
        value = static_cast<double>(high - bin) / static_cast<double>(high - peak);
      }
      p.store(value, bin * p.bands + band, l.out<char>(0));
    }
  }
}

constexpr InputSpec number_input(std::string_view name, Presence presence = Presence::kRequired,
                                 DTypeSet types = dtypes::kIndex) {
  return in_shape(name, presence, types);
}

constexpr OpRow kSchemas[] = {
    {.name = "DFT",
     .since = 20,
     .doc =
         "The discrete Fourier transform along an axis of [..., 1] real or [..., 2] complex numbers, cropped or "
         "zero-padded to dft_length: sum of x[n] exp(-2 pi i k n / N). inverse: + in the exponent, divided by N. "
         "onesided: the first half of the transform of a real input, or with inverse the real output for such a half.",
     .inputs = {in("input", 'T', dtypes::kFloat), number_input("dft_length", Presence::kOptional),
                number_input("axis", Presence::kOptional, dtypes::kI64Only)},
     .attributes = {attr_int("inverse", 0, 0, 1), attr_int("onesided", 0, 0, 1)},
     .outputs = {out("output", 'T')},
     .shape = shape_dft,
     .grad = grad_dft},
    {.name = "MelWeightMatrix",
     .since = 17,
     .doc = "Triangular mel filters over the bins of a onesided DFT, one column per band: evenly spaced in mel = 2595 "
            "log10(1 + f / 700), with peaks of 1.",
     .inputs = {number_input("num_mel_bins"), number_input("dft_length"), number_input("sample_rate"),
                number_input("lower_edge_hertz", Presence::kRequired, dtypes::kFloat),
                number_input("upper_edge_hertz", Presence::kRequired, dtypes::kFloat)},
     .attributes = {attr_int("output_datatype", 1, 1, kNumDTypes)},
     .outputs = {out("output", dtypes::kNumeric)},
     .shape = shape_mel,
     .grad = grad::none},
    {.name = "STFT",
     .since = 17,
     .doc = "The DFT of each frame of frame_length samples, frame_step apart, of a signal [batch, length, 1 or 2], "
            "multiplied by the window.",
     .inputs = {in("signal", 'T', dtypes::kFloat), number_input("frame_step"), in_opt("window", 'T', dtypes::kFloat),
                number_input("frame_length", Presence::kOptional)},
     .attributes = {attr_int("onesided", 1, 0, 1)},
     .outputs = {out("output", 'T')},
     .shape = shape_stft,
     .grad = grad::body,
     .body = stft},
};

}  // namespace

Status register_signal(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  PERCALE_RETURN_IF_ERROR(add_cpu_kernels(
      registry, {make_kernel<accepts_all, plan_mel, run_mel>("portable.MelWeightMatrix", "MelWeightMatrix")}));
  return add_float_kernels<&plan_dft, &run_dft>(registry, "DFT", "", "portable.DFT", "portable.DFT_widened");
}

}  // namespace percale
