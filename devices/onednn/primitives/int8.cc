#include "devices/onednn/primitives/int8.h"

#include <algorithm>
#include <cmath>

namespace percale::onednn {
namespace {

constexpr int32_t kShift = 128;  // between u8 and s8

// Returns the numbers of a constant f32 input.
std::vector<float> scales(const Node& node, size_t i) {
  const void* bytes = node.constant(i);
  refuse_if(bytes == nullptr || node.dtype(i) != PERCALE_DTYPE_F32, "a scale is not an f32 constant");
  const auto* first = static_cast<const float*>(bytes);
  return std::vector<float>(first, first + elements(node.dims(i)));
}

float one_scale(const Node& node, size_t i) {
  const std::vector<float> all = scales(node, i);
  refuse_if(all.size() != 1, "there is a scale per row");
  return all.front();
}

// The sum of the weights of one result, less their zero point: the largest absolute sum of the
// positive ones or of the negative ones.
class WeightSums {
 public:
  void add(int32_t above, int32_t below) { largest_ = std::max({largest_, above, -below}); }
  double largest() const { return largest_; }

 private:
  int32_t largest_ = 0;
};

// Handles sums that are contiguous in `rows` rows of `n`. It works in blocks of a fixed width,
// which compilers vectorise, because weights are large and every plan scans them.
template <class T>
void add_columns(const T* w, int32_t zero, int64_t rows, int64_t n, WeightSums& sums) {
  constexpr int64_t kBlock = 64;
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t width = std::min(kBlock, n - first);
    int32_t above[kBlock] = {}, below[kBlock] = {};
    for (int64_t row = 0; row < rows; ++row) {
      const T* from = w + row * n + first;
      const auto take = [&](int64_t i) {
        above[i] += std::max(from[i] - zero, 0);
        below[i] += std::min(from[i] - zero, 0);
      };
      if (width == kBlock) {
        for (int64_t i = 0; i < kBlock; ++i) take(i);
      } else {
        for (int64_t i = 0; i < width; ++i) take(i);
      }
    }
    for (int64_t i = 0; i < width; ++i) sums.add(above[i], below[i]);
  }
}

template <class T>
void add_rows(const T* w, int32_t zero, int64_t rows, int64_t length, WeightSums& sums) {
  for (int64_t row = 0; row < rows; ++row, w += length) {
    int32_t above = 0, below = 0;
    for (int64_t i = 0; i < length; ++i) {
      above += std::max(w[i] - zero, 0);
      below += std::min(w[i] - zero, 0);
    }
    sums.add(above, below);
  }
}

template <class T>
double largest_sum(const void* weights, int32_t zero, Filters filters, int64_t lines, int64_t length) {
  const auto* w = static_cast<const T*>(weights);
  WeightSums sums;
  filters == Filters::kRows ? add_rows(w, zero, lines, length, sums) : add_columns(w, zero, length, lines, sums);
  return sums.largest();
}

}  // namespace

// All values of x, less its zero point, lie in a range of 255 that contains 0.
void refuse_inexact(const Plan& plan, size_t x, size_t w, const ZeroPoint& x_zero, const ZeroPoint& w_zero,
                    Filters filters) {
  const Node& node = plan.node();
  const DataType type = byte_type(node.dtype(x));
  if (plan.is_taken() || (type == DataType::u8 && x_zero.is_zero() && w_zero.is_zero())) return;
  const Dims dims = node.dims(w);
  const int64_t lines = filters == Filters::kRows ? dims.front() : dims.back(), length = elements(dims) / lines;
  constexpr double kLimit = (1 << 24) / 255.0;
  double largest = 255.0 * static_cast<double>(length);
  const void* weights = node.constant(w);
  if (largest > kLimit && weights != nullptr && w_zero.value && length < 1 << 22) {
    const auto sum_less = [&](int32_t zero) {
      return node.dtype(w) == PERCALE_DTYPE_U8 ? largest_sum<uint8_t>(weights, zero + kShift, filters, lines, length)
                                               : largest_sum<int8_t>(weights, zero, filters, lines, length);
    };
    // With AMX, the sums of the unmodified weights pass through f32 before the zero point's part is
    // subtracted.
    largest = w_zero.is_zero() ? sum_less(0) : std::max(sum_less(*w_zero.value), sum_less(0));
  }
  refuse_if(largest > kLimit, "the sums may exceed 24 bits");
}

ZeroPoint weight_zero_point(const Node& node, size_t weights, size_t i) {
  ZeroPoint zero = zero_point(node, i);
  if (byte_type(node.dtype(weights)) == DataType::s8) return zero;
  refuse_if(!zero.value, "the weights are u8 and their zero point is unknown before the run");
  *zero.value -= kShift;
  return zero;
}

