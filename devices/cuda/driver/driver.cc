#include "devices/cuda/driver/driver.h"

#include <dlfcn.h>

#include <initializer_list>
#include <string_view>

namespace percale::cuda {
namespace {

// Opens the first library found in `folders`, which are separated by ':' and searched in order. An
// empty entry stands for the system's search path, then for the default folder of a CUDA toolkit.
// Returns null and sets *reason if no library was found.
void* open_first(std::string_view folders, std::initializer_list<const char*> names, std::string* reason) {
  while (true) {
    const std::string folder(folders.substr(0, folders.find(':')));
    for (const char* name : names) {
      for (const char* prefix : {"", "/usr/local/cuda/lib64/"}) {
        if (!folder.empty() && *prefix != 0) continue;
        const std::string path = folder.empty() ? std::string(prefix) + name : folder + "/" + name;
        if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
        const char* error = dlerror();
        if (reason->empty()) *reason = error == nullptr ? path : error;
      }
    }
    if (folders.size() == folder.size()) return nullptr;
    folders.remove_prefix(folder.size() + 1);
  }
}

// dlsym() returns a pointer to an object. POSIX allows converting it to a function pointer.
template <class F>
void find(void* library, const char* name, F& out) {
  out = reinterpret_cast<F>(dlsym(library, name));
}

}  // namespace

int Driver::open() {
  std::call_once(once_, [this] { open_library(); });
  return count_;
}

void Driver::open_library() {
  std::string error;
  void* library = open_first(folders_, {"libcuda.so.1"}, &error);
  if (library == nullptr) {
    reason_ = "no NVIDIA driver (" + error + ")";
    return;
  }
#define PERCALE_CUDA_FIND(name, parameters)                     \
  find(library, #name, name);                                   \
  if (name == nullptr) {                                        \
    reason_ = "the NVIDIA driver is too old: it has no " #name; \
    return;                                                     \
  }
  PERCALE_CUDA_DRIVER(PERCALE_CUDA_FIND)
#undef PERCALE_CUDA_FIND
#define PERCALE_CUDA_FIND(name, parameters) find(library, #name, name);
  PERCALE_CUDA_DRIVER_OPTIONAL(PERCALE_CUDA_FIND)
#undef PERCALE_CUDA_FIND
  if (const abi::Result result = cuInit(0); result != abi::kSuccess) {
    reason_ = result == abi::kNoDevice ? "no NVIDIA GPU" : "cuInit: " + describe(result);
    return;
  }
  int version = 0;
  if (const abi::Result result = cuDriverGetVersion(&version);
      result != abi::kSuccess || version < PERCALE_CUDA_MAJOR * 1000) {
    // Compiled code runs with drivers of the compiler's major version or newer.
    const std::string needed = std::to_string(PERCALE_CUDA_MAJOR);
    reason_ = "the NVIDIA driver supports CUDA " + std::to_string(version / 1000) + "." +
              std::to_string(version % 1000 / 10) + "; the plug-in was built with CUDA " + needed +
              " and needs a driver for CUDA " + needed + ".0 or newer";
    return;
  }
  int count = 0;
  if (const abi::Result result = cuDeviceGetCount(&count); result != abi::kSuccess) {
    reason_ = "cuDeviceGetCount: " + describe(result);
    return;
  }
  if (count == 0) reason_ = "no NVIDIA GPU";
  count_ = count;
}

std::string Driver::describe(abi::Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName != nullptr) cuGetErrorName(result, &name);
  if (cuGetErrorString != nullptr) cuGetErrorString(result, &text);
  std::string out = name != nullptr ? name : "CUDA error " + std::to_string(result);
  if (text != nullptr) out += std::string(": ") + text;
  switch (result) {
    case abi::kNoBinaryForGpu:
    case abi::kUnsupportedPtx:
      return out +
             "; this GPU or driver is older than what the plug-in was built for (sm_80 and newer, see its README)";
    case abi::kInvalidImage:
    case abi::kInvalidPtx:
      return out +
             "; the plug-in was built without device code (build it where nvcc is available, with -Dcuda=enabled), or "
             "by an nvcc newer than the driver";
    case abi::kSystemDriverMismatch:
      return out + "; the driver library and the kernel module differ: reload the module or reboot";
    case abi::kSystemNotReady: return out + "; the fabric manager of the machine is not running yet";
    case abi::kLaunchOutOfResources: return out + "; the launch needs more registers or shared memory than the GPU has";
    default: break;
  }
  if (is_sticky(result)) out += "; the GPU context of this process is lost: restart the process to use the GPU again";
  return out;
}

void Driver::fail(abi::Result result, const std::string& what) const {
  throw Failure(code_of(result), what + ": " + describe(result), is_sticky(result));
}

percale_code code_of(abi::Result result) {
  if (is_sticky(result)) return PERCALE_UNAVAILABLE;
  switch (result) {
    case abi::kOutOfMemory: return PERCALE_RESOURCE_EXHAUSTED;
    case abi::kNoBinaryForGpu:
    case abi::kInvalidImage:
    case abi::kInvalidPtx:
    case abi::kUnsupportedPtx:
    case abi::kSystemDriverMismatch:
    case abi::kSystemNotReady: return PERCALE_FAILED_PRECONDITION;
    default: return PERCALE_INTERNAL;
  }
}

bool is_sticky(abi::Result result) {
  // Errors that end a context: the errors of running kernels, which CUDA numbers from 700 and again
  // from 714, except errors of one launch or of peer access; uncorrectable memory errors; and the
  // shutdown of the driver.
  return result == abi::kIllegalAddress || result == 702 || result == 710 || (result >= 714 && result <= 719) ||
         result == abi::kUncorrectableEcc || result == 220 || result == 226 || result == abi::kDeinitialized;
}

void BlasLibrary::open() {
  std::call_once(once_, [this] {
    void* library = open_first(folders_, {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}, &reason_);
    if (library == nullptr) return;
    reason_.clear();
#define PERCALE_CUDA_FIND(name, parameters)               \
  find(library, #name, name);                             \
  if (name == nullptr) {                                  \
    reason_ = "libcublasLt is too old: it has no " #name; \
    return;                                               \
  }
    PERCALE_CUDA_BLAS(PERCALE_CUDA_FIND)
#undef PERCALE_CUDA_FIND
  });
  if (!reason_.empty()) {
    throw Failure(PERCALE_FAILED_PRECONDITION,
                  "matrix products need cuBLASLt of CUDA 12 or 13 on the library path: " + reason_);
  }
}

void BlasLibrary::check(abi::BlasStatus status, const char* what) {
  if (status == abi::kBlasSuccess) return;
  const char* name = "an unknown status";
  percale_code code = PERCALE_INTERNAL;
  switch (status) {
    case abi::kBlasNotInitialized: name = "CUBLAS_STATUS_NOT_INITIALIZED"; break;
    case abi::kBlasAllocFailed:
      name = "CUBLAS_STATUS_ALLOC_FAILED";
      code = PERCALE_RESOURCE_EXHAUSTED;
      break;
    case abi::kBlasInvalidValue: name = "CUBLAS_STATUS_INVALID_VALUE"; break;
    case abi::kBlasArchMismatch: name = "CUBLAS_STATUS_ARCH_MISMATCH"; break;
    case abi::kBlasMappingError: name = "CUBLAS_STATUS_MAPPING_ERROR"; break;
    case abi::kBlasExecutionFailed: name = "CUBLAS_STATUS_EXECUTION_FAILED"; break;
    case abi::kBlasInternalError: name = "CUBLAS_STATUS_INTERNAL_ERROR"; break;
    case abi::kBlasNotSupported:
      name = "CUBLAS_STATUS_NOT_SUPPORTED";
      code = PERCALE_UNIMPLEMENTED;
      break;
    default: break;
  }
  throw Failure(code, std::string(what) + ": " + name + " (" + std::to_string(status) + ")");
}

bool DnnLibrary::open() {
  std::call_once(once_, [this] {
    std::string reason;
    void* library = open_first(folders_, {"libcudnn.so.9"}, &reason);
    if (library == nullptr) return;
    there_ = true;
#define PERCALE_CUDA_FIND(name, parameters) \
  find(library, #name, name);               \
  there_ = there_ && name != nullptr;
    PERCALE_CUDA_DNN(PERCALE_CUDA_FIND)
#undef PERCALE_CUDA_FIND
  });
  return there_;
}

void DnnLibrary::check(abi::DnnStatus status, const char* what) {
  if (status == abi::kDnnSuccess) return;
  // The thousands digit is the kind of error. cuDNN's documentation of cudnnStatus_t lists the
  // numbers.
  const char* kind = "an unknown status";
  percale_code code = PERCALE_INTERNAL;
  switch (status / 1000 * 1000) {
    case abi::kDnnBadParam: kind = "CUDNN_STATUS_BAD_PARAM"; break;
    case abi::kDnnNotSupported:
      kind = "CUDNN_STATUS_NOT_SUPPORTED";
      code = PERCALE_UNIMPLEMENTED;
      break;
    case abi::kDnnInternalError: kind = "CUDNN_STATUS_INTERNAL_ERROR"; break;
    case abi::kDnnExecutionFailed: kind = "CUDNN_STATUS_EXECUTION_FAILED"; break;
    default: break;
  }
  if (status == abi::kDnnNoDeviceMemory) code = PERCALE_RESOURCE_EXHAUSTED;
  throw Failure(code, std::string(what) + ": " + kind + " (" + std::to_string(status) + ")");
}

bool CompilerLibrary::open() {
  std::call_once(once_, [this] {
    std::string reason;
    void* library = open_first(folders_, {"libnvrtc.so.13", "libnvrtc.so.12"}, &reason);
    if (library == nullptr) return;
    there_ = true;
#define PERCALE_CUDA_FIND(name, parameters) \
  find(library, #name, name);               \
  there_ = there_ && name != nullptr;
    PERCALE_CUDA_COMPILER(PERCALE_CUDA_FIND)
#undef PERCALE_CUDA_FIND
    if (there_) open_builtins();
  });
  return there_;
}

// NVRTC opens a second library by its bare name, which the system may not find. It is therefore
// opened first, from the folder of NVRTC.
void CompilerLibrary::open_builtins() {
  int major = 0, minor = 0;
  Dl_info own;
  if (nvrtcVersion(&major, &minor) != abi::kCompileSuccess || dladdr(reinterpret_cast<void*>(nvrtcVersion), &own) == 0)
    return;
  const std::string path = own.dli_fname, folder = path.substr(0, path.rfind('/') + 1);
  dlopen((folder + "libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor)).c_str(),
         RTLD_NOW | RTLD_LOCAL);
}

}  // namespace percale::cuda
