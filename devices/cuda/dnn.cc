#include "devices/cuda/dnn.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace percale::cuda {
namespace {

// The operands' numbers in a graph.
enum : int64_t { kX = 1, kW = 2, kY = 3 };
constexpr int64_t kAlignment = 16;
constexpr int64_t kMostWorkspace = int64_t{256} << 20;

int type_of(percale_dtype dtype) {
  switch (dtype) {
    case PERCALE_DTYPE_F32: return abi::kDnnFloat;
    case PERCALE_DTYPE_F64: return abi::kDnnDouble;
    case PERCALE_DTYPE_F16: return abi::kDnnHalf;
    default: return abi::kDnnBFloat16;
  }
}

// A descriptor that is given back. Its attributes are set, then it is finalized.
class Descriptor {
 public:
  Descriptor(const DnnLibrary& lib, int type) : lib_(&lib) {
    DnnLibrary::check(lib.cudnnBackendCreateDescriptor(type, &desc_), "cudnnBackendCreateDescriptor");
  }
  ~Descriptor() {
    if (desc_ != nullptr) lib_->cudnnBackendDestroyDescriptor(desc_);
  }
  Descriptor(Descriptor&& other) noexcept : lib_(other.lib_), desc_(std::exchange(other.desc_, nullptr)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  abi::DnnDesc get() const { return desc_; }
  void set(int name, int type, const void* elements, int64_t count = 1) {
    DnnLibrary::check(lib_->cudnnBackendSetAttribute(desc_, name, type, count, elements), "cudnnBackendSetAttribute");
  }
  void set(int name, int64_t value) { set(name, abi::kDnnTypeInt64, &value); }
  void set(int name, const Dims& values) {
    set(name, abi::kDnnTypeInt64, values.data(), static_cast<int64_t>(values.size()));
  }
  void set(int name, const Descriptor& other) { set(name, abi::kDnnTypeDescriptor, &other.desc_); }
  // How many there are, and as many of them as there is room for.
  int64_t get(int name, int type, int64_t room, void* elements) const {
    int64_t count = 0;
    DnnLibrary::check(lib_->cudnnBackendGetAttribute(desc_, name, type, room, &count, elements),
                      "cudnnBackendGetAttribute");
    return count;
  }
  abi::DnnStatus try_finalize() { return lib_->cudnnBackendFinalize(desc_); }

 private:
  const DnnLibrary* lib_;
  abi::DnnDesc desc_ = nullptr;
};

// Dims of images and weights with two places at least, as cuDNN wants them: those in front that do nothing are left out.
struct Geometry {
  explicit Geometry(const ConvArgs& a) {
    const WindowArgs& w = a.window;
    const auto does_nothing = [&](size_t d) {
      return w.in[d] == 1 && w.out[d] == 1 && w.kernel[d] == 1 && w.pad[d] == 0;
    };
    x = {a.batch, a.groups * a.in_channels};
    y = {a.batch, a.groups * a.out_channels};
    weights = {a.groups * a.out_channels, a.in_channels};
    for (size_t d = does_nothing(0) ? 1 : 0; d < 3; ++d) {
      x.push_back(w.in[d]);
      y.push_back(w.out[d]);
      weights.push_back(w.kernel[d]);
      strides.push_back(w.stride[d]);
      dilations.push_back(w.dilation[d]);
      before.push_back(w.pad[d]);
      // As much as the last window reaches, whatever the node calls it.
      const int64_t reach = (w.out[d] - 1) * w.stride[d] + (w.kernel[d] - 1) * w.dilation[d] + 1;
      behind.push_back(std::max<int64_t>(reach - w.in[d] - w.pad[d], 0));
    }
  }
  Dims x, y, weights, strides, dilations, before, behind;
};

// A plan reads what it was made of for as long as it lives.
using Descriptors = std::deque<Descriptor>;

const Descriptor& make_tensor(const DnnLibrary& lib, Descriptors& kept, int64_t number, int type, const Dims& dims) {
  Descriptor& out = kept.emplace_back(lib, abi::kDnnTensor);
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * dims[d];
  out.set(abi::kDnnTensorType, abi::kDnnTypeDataType, &type);
  out.set(abi::kDnnTensorDims, dims);
  out.set(abi::kDnnTensorStrides, strides);
  out.set(abi::kDnnTensorId, number);
  out.set(abi::kDnnTensorAlignment, kAlignment);
  DnnLibrary::check(out.try_finalize(), "a tensor of cuDNN");
  return out;
}

// The names of an operation's attributes.
struct Names {
  int operation, alpha, beta, conv, x, w, y;
};
Names names_of(Convolution::Result result) {
  using namespace abi;
  switch (result) {
    case Convolution::Result::kY:
      return {kDnnForward,  kDnnForwardAlpha, kDnnForwardBeta, kDnnForwardConv,
              kDnnForwardX, kDnnForwardW,     kDnnForwardY};
    case Convolution::Result::kDx:
      return {kDnnBackwardData, kDnnDataAlpha, kDnnDataBeta, kDnnDataConv, kDnnDataDx, kDnnDataW, kDnnDataDy};
    default:
      return {kDnnBackwardFilter, kDnnFilterAlpha, kDnnFilterBeta, kDnnFilterConv,
              kDnnFilterX,        kDnnFilterDw,    kDnnFilterDy};
  }
}

const Descriptor& make_operation(const DnnLibrary& lib, Descriptors& kept, const Convolution& c, const Geometry& g,
                                 const Descriptor& x, const Descriptor& w, const Descriptor& y) {
  const bool wide = c.dtype == PERCALE_DTYPE_F64;
  const int compute = wide ? abi::kDnnDouble : abi::kDnnFloat, mode = abi::kDnnCrossCorrelation;
  Descriptor& conv = kept.emplace_back(lib, abi::kDnnConvolution);
  conv.set(abi::kDnnConvComputeType, abi::kDnnTypeDataType, &compute);
  conv.set(abi::kDnnConvMode, abi::kDnnTypeConvolutionMode, &mode);
  conv.set(abi::kDnnConvSpatialDims, static_cast<int64_t>(g.strides.size()));
  conv.set(abi::kDnnConvStrides, g.strides);
  conv.set(abi::kDnnConvDilations, g.dilations);
  conv.set(abi::kDnnConvPrePads, g.before);
  conv.set(abi::kDnnConvPostPads, g.behind);
  DnnLibrary::check(conv.try_finalize(), "a convolution of cuDNN");

  const Names names = names_of(c.result);
  Descriptor& out = kept.emplace_back(lib, names.operation);
  out.set(names.conv, conv);
  out.set(names.x, x);
  out.set(names.w, w);
  out.set(names.y, y);
  const double one = 1, zero = 0;
  const float one_f = 1, zero_f = 0;
  const int scalar = wide ? abi::kDnnTypeDouble : abi::kDnnTypeFloat;
  out.set(names.alpha, scalar, wide ? static_cast<const void*>(&one) : &one_f);
  out.set(names.beta, scalar, wide ? static_cast<const void*>(&zero) : &zero_f);
  DnnLibrary::check(out.try_finalize(), "an operation of cuDNN");
  return out;
}

// Whether an engine gives the same bits in every run, and as many of them as were asked for.
bool is_exact(const DnnLibrary& lib, const Descriptor& config, percale_dtype dtype, bool tf32) {
  const Descriptor engine(lib, abi::kDnnEngine);
  abi::DnnDesc raw = engine.get();
  config.get(abi::kDnnConfigEngine, abi::kDnnTypeDescriptor, 1, &raw);
  std::array<int, abi::kDnnNoteCount> notes{};
  const int64_t said = engine.get(abi::kDnnEngineNotes, abi::kDnnTypeNote, abi::kDnnNoteCount, notes.data());
  if (said > abi::kDnnNoteCount) return false;  // a newer cuDNN, and notes that we have not seen
  const auto has = [&, end = notes.begin() + said](int note) { return std::find(notes.begin(), end, note) != end; };
  if (has(abi::kDnnNondeterministic) || has(abi::kDnnReducedPrecision) || has(abi::kDnnDownConverts)) return false;
  // Tensor cores take f32 as tf32.
  return dtype != PERCALE_DTYPE_F32 || tf32 || !has(abi::kDnnTensorCore);
}

}  // namespace

// Room for copies of all operands in another layout, twice.
int64_t workspace_for(const Convolution& c) {
  const Geometry g(c.args);
  const int64_t bytes = (elements(g.x) + elements(g.y) + elements(g.weights)) * item_bytes(c.dtype);
  return std::min(2 * bytes + (1 << 20), kMostWorkspace);
}

// The way that cuDNN has chosen; none: there is none.
struct PlannedConvolution::OnDevice {
  OnDevice(const DnnLibrary& lib, abi::Dnn dnn, const Convolution& c, bool tf32) {
    try {
      make(lib, dnn, c, tf32);
    } catch (const Failure&) {
      plan = nullptr;  // what cuDNN refuses to describe is done without it
    }
    if (plan == nullptr) kept.clear();
  }

