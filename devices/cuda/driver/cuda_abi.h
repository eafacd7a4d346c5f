// Declares the parts of NVIDIA's binary interfaces that this plug-in uses: CUDA's driver API,
// cuBLASLt, cuDNN and NVRTC. The plug-in therefore needs no NVIDIA header, and everything except
// the device code compiles on any machine. abi_check.cc compares all declarations with NVIDIA's
// headers where these are installed.
#ifndef PERCALE_DEVICES_CUDA_DRIVER_CUDA_ABI_H_
#define PERCALE_DEVICES_CUDA_DRIVER_CUDA_ABI_H_

#include <cstddef>
#include <cstdint>

namespace percale::cuda::abi {

// Handles of the driver. All are opaque, except that a device is a number and device memory an
// address.
using Result = int;
using DeviceNumber = int;
using Address = unsigned long long;
struct ContextTag;
struct StreamTag;
struct EventTag;
struct ModuleTag;
struct FunctionTag;
struct GraphTag;
struct GraphExecTag;
using Context = ContextTag*;
using Stream = StreamTag*;
using Event = EventTag*;
using Module = ModuleTag*;
using Function = FunctionTag*;
using Graph = GraphTag*;
using GraphExec = GraphExecTag*;

// CUresult
inline constexpr Result kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3, kDeinitialized = 4,
                        kNoDevice = 100, kInvalidImage = 200, kInvalidContext = 201, kNoBinaryForGpu = 209,
                        kUncorrectableEcc = 214, kInvalidPtx = 218, kUnsupportedPtx = 222, kNotFound = 500,
                        kNotReady = 600, kIllegalAddress = 700, kLaunchOutOfResources = 701,
                        kPeerAccessAlreadyEnabled = 704, kLaunchFailed = 719, kSystemNotReady = 802,
                        kSystemDriverMismatch = 803;
// CUdevice_attribute
inline constexpr int kAttributeClockRate = 13, kAttributeMultiprocessors = 16, kAttributeMemoryClockRate = 36,
                     kAttributeMemoryBusWidth = 37, kAttributeMajor = 75, kAttributeMinor = 76,
                     kAttributeSharedPerBlockOptin = 97;
// CUfunction_attribute
inline constexpr int kFunctionMaxDynamicShared = 8;
// Flags of events, streams and host memory
inline constexpr unsigned kEventBlockingSync = 1, kEventDisableTiming = 2, kStreamNonBlocking = 1, kHostPortable = 1,
                          kHostDeviceMap = 2;

// CUstreamCaptureMode
inline constexpr int kCaptureRelaxed = 2;

// Each entry (name, parameters) is a function `Result name(parameters)` exported by libcuda.so.1.
#define PERCALE_CUDA_DRIVER(F)                                                                                 \
  F(cuInit, (unsigned flags))                                                                                  \
  F(cuDriverGetVersion, (int* version))                                                                        \
  F(cuGetErrorName, (Result error, const char** name))                                                         \
  F(cuGetErrorString, (Result error, const char** text))                                                       \
  F(cuDeviceGetCount, (int* count))                                                                            \
  F(cuDeviceGet, (DeviceNumber * device, int ordinal))                                                         \
  F(cuDeviceGetName, (char* name, int size, DeviceNumber device))                                              \
  F(cuDeviceGetAttribute, (int* value, int attribute, DeviceNumber device))                                    \
  F(cuDeviceTotalMem_v2, (size_t * bytes, DeviceNumber device))                                                \
  F(cuDevicePrimaryCtxRetain, (Context * context, DeviceNumber device))                                        \
  F(cuDevicePrimaryCtxRelease_v2, (DeviceNumber device))                                                       \
  F(cuDeviceCanAccessPeer, (int* can, DeviceNumber device, DeviceNumber peer))                                 \
  F(cuCtxPushCurrent_v2, (Context context))                                                                    \
  F(cuCtxPopCurrent_v2, (Context * context))                                                                   \
  F(cuCtxEnablePeerAccess, (Context peer, unsigned flags))                                                     \
  F(cuMemAlloc_v2, (Address * memory, size_t bytes))                                                           \
  F(cuMemFree_v2, (Address memory))                                                                            \
  F(cuMemHostAlloc, (void** memory, size_t bytes, unsigned flags))                                             \
  F(cuMemFreeHost, (void* memory))                                                                             \
  F(cuMemHostGetDevicePointer_v2, (Address * address, void* memory, unsigned flags))                           \
  F(cuMemcpyHtoDAsync_v2, (Address to, const void* from, size_t bytes, Stream stream))                         \
  F(cuMemcpyDtoHAsync_v2, (void* to, Address from, size_t bytes, Stream stream))                               \
  F(cuMemcpyDtoDAsync_v2, (Address to, Address from, size_t bytes, Stream stream))                             \
  F(cuMemsetD8Async, (Address to, unsigned char value, size_t bytes, Stream stream))                           \
  F(cuStreamCreate, (Stream * stream, unsigned flags))                                                         \
  F(cuStreamDestroy_v2, (Stream stream))                                                                       \
  F(cuStreamSynchronize, (Stream stream))                                                                      \
  F(cuStreamWaitEvent, (Stream stream, Event event, unsigned flags))                                           \
  F(cuStreamBeginCapture_v2, (Stream stream, int mode))                                                        \
  F(cuStreamEndCapture, (Stream stream, Graph * graph))                                                        \
  F(cuGraphInstantiateWithFlags, (GraphExec * exec, Graph graph, unsigned long long flags))                    \
  F(cuGraphLaunch, (GraphExec exec, Stream stream))                                                            \
  F(cuGraphDestroy, (Graph graph))                                                                             \
  F(cuGraphExecDestroy, (GraphExec exec))                                                                      \
  F(cuEventCreate, (Event * event, unsigned flags))                                                            \
  F(cuEventDestroy_v2, (Event event))                                                                          \
  F(cuEventRecord, (Event event, Stream stream))                                                               \
  F(cuEventQuery, (Event event))                                                                               \
  F(cuEventSynchronize, (Event event))                                                                         \
  F(cuModuleLoadData, (Module * module, const void* image))                                                    \
  F(cuModuleUnload, (Module module))                                                                           \
  F(cuModuleGetFunction, (Function * function, Module module, const char* name))                               \
  F(cuFuncSetAttribute, (Function function, int attribute, int value))                                         \
  F(cuLaunchKernel,                                                                                            \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, Stream stream, void** parameters, void** extra))
