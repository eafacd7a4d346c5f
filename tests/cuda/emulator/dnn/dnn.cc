// An emulated graph API of libcudnn for convolutions with epilogues, and for attention. It checks
// descriptors as the real one does, offers engines of which some fail, and computes in plain loops.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "devices/cuda/kernels/common/device.cuh"
#include "tests/cuda/emulator/emulator.h"

using namespace percale::cuda;
using namespace percale::cuda::abi;
using percale_emulator::note_problem;
using percale_emulator::reach_bytes;

namespace {

struct Attribute {
  int type;
  std::vector<uint8_t> bytes;
};

}  // namespace

namespace percale::cuda::abi {

struct DnnTag {
  Stream stream = nullptr;
};
struct DnnDescTag {
  int type = -1;
  bool final = false;
  int engine = 0;  // for engines and engine configurations
  std::map<int, Attribute> attributes;
};

}  // namespace percale::cuda::abi

namespace {

uint64_t convolutions = 0, epilogues = 0, attentions = 0;

// Engines in the order in which they are offered. The last one belongs to the mode "fallback"; it
// supports any layout, but no epilogues. The others support only channels last.
enum Engine { kAtomics, kTf32, kUnsupported, kHungry, kCompiles, kLast, kPlain };
constexpr int64_t kWorkspace = 3000;

DnnStatus misuse(const std::string& what) {
  note_problem("cudnn: " + what);
  return kDnnBadParam;
}

size_t element_bytes(int type) {
  switch (type) {
    case kDnnTypeHandle:
    case kDnnTypeInt64:
    case kDnnTypeDouble:
    case kDnnTypePointer:
    case kDnnTypeDescriptor: return 8;
    case kDnnTypeBoolean:
    case kDnnTypeChar: return 1;
    default: return 4;
  }
}

// Reads an attribute of a descriptor. Returns an empty vector if it was not set, or set with
// another type.
template <class T>
std::vector<T> read(const DnnDescTag& desc, int name, int type) {
  const auto found = desc.attributes.find(name);
  if (found == desc.attributes.end() || found->second.type != type) return {};
  std::vector<T> out(found->second.bytes.size() / sizeof(T));
  std::memcpy(out.data(), found->second.bytes.data(), found->second.bytes.size());
  return out;
}
using Numbers = std::vector<int64_t>;
Numbers read_numbers(const DnnDescTag& desc, int name) { return read<int64_t>(desc, name, kDnnTypeInt64); }
// Returns null if there is none that is finalized.
const DnnDescTag* read_desc(const DnnDescTag& desc, int name, int type) {
  const auto found = read<DnnDesc>(desc, name, kDnnTypeDescriptor);
  return found.size() == 1 && found[0]->type == type && found[0]->final ? found[0] : nullptr;
}
int read_enum(const DnnDescTag& desc, int name, int type) {
  const auto found = read<int>(desc, name, type);
  return found.size() == 1 ? found[0] : -1;
}

struct OpNames {
  int alpha, beta, conv, x, w, y;
};
OpNames names_of(int operation) {
  if (operation == kDnnForward)
    return {kDnnForwardAlpha, kDnnForwardBeta, kDnnForwardConv, kDnnForwardX, kDnnForwardW, kDnnForwardY};
  if (operation == kDnnBackwardData)
    return {kDnnDataAlpha, kDnnDataBeta, kDnnDataConv, kDnnDataDx, kDnnDataW, kDnnDataDy};
  return {kDnnFilterAlpha, kDnnFilterBeta, kDnnFilterConv, kDnnFilterX, kDnnFilterDw, kDnnFilterDy};
}

struct Tensor {
  int type = -1;
  int64_t number = 0, alignment = 0;
  Numbers dims, strides;
  bool in_memory = true, by_value = false;
  int64_t count() const {
    int64_t out = 1;
    for (int64_t d : dims) out *= d;
    return out;
  }
  size_t bytes() const { return static_cast<size_t>(count()) * (type == kDnnDouble ? 8 : type == kDnnFloat ? 4 : 2); }
};
Tensor tensor_of(const DnnDescTag& desc) {
  return {read_enum(desc, kDnnTensorType, kDnnTypeDataType),
          read_numbers(desc, kDnnTensorId).at(0),
          read_numbers(desc, kDnnTensorAlignment).at(0),
          read_numbers(desc, kDnnTensorDims),
          read_numbers(desc, kDnnTensorStrides),
          !desc.attributes.contains(kDnnTensorVirtual),
          desc.attributes.contains(kDnnTensorByValue)};
}
bool is_channels_last(const Tensor& t) { return t.strides[1] == 1 && t.count() > t.dims[1]; }

// A convolution as described by an operation.
struct Problem {
  int operation = 0;
  Tensor x, w, y;
  Numbers strides, dilations, before, behind;
  double alpha = 1, beta = 0;
};

const char* check_tensor(const DnnDescTag& desc) {
  const Numbers dims = read_numbers(desc, kDnnTensorDims), strides = read_numbers(desc, kDnnTensorStrides);
  if (read_enum(desc, kDnnTensorType, kDnnTypeDataType) < 0 || read_numbers(desc, kDnnTensorId).size() != 1 ||
      read_numbers(desc, kDnnTensorAlignment).size() != 1) {
    return "a tensor without type, number or alignment";
  }
  if (dims.size() < 4 || dims.size() > 5 || strides.size() != dims.size()) return "a tensor of other than 4 or 5 dims";
  for (int64_t d : dims) {
    if (d < 1) return "an empty tensor";
  }
  return nullptr;
}

const char* check_convolution(const DnnDescTag& desc) {
  const Numbers count = read_numbers(desc, kDnnConvSpatialDims);
  if (count.size() != 1 || count[0] < 2 || count[0] > 3) return "a convolution over other than 2 or 3 dims";
  for (int name : {kDnnConvStrides, kDnnConvDilations, kDnnConvPrePads, kDnnConvPostPads}) {
    const Numbers values = read_numbers(desc, name);
    if (values.size() != static_cast<size_t>(count[0])) return "strides, dilations or pads of another number of dims";
    const bool pads = name == kDnnConvPrePads || name == kDnnConvPostPads;
    for (int64_t v : values) {
      if (v < (pads ? 0 : 1)) return "a stride, dilation or pad that is too small";
    }
  }
  if (read_enum(desc, kDnnConvMode, kDnnTypeConvolutionMode) != kDnnCrossCorrelation)
    return "the mode of a convolution";
  const int compute = read_enum(desc, kDnnConvComputeType, kDnnTypeDataType);
  return compute == kDnnFloat || compute == kDnnDouble ? nullptr : "the type that is computed in";
}

const char* check_operation(const DnnDescTag& desc, Problem* out) {
  const OpNames names = names_of(desc.type);
  const DnnDescTag *conv = read_desc(desc, names.conv, kDnnConvolution), *x = read_desc(desc, names.x, kDnnTensor),
                   *w = read_desc(desc, names.w, kDnnTensor), *y = read_desc(desc, names.y, kDnnTensor);
  if (conv == nullptr || x == nullptr || w == nullptr || y == nullptr) return "an operation without its operands";
  Problem p{desc.type,
            tensor_of(*x),
            tensor_of(*w),
            tensor_of(*y),
            read_numbers(*conv, kDnnConvStrides),
            read_numbers(*conv, kDnnConvDilations),
            read_numbers(*conv, kDnnConvPrePads),
            read_numbers(*conv, kDnnConvPostPads)};
  if (p.x.type != p.w.type || (p.y.in_memory && p.x.type != p.y.type)) return "types that are not mixed here";
  if (!p.y.in_memory && p.y.type != kDnnFloat) return "what is between operations is f32";
  if (is_channels_last(p.x) != is_channels_last(p.y) && p.x.count() > p.x.dims[1] && p.y.count() > p.y.dims[1])
    return "images in two orders";
  const bool wide = p.x.type == kDnnDouble;
  if ((read_enum(*conv, kDnnConvComputeType, kDnnTypeDataType) == kDnnDouble) != wide)
    return "the type that is computed in";
  for (int name : {names.alpha, names.beta}) {
    double& value = name == names.alpha ? p.alpha : p.beta;
    if (wide) {
      const auto found = read<double>(desc, name, kDnnTypeDouble);
      if (found.size() != 1) return "a scalar of another type";
      value = found[0];
    } else {
      const auto found = read<float>(desc, name, kDnnTypeFloat);
      if (found.size() != 1) return "a scalar of another type";
      value = static_cast<double>(found[0]);
    }
  }
  if (p.alpha != 1 || p.beta != 0) return "scalars that are not emulated";
  const size_t rank = p.x.dims.size(), spatial = p.strides.size();
  if (rank != spatial + 2 || p.w.dims.size() != rank || p.y.dims.size() != rank) return "ranks that differ";
  if (p.x.dims[0] != p.y.dims[0] || p.y.dims[1] != p.w.dims[0]) return "batches or channels that differ";
  if (p.x.dims[1] % p.w.dims[1] != 0 || p.w.dims[0] % (p.x.dims[1] / p.w.dims[1]) != 0)
    return "channels that are no groups";
  for (size_t d = 0; d < spatial; ++d) {
    const int64_t reach = (p.w.dims[d + 2] - 1) * p.dilations[d] + 1;
    const int64_t room = p.x.dims[d + 2] + p.before[d] + p.behind[d] - reach;
    if (room < 0 || room / p.strides[d] + 1 != p.y.dims[d + 2]) return "an image whose size does not follow";
  }
  if (out != nullptr) *out = p;
  return nullptr;
}

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

// The contents of a tensor while a graph runs: memory, a scalar argument, or an intermediate
// result.
struct Held {
  Tensor tensor;
  void* memory = nullptr;
  std::vector<double> between = {};

