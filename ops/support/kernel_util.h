// Helpers for portable kernels: lists of element types, conversion to the type computed in, loops
// over broadcast operands, and the number of pieces that a loop is cut into.
#ifndef PERCALE_OPS_SUPPORT_KERNEL_UTIL_H_
#define PERCALE_OPS_SUPPORT_KERNEL_UTIL_H_

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "core/base/parallel.h"
#include "core/maths/functions.h"
#include "core/registry/kernel.h"
#include "core/registry/registry.h"
#include "core/tensor/half.h"
#include "core/tensor/shape.h"

namespace percale {

template <class... T>
struct TypeList {};
template <class... A, class... B>
constexpr TypeList<A..., B...> operator+(TypeList<A...>, TypeList<B...>) {
  return {};
}
inline constexpr TypeList<float, double> kFloat64Or32List;
inline constexpr TypeList<float, double, F16, BF16> kFloatList;
inline constexpr TypeList<int8_t, int16_t, int32_t, int64_t> kSignedList;
inline constexpr TypeList<uint8_t, uint16_t, uint32_t, uint64_t> kUnsignedList;
inline constexpr TypeList<bool> kBoolList;
inline constexpr auto kIntegerList = kSignedList + kUnsignedList;
inline constexpr auto kNumericList = kFloatList + kIntegerList;
inline constexpr auto kAnyList = kNumericList + kBoolList;

// Calls f.operator()<T>() for the T in the list that matches `dtype`. Returns false if there is
// none.
template <class... T, class F>
bool dispatch(TypeList<T...>, DType dtype, F&& f) {
  return ((dtype == dtype_of<T> && (f.template operator()<T>(), true)) || ...);
}

// Accepts nodes whose input `Input` has a dtype in the list.
template <const auto& List, size_t Input = 0>
Status accepts_types(const NodeView& node) {
  if (dispatch(List, node.dtype(Input), []<class T>() {})) return {};
  return unimplemented("no code for ", node.dtype(Input));
}

// The type in which elements of T are computed.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, F16> || std::is_same_v<T, BF16>, float, T>;

template <class T>
Wide<T> widen(T value) {
  if constexpr (std::is_same_v<Wide<T>, T>) {
    return value;
  } else {
    return to_f32(value);
  }
}
template <class T>
T narrow(Wide<T> value) {
  if constexpr (std::is_same_v<T, F16>) {
    return to_f16(value);
  } else if constexpr (std::is_same_v<T, BF16>) {
    return to_bf16(value);
  } else {
    return value;
  }
}

template <class T>
inline constexpr bool is_float_like = std::is_floating_point_v<Wide<T>>;

// Integer arithmetic modulo 2^bits. Floating-point arithmetic is unchanged.
namespace wrap {
template <class T>
using Modular = std::conditional_t<(sizeof(T) < sizeof(uint32_t)), uint32_t, std::make_unsigned_t<T>>;
template <class T>
T add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<Modular<T>>(a) + static_cast<Modular<T>>(b));
  } else {
    return a + b;
  }
}
template <class T>
T sub(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<Modular<T>>(a) - static_cast<Modular<T>>(b));
  } else {
    return a - b;
  }
}
template <class T>
T mul(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<Modular<T>>(a) * static_cast<Modular<T>>(b));
  } else {
    return a * b;
  }
}
}  // namespace wrap

// Returns the bytes per element of a dtype of 8 bits or more.
inline int64_t item_bytes(DType dtype) { return dtype_bits(dtype) / 8; }

// Returns the number of pieces that a loop over `elements` is cut into. It depends on the size
// alone, so that results do not depend on the number of threads.
inline constexpr int64_t kGrain = 32 * 1024;
inline constexpr int64_t kMaxPieces = 64;
constexpr int64_t pieces_for(int64_t elements, int64_t grain = kGrain) {
  const int64_t pieces = elements / grain + (elements % grain != 0 ? 1 : 0);
  return pieces < 1 ? 1 : pieces > kMaxPieces ? kMaxPieces : pieces;
}

// A loop nest over several operands, each with its own strides in bytes. Adjacent dims are merged
// where all operands allow it. Operand 0, usually the output, is traversed in order. A plain value.
inline constexpr size_t kMaxLoopOperands = 5;
struct StridedLoop {
  using Offsets = std::array<int64_t, kMaxLoopOperands>;

  size_t rank = 1;
  size_t operands = 0;
  int64_t total = 0;  // iterations
  std::array<int64_t, kMaxRank> dims{1};
  std::array<Offsets, kMaxRank> strides{};  // [dim][operand]