// Functions of newer drivers (CUDA 12.4 and later). The pointer is null if the driver lacks the
// function.
#define PERCALE_CUDA_DRIVER_OPTIONAL(F) \
  F(cuFuncGetParamInfo, (Function function, size_t parameter, size_t * offset, size_t * bytes))

struct DriverTable {
#define PERCALE_CUDA_MEMBER(name, parameters) Result(*name) parameters = nullptr;
  PERCALE_CUDA_DRIVER(PERCALE_CUDA_MEMBER)
  PERCALE_CUDA_DRIVER_OPTIONAL(PERCALE_CUDA_MEMBER)
#undef PERCALE_CUDA_MEMBER
};

// cuBLASLt
using BlasStatus = int;
struct BlasTag;
struct MatmulDescTag;
struct LayoutTag;
struct PreferenceTag;
using Blas = BlasTag*;
using MatmulDesc = MatmulDescTag*;
using Layout = LayoutTag*;
using Preference = PreferenceTag*;
struct Algo {
  uint64_t data[8];
};
struct Heuristic {
  Algo algo;
  size_t workspace_bytes;
  BlasStatus state;
  float waves;
  int reserved[4];
};
// cublasStatus_t
inline constexpr BlasStatus kBlasSuccess = 0, kBlasNotInitialized = 1, kBlasAllocFailed = 3, kBlasInvalidValue = 7,
                            kBlasArchMismatch = 8, kBlasMappingError = 11, kBlasExecutionFailed = 13,
                            kBlasInternalError = 14, kBlasNotSupported = 15;