  double get(int64_t i) const {
    return memory != nullptr ? load(tensor.type, memory, i) : between.at(static_cast<size_t>(i));
  }
  void put(int64_t i, double value) {
    if (memory != nullptr) {
      store(tensor.type, memory, i, value);
      return;
    }
    between.resize(static_cast<size_t>(tensor.count()));
    double& at = between[static_cast<size_t>(i)];
    if (tensor.type == kDnnDouble) {
      at = value;
    } else {
      uint64_t rounded = 0;
      store(tensor.type, &rounded, 0, value);
      at = load(tensor.type, &rounded, 0);
    }
  }
};
using AllHeld = std::map<int64_t, Held>;

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

// Any other operation: computes y from x, and from b if there is one.
struct Step {
  int type = -1, mode = -1;
  Tensor x, b, y;
  bool two = false;
};

// Returns the offset of the element of a broadcast operand at position `at`.
int64_t repeated_offset(const Tensor& t, Numbers at) {
  for (size_t d = 0; d < at.size(); ++d) at[d] = t.dims[d] == 1 ? 0 : at[d];
  return offset_of(t, at);
}
bool broadcasts(const Tensor& from, const Tensor& to) {
  if (from.dims.size() != to.dims.size()) return false;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    if (from.dims[d] != 1 && from.dims[d] != to.dims[d]) return false;
  }
  return true;
}

