// The kernels of a device: those of the plug-in's modules, and those compiled at run time.
#ifndef PERCALE_DEVICES_CUDA_STREAM_FUNCTIONS_H_
#define PERCALE_DEVICES_CUDA_STREAM_FUNCTIONS_H_

#include <array>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "devices/cuda/driver/compiler.h"
#include "devices/cuda/driver/driver.h"
#include "devices/cuda/driver/images.h"

namespace percale::cuda {

// Loads modules on first use. Thread-safe. The device's context must be current.
class Functions {
 public:
  Functions(const Driver& driver, Compiler& compiler) : driver_(driver), compiler_(compiler) {}
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;
  // Unloads all modules. Nothing else may be called afterwards.
  void unload();

  // Returns a kernel of the device code, which takes one struct of `argument_bytes` bytes.
  abi::Function find(Family family, const std::string& name, size_t argument_bytes);
  // Returns a kernel that is compiled on first use for `architecture` (80 for 8.0), or null if it
  // cannot be compiled.
  abi::Function find(const KernelSource& source, int architecture, size_t argument_bytes);
  // Allows launches of the function with `bytes` bytes of dynamic shared memory from now on.
  void allow_shared(abi::Function function, unsigned bytes);

 private:
  abi::Function find_in(abi::Module module, const std::string& name, size_t argument_bytes) const;

  const Driver& driver_;
  Compiler& compiler_;
  std::shared_mutex mutex_;  // guards the next three
  std::array<abi::Module, kFamilies> modules_{};
  std::vector<abi::Module> compiled_;
  std::unordered_map<std::string, abi::Function> functions_;
  std::mutex shared_bytes_mutex_;
  std::unordered_map<abi::Function, unsigned> shared_bytes_;  // the largest size allowed so far
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_STREAM_FUNCTIONS_H_