// cudaDataType
inline constexpr int kR32F = 0, kR64F = 1, kR16F = 2, kR16BF = 14;
// cublasComputeType_t
inline constexpr int kCompute32F = 68, kCompute64F = 70, kCompute32FFastTf32 = 77;
// cublasOperation_t
inline constexpr int kOpN = 0, kOpT = 1;
// cublasLtMatmulDescAttributes_t, cublasLtMatrixLayoutAttribute_t,
// cublasLtMatmulPreferenceAttributes_t
inline constexpr int kDescTransA = 3, kDescTransB = 4, kDescEpilogue = 7, kDescBiasPointer = 8;
inline constexpr int kLayoutBatchCount = 5, kLayoutBatchOffset = 6;
inline constexpr int kPreferenceWorkspace = 1, kPreferenceReduction = 3, kPreferenceAlignA = 5, kPreferenceAlignB = 6,
                     kPreferenceAlignC = 7, kPreferenceAlignD = 8;
// cublasLtReductionScheme_t. ComputeType and OutputType combine partial sums through the workspace,
// in a fixed order.
inline constexpr uint32_t kReductionNone = 0, kReductionInplace = 1, kReductionComputeType = 2,
                          kReductionOutputType = 4;
// cublasLtEpilogue_t
inline constexpr int kEpilogueDefault = 1, kEpilogueRelu = 2, kEpilogueBias = 4, kEpilogueReluBias = 6,
                     kEpilogueGelu = 32, kEpilogueGeluBias = 36;

// Each entry is a function `BlasStatus name(parameters)` exported by libcublasLt.so.13 (or .12).
#define PERCALE_CUDA_BLAS(F)                                                                                       \
  F(cublasLtCreate, (Blas * blas))                                                                                 \
  F(cublasLtDestroy, (Blas blas))                                                                                  \
  F(cublasLtMatmulDescCreate, (MatmulDesc * desc, int compute, int scale_type))                                    \
  F(cublasLtMatmulDescDestroy, (MatmulDesc desc))                                                                  \
  F(cublasLtMatmulDescSetAttribute, (MatmulDesc desc, int attribute, const void* value, size_t bytes))             \
  F(cublasLtMatrixLayoutCreate, (Layout * layout, int type, uint64_t rows, uint64_t columns, int64_t leading))     \
  F(cublasLtMatrixLayoutDestroy, (Layout layout))                                                                  \
  F(cublasLtMatrixLayoutSetAttribute, (Layout layout, int attribute, const void* value, size_t bytes))             \
  F(cublasLtMatmulPreferenceCreate, (Preference * preference))                                                     \
  F(cublasLtMatmulPreferenceDestroy, (Preference preference))                                                      \
  F(cublasLtMatmulPreferenceSetAttribute, (Preference preference, int attribute, const void* value, size_t bytes)) \
  F(cublasLtMatmulAlgoGetHeuristic, (Blas blas, MatmulDesc desc, Layout a, Layout b, Layout c, Layout d,           \
                                     Preference preference, int wanted, Heuristic* found, int* count))             \
  F(cublasLtMatmul, (Blas blas, MatmulDesc desc, const void* alpha, const void* a, Layout a_layout, const void* b, \
                     Layout b_layout, const void* beta, const void* c, Layout c_layout, void* d, Layout d_layout,  \
                     const Algo* algo, void* workspace, size_t workspace_bytes, Stream stream))

struct BlasTable {
#define PERCALE_CUDA_MEMBER(name, parameters) BlasStatus(*name) parameters = nullptr;
  PERCALE_CUDA_BLAS(PERCALE_CUDA_MEMBER)
#undef PERCALE_CUDA_MEMBER
};

// cuDNN's graph API: descriptors whose attributes are set one by one.
using DnnStatus = int;
struct DnnTag;
struct DnnDescTag;
using Dnn = DnnTag*;
using DnnDesc = DnnDescTag*;
// cudnnStatus_t: the thousands digit is the category.
inline constexpr DnnStatus kDnnSuccess = 0, kDnnBadParam = 2000, kDnnNotSupported = 3000, kDnnInternalError = 4000,
                           kDnnNoDeviceMemory = 4004, kDnnExecutionFailed = 5000;