Made in_s8(int operand, int slot, const Dims& dims) {
  dnnl::primitive_attr attr = attributes();
  attr.set_zero_points_mask(DNNL_ARG_FROM, 0);
  const MemoryDesc from = row_major(dims, DataType::u8), to = row_major(dims, DataType::s8);
  const dnnl::reorder::primitive_desc primitive(cpu_engine(), from, cpu_engine(), to, attr);
  Made made{[primitive] { return dnnl::reorder(primitive); }, primitive.scratchpad_desc(), {}};
  made.add(DNNL_ARG_FROM, operand, from, dims);
  made.add_scratch(DNNL_ARG_TO, slot, to);
  made.add_own(DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM, MemoryDesc({1}, DataType::s32, Dims{1}), &kShift);
  return made;
}

void add_weights(Made& made, int operand, int slot, percale_dtype dtype, const MemoryDesc& desc, const Dims& dims) {
  if (slot >= 0) return made.add_scratch(DNNL_ARG_WEIGHTS, slot, desc);
  made.add(DNNL_ARG_WEIGHTS, operand, desc, dims);
  made.operands.back().row_major = row_major(dims, data_type(dtype));
}

// Without VNNI, two 8-bit products are added in 16 bits, which saturate.
DataType byte_type(percale_dtype dtype) {
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto has = [isa](dnnl::cpu_isa needed) {
    return (isa & static_cast<unsigned>(needed)) == static_cast<unsigned>(needed);
  };
  refuse_if(!has(dnnl::cpu_isa::avx512_core_vnni) && !has(dnnl::cpu_isa::avx2_vnni), "the CPU has no VNNI");
  refuse_if(dtype != PERCALE_DTYPE_U8 && dtype != PERCALE_DTYPE_I8, "supports only u8 and i8");
  return data_type(dtype);
}

ZeroPoint zero_point(const Node& node, size_t i) {
  if (!node.has(i)) return {0, -1, DataType::undef};
  const DataType type = byte_type(node.dtype(i));
  const auto count = static_cast<size_t>(elements(node.dims(i)));
  const auto* bytes = static_cast<const uint8_t*>(node.constant(i));
  if (bytes == nullptr) {
    refuse_if(count != 1, "the zero points are unknown before the run");
    return {{}, static_cast<int>(i), type};
  }
  refuse_if(count == 0 || std::any_of(bytes, bytes + count, [&](uint8_t b) { return b != bytes[0]; }),
            "the zero points differ");
  return {type == DataType::u8 ? int32_t{bytes[0]} : int32_t{static_cast<int8_t>(bytes[0])}, -1, type};
}

void add_zero_point(Made& made, int of, const ZeroPoint& zero) {
  if (zero.is_zero()) return;
  const MemoryDesc desc({1}, DataType::s32, Dims{1});
  const int name = DNNL_ARG_ATTR_ZERO_POINTS | of;
  if (zero.value) return made.add_own(name, desc, &*zero.value);
  made.add(name, zero.input, desc, {1});
  made.operands.back().argument.widened = zero.type;
}

// Computed in f32 and in this order, as in the core.
Requantization requantization(const Node& node, size_t left, size_t right, size_t result, size_t zero,
                              int64_t channels) {
  const float of_left = one_scale(node, left), of_result = one_scale(node, result);
  Requantization out{scales(node, right), 0};
  const auto count = static_cast<int64_t>(out.factors.size());
  refuse_if(count != 1 && (count != channels || node.dims(right).back() != channels),
            "the scales have unsupported shapes");
  for (float& f : out.factors) {
    f = of_left * f / of_result;
    refuse_if(!std::isfinite(f), "a scale is not finite");
  }
  const ZeroPoint of_y = zero_point(node, zero);
  refuse_if(!of_y.value, "the zero point of the result is unknown before the run");
  out.zero = *of_y.value;
  return out;
}

// oneDNN rounds on storing. With the zero point added first, a tie may round to the other side, so
// the value is rounded before.
dnnl::post_ops post_ops_of(const Requantization& r, const Dims& dims) {
  dnnl::post_ops ops;
  if (r.factors.size() == 1) {
    ops.append_eltwise(dnnl::algorithm::eltwise_linear, r.factors.front(), 0);
  } else {
    ops.append_binary(dnnl::algorithm::binary_mul, row_major(dims, DataType::f32));
  }
  if (r.zero != 0) {
    ops.append_eltwise(dnnl::algorithm::eltwise_round, 0, 0);
    ops.append_eltwise(dnnl::algorithm::eltwise_linear, 1, static_cast<float>(r.zero));
  }
  return ops;
}

void add_factors(Made& made, const Requantization& r, const Dims& dims) {
  if (r.factors.size() == 1) return;
  const int name = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
  made.add_own(name, row_major(dims, DataType::f32), r.factors.data());
}

}  // namespace percale::onednn
