// Opens NVIDIA's driver, cuBLASLt, cuDNN and NVRTC at run time. Holds tables of their functions and
// translates their errors.
#ifndef PERCALE_DEVICES_CUDA_DRIVER_DRIVER_H_
#define PERCALE_DEVICES_CUDA_DRIVER_DRIVER_H_

#include <mutex>
#include <string>

#include "c_api/include/percale_plugin.h"
#include "devices/cuda/driver/cuda_abi.h"
#include "devices/cuda/driver/node.h"

namespace percale::cuda {

// libcuda.so.1. Opened once per plug-in and never closed, because the driver starts its own
// threads. Immutable after open(); thread-safe.
class Driver : public abi::DriverTable {
 public:
  // `folders`: the folders that are searched for the library, separated by ':'. An empty entry
  // stands for the system's search path.
  explicit Driver(std::string folders) : folders_(std::move(folders)) {}
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Opens and initialises the driver on the first call. Returns the number of GPUs. If it is 0,
  // reason() tells why.
  int open();
  const std::string& reason() const { return reason_; }

  // Returns for example "CUDA_ERROR_OUT_OF_MEMORY: out of memory", followed by a remedy where one
  // is known.
  std::string describe(abi::Result result) const;
  // Throws a Failure unless the result is success. `what` describes the call, for example
  // "cuMemAlloc of 12 bytes".
  void check(abi::Result result, const std::string& what) const {
    if (result != abi::kSuccess) fail(result, what);
  }
  [[noreturn]] void fail(abi::Result result, const std::string& what) const;

 private:
  void open_library();

  const std::string folders_;
  std::once_flag once_;
  int count_ = 0;
  std::string reason_;
};

// Returns the status code for an error of the driver.
percale_code code_of(abi::Result result);
// True if this error destroys the context, and with it everything that the process has on the GPU.
bool is_sticky(abi::Result result);

// libcublasLt. Opened when the first product is planned on a GPU. Thread-safe.
class BlasLibrary : public abi::BlasTable {
 public:
  // `folders`: see Driver.
  explicit BlasLibrary(std::string folders) : folders_(std::move(folders)) {}
  BlasLibrary(const BlasLibrary&) = delete;
  BlasLibrary& operator=(const BlasLibrary&) = delete;

  // Opens the library on the first call. Throws a Failure with the reason if the library is not
  // available.
  void open();
  // Throws a Failure unless the status is success.
  static void check(abi::BlasStatus status, const char* what);

 private:
  const std::string folders_;
  std::once_flag once_;
  std::string reason_;
};

// libcudnn. Opened when the first convolution runs on a GPU. Without it, the plug-in uses its own
// kernels. Thread-safe.
class DnnLibrary : public abi::DnnTable {
 public:
  // `folders`: see Driver.
  explicit DnnLibrary(std::string folders) : folders_(std::move(folders)) {}
  DnnLibrary(const DnnLibrary&) = delete;
  DnnLibrary& operator=(const DnnLibrary&) = delete;

  // Opens the library on the first call. Returns false if it is not available.
  bool open();
  // Throws a Failure unless the status is success.
  static void check(abi::DnnStatus status, const char* what);

 private:
  const std::string folders_;
  std::once_flag once_;
  bool there_ = false;
};

// libnvrtc. Opened when the first code is compiled on a GPU. Without it, kernels from the build are
// used. Thread-safe.
class CompilerLibrary : public abi::CompilerTable {
 public:
  // `folders`: see Driver.
  explicit CompilerLibrary(std::string folders) : folders_(std::move(folders)) {}
  CompilerLibrary(const CompilerLibrary&) = delete;
  CompilerLibrary& operator=(const CompilerLibrary&) = delete;

  // Opens the library on the first call. Returns false if it is not available.
  bool open();

 private:
  void open_builtins();

  const std::string folders_;
  std::once_flag once_;
  bool there_ = false;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_DRIVER_DRIVER_H_