// cudnnDataType_t
inline constexpr int kDnnFloat = 0, kDnnDouble = 1, kDnnHalf = 2, kDnnInt32 = 4, kDnnBFloat16 = 9, kDnnBoolean = 11;
// cudnnBackendDescriptorType_t
inline constexpr int kDnnPointwise = 0, kDnnPointwiseOp = 13, kDnnProperties = 38, kDnnMatmul = 18, kDnnMatmulOp = 19,
                     kDnnReduction = 21, kDnnReductionOp = 22, kDnnReshapeOp = 31;
inline constexpr int kDnnConvolution = 1, kDnnEngine = 2, kDnnEngineConfig = 3, kDnnHeuristics = 4, kDnnPlan = 5,
                     kDnnForward = 10, kDnnBackwardFilter = 11, kDnnBackwardData = 12, kDnnGraph = 15,
                     kDnnVariantPack = 16, kDnnTensor = 17;
// cudnnBackendAttributeType_t
inline constexpr int kDnnTypeBoolean = 2, kDnnTypePointwiseMode = 14, kDnnTypeReduction = 18, kDnnTypeBehavior = 19,
                     kDnnTypeChar = 24;
inline constexpr int kDnnTypeHandle = 0, kDnnTypeDataType = 1, kDnnTypeInt64 = 3, kDnnTypeFloat = 4, kDnnTypeDouble = 5,
                     kDnnTypePointer = 6, kDnnTypeConvolutionMode = 7, kDnnTypeHeuristicMode = 8, kDnnTypeNote = 11,
                     kDnnTypeDescriptor = 15;
// cudnnBackendAttributeName_t
inline constexpr int kDnnConvComputeType = 100, kDnnConvMode = 101, kDnnConvDilations = 102, kDnnConvStrides = 103,
                     kDnnConvPostPads = 104, kDnnConvPrePads = 105, kDnnConvSpatialDims = 106;
inline constexpr int kDnnPointwiseMode = 0, kDnnPointwiseType = 1, kDnnPointwiseAxis = 9;
inline constexpr int kDnnHeuristicMode = 200, kDnnHeuristicGraph = 201, kDnnHeuristicResults = 202,
                     kDnnHeuristicProperties = 204;
inline constexpr int kDnnConfigEngine = 300;
inline constexpr int kDnnPlanHandle = 400, kDnnPlanConfig = 401, kDnnPlanWorkspace = 402, kDnnPlanProperties = 407;
inline constexpr int kDnnPointwiseHow = 750, kDnnPointwiseX = 751, kDnnPointwiseB = 752, kDnnPointwiseY = 753,
                     kDnnPointwiseT = 758;
inline constexpr int kDnnForwardAlpha = 700, kDnnForwardBeta = 701, kDnnForwardConv = 702, kDnnForwardW = 703,
                     kDnnForwardX = 704, kDnnForwardY = 705;
inline constexpr int kDnnDataAlpha = 706, kDnnDataBeta = 707, kDnnDataConv = 708, kDnnDataW = 709, kDnnDataDx = 710,
                     kDnnDataDy = 711;
inline constexpr int kDnnFilterAlpha = 712, kDnnFilterBeta = 713, kDnnFilterConv = 714, kDnnFilterDw = 715,
                     kDnnFilterX = 716, kDnnFilterDy = 717;
inline constexpr int kDnnGraphHandle = 800, kDnnGraphOps = 801;
inline constexpr int kDnnTensorAlignment = 900, kDnnTensorType = 901, kDnnTensorDims = 902, kDnnTensorStrides = 903,
                     kDnnTensorId = 906, kDnnTensorVirtual = 907, kDnnTensorByValue = 908;
inline constexpr int kDnnPackIds = 1000, kDnnPackPointers = 1001, kDnnPackWorkspace = 1003;
inline constexpr int kDnnEngineIndex = 1301, kDnnEngineNotes = 1303, kDnnEngineBehavior = 1305;
inline constexpr int kDnnPropertiesJson = 2702;
inline constexpr int kDnnMatmulType = 1500, kDnnMatmulA = 1520, kDnnMatmulB = 1521, kDnnMatmulC = 1522,
                     kDnnMatmulHow = 1523;
inline constexpr int kDnnReductionMode = 1600, kDnnReductionType = 1601, kDnnReductionX = 1610, kDnnReductionY = 1611,
                     kDnnReductionHow = 1612, kDnnReshapeX = 2200, kDnnReshapeY = 2201;
