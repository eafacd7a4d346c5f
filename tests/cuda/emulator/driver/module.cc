// Modules, their functions, and launches.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tests/cuda/emulator/driver/driver.h"

using namespace percale_emulator;
using namespace percale_emulator::driver;

namespace {

// Loads the code through a file with a unique name, because the loader identifies libraries by
// name, even after they are unloaded.
void* open_code(const CompiledCode& code) {
  std::string path = (std::filesystem::temp_directory_path() / "percale-code-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) return nullptr;
  const auto* bytes = reinterpret_cast<const char*>(&code + 1);
  const bool written = write(file, bytes, code.bytes) == static_cast<ssize_t>(code.bytes);
  void* out = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  close(file);
  unlink(path.c_str());
  return out;
}

}  // namespace

extern "C" {

// The kernels are functions of this library: the same sources, compiled for the host. Code compiled
// at run time is a library of its own.
Result cuModuleLoadData(Module* out, const void* image) {
  const Call call("cuModuleLoadData");
  if (call.fails()) return call.result;
  if (image == nullptr) return misuse("cuModuleLoadData of nothing");
  void* library = nullptr;
  if (const auto* code = static_cast<const CompiledCode*>(image);
      std::memcmp(code->mark, kCompiledMark, sizeof code->mark) == 0) {
    library = open_code(*code);
    if (library == nullptr) return misuse("cuModuleLoadData of code that cannot be loaded");
  }
  *out = new ModuleTag{call.context, library};
  state().modules.insert(*out);
  return kSuccess;
}

Result cuModuleUnload(Module module) {
  const Call call("cuModuleUnload");
  if (state().modules.erase(module) == 0) return misuse("cuModuleUnload of no module");
  delete module;
  return call.result;
}

Result cuModuleGetFunction(Function* out, Module module, const char* name) {
  const Call call("cuModuleGetFunction");
  if (call.fails()) return call.result;
  State& s = state();
  if (!s.modules.contains(module)) return misuse("cuModuleGetFunction of no module");
  auto& found = s.functions[name];
  if (found == nullptr) {
    Dl_info own;
    void* library = module->library != nullptr ? module->library
                    : dladdr(reinterpret_cast<void*>(&cuModuleGetFunction), &own) != 0
                        ? dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                        : nullptr;
    void* kernel = library == nullptr ? nullptr : dlsym(library, name);
    const auto* limits = library == nullptr
                             ? nullptr
                             : static_cast<const unsigned*>(dlsym(library, (std::string(name) + "_limits").c_str()));
    if (kernel == nullptr || limits == nullptr) return misuse(std::string("there is no kernel ") + name, kNotFound);
    found = std::make_unique<FunctionTag>(
        FunctionTag{name, reinterpret_cast<percale_emulator::Kernel>(kernel), limits[0], limits[1], 48 << 10});
  }
  *out = found.get();
  return kSuccess;
}

Result cuFuncSetAttribute(Function function, int attribute, int value) {
  if (attribute == kFunctionMaxDynamicShared && value > 227 << 10)
    return misuse("more shared memory than a block can have");
  if (attribute == kFunctionMaxDynamicShared) function->most_shared = static_cast<unsigned>(value);
  return kSuccess;
}

Result cuFuncGetParamInfo(Function function, size_t parameter, size_t* offset, size_t* bytes) {
  if (parameter > 0) return kInvalidValue;
  *offset = 0;
  *bytes = function->argument_bytes;
  return kSuccess;
}

Result cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream, void** parameters,
                      void** extra) {
  const Call call("cuLaunchKernel");
  if (call.fails()) return call.result;
  State& s = state();
  const std::string who = "launch of " + function->name;
  if (!known(stream, "cuLaunchKernel")) return kInvalidValue;
  const uint64_t threads = uint64_t{block_x} * block_y * block_z;
  if (threads == 0 || threads > 1024 || block_z > 64)
    return misuse(who + ": a block of " + std::to_string(threads) + " threads");
  if (threads > function->max_threads) return misuse(who + ": more threads than it was compiled for");
  if (grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_x > 0x7FFFFFFF || grid_y > 65535 || grid_z > 65535) {
    return misuse(who + ": a grid of " + std::to_string(grid_x) + " x " + std::to_string(grid_y));
  }
  if (shared_bytes > function->most_shared) return misuse(who + ": shared memory that was not asked for");
  if (stream->broken) return kStreamCaptureInvalidated;
  if (parameters == nullptr || extra != nullptr) return misuse(who + ": no parameters");
  ++s.launches;
  // A later call reports it.
  if (fault(s.launches, s.options.sticky_launch, *call.context)) return kSuccess;
  const auto* bytes = static_cast<const std::byte*>(parameters[0]);
  // Aligned like any struct of arguments.
  auto arguments = std::make_shared<std::vector<uint64_t>>((function->argument_bytes + 7) / 8);
  std::memcpy(arguments->data(), bytes, function->argument_bytes);
  const EmulatedDim3 grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
  stream->push([=]() -> std::string {
    const std::string wrong = run_grid(function->kernel, arguments->data(), grid, block, shared_bytes);
    return wrong.empty() ? "" : function->name + ": " + wrong;
  });
  return kSuccess;
}

}  // extern "C"