const char* check_pointwise(const Step& s) {
  const bool two = s.mode == kDnnPointwiseAdd || s.mode == kDnnPointwiseMul || s.mode == kDnnPointwiseDiv ||
                   s.mode == kDnnPointwiseSub;
  const bool one = s.mode == kDnnPointwiseRelu || s.mode == kDnnPointwiseExp || s.mode == kDnnPointwiseLog ||
                   s.mode == kDnnPointwiseIdentity;
  if (s.two != two || two == one) return "a pointwise mode that is not emulated, or another number of operands";
  return !broadcasts(s.x, s.y) || (two && !broadcasts(s.b, s.y)) ? "shapes that do not broadcast" : nullptr;
}
const char* check_matmul(const Step& s) {
  const size_t rank = s.y.dims.size();
  if (rank < 3 || s.x.dims.size() != rank || s.b.dims.size() != rank) return "matrices of several ranks";
  if (s.x.dims[rank - 2] != s.y.dims[rank - 2] || s.b.dims[rank - 1] != s.y.dims[rank - 1] ||
      s.x.dims[rank - 1] != s.b.dims[rank - 2]) {
    return "matrices that do not fit";
  }
  for (size_t d = 0; d + 2 < rank; ++d) {
    if (s.y.dims[d] % s.x.dims[d] != 0 || s.y.dims[d] % s.b.dims[d] != 0) return "batches that do not fit";
  }
  return nullptr;
}

