// Checks of descriptors.
#include "tests/cuda/emulator/dnn/dnn.h"

namespace percale_emulator::dnn {
namespace {

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

bool broadcasts(const Tensor& from, const Tensor& to) {
  if (from.dims.size() != to.dims.size()) return false;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    if (from.dims[d] != 1 && from.dims[d] != to.dims[d]) return false;
  }
  return true;
}

const char* check_pointwise(const Step& s) {
  const bool compares = s.mode == kDnnPointwiseAtLeast, chooses = s.mode == kDnnPointwiseSelect,
             counts = s.mode == kDnnPointwiseIndex;
  const bool two = s.mode == kDnnPointwiseAdd || s.mode == kDnnPointwiseMul || s.mode == kDnnPointwiseDiv ||
                   s.mode == kDnnPointwiseSub || compares || chooses;
  const bool one = s.mode == kDnnPointwiseRelu || s.mode == kDnnPointwiseExp || s.mode == kDnnPointwiseLog ||
                   s.mode == kDnnPointwiseIdentity || counts;
  if (s.two != two || two == one || s.chooses != chooses)
    return "a pointwise mode that is not emulated, or another number of operands";
  if ((s.axis >= 0) != counts || s.axis >= static_cast<int64_t>(s.y.dims.size())) return "the dim of an index";
  if ((s.y.type == kDnnBoolean) != compares || (s.y.type == kDnnInt32) != counts) return "the type of a result";
  if (compares && (s.x.type != kDnnInt32 || s.b.type != kDnnInt32)) return "a comparison of other types";
  if (chooses && (s.condition.type != kDnnBoolean || !broadcasts(s.condition, s.y))) return "a condition";
  return !broadcasts(s.x, s.y) || (two && !broadcasts(s.b, s.y)) ? "shapes that do not broadcast" : nullptr;
}
// The type in which a pointwise mode computes.
int type_of_mode(int mode) {
  return mode == kDnnPointwiseIndex ? kDnnInt32 : mode == kDnnPointwiseAtLeast ? kDnnBoolean : kDnnFloat;
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

bool is_convolution(const DnnDescTag& op) {
  return op.type == kDnnForward || op.type == kDnnBackwardData || op.type == kDnnBackwardFilter;
}

}  // namespace

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
  if (desc.type == kDnnPointwiseOp) s.mode = read_enum(*its, kDnnPointwiseMode, kDnnTypePointwiseMode);
  if (read_enum(*its, compute, kDnnTypeDataType) != type_of_mode(s.mode)) return "what is computed in";
  s.x = tensor_of(*one);
  s.y = tensor_of(*result);
  s.two = two != nullptr;
  if (s.two) s.b = tensor_of(*two);
  const char* wrong = nullptr;
  if (desc.type == kDnnPointwiseOp) {
    if (const DnnDescTag* condition = read_desc(desc, kDnnPointwiseT, kDnnTensor)) {
      s.condition = tensor_of(*condition);
      s.chooses = true;
    }
    if (const Numbers axis = read_numbers(*its, kDnnPointwiseAxis); !axis.empty()) s.axis = axis[0];
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

std::vector<DnnDesc> operations_of(const DnnDescTag& graph) {
  return read<DnnDesc>(graph, kDnnGraphOps, kDnnTypeDescriptor);
}
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
    for (const Tensor* t : {&s.x, s.two ? &s.b : &s.x, s.chooses ? &s.condition : &s.x}) {
      if (!t->in_memory && !made[t->number]) return "operations that are not in order";
    }
    made[s.y.number] = true;
  }
  return nullptr;
}

}  // namespace percale_emulator::dnn
