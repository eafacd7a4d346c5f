// Convolutions and other operations in plain loops.
#include <cmath>

#include "devices/cuda/kernels/common/device.cuh"
#include "tests/cuda/emulator/dnn/dnn.h"

namespace percale_emulator::dnn {

using namespace percale::cuda;

namespace {

double load(int type, const void* at, int64_t i) {
  switch (type) {
    case kDnnFloat: return static_cast<double>(static_cast<const float*>(at)[i]);
    case kDnnDouble: return static_cast<const double*>(at)[i];
    case kDnnHalf: return static_cast<double>(widen(static_cast<const F16*>(at)[i]));
    default: return static_cast<double>(widen(static_cast<const BF16*>(at)[i]));
  }
}
void store(int type, void* at, int64_t i, double value) {
  switch (type) {
    case kDnnFloat: static_cast<float*>(at)[i] = static_cast<float>(value); break;
    case kDnnDouble: static_cast<double*>(at)[i] = value; break;
    case kDnnHalf: static_cast<F16*>(at)[i] = to_f16(static_cast<float>(value)); break;
    default: static_cast<BF16*>(at)[i] = to_bf16(static_cast<float>(value));
  }
}

int64_t offset_of(const Tensor& t, const Numbers& at) {
  int64_t out = 0;
  for (size_t d = 0; d < at.size(); ++d) out += at[d] * t.strides[d];
  return out;
}

// Advances `at` through all positions of `dims`; false after the last.
bool advance(Numbers& at, const Numbers& dims) {
  for (size_t d = dims.size(); d-- > 0;) {
    if (++at[d] < dims[d]) return true;
    at[d] = 0;
  }
  return false;
}

// Calls f(offsets of x, w, y) for every product x * w that is added to an element of y.
template <class F>
void each_product(const Problem& p, F f) {
  const int64_t per_group = p.w.dims[0] / (p.x.dims[1] / p.w.dims[1]);
  Numbers y(p.y.dims.size(), 0);
  do {
    Numbers tap(p.w.dims.size(), 0);  // [0] is not used
    Numbers taps = p.w.dims;
    taps[0] = 1;
    do {
      Numbers x{y[0], y[1] / per_group * p.w.dims[1] + tap[1]}, w = tap;
      w[0] = y[1];
      bool inside = true;
      for (size_t d = 2; d < y.size(); ++d) {
        x.push_back(y[d] * p.strides[d - 2] + tap[d] * p.dilations[d - 2] - p.before[d - 2]);
        inside = inside && x[d] >= 0 && x[d] < p.x.dims[d];
      }
      if (inside) f(offset_of(p.x, x), offset_of(p.w, w), offset_of(p.y, y));
    } while (advance(tap, taps));
  } while (advance(y, p.y.dims));
}

// Returns the offset of the element of a broadcast operand at position `at`.
int64_t repeated_offset(const Tensor& t, Numbers at) {
  for (size_t d = 0; d < at.size(); ++d) at[d] = t.dims[d] == 1 ? 0 : at[d];
  return offset_of(t, at);
}

double pointwise(int mode, double x, double b) {
  switch (mode) {
    case kDnnPointwiseAdd: return x + b;
    case kDnnPointwiseMul: return x * b;
    case kDnnPointwiseDiv: return x / b;
    case kDnnPointwiseSub: return x - b;
    case kDnnPointwiseExp: return std::exp(x);
    case kDnnPointwiseLog: return std::log(x);
    case kDnnPointwiseIdentity: return x;
    case kDnnPointwiseAtLeast: return x >= b ? 1 : 0;
    default: return x > 0 ? x : 0;
  }
}

}  // namespace

double Held::get(int64_t i) const {
  return memory != nullptr ? load(tensor.type, memory, i) : between.at(static_cast<size_t>(i));
}

void Held::put(int64_t i, double value) {
  if (memory != nullptr) {
    store(tensor.type, memory, i, value);
    return;
  }
  between.resize(static_cast<size_t>(tensor.count()));
  double& at = between[static_cast<size_t>(i)];
  if (tensor.type == kDnnDouble || tensor.is_whole()) {
    at = value;
  } else {
    uint64_t rounded = 0;
    store(tensor.type, &rounded, 0, value);
    at = load(tensor.type, &rounded, 0);
  }
}

void convolve(const Problem& p, AllHeld& held) {
  Held &x = held[p.x.number], &w = held[p.w.number], &y = held[p.y.number];
  Held& result = p.operation == kDnnForward ? y : p.operation == kDnnBackwardData ? x : w;
  std::vector<double> sums(static_cast<size_t>(result.tensor.count()), 0);
  each_product(p, [&](int64_t at_x, int64_t at_w, int64_t at_y) {
    if (p.operation == kDnnForward) {
      sums[static_cast<size_t>(at_y)] += x.get(at_x) * w.get(at_w);
    } else if (p.operation == kDnnBackwardData) {
      sums[static_cast<size_t>(at_x)] += y.get(at_y) * w.get(at_w);
    } else {
      sums[static_cast<size_t>(at_w)] += x.get(at_x) * y.get(at_y);
    }
  });
  for (size_t i = 0; i < sums.size(); ++i) result.put(static_cast<int64_t>(i), sums[i]);
}

void compute(const Step& s, AllHeld& held) {
  const Held& x = held[s.x.number];
  Held& y = held[s.y.number];
  Numbers at(s.y.dims.size(), 0);
  if (s.type == kDnnReductionOp) {
    std::map<int64_t, double> out;
    do {
      const double value = x.get(offset_of(s.x, at));
      const auto [place, first] = out.emplace(repeated_offset(s.y, at), value);
      if (!first) place->second = s.mode == kDnnReduceAdd ? place->second + value : std::fmax(place->second, value);
    } while (advance(at, s.x.dims));
    for (const auto& [place, value] : out) y.put(place, value);
    return;
  }
  const size_t rank = at.size();
  do {
    double value = 0;
    if (s.type == kDnnReshapeOp) {
      value = x.get(offset_of(s.y, at));  // y uses the same memory
    } else if (s.type == kDnnMatmulOp) {
      Numbers a = at, b = at;  // if an operand has fewer batches, consecutive ones share a batch
      for (size_t d = 0; d + 2 < rank; ++d) {
        a[d] = at[d] / (s.y.dims[d] / s.x.dims[d]);
        b[d] = at[d] / (s.y.dims[d] / s.b.dims[d]);
      }
      for (int64_t k = 0; k < s.x.dims[rank - 1]; ++k) {
        a[rank - 1] = b[rank - 2] = k;
        value += x.get(offset_of(s.x, a)) * held[s.b.number].get(offset_of(s.b, b));
      }
    } else if (s.axis >= 0) {
      value = static_cast<double>(at[static_cast<size_t>(s.axis)]);
    } else if (s.chooses) {
      const bool first = held[s.condition.number].get(repeated_offset(s.condition, at)) != 0;
      const Tensor& from = first ? s.x : s.b;
      value = held[from.number].get(repeated_offset(from, at));
    } else {
      value = pointwise(s.mode, x.get(repeated_offset(s.x, at)),
                        s.two ? held[s.b.number].get(repeated_offset(s.b, at)) : 0);
    }
    y.put(offset_of(s.y, at), value);
  } while (advance(at, s.y.dims));
}

}  // namespace percale_emulator::dnn
