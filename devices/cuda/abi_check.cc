// Compiled wherever the vendor's headers are there: cuda_abi.h must say what they say. Nothing of it is linked.
#include <cublasLt.h>
#include <cuda.h>

#include <cstddef>
#include <type_traits>

#include "devices/cuda/cuda_abi.h"

namespace percale::cuda::abi {
namespace {

// Two parameters are alike when they travel alike: pointers to anything, enums and integers of one size.
template <class A, class B>
constexpr bool alike() {
  if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    return true;
  } else if constexpr (std::is_pointer_v<A> || std::is_pointer_v<B>) {
    return false;
  } else {
    return sizeof(A) == sizeof(B) &&
           (std::is_integral_v<A> || std::is_enum_v<A>)&&(std::is_integral_v<B> || std::is_enum_v<B>);
  }
}
template <class Ours, class Theirs>
struct Compare : std::false_type {};
template <class R, class... A, class S, class... B>
struct Compare<R (*)(A...), S (*)(B...)> {
  static constexpr bool check() {
    if constexpr (sizeof...(A) != sizeof...(B)) {
      return false;
    } else {
      return sizeof(R) == sizeof(S) && (alike<A, B>() && ...);
    }
  }
  static constexpr bool value = check();
};

#define PERCALE_CHECK(name, parameters) \
  static_assert(Compare<Result(*) parameters, decltype(&::name)>::value, #name " has other parameters");
PERCALE_CUDA_DRIVER(PERCALE_CHECK)
PERCALE_CUDA_DRIVER_OPTIONAL(PERCALE_CHECK)
PERCALE_CUDA_BLAS(PERCALE_CHECK)
#undef PERCALE_CHECK

static_assert(sizeof(CUdeviceptr) == sizeof(Address));
static_assert(sizeof(Algo) == sizeof(cublasLtMatmulAlgo_t) &&
              sizeof(Heuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(Heuristic, workspace_bytes) == offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) &&
              offsetof(Heuristic, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(kInvalidValue == CUDA_ERROR_INVALID_VALUE && kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY &&
              kNotInitialized == CUDA_ERROR_NOT_INITIALIZED && kDeinitialized == CUDA_ERROR_DEINITIALIZED &&
              kNoDevice == CUDA_ERROR_NO_DEVICE && kInvalidImage == CUDA_ERROR_INVALID_IMAGE &&
              kInvalidContext == CUDA_ERROR_INVALID_CONTEXT && kNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU &&
              kUncorrectableEcc == CUDA_ERROR_ECC_UNCORRECTABLE && kInvalidPtx == CUDA_ERROR_INVALID_PTX &&
              kUnsupportedPtx == CUDA_ERROR_UNSUPPORTED_PTX_VERSION && kNotFound == CUDA_ERROR_NOT_FOUND &&
              kNotReady == CUDA_ERROR_NOT_READY && kIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS &&
              kLaunchOutOfResources == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES &&
              kLaunchFailed == CUDA_ERROR_LAUNCH_FAILED && kSystemNotReady == CUDA_ERROR_SYSTEM_NOT_READY &&
              kSystemDriverMismatch == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
static_assert(kAttributeClockRate == CU_DEVICE_ATTRIBUTE_CLOCK_RATE &&
              kAttributeMultiprocessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT &&
              kAttributeMemoryClockRate == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE &&
              kAttributeMemoryBusWidth == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH &&
              kAttributeMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR &&
              kAttributeMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR &&
              kAttributeSharedPerBlockOptin == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN &&
              kFunctionMaxDynamicShared == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(kEventBlockingSync == CU_EVENT_BLOCKING_SYNC && kEventDisableTiming == CU_EVENT_DISABLE_TIMING &&
              kStreamNonBlocking == CU_STREAM_NON_BLOCKING && kHostPortable == CU_MEMHOSTALLOC_PORTABLE &&
              kHostDeviceMap == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(kBlasNotInitialized == CUBLAS_STATUS_NOT_INITIALIZED && kBlasAllocFailed == CUBLAS_STATUS_ALLOC_FAILED &&
              kBlasInvalidValue == CUBLAS_STATUS_INVALID_VALUE && kBlasArchMismatch == CUBLAS_STATUS_ARCH_MISMATCH &&
              kBlasMappingError == CUBLAS_STATUS_MAPPING_ERROR &&
              kBlasExecutionFailed == CUBLAS_STATUS_EXECUTION_FAILED &&
              kBlasInternalError == CUBLAS_STATUS_INTERNAL_ERROR && kBlasNotSupported == CUBLAS_STATUS_NOT_SUPPORTED);
static_assert(kR32F == CUDA_R_32F && kR64F == CUDA_R_64F && kR16F == CUDA_R_16F && kR16BF == CUDA_R_16BF);
static_assert(kCompute32F == CUBLAS_COMPUTE_32F && kCompute64F == CUBLAS_COMPUTE_64F &&
              kCompute32FFastTf32 == CUBLAS_COMPUTE_32F_FAST_TF32 && kOpN == CUBLAS_OP_N && kOpT == CUBLAS_OP_T);
static_assert(kDescTransA == CUBLASLT_MATMUL_DESC_TRANSA && kDescTransB == CUBLASLT_MATMUL_DESC_TRANSB &&
              kDescEpilogue == CUBLASLT_MATMUL_DESC_EPILOGUE && kDescBiasPointer == CUBLASLT_MATMUL_DESC_BIAS_POINTER);
static_assert(kLayoutBatchCount == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT &&
              kLayoutBatchOffset == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(kPreferenceWorkspace == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES &&
              kPreferenceReduction == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK &&
              kPreferenceAlignA == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES &&
              kPreferenceAlignB == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES &&
              kPreferenceAlignC == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES &&
              kPreferenceAlignD == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
static_assert(kReductionNone == CUBLASLT_REDUCTION_SCHEME_NONE &&
              kReductionComputeType == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE &&
              kReductionOutputType == CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE);
static_assert(kEpilogueDefault == CUBLASLT_EPILOGUE_DEFAULT && kEpilogueRelu == CUBLASLT_EPILOGUE_RELU &&
              kEpilogueBias == CUBLASLT_EPILOGUE_BIAS && kEpilogueReluBias == CUBLASLT_EPILOGUE_RELU_BIAS &&
              kEpilogueGelu == CUBLASLT_EPILOGUE_GELU && kEpilogueGeluBias == CUBLASLT_EPILOGUE_GELU_BIAS);

}  // namespace
}  // namespace percale::cuda::abi
