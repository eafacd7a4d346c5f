// Checks cuda_abi.h against NVIDIA's headers. It is compiled where these headers are installed, and
// nothing of it is linked.
#include <cublasLt.h>
#include <cuda.h>
#include <cudnn_graph.h>
#include <nvrtc.h>

#include <cstddef>
#include <type_traits>

#include "devices/cuda/driver/cuda_abi.h"

namespace percale::cuda::abi {
namespace {

// True if two parameters are passed in the same way: both are pointers, or both are enums or
// integers of one size.
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
PERCALE_CUDA_DNN(PERCALE_CHECK)
PERCALE_CUDA_COMPILER(PERCALE_CHECK)
#undef PERCALE_CHECK

static_assert(sizeof(CUdeviceptr) == sizeof(Address));
static_assert(kCompileSuccess == NVRTC_SUCCESS && kCompileError == NVRTC_ERROR_COMPILATION);
static_assert(kCaptureRelaxed == CU_STREAM_CAPTURE_MODE_RELAXED);
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

static_assert(kDnnSuccess == CUDNN_STATUS_SUCCESS && kDnnBadParam == CUDNN_STATUS_BAD_PARAM &&
              kDnnNotSupported == CUDNN_STATUS_NOT_SUPPORTED && kDnnInternalError == CUDNN_STATUS_INTERNAL_ERROR &&
              kDnnNoDeviceMemory == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED &&
              kDnnExecutionFailed == CUDNN_STATUS_EXECUTION_FAILED);
static_assert(kDnnFloat == CUDNN_DATA_FLOAT && kDnnDouble == CUDNN_DATA_DOUBLE && kDnnHalf == CUDNN_DATA_HALF &&
              kDnnInt32 == CUDNN_DATA_INT32 && kDnnBFloat16 == CUDNN_DATA_BFLOAT16 &&
              kDnnBoolean == CUDNN_DATA_BOOLEAN);
static_assert(kDnnConvolution == CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR &&
              kDnnEngine == CUDNN_BACKEND_ENGINE_DESCRIPTOR && kDnnEngineConfig == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR &&
              kDnnHeuristics == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR &&
              kDnnPlan == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR &&
              kDnnForward == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR &&
              kDnnBackwardFilter == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR &&
              kDnnBackwardData == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR &&
              kDnnGraph == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR &&
              kDnnVariantPack == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR &&
              kDnnTensor == CUDNN_BACKEND_TENSOR_DESCRIPTOR);
static_assert(kDnnTypeHandle == CUDNN_TYPE_HANDLE && kDnnTypeDataType == CUDNN_TYPE_DATA_TYPE &&
              kDnnTypeInt64 == CUDNN_TYPE_INT64 && kDnnTypeFloat == CUDNN_TYPE_FLOAT &&
              kDnnTypeDouble == CUDNN_TYPE_DOUBLE && kDnnTypePointer == CUDNN_TYPE_VOID_PTR &&
              kDnnTypeConvolutionMode == CUDNN_TYPE_CONVOLUTION_MODE && kDnnTypeHeuristicMode == CUDNN_TYPE_HEUR_MODE &&
              kDnnTypeNote == CUDNN_TYPE_NUMERICAL_NOTE && kDnnTypeDescriptor == CUDNN_TYPE_BACKEND_DESCRIPTOR);
static_assert(kDnnPointwise == CUDNN_BACKEND_POINTWISE_DESCRIPTOR &&
              kDnnPointwiseOp == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR &&
              kDnnProperties == CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
static_assert(kDnnTypeBoolean == CUDNN_TYPE_BOOLEAN && kDnnTypePointwiseMode == CUDNN_TYPE_POINTWISE_MODE &&
              kDnnTypeBehavior == CUDNN_TYPE_BEHAVIOR_NOTE && kDnnTypeChar == CUDNN_TYPE_CHAR);
static_assert(kDnnPointwiseMode == CUDNN_ATTR_POINTWISE_MODE && kDnnPointwiseType == CUDNN_ATTR_POINTWISE_MATH_PREC &&
              kDnnPointwiseHow == CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR &&
              kDnnPointwiseX == CUDNN_ATTR_OPERATION_POINTWISE_XDESC &&
              kDnnPointwiseB == CUDNN_ATTR_OPERATION_POINTWISE_BDESC &&
              kDnnPointwiseY == CUDNN_ATTR_OPERATION_POINTWISE_YDESC && kDnnPointwiseAdd == CUDNN_POINTWISE_ADD &&
              kDnnPointwiseRelu == CUDNN_POINTWISE_RELU_FWD);
static_assert(
    kDnnMatmul == CUDNN_BACKEND_MATMUL_DESCRIPTOR && kDnnMatmulOp == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR &&
    kDnnReduction == CUDNN_BACKEND_REDUCTION_DESCRIPTOR &&
    kDnnReductionOp == CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR &&
    kDnnTypeReduction == CUDNN_TYPE_REDUCTION_OPERATOR_TYPE && kDnnTensorByValue == CUDNN_ATTR_TENSOR_IS_BY_VALUE &&
    kDnnMatmulType == CUDNN_ATTR_MATMUL_COMP_TYPE && kDnnMatmulA == CUDNN_ATTR_OPERATION_MATMUL_ADESC &&
    kDnnMatmulB == CUDNN_ATTR_OPERATION_MATMUL_BDESC && kDnnMatmulC == CUDNN_ATTR_OPERATION_MATMUL_CDESC &&
    kDnnMatmulHow == CUDNN_ATTR_OPERATION_MATMUL_DESC && kDnnReductionMode == CUDNN_ATTR_REDUCTION_OPERATOR &&
    kDnnReductionType == CUDNN_ATTR_REDUCTION_COMP_TYPE && kDnnReductionX == CUDNN_ATTR_OPERATION_REDUCTION_XDESC &&
    kDnnReductionY == CUDNN_ATTR_OPERATION_REDUCTION_YDESC && kDnnReductionHow == CUDNN_ATTR_OPERATION_REDUCTION_DESC);
static_assert(kDnnPointwiseMul == CUDNN_POINTWISE_MUL && kDnnPointwiseDiv == CUDNN_POINTWISE_DIV &&
              kDnnPointwiseSub == CUDNN_POINTWISE_SUB && kDnnPointwiseExp == CUDNN_POINTWISE_EXP &&
              kDnnPointwiseLog == CUDNN_POINTWISE_LOG && kDnnReduceAdd == CUDNN_REDUCE_TENSOR_ADD &&
              kDnnReduceMax == CUDNN_REDUCE_TENSOR_MAX && kDnnPointwiseIdentity == CUDNN_POINTWISE_IDENTITY);
static_assert(kDnnPointwiseAxis == CUDNN_ATTR_POINTWISE_AXIS &&
              kDnnPointwiseT == CUDNN_ATTR_OPERATION_POINTWISE_TDESC &&
              kDnnPointwiseAtLeast == CUDNN_POINTWISE_CMP_GE && kDnnPointwiseIndex == CUDNN_POINTWISE_GEN_INDEX &&
              kDnnPointwiseSelect == CUDNN_POINTWISE_BINARY_SELECT);
static_assert(kDnnReshapeOp == CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR &&
              kDnnReshapeX == CUDNN_ATTR_OPERATION_RESHAPE_XDESC && kDnnReshapeY == CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
static_assert(kDnnHeuristicProperties == CUDNN_ATTR_ENGINEHEUR_DEVICEPROP &&
              kDnnPlanProperties == CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP &&
              kDnnPropertiesJson == CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION &&
              kDnnTensorVirtual == CUDNN_ATTR_TENSOR_IS_VIRTUAL && kDnnEngineIndex == CUDNN_ATTR_ENGINE_GLOBAL_INDEX &&
              kDnnEngineBehavior == CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE &&
              kDnnCompiles == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
static_assert(kDnnConvComputeType == CUDNN_ATTR_CONVOLUTION_COMP_TYPE &&
              kDnnConvMode == CUDNN_ATTR_CONVOLUTION_CONV_MODE &&
              kDnnConvDilations == CUDNN_ATTR_CONVOLUTION_DILATIONS &&
              kDnnConvStrides == CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES &&
              kDnnConvPostPads == CUDNN_ATTR_CONVOLUTION_POST_PADDINGS &&
              kDnnConvPrePads == CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS &&
              kDnnConvSpatialDims == CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
static_assert(kDnnHeuristicMode == CUDNN_ATTR_ENGINEHEUR_MODE &&
              kDnnHeuristicGraph == CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH &&
              kDnnHeuristicResults == CUDNN_ATTR_ENGINEHEUR_RESULTS &&
              kDnnConfigEngine == CUDNN_ATTR_ENGINECFG_ENGINE &&
              kDnnPlanConfig == CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG &&
              kDnnPlanWorkspace == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
static_assert(kDnnForwardAlpha == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA &&
              kDnnForwardBeta == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA &&
              kDnnForwardConv == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC &&
              kDnnForwardW == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W &&
              kDnnForwardX == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X &&
              kDnnForwardY == CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
static_assert(kDnnDataAlpha == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA &&
              kDnnDataBeta == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA &&
              kDnnDataConv == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC &&
              kDnnDataW == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W &&
              kDnnDataDx == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX &&
              kDnnDataDy == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY);
static_assert(kDnnFilterAlpha == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA &&
              kDnnFilterBeta == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA &&
              kDnnFilterConv == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC &&
              kDnnFilterDw == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW &&
              kDnnFilterX == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X &&
              kDnnFilterDy == CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY);
static_assert(kDnnGraphOps == CUDNN_ATTR_OPERATIONGRAPH_OPS &&
              kDnnTensorAlignment == CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT &&
              kDnnTensorType == CUDNN_ATTR_TENSOR_DATA_TYPE && kDnnTensorDims == CUDNN_ATTR_TENSOR_DIMENSIONS &&
              kDnnTensorStrides == CUDNN_ATTR_TENSOR_STRIDES && kDnnTensorId == CUDNN_ATTR_TENSOR_UNIQUE_ID);
static_assert(kDnnPackIds == CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS &&
              kDnnPackPointers == CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS &&
              kDnnPackWorkspace == CUDNN_ATTR_VARIANT_PACK_WORKSPACE &&
              kDnnEngineNotes == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE);
// Newer headers deprecate the handles of plans and graphs. Each handle's number is one below the
// number compared here.
static_assert(kDnnPlanHandle == CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG - 1 &&
              kDnnGraphHandle == CUDNN_ATTR_OPERATIONGRAPH_OPS - 1);
static_assert(kDnnCrossCorrelation == CUDNN_CROSS_CORRELATION && kDnnModeFallback == CUDNN_HEUR_MODE_FALLBACK &&
              kDnnModeA == CUDNN_HEUR_MODE_A);
static_assert(kDnnTensorCore == CUDNN_NUMERICAL_NOTE_TENSOR_CORE &&
              kDnnDownConverts == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS &&
              kDnnReducedPrecision == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION &&
              kDnnNondeterministic == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC &&
              kDnnNoteCount >= CUDNN_NUMERICAL_NOTE_TYPE_COUNT);

}  // namespace
}  // namespace percale::cuda::abi