const char* check_step(const DnnDescTag& desc, Step* out) {
  Step s;
  s.type = desc.type;
  if (desc.type == kDnnReshapeOp) {
    const DnnDescTag *from = read_desc(desc, kDnnReshapeX, kDnnTensor), *to = read_desc(desc, kDnnReshapeY, kDnnTensor);
    if (from == nullptr || to == nullptr) return "an operation without its operands";
    s.x = tensor_of(*from);
    s.y = tensor_of(*to);
    if (out != nullptr) *out = s;
    return s.x.count() == s.y.count() && s.x.type == s.y.type ? nullptr : "a reshape into something else";
  }
  int how_type = kDnnPointwise, how = kDnnPointwiseHow, x = kDnnPointwiseX, b = kDnnPointwiseB, y = kDnnPointwiseY,
      compute = kDnnPointwiseType;
  if (desc.type == kDnnMatmulOp) {
    how_type = kDnnMatmul, how = kDnnMatmulHow, x = kDnnMatmulA, b = kDnnMatmulB, y = kDnnMatmulC,
    compute = kDnnMatmulType;
  } else if (desc.type == kDnnReductionOp) {
    how_type = kDnnReduction, how = kDnnReductionHow, x = kDnnReductionX, b = -1, y = kDnnReductionY,
    compute = kDnnReductionType;
  }
  const DnnDescTag *its = read_desc(desc, how, how_type), *one = read_desc(desc, x, kDnnTensor),
                   *two = read_desc(desc, b, kDnnTensor), *result = read_desc(desc, y, kDnnTensor);
  if (its == nullptr || one == nullptr || result == nullptr) return "an operation without its operands";
  if (read_enum(*its, compute, kDnnTypeDataType) != kDnnFloat) return "what is computed in";
  s.x = tensor_of(*one);
  s.y = tensor_of(*result);
  s.two = two != nullptr;
  if (s.two) s.b = tensor_of(*two);
  const char* wrong = nullptr;
  if (desc.type == kDnnPointwiseOp) {
    s.mode = read_enum(*its, kDnnPointwiseMode, kDnnTypePointwiseMode);
    wrong = check_pointwise(s);
  } else if (desc.type == kDnnReductionOp) {
    s.mode = read_enum(*its, kDnnReductionMode, kDnnTypeReduction);
    if (s.mode != kDnnReduceAdd && s.mode != kDnnReduceMax) wrong = "a reduction that is not emulated";
    if (!broadcasts(s.y, s.x)) wrong = "a reduction of another shape";
  } else {
    wrong = s.two ? check_matmul(s) : "a product of one matrix";
  }
  if (out != nullptr) *out = s;
  return wrong;
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
    default: return x > 0 ? x : 0;
  }
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
    } else {
      value = pointwise(s.mode, x.get(repeated_offset(s.x, at)),
                        s.two ? held[s.b.number].get(repeated_offset(s.b, at)) : 0);
    }
    y.put(offset_of(s.y, at), value);
  } while (advance(at, s.y.dims));
}

bool is_convolution(const DnnDescTag& op) {
  return op.type == kDnnForward || op.type == kDnnBackwardData || op.type == kDnnBackwardFilter;
}
std::vector<DnnDesc> operations_of(const DnnDescTag& graph) {
  return read<DnnDesc>(graph, kDnnGraphOps, kDnnTypeDescriptor);
}
// Returns the convolution that the graph starts with.
Problem problem_of(const DnnDescTag& graph) {
  Problem p;
  check_operation(*operations_of(graph).at(0), &p);
  return p;
}
bool has_convolution(const DnnDescTag& graph) { return is_convolution(*operations_of(graph).at(0)); }