  // `given[k][d]` is the stride of operand k along dim d of `shape`.
  static StridedLoop make(const Shape& shape, std::span<const std::array<int64_t, kMaxRank>> given);
  // Loops over a contiguous `out` and inputs that broadcast to it. `items` holds the bytes per
  // element of the output, then of each input.
  static StridedLoop broadcast(const Shape& out, std::span<const Shape> inputs, std::span<const int64_t> items);

  int64_t row_length() const { return dims[rank - 1]; }

  // Calls row(offsets, n, first) for each run within the iterations [begin, end). A run covers `n`
  // iterations along the innermost dim, whose strides are strides[rank - 1]. `first` is the number
  // of the run's first iteration.
  template <class F>
  void run(int64_t begin, int64_t end, F&& row) const {
    if (begin >= end) return;
    std::array<int64_t, kMaxRank> index{};
    Offsets offsets{};
    int64_t rest = begin;
    for (size_t d = rank; d-- > 0;) {
      index[d] = rest % dims[d];
      rest /= dims[d];
      for (size_t k = 0; k < operands; ++k) offsets[k] += index[d] * strides[d][k];
    }
    const size_t last = rank - 1;
    for (int64_t at = begin;;) {
      const int64_t n = dims[last] - index[last] < end - at ? dims[last] - index[last] : end - at;
      row(static_cast<const Offsets&>(offsets), n, at);
      at += n;
      if (at >= end) return;
      for (size_t k = 0; k < operands; ++k) offsets[k] -= index[last] * strides[last][k];
      index[last] = 0;
      for (size_t d = last; d-- > 0;) {
        for (size_t k = 0; k < operands; ++k) offsets[k] += strides[d][k];
        if (++index[d] < dims[d]) break;
        for (size_t k = 0; k < operands; ++k) offsets[k] -= dims[d] * strides[d][k];
        index[d] = 0;
      }
    }
  }

  // Calls `row` for all iterations, cut into pieces that run in parallel.
  template <class F>
  void run_parallel(const ParallelFor& parallel, F&& row) const {
    if (total == 0) return;
    const int64_t pieces = pieces_for(total);
    parallel(pieces, [&](int64_t piece) {
      const PieceRange range = piece_range(total, pieces, piece, 16);
      run(range.begin, range.end, row);
    });
  }
};

// Row-major strides of a shape, in units of `item`.
std::array<int64_t, kMaxRank> contiguous_strides(const Shape& shape, int64_t item);
// Returns the strides that read `shape`, right-aligned, as if it had shape `out`. The stride of a
// repeated dim is 0.
std::array<int64_t, kMaxRank> broadcast_strides(const Shape& shape, const Shape& out, int64_t item);

// One run of an elementwise loop.
struct Row {
  int64_t n = 0;
  int64_t first = 0;                // index of the first element within the output
  std::array<const char*, 4> in{};  // the first elements
  std::array<int64_t, 4> stride{};  // bytes between elements; 0: one element for all
  char* out = nullptr;              // contiguous
  const double* params = nullptr;   // numeric attributes of the node, such as alpha
  const maths::Functions* functions = nullptr;
  const Launch* launch = nullptr;  // used to report failures

  template <class T>
  const T* x(size_t i) const {
    return reinterpret_cast<const T*>(in[i]);
  }
  template <class T>
  T* y() const {
    return reinterpret_cast<T*>(out);
  }
};
using RowFn = void (*)(const Row&);

// The state of an elementwise kernel: output 0 = row function of the broadcast inputs.
struct MapPlan {
  StridedLoop loop;
  RowFn row = nullptr;
  std::array<double, 4> params{};
  const maths::Functions* functions = nullptr;
  size_t num_inputs = 0;
};
// Plans a loop over the first `num_inputs` inputs, all of which must be present.
MapPlan make_map(const NodeView& node, size_t num_inputs, RowFn row, std::array<double, 4> params = {});
// Runs the plan on inputs 0 .. num_inputs - 1 and output 0.
void run_map(const MapPlan& plan, const Launch& launch);

// Returns a row function that copies elements of 1, 2, 4 or 8 bytes, or null for other sizes.
RowFn copy_row(int64_t item);

// Builds the function object Op from the node's numbers (`const double*`), from the elementary
// functions, or, if it has neither constructor, without arguments.
template <class Op>
Op make_row_op(const Row& row) {
  if constexpr (std::is_constructible_v<Op, const double*>) {
    return Op(row.params);
  } else if constexpr (std::is_constructible_v<Op, const maths::Functions&>) {
    return Op(*row.functions);
  } else {
    return Op{};
  }
}

