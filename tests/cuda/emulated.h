// Access to the counters of the emulated libraries.
#ifndef PERCALE_TESTS_CUDA_EMULATED_H_
#define PERCALE_TESTS_CUDA_EMULATED_H_

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace percale {

inline bool is_emulated() { return std::getenv("PERCALE_CUDA_LIBRARIES") != nullptr; }

// Returns a function of an emulated library; null on a GPU, or if the library is absent.
template <class F>
F* emulator_function(const char* library, const char* name) {
  std::string_view folders = is_emulated() ? std::getenv("PERCALE_CUDA_LIBRARIES") : "";
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    if (void* found = dlopen((std::string(folder) + "/" + library).c_str(), RTLD_NOW))
      return reinterpret_cast<F*>(dlsym(found, name));
  }
  return nullptr;
}

// Returns percale_emulator_launches() for "launches", and so on; 0 on a GPU.
inline uint64_t emulator_count(const std::string& what, const char* library = "libcuda.so.1") {
  auto* const count = emulator_function<uint64_t()>(library, ("percale_emulator_" + what).c_str());
  return count != nullptr ? count() : 0;
}

}  // namespace percale

#endif  // PERCALE_TESTS_CUDA_EMULATED_H_