const char* check_graph(const DnnDescTag& graph) {
  const auto operations = operations_of(graph);
  if (read<Dnn>(graph, kDnnGraphHandle, kDnnTypeHandle).size() != 1 || operations.empty()) return "a graph";
  std::map<int64_t, bool> made;  // true for intermediate results
  for (size_t i = 0; i < operations.size(); ++i) {
    const DnnDescTag& op = *operations[i];
    if (!op.final) return "an operation that is not finalized";
    if (is_convolution(op)) {
      if (i != 0) return "a convolution behind something";
      made[problem_of(graph).y.number] = true;
      continue;
    }
    Step s;
    check_step(op, &s);
    for (const Tensor* t : {&s.x, s.two ? &s.b : &s.x}) {
      if (!t->in_memory && !made[t->number]) return "operations that are not in order";
    }
    made[s.y.number] = true;
  }
  return nullptr;
}

// True if the engine supports the graph. With PERCALE_CUDNN_EMULATOR=none no engine supports any.
bool takes(int engine, const DnnDescTag& graph) {
  static const char* const which = std::getenv("PERCALE_CUDNN_EMULATOR");
  if (which != nullptr && std::strcmp(which, "none") == 0) return false;
  if (!has_convolution(graph)) return engine == kCompiles;  // attention
  if (engine == kPlain) return operations_of(graph).size() == 1;
  return is_channels_last(problem_of(graph).x) || is_channels_last(problem_of(graph).y);
}

}  // namespace

