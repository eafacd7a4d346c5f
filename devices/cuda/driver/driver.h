// NVIDIA's driver, cuBLASLt, cuDNN and NVRTC, opened at run time: tables of their functions, and what their errors mean.
#ifndef PERCALE_DEVICES_CUDA_DRIVER_DRIVER_H_
#define PERCALE_DEVICES_CUDA_DRIVER_DRIVER_H_

#include <mutex>
#include <string>

#include "c_api/include/percale_plugin.h"
#include "devices/cuda/driver/cuda_abi.h"
#include "devices/cuda/driver/host.h"

namespace percale::cuda {

// libcuda.so.1. Opened once per plug-in and never closed, since it starts threads of its own. Immutable after open(); thread-safe.
class Driver : public abi::DriverTable {
 public:
  // `folders`: where the library is looked for, separated by ':'; an empty one: where the system looks.
  explicit Driver(std::string folders) : folders_(std::move(folders)) {}
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Opens and starts the driver; the second call does nothing. How many GPUs there are; with none, reason() says why.
  int open();
  const std::string& reason() const { return reason_; }

  // "CUDA_ERROR_OUT_OF_MEMORY: out of memory", and what to do about it where that is known.
  std::string describe(abi::Result result) const;
  // Throws a Failure unless the result is success. `what`: the call, "cuMemAlloc of 12 bytes".
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

// The status code of an error of the driver.
percale_code code_of(abi::Result result);
// Whether the context, and with it everything that the process has on the GPU, is lost with this error.
bool is_sticky(abi::Result result);

// libcublasLt. Opened when the first product is planned on a GPU. Thread-safe.
class BlasLibrary : public abi::BlasTable {
 public:
  // As for the driver.
  explicit BlasLibrary(std::string folders) : folders_(std::move(folders)) {}
  BlasLibrary(const BlasLibrary&) = delete;
  BlasLibrary& operator=(const BlasLibrary&) = delete;

  // Opens the library; the second call does nothing. Throws a Failure that says why it cannot be had.
  void open();
  // Throws a Failure unless the status is success.
  static void check(abi::BlasStatus status, const char* what);

 private:
  const std::string folders_;
  std::once_flag once_;
  std::string reason_;
};

// libcudnn. Opened when the first convolution runs on a GPU; who lacks it has kernels of his own. Thread-safe.
class DnnLibrary : public abi::DnnTable {
 public:
  // As for the driver.
  explicit DnnLibrary(std::string folders) : folders_(std::move(folders)) {}
  DnnLibrary(const DnnLibrary&) = delete;
  DnnLibrary& operator=(const DnnLibrary&) = delete;

  // Opens the library; the second call does nothing. False where it is not there.
  bool open();
  // Throws a Failure unless the status is success.
  static void check(abi::DnnStatus status, const char* what);

 private:
  const std::string folders_;
  std::once_flag once_;
  bool there_ = false;
};

// libnvrtc. Opened when the first code is compiled on a GPU; who lacks it has kernels that need none. Thread-safe.
class CompilerLibrary : public abi::CompilerTable {
 public:
  // As for the driver.
  explicit CompilerLibrary(std::string folders) : folders_(std::move(folders)) {}
  CompilerLibrary(const CompilerLibrary&) = delete;
  CompilerLibrary& operator=(const CompilerLibrary&) = delete;

  // Opens the library; the second call does nothing. False where it is not there.
  bool open();

 private:
  void open_builtins();

  const std::string folders_;
  std::once_flag once_;
  bool there_ = false;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_DRIVER_DRIVER_H_
