// The part of NVIDIA's binary interfaces that this plug-in uses, declared anew: CUDA's driver API and cuBLASLt. So the plug-in needs no
// header of the vendor, and what is not device code compiles on any machine. abi_check.cc compares all of it with the vendor's
// headers wherever these are there.
#ifndef PERCALE_DEVICES_CUDA_CUDA_ABI_H_
#define PERCALE_DEVICES_CUDA_CUDA_ABI_H_

#include <cstddef>
#include <cstdint>

namespace percale::cuda::abi {

// Handles of the driver. Opaque, except that a device is a number and device memory an address.
using Result = int;
using DeviceNumber = int;
using Address = unsigned long long;
struct ContextTag;
struct StreamTag;
struct EventTag;
struct ModuleTag;
struct FunctionTag;
using Context = ContextTag*;
using Stream = StreamTag*;
using Event = EventTag*;
using Module = ModuleTag*;
using Function = FunctionTag*;

// CUresult
inline constexpr Result kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3, kDeinitialized = 4,
                        kNoDevice = 100, kInvalidImage = 200, kInvalidContext = 201, kNoBinaryForGpu = 209,
                        kUncorrectableEcc = 214, kInvalidPtx = 218, kUnsupportedPtx = 222, kNotFound = 500,
                        kNotReady = 600, kIllegalAddress = 700, kLaunchOutOfResources = 701, kLaunchFailed = 719,
                        kSystemNotReady = 802, kSystemDriverMismatch = 803;
// CUdevice_attribute
inline constexpr int kAttributeClockRate = 13, kAttributeMultiprocessors = 16, kAttributeMemoryClockRate = 36,
                     kAttributeMemoryBusWidth = 37, kAttributeMajor = 75, kAttributeMinor = 76,
                     kAttributeSharedPerBlockOptin = 97;
// CUfunction_attribute
inline constexpr int kFunctionMaxDynamicShared = 8;
// Flags of events, streams and host memory
inline constexpr unsigned kEventBlockingSync = 1, kEventDisableTiming = 2, kStreamNonBlocking = 1, kHostPortable = 1,
                          kHostDeviceMap = 2;

// name, parameters: each is a function `Result name(parameters)` that libcuda.so.1 exports.
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
  F(cuCtxPushCurrent_v2, (Context context))                                                                    \
  F(cuCtxPopCurrent_v2, (Context * context))                                                                   \
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
// Of newer drivers (CUDA 12.4 on); null where the driver has none.
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
// cublasLtMatmulDescAttributes_t, cublasLtMatrixLayoutAttribute_t, cublasLtMatmulPreferenceAttributes_t
inline constexpr int kDescTransA = 3, kDescTransB = 4, kDescEpilogue = 7, kDescBiasPointer = 8;
inline constexpr int kLayoutBatchCount = 5, kLayoutBatchOffset = 6;
inline constexpr int kPreferenceWorkspace = 1, kPreferenceReduction = 3, kPreferenceAlignA = 5, kPreferenceAlignB = 6,
                     kPreferenceAlignC = 7, kPreferenceAlignD = 8;
// cublasLtReductionScheme_t: partial sums through the workspace, in an order that is always the same.
inline constexpr uint32_t kReductionNone = 0, kReductionComputeType = 2, kReductionOutputType = 4;
// cublasLtEpilogue_t
inline constexpr int kEpilogueDefault = 1, kEpilogueRelu = 2, kEpilogueBias = 4, kEpilogueReluBias = 6,
                     kEpilogueGelu = 32, kEpilogueGeluBias = 36;

// name, parameters: each is a function `BlasStatus name(parameters)` that libcublasLt.so.13 (or .12) exports.
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

}  // namespace percale::cuda::abi

#endif  // PERCALE_DEVICES_CUDA_CUDA_ABI_H_