// cudnnPointwiseMode_t, cudnnReduceTensorOp_t
inline constexpr int kDnnPointwiseAdd = 0, kDnnPointwiseMul = 1, kDnnPointwiseDiv = 6, kDnnPointwiseSub = 9,
                     kDnnPointwiseExp = 13, kDnnPointwiseLog = 15, kDnnPointwiseIdentity = 21, kDnnPointwiseRelu = 100,
                     kDnnPointwiseAtLeast = 303, kDnnPointwiseIndex = 501, kDnnPointwiseSelect = 601;
inline constexpr int kDnnReduceAdd = 0, kDnnReduceMax = 3;
// cudnnConvolutionMode_t, cudnnBackendHeurMode_t
inline constexpr int kDnnCrossCorrelation = 1, kDnnModeFallback = 2, kDnnModeA = 3;
// cudnnBackendNumericalNote_t
inline constexpr int kDnnTensorCore = 0, kDnnDownConverts = 1, kDnnReducedPrecision = 2, kDnnNondeterministic = 4,
                     kDnnNoteCount = 10;
// cudnnBackendBehaviorNote_t
inline constexpr int kDnnCompiles = 0;

// Each entry is a function `DnnStatus name(parameters)` exported by libcudnn.so.9.
#define PERCALE_CUDA_DNN(F)                                                                                     \
  F(cudnnCreate, (Dnn * dnn))                                                                                   \
  F(cudnnDestroy, (Dnn dnn))                                                                                    \
  F(cudnnSetStream, (Dnn dnn, Stream stream))                                                                   \
  F(cudnnBackendCreateDescriptor, (int type, DnnDesc* desc))                                                    \
  F(cudnnBackendDestroyDescriptor, (DnnDesc desc))                                                              \
  F(cudnnBackendFinalize, (DnnDesc desc))                                                                       \
  F(cudnnBackendSetAttribute, (DnnDesc desc, int name, int type, int64_t count, const void* elements))          \
  F(cudnnBackendGetAttribute, (DnnDesc desc, int name, int type, int64_t room, int64_t* count, void* elements)) \
  F(cudnnBackendExecute, (Dnn dnn, DnnDesc plan, DnnDesc pack))

struct DnnTable {
#define PERCALE_CUDA_MEMBER(name, parameters) DnnStatus(*name) parameters = nullptr;
  PERCALE_CUDA_DNN(PERCALE_CUDA_MEMBER)
#undef PERCALE_CUDA_MEMBER
};

// NVRTC
using CompileStatus = int;
struct CompiledTag;
using Compiled = CompiledTag*;
// nvrtcResult
inline constexpr CompileStatus kCompileSuccess = 0, kCompileError = 6;

// Each entry is a function `CompileStatus name(parameters)` exported by libnvrtc.so.13 (or .12).
#define PERCALE_CUDA_COMPILER(F)                                                                     \
  F(nvrtcVersion, (int* major, int* minor))                                                          \
  F(nvrtcCreateProgram, (Compiled * program, const char* source, const char* name, int header_count, \
                         const char* const* headers, const char* const* header_names))               \
  F(nvrtcDestroyProgram, (Compiled * program))                                                       \
  F(nvrtcCompileProgram, (Compiled program, int option_count, const char* const* options))           \
  F(nvrtcGetProgramLogSize, (Compiled program, size_t * bytes))                                      \
  F(nvrtcGetProgramLog, (Compiled program, char* log))                                               \
  F(nvrtcGetCUBINSize, (Compiled program, size_t * bytes))                                           \
  F(nvrtcGetCUBIN, (Compiled program, char* image))

struct CompilerTable {
#define PERCALE_CUDA_MEMBER(name, parameters) CompileStatus(*name) parameters = nullptr;
  PERCALE_CUDA_COMPILER(PERCALE_CUDA_MEMBER)
#undef PERCALE_CUDA_MEMBER
};

}  // namespace percale::cuda::abi

#endif  // PERCALE_DEVICES_CUDA_DRIVER_CUDA_ABI_H_
