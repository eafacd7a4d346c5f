// Device code made at run time from source, by NVRTC, and kept in a folder of the user's so that the next process need not make it.
#ifndef PERCALE_DEVICES_CUDA_DRIVER_COMPILER_H_
#define PERCALE_DEVICES_CUDA_DRIVER_COMPILER_H_

#include <optional>
#include <string>

#include "devices/cuda/driver/driver.h"

namespace percale::cuda {

// A kernel as source: what follows `#include "devices/cuda/kernels/common/elementwise.cuh"` within the namespace. It is called by `name`, which
// no other source has.
struct KernelSource {
  std::string name;
  std::string text;
};

// Names a kernel by what it does: `body` with the word NAME where the name goes.
KernelSource name_by_content(std::string_view prefix, std::string body);

// Files of compiled code, one for each source, compiler and kind of GPU. A file that is torn or of other contents counts as none, and
// whatever goes wrong with the folder only costs time. Several processes may share one. Thread-safe.
class CodeFolder {
 public:
  // `path` empty: nothing is kept. The folder is made when the first code is.
  explicit CodeFolder(std::string path) : path_(std::move(path)) {}

  // `key`: everything that the code depends on.
  std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, const std::string& code) const;

  // PERCALE_CUDA_CODE, where an empty value means none; else cuda_code in PERCALE_CACHE or in the folder `percale` of the XDG cache.
  static std::string default_path();

 private:
  std::string file_of(const std::string& key) const;
  void make_room() const;

  const std::string path_;
};

// Thread-safe.
class Compiler {
 public:
  Compiler(std::string library_folders, std::string code_folder)
      : library_(std::move(library_folders)), folder_(std::move(code_folder)) {}

  bool is_there() { return library_.open(); }
  // As cuModuleLoadData() wants it. `arch`: 90 for GPUs of compute capability 9.0. Throws a Failure with what the compiler says.
  std::string compile(const KernelSource& source, int arch);

 private:
  CompilerLibrary library_;
  const CodeFolder folder_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_DRIVER_COMPILER_H_