extern "C" {

// For tests: the number of enqueued convolutions.
__attribute__((visibility("default"))) uint64_t percale_emulator_convolutions(void) { return convolutions; }
// For tests: the number of convolutions with an epilogue.
__attribute__((visibility("default"))) uint64_t percale_emulator_epilogues(void) { return epilogues; }
__attribute__((visibility("default"))) uint64_t percale_emulator_attentions(void) { return attentions; }

DnnStatus cudnnCreate(Dnn* dnn) {
  *dnn = new DnnTag;
  return kDnnSuccess;
}
DnnStatus cudnnDestroy(Dnn dnn) {
  delete dnn;
  return kDnnSuccess;
}
DnnStatus cudnnSetStream(Dnn dnn, Stream stream) {
  dnn->stream = stream;
  return kDnnSuccess;
}
DnnStatus cudnnBackendCreateDescriptor(int type, DnnDesc* desc) {
  *desc = new DnnDescTag;
  (*desc)->type = type;
  return kDnnSuccess;
}
DnnStatus cudnnBackendDestroyDescriptor(DnnDesc desc) {
  delete desc;
  return kDnnSuccess;
}

DnnStatus cudnnBackendSetAttribute(DnnDesc desc, int name, int type, int64_t count, const void* elements) {
  if (desc->final) return misuse("an attribute of a descriptor that is finalized");
  if (count < 1 || elements == nullptr) return misuse("an attribute without elements");
  Attribute& out = desc->attributes[name];
  out.type = type;
  out.bytes.resize(static_cast<size_t>(count) * element_bytes(type));
  std::memcpy(out.bytes.data(), elements, out.bytes.size());
  return kDnnSuccess;
}

DnnStatus cudnnBackendFinalize(DnnDesc desc) {
  const char* wrong = nullptr;
  switch (desc->type) {
    case kDnnTensor: wrong = check_tensor(*desc); break;
    case kDnnConvolution: wrong = check_convolution(*desc); break;
    case kDnnForward:
    case kDnnBackwardData:
    case kDnnBackwardFilter: wrong = check_operation(*desc, nullptr); break;
    case kDnnPointwise:
    case kDnnMatmul:
    case kDnnReduction: break;
    case kDnnPointwiseOp:
    case kDnnMatmulOp:
    case kDnnReductionOp:
    case kDnnReshapeOp: wrong = check_step(*desc, nullptr); break;
    case kDnnGraph: wrong = check_graph(*desc); break;
    case kDnnHeuristics: {
      const int mode = read_enum(*desc, kDnnHeuristicMode, kDnnTypeHeuristicMode);
      if (read_desc(*desc, kDnnHeuristicGraph, kDnnGraph) == nullptr ||
          (mode != kDnnModeA && mode != kDnnModeFallback)) {
        wrong = "heuristics";
      }
      break;
    }
    case kDnnPlan: {
      const DnnDescTag* config = read_desc(*desc, kDnnPlanConfig, kDnnEngineConfig);
      if (config == nullptr || read<Dnn>(*desc, kDnnPlanHandle, kDnnTypeHandle).size() != 1) {
        wrong = "a plan";
      } else if (config->engine == kUnsupported ||
                 !takes(config->engine, *read_desc(*config, kDnnHeuristicGraph, kDnnGraph))) {
        return kDnnNotSupported;
      } else if (config->engine == kCompiles && has_convolution(*read_desc(*config, kDnnHeuristicGraph, kDnnGraph))) {
        wrong = "an engine that compiles code";
      } else if (config->engine == kAtomics) {
        wrong = "an engine that adds in another order each time";
      }
      break;
    }
    case kDnnVariantPack:
      if (read_numbers(*desc, kDnnPackIds).size() < 3 ||
          read<void*>(*desc, kDnnPackPointers, kDnnTypePointer).size() != read_numbers(*desc, kDnnPackIds).size()) {
        wrong = "operands";
      }
      break;
    default: wrong = "a descriptor of a kind that is not emulated";
  }
  if (wrong != nullptr) return misuse(wrong);
  desc->final = true;
  return kDnnSuccess;
}

DnnStatus cudnnBackendGetAttribute(DnnDesc desc, int name, int type, int64_t room, int64_t* count, void* elements) {
  if (desc->type == kDnnHeuristics && name == kDnnHeuristicResults && type == kDnnTypeDescriptor && desc->final) {
    const bool fallback = read_enum(*desc, kDnnHeuristicMode, kDnnTypeHeuristicMode) == kDnnModeFallback;
    *count = fallback ? 1 : 6;
    for (int64_t i = 0; i < *count && i < room; ++i) {
      DnnDesc config = static_cast<DnnDesc*>(elements)[i];
      if (config->type != kDnnEngineConfig) return misuse("results that are no configurations");
      config->engine = fallback ? kPlain : static_cast<int>(i);
      config->attributes[kDnnHeuristicGraph] = desc->attributes[kDnnHeuristicGraph];
      config->final = true;
    }
    return kDnnSuccess;
  }
  if (desc->type == kDnnEngineConfig && name == kDnnConfigEngine && type == kDnnTypeDescriptor && room == 1) {
    DnnDesc engine = *static_cast<DnnDesc*>(elements);
    if (engine->type != kDnnEngine) return misuse("an engine that is none");
    engine->engine = desc->engine;
    engine->final = true;
    *count = 1;
    return kDnnSuccess;
  }
  if (desc->type == kDnnEngine && name == kDnnEngineNotes && type == kDnnTypeNote && room >= 1) {
    *count = desc->engine == kAtomics || desc->engine == kTf32 ? 1 : 0;
    if (*count == 1) *static_cast<int*>(elements) = desc->engine == kAtomics ? kDnnNondeterministic : kDnnTensorCore;
    return kDnnSuccess;
  }
  if (desc->type == kDnnEngine && name == kDnnEngineBehavior && type == kDnnTypeBehavior && room >= 1) {
    *count = desc->engine == kCompiles ? 1 : 0;
    if (*count == 1) *static_cast<int*>(elements) = percale::cuda::abi::kDnnCompiles;
    return kDnnSuccess;
  }
  if (desc->type == kDnnEngine && name == kDnnEngineIndex && type == kDnnTypeInt64 && room == 1) {
    *count = 1;
    *static_cast<int64_t*>(elements) = desc->engine;
    return kDnnSuccess;
  }
  if (desc->type == kDnnPlan && name == kDnnPlanWorkspace && type == kDnnTypeInt64 && room == 1 && desc->final) {
    const DnnDescTag& config = *read_desc(*desc, kDnnPlanConfig, kDnnEngineConfig);
    *count = 1;
    *static_cast<int64_t*>(elements) = config.engine == kHungry ? int64_t{1} << 40 : kWorkspace;
    return kDnnSuccess;
  }
  return misuse("an attribute that is not emulated is asked for");
}

DnnStatus cudnnBackendExecute(Dnn dnn, DnnDesc plan, DnnDesc pack) {
  if (!plan->final || !pack->final) return misuse("what is executed is not finalized");
  const DnnDescTag& config = *read_desc(*plan, kDnnPlanConfig, kDnnEngineConfig);
  const DnnDescTag& graph = *read_desc(config, kDnnHeuristicGraph, kDnnGraph);
  const auto operations = operations_of(graph);
  const bool convolves = has_convolution(graph);
  const Problem first = convolves ? problem_of(graph) : Problem();
  if (config.engine == kTf32 && first.x.type == kDnnFloat) return misuse("tf32 that was not asked for");
  std::map<int64_t, void*> pointers;
  const Numbers numbers = read_numbers(*pack, kDnnPackIds);
  const auto given = read<void*>(*pack, kDnnPackPointers, kDnnTypePointer);
  for (size_t i = 0; i < numbers.size(); ++i) pointers[numbers[i]] = given[i];
  // Collects the operations and all their tensors.
  std::vector<Step> then;
  std::map<int64_t, Tensor> tensors;
  if (convolves) tensors = {{first.x.number, first.x}, {first.w.number, first.w}, {first.y.number, first.y}};
  for (size_t i = convolves ? 1 : 0; i < operations.size(); ++i) {
    Step s;
    check_step(*operations[i], &s);
    tensors[s.x.number] = s.x;
    tensors[s.y.number] = s.y;
    if (s.two) tensors[s.b.number] = s.b;
    then.push_back(s);
  }
  std::map<int64_t, double> values;
  size_t in_memory = 0;
  for (const auto& [number, t] : tensors) {
    if (!t.in_memory) continue;
    ++in_memory;
    const auto address = reinterpret_cast<uint64_t>(pointers[number]);
    if (t.by_value) {  // read at this time
      values[number] = static_cast<double>(*static_cast<const float*>(pointers[number]));
      continue;
    }
    if (address == 0 || address % static_cast<uint64_t>(t.alignment) != 0)
      return misuse("an operand is not aligned as was said");
  }
  if (in_memory != numbers.size()) return misuse("operands that are none of the graph");
  const auto workspace = read<void*>(*pack, kDnnPackWorkspace, kDnnTypePointer);
  if (workspace.size() != 1 || workspace[0] == nullptr) return misuse("no workspace");
  if (reinterpret_cast<uint64_t>(workspace[0]) % 256 != 0) return misuse("a workspace that is not aligned");
  convolutions += convolves ? 1 : 0;
  epilogues += convolves && !then.empty() ? 1 : 0;
  attentions += convolves ? 0 : 1;
  void* scratch = workspace[0];
  const Result result = percale_emulator::enqueue(dnn->stream, [=]() -> std::string {
    AllHeld held;
    for (const auto& [number, t] : tensors) {
      held[number] = {t};
      if (t.by_value) held[number].between = {values.at(number)};
      if (!t.in_memory || t.by_value) continue;
      held[number].memory = reach_bytes(reinterpret_cast<uint64_t>(pointers.at(number)), t.bytes());
      if (held[number].memory == nullptr) return "cudnnBackendExecute: an operand is not in one block";
    }
    void* room = reach_bytes(reinterpret_cast<uint64_t>(scratch), kWorkspace);
    if (room == nullptr) return "cudnnBackendExecute: the workspace is not in one block";
    std::memset(room, 0xEE, kWorkspace);
    if (convolves) convolve(first, held);
    for (const Step& s : then) compute(s, held);
    return "";
  });
  return result == kSuccess ? kDnnSuccess : kDnnExecutionFailed;
}

}  // extern "C"