// y[i] = op(x[i]). Both are contiguous.
template <class Op, class T, class R = T>
void unary_row(const Row& row) {
  const Op op = make_row_op<Op>(row);
  const T* x = row.x<T>(0);
  R* y = row.y<R>();
  for (int64_t i = 0; i < row.n; ++i) y[i] = narrow<R>(op(widen(x[i])));
}

// y[i] = op(a[i], b[i]). Either operand may be repeated.
template <class Op, class T, class R = T>
void binary_row(const Row& row) {
  const Op op = make_row_op<Op>(row);
  const T* a = row.x<T>(0);
  const T* b = row.x<T>(1);
  R* y = row.y<R>();
  constexpr auto kItem = static_cast<int64_t>(sizeof(T));
  const int64_t sa = row.stride[0] / kItem, sb = row.stride[1] / kItem;
  if (sa == 1 && sb == 1) {
    for (int64_t i = 0; i < row.n; ++i) y[i] = narrow<R>(op(widen(a[i]), widen(b[i])));
  } else if (sa == 1 && sb == 0) {
    const Wide<T> right = widen(*b);
    for (int64_t i = 0; i < row.n; ++i) y[i] = narrow<R>(op(widen(a[i]), right));
  } else if (sa == 0 && sb == 1) {
    const Wide<T> left = widen(*a);
    for (int64_t i = 0; i < row.n; ++i) y[i] = narrow<R>(op(left, widen(b[i])));
  } else {
    for (int64_t i = 0; i < row.n; ++i) y[i] = narrow<R>(op(widen(a[i * sa]), widen(b[i * sb])));
  }
}

// An elementary function as the function object of a row: a member of maths::Functions.
template <auto kFunction>
struct ElementaryOp {
  const maths::Functions& functions;
  explicit ElementaryOp(const maths::Functions& f) : functions(f) {}
  template <class T>
  T operator()(T x) const {
    return (functions.*kFunction)(x);
  }
};

// Converts a floating-point number to an integer: truncates towards zero and clamps to the range.
// NaN gives 0.
template <class To, class From>
To saturate(From value) {
  constexpr From kLowest = static_cast<From>(std::numeric_limits<To>::min());
  const From above = std::ldexp(From{1}, std::numeric_limits<To>::digits);
  if (value != value) return To{0};
  if (value <= kLowest) return std::numeric_limits<To>::min();
  return value >= above ? std::numeric_limits<To>::max() : static_cast<To>(value);
}

// The name of a kernel that contains its op's: "portable.Add" is for Add.
struct KernelName {
  const char* text;
  OpName op;

  consteval KernelName(const char* kernel) : text(kernel), op(op_of(kernel)) {}

 private:
  static consteval const char* op_of(const char* kernel) {
    while (*kernel != '.') ++kernel;
    return kernel + 1;
  }
};

// Kernels of elementwise ops with one or two operands, for the element types of List. The result
// has type R, or the operands' type if R is void. The attributes alpha and beta are params[0] and
// [1], 0 if the op lacks them.
template <class Op, const auto& List, class R = void>
struct UnaryKernel {
  static Result<MapPlan> plan(const NodeView& node, KernelPlan&) {
    RowFn row = nullptr;
    dispatch(List, node.dtype(0),
             [&]<class T>() { row = unary_row<Op, T, std::conditional_t<std::is_void_v<R>, T, R>>; });
    return make_map(node, 1, row, {node.attributes.get_float("alpha"), node.attributes.get_float("beta")});
  }
};
template <class Op, const auto& List, class R = void>
struct BinaryKernel {
  static Result<MapPlan> plan(const NodeView& node, KernelPlan&) {
    RowFn row = nullptr;
    dispatch(List, node.dtype(0),
             [&]<class T>() { row = binary_row<Op, T, std::conditional_t<std::is_void_v<R>, T, R>>; });
    return make_map(node, 2, row);
  }
};
// `name` has the form "portable.Op".
template <class Op, const auto& List, class R = void>
[[gnu::always_inline]] inline Kernel unary_kernel(KernelName name, const char* domain = "") {
  return make_kernel<accepts_types<List>, UnaryKernel<Op, List, R>::plan, run_map>(name.text, name.op, domain);
}
template <class Op, const auto& List, class R = void>
[[gnu::always_inline]] inline Kernel binary_kernel(KernelName name, const char* domain = "") {
  return make_kernel<accepts_types<List>, BinaryKernel<Op, List, R>::plan, run_map>(name.text, name.op, domain);
}

// Registers CPU kernels in the given order.
Status add_cpu_kernels(Registry& registry, std::initializer_list<Kernel> kernels);

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_KERNEL_UTIL_H_