  void make(const DnnLibrary& lib, abi::Dnn dnn, const Convolution& c, bool tf32) {
    const Geometry g(c.args);
    const int type = type_of(c.dtype);
    const Descriptor& x = make_tensor(lib, kept, kX, type, g.x);
    const Descriptor& w = make_tensor(lib, kept, kW, type, g.weights);
    const Descriptor& y = make_tensor(lib, kept, kY, type, g.y);
    const Descriptor& operation = make_operation(lib, kept, c, g, x, w, y);
    Descriptor& graph = kept.emplace_back(lib, abi::kDnnGraph);
    graph.set(abi::kDnnGraphHandle, abi::kDnnTypeHandle, &dnn);
    graph.set(abi::kDnnGraphOps, operation);
    DnnLibrary::check(graph.try_finalize(), "a graph of cuDNN");
    for (int mode : {abi::kDnnModeA, abi::kDnnModeFallback}) {
      if (choose(lib, dnn, c, tf32, graph, mode)) return;
    }
  }

  // The first engine in cuDNN's order that will do: nothing is measured, so that the choice is the same everywhere.
  bool choose(const DnnLibrary& lib, abi::Dnn dnn, const Convolution& c, bool tf32, const Descriptor& graph, int mode) {
    Descriptor& heuristics = kept.emplace_back(lib, abi::kDnnHeuristics);
    heuristics.set(abi::kDnnHeuristicGraph, graph);
    heuristics.set(abi::kDnnHeuristicMode, abi::kDnnTypeHeuristicMode, &mode);
    if (heuristics.try_finalize() != abi::kDnnSuccess) return false;
    const int64_t count = heuristics.get(abi::kDnnHeuristicResults, abi::kDnnTypeDescriptor, 0, nullptr);
    std::vector<const Descriptor*> configs;
    std::vector<abi::DnnDesc> raw;
    for (int64_t i = 0; i < count; ++i) {
      configs.push_back(&kept.emplace_back(lib, abi::kDnnEngineConfig));
      raw.push_back(configs.back()->get());
    }
    const int64_t found = heuristics.get(abi::kDnnHeuristicResults, abi::kDnnTypeDescriptor, count, raw.data());
    for (int64_t i = 0; i < std::min(found, count); ++i) {
      const Descriptor& config = *configs[static_cast<size_t>(i)];
      if (!is_exact(lib, config, c.dtype, tf32)) continue;
      Descriptor candidate(lib, abi::kDnnPlan);
      candidate.set(abi::kDnnPlanHandle, abi::kDnnTypeHandle, &dnn);
      candidate.set(abi::kDnnPlanConfig, config);
      if (candidate.try_finalize() != abi::kDnnSuccess) continue;
      int64_t workspace = 0;
      candidate.get(abi::kDnnPlanWorkspace, abi::kDnnTypeInt64, 1, &workspace);
      if (workspace > workspace_for(c)) continue;
      plan = &kept.emplace_back(std::move(candidate));
      return true;
    }
    return false;
  }

