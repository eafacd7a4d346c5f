// Compiles device code from source at run time with NVRTC. The results are stored in a folder of
// the user, so that the next process does not compile again.
#ifndef PERCALE_DEVICES_CUDA_DRIVER_COMPILER_H_
#define PERCALE_DEVICES_CUDA_DRIVER_COMPILER_H_

#include <optional>
#include <string>

#include "devices/cuda/driver/driver.h"

namespace percale::cuda {

// The source of one kernel: the text that follows `#include
// "devices/cuda/kernels/common/elementwise.cuh"`, inside namespace percale::cuda. The kernel's name
// is `name`, which is unique among all sources.
struct KernelSource {
  std::string name;
  std::string text;
};

// Builds a kernel whose name is `prefix` plus a hash of `body`. The first word NAME in `body` is
// replaced by that name.
KernelSource name_by_content(std::string_view prefix, std::string body);

// A folder of compiled code, with one file for each combination of source, compiler and GPU
// architecture. A truncated file or one with other contents is treated as missing. Errors of the
// folder are ignored: they only cost time. Several processes may share one folder. Thread-safe.
class CodeFolder {
 public:
  // If `path` is empty, nothing is stored. The folder is created when the first code is stored.
  explicit CodeFolder(std::string path) : path_(std::move(path)) {}

  // `key` is everything that the code depends on.
  std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, const std::string& code) const;

  // Returns PERCALE_CUDA_CODE if it is set (an empty value disables the folder); otherwise
  // `cuda_code` in PERCALE_CACHE, or in folder `percale` of the XDG cache.
  static std::string default_path();

 private:
  std::string file_of(const std::string& key) const;
  void make_room() const;

  const std::string path_;
};

// The NVRTC compiler and its folder of compiled code. Thread-safe.
class Compiler {
 public:
  Compiler(std::string library_folders, std::string code_folder)
      : library_(std::move(library_folders)), folder_(std::move(code_folder)) {}

  bool is_there() { return library_.open(); }
  // Returns an image for cuModuleLoadData(). `arch` is 90 for GPUs of compute capability 9.0.
  // Throws a Failure that holds the compiler's log.
  std::string compile(const KernelSource& source, int arch);

 private:
  CompilerLibrary library_;
  const CodeFolder folder_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_DRIVER_COMPILER_H_
