// A libcuda without function. cuDNN loads one while it plans, in order to load its compiled code.
// Built by tests/cuda/vendor.
#define DONE(name) \
  int name(void) { return 0; }
#define HANDLE(name) \
  int name(void** out) { return *out = (void*)8, 0; }
#define NONE(name) \
  int name(void) { return 100; /* CUDA_ERROR_NO_DEVICE */ }

HANDLE(cuLibraryLoadData)
HANDLE(cuLibraryGetKernel)
HANDLE(cuKernelGetFunction)
HANDLE(cuModuleLoadData)
HANDLE(cuModuleGetFunction)
DONE(cuLibraryUnload)
DONE(cuModuleUnload)
DONE(cuKernelSetAttribute)
NONE(cuInit)
NONE(cuCtxGetCurrent)
NONE(cuCtxGetLimit)
NONE(cuCtxPopCurrent)
NONE(cuCtxPushCurrent)
NONE(cuDeviceGet)
NONE(cuDeviceGetCount)
NONE(cuGetErrorName)
NONE(cuKernelGetAttribute)
NONE(cuLaunchCooperativeKernel)
NONE(cuLaunchKernel)
NONE(cuLaunchKernelEx)
NONE(cuLibraryLoadFromFile)
NONE(cuLinkAddData)
NONE(cuLinkComplete)
NONE(cuLinkCreate)
NONE(cuLinkDestroy)
NONE(cuOccupancyMaxPotentialClusterSize)
NONE(cuStreamGetCtx)
NONE(cuTensorMapEncodeIm2col)
NONE(cuTensorMapEncodeTiled)

int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuGetErrorString(int error, const char** text) { return (void)error, *text = "no device", 0; }