  Descriptors kept;
  const Descriptor* plan = nullptr;
};

PlannedConvolution::PlannedConvolution(const Convolution& convolution) : convolution_(convolution) {}

PlannedConvolution::~PlannedConvolution() = default;

const PlannedConvolution::OnDevice& PlannedConvolution::on(Device& device, abi::Dnn dnn) const {
  const std::lock_guard lock(mutex_);
  auto& found = devices_[&device];
  if (found == nullptr) {
    found = std::make_unique<OnDevice>(device.shared().dnn, dnn, convolution_, device.tf32());
  }
  return *found;
}

bool PlannedConvolution::run(const Launch& launch, Ptr x, Ptr w, Ptr y, Ptr workspace) const {
  Device& device = launch.queue().device();
  const DnnLibrary& lib = device.shared().dnn;
  return device.with_dnn([&](abi::Dnn dnn) {
    if (dnn == nullptr) return false;
    const OnDevice& own = on(device, dnn);
    if (own.plan == nullptr) return false;
    const auto pointer = [](Ptr p) { return reinterpret_cast<void*>(p.address); };
    const std::array<int64_t, 3> numbers{kX, kW, kY};
    const std::array<void*, 3> pointers{pointer(x), pointer(w), pointer(y)};
    void* scratch = pointer(workspace);
    Descriptor pack(lib, abi::kDnnVariantPack);
    pack.set(abi::kDnnPackIds, abi::kDnnTypeInt64, numbers.data(), numbers.size());
    pack.set(abi::kDnnPackPointers, abi::kDnnTypePointer, pointers.data(), pointers.size());
    pack.set(abi::kDnnPackWorkspace, abi::kDnnTypePointer, &scratch);
    DnnLibrary::check(pack.try_finalize(), "the operands of cuDNN");
    DnnLibrary::check(lib.cudnnSetStream(dnn, launch.queue().stream()), "cudnnSetStream");
    DnnLibrary::check(lib.cudnnBackendExecute(dnn, own.plan->get(), pack.get()), "cudnnBackendExecute");
    return true;
  });
}

}  // namespace percale::cuda
