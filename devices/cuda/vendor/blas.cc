#include "devices/cuda/vendor/blas.h"

namespace percale::cuda {
namespace {

struct Types {
  int element, compute, scale;
};

Types types_of(percale_dtype dtype, bool tf32) {
  switch (dtype) {
    case PERCALE_DTYPE_F32: return {abi::kR32F, tf32 ? abi::kCompute32FFastTf32 : abi::kCompute32F, abi::kR32F};
    case PERCALE_DTYPE_F64: return {abi::kR64F, abi::kCompute64F, abi::kR64F};
    case PERCALE_DTYPE_F16: return {abi::kR16F, abi::kCompute32F, abi::kR32F};
    case PERCALE_DTYPE_BF16: return {abi::kR16BF, abi::kCompute32F, abi::kR32F};
    default: throw Refusal("cuBLASLt supports only floating-point types");
  }
}

bool has_bias(int epilogue) { return (epilogue & abi::kEpilogueBias) != 0; }

}  // namespace

// NVIDIA recommends 32 MiB for Hopper. Small products are not split and need none.
int64_t workspace_for(const Product& p) {
  const double work = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
                      static_cast<double>(p.batch);
  return work < 1e6 ? 0 : work < 1e9 ? 4 << 20 : 32 << 20;
}

// cuBLASLt's descriptors of a product, and the algorithm that it chose.
struct PlannedProduct::OnDevice {
  // `bias` is the bias of the first run.
  OnDevice(Device& device, const Product& p, Ptr bias) : lib(device.shared().blas), blas(device.blas()) {
    try {
      make(p, device.tf32(), device.deterministic(), bias);
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~OnDevice() { destroy(); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  // cuBLASLt is column-major: a row-major matrix is the transpose of a column-major one, and D^T =
  // op(B)^T op(A)^T. B therefore comes first. A bias for each column of D is one for each row of
  // D^T, which is what the epilogue adds.
  void make(const Product& p, bool tf32, bool deterministic, Ptr bias) {
    const Types t = types_of(p.dtype, tf32);
    BlasLibrary::check(lib.cublasLtMatmulDescCreate(&desc, t.compute, t.scale), "cublasLtMatmulDescCreate");
    const auto set = [&](int attribute, const auto& value) {
      BlasLibrary::check(lib.cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value),
                         "cublasLtMatmulDescSetAttribute");
    };
    const int32_t op_b = p.trans_b ? abi::kOpT : abi::kOpN, op_a = p.trans_a ? abi::kOpT : abi::kOpN;
    set(abi::kDescTransA, op_b);
    set(abi::kDescTransB, op_a);
    const int32_t epilogue = p.epilogue;
    set(abi::kDescEpilogue, epilogue);
    if (has_bias(p.epilogue)) set_bias(bias);  // The heuristics look at the alignment of the bias.
    b = p.trans_b ? layout(p, t, p.k, p.n, p.b_step) : layout(p, t, p.n, p.k, p.b_step);
    a = p.trans_a ? layout(p, t, p.m, p.k, p.a_step) : layout(p, t, p.k, p.m, p.a_step);
    d = layout(p, t, p.n, p.m, p.d_step);
    BlasLibrary::check(lib.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    const auto prefer = [&](int attribute, const auto& value) {
      BlasLibrary::check(lib.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
                         "cublasLtMatmulPreferenceSetAttribute");
    };
    const auto workspace = static_cast<uint64_t>(workspace_for(p));
    prefer(abi::kPreferenceWorkspace, workspace);
    // INPLACE adds in the order in which blocks happen to finish.
    const uint32_t reductions =
        abi::kReductionComputeType | abi::kReductionOutputType | (deterministic ? 0 : abi::kReductionInplace);
    prefer(abi::kPreferenceReduction, reductions);
    const auto alignment = static_cast<uint32_t>(p.alignment);
    for (int which : {abi::kPreferenceAlignA, abi::kPreferenceAlignB, abi::kPreferenceAlignC, abi::kPreferenceAlignD}) {
      prefer(which, alignment);
    }
    int count = 0;
    abi::Heuristic found{};
    BlasLibrary::check(lib.cublasLtMatmulAlgoGetHeuristic(blas, desc, b, a, d, d, preference, 1, &found, &count),
                       "cublasLtMatmulAlgoGetHeuristic");
    if (count == 0) throw Failure(PERCALE_UNIMPLEMENTED, "cuBLASLt has no algorithm for these matrices");
    BlasLibrary::check(found.state, "cublasLtMatmulAlgoGetHeuristic");
    algo = found.algo;
  }

  abi::Layout layout(const Product& p, const Types& t, int64_t rows, int64_t columns, int64_t step) const {
    abi::Layout out = nullptr;
    BlasLibrary::check(lib.cublasLtMatrixLayoutCreate(&out, t.element, static_cast<uint64_t>(rows),
                                                      static_cast<uint64_t>(columns), rows),
                       "cublasLtMatrixLayoutCreate");
    if (p.batch == 1) return out;
    const auto batch = static_cast<int32_t>(p.batch);
    abi::BlasStatus status = lib.cublasLtMatrixLayoutSetAttribute(out, abi::kLayoutBatchCount, &batch, sizeof batch);
    if (status == abi::kBlasSuccess) {
      status = lib.cublasLtMatrixLayoutSetAttribute(out, abi::kLayoutBatchOffset, &step, sizeof step);
    }
    if (status != abi::kBlasSuccess) lib.cublasLtMatrixLayoutDestroy(out);
    BlasLibrary::check(status, "cublasLtMatrixLayoutSetAttribute");
    return out;
  }

  void set_bias(Ptr bias) const {
    const auto* address = reinterpret_cast<const void*>(bias.address);
    BlasLibrary::check(lib.cublasLtMatmulDescSetAttribute(desc, abi::kDescBiasPointer, &address, sizeof address),
                       "cublasLtMatmulDescSetAttribute");
  }

  void destroy() {
    if (preference != nullptr) lib.cublasLtMatmulPreferenceDestroy(preference);
    for (abi::Layout l : {a, b, d}) {
      if (l != nullptr) lib.cublasLtMatrixLayoutDestroy(l);
    }
    if (desc != nullptr) lib.cublasLtMatmulDescDestroy(desc);
  }

  const BlasLibrary& lib;
  abi::Blas blas;
  abi::MatmulDesc desc = nullptr;
  abi::Layout a = nullptr, b = nullptr, d = nullptr;
  abi::Preference preference = nullptr;
  abi::Algo algo{};
  mutable std::mutex bias_mutex;  // guards the bias pointer, which is part of the descriptor
};

PlannedProduct::PlannedProduct(const Product& product) : product_(product) { types_of(product.dtype, false); }

PlannedProduct::~PlannedProduct() = default;

const PlannedProduct::OnDevice& PlannedProduct::on(Device& device, Ptr bias) const {
  const std::lock_guard lock(mutex_);
  auto& found = devices_[&device];
  if (found == nullptr) found = std::make_unique<OnDevice>(device, product_, bias);
  return *found;
}

void PlannedProduct::run(const Launch& launch, Ptr a, Ptr b, Ptr c, Ptr d, Ptr bias, Ptr workspace,
                         int64_t workspace_bytes) const {
  const OnDevice& own = on(launch.stream().device(), bias);
  const auto pointer = [](Ptr p) { return reinterpret_cast<void*>(p.address); };
  std::unique_lock<std::mutex> lock;
  if (has_bias(product_.epilogue)) {
    lock = std::unique_lock(own.bias_mutex);
    own.set_bias(bias);
  }
  const bool wide = product_.dtype == PERCALE_DTYPE_F64;
  const auto alpha = static_cast<float>(product_.alpha), beta = static_cast<float>(product_.beta);
  const void* alpha_at = wide ? static_cast<const void*>(&product_.alpha) : &alpha;
  const void* beta_at = wide ? static_cast<const void*>(&product_.beta) : &beta;
  if (c.address == 0) c = d;
  BlasLibrary::check(own.lib.cublasLtMatmul(own.blas, own.desc, alpha_at, pointer(b), own.b, pointer(a), own.a, beta_at,
                                            pointer(c), own.d, pointer(d), own.d, &own.algo, pointer(workspace),
                                            static_cast<size_t>(workspace_bytes), launch.stream().handle()),
                     "cublasLtMatmul");
}

}  // namespace percale::cuda
