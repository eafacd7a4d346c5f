#include "devices/cuda/stream/functions.h"

namespace percale::cuda {

void Functions::unload() {
  for (abi::Module module : modules_) {
    if (module != nullptr) driver_.cuModuleUnload(module);
  }
  for (abi::Module module : compiled_) driver_.cuModuleUnload(module);
}

abi::Function Functions::find(Family family, const std::string& name, size_t argument_bytes) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = functions_.find(name);
    if (found != functions_.end()) return found->second;
  }
  const std::lock_guard lock(mutex_);
  abi::Module& module = modules_[static_cast<size_t>(family)];
  if (module == nullptr) {
    driver_.check(driver_.cuModuleLoadData(&module, image_of(family)),
                  std::string("loading the kernels of '") + name_of(family) + "'");
  }
  const abi::Function function = find_in(module, name, argument_bytes);
  functions_.emplace(name, function);
  return function;
}

abi::Function Functions::find_in(abi::Module module, const std::string& name, size_t argument_bytes) const {
  abi::Function function = nullptr;
  driver_.check(driver_.cuModuleGetFunction(&function, module, name.c_str()), "cuModuleGetFunction " + name);
  // Both sides share the header of the argument struct. A driver that reports the size lets us
  // check that both were compiled alike.
  size_t offset = 0, bytes = 0;
  if (driver_.cuFuncGetParamInfo != nullptr &&
      driver_.cuFuncGetParamInfo(function, 0, &offset, &bytes) == abi::kSuccess && bytes != argument_bytes) {
    throw Failure(PERCALE_INTERNAL, "kernel " + name + " takes " + std::to_string(bytes) +
                                        " bytes of arguments, but the host passes " + std::to_string(argument_bytes));
  }
  return function;
}

abi::Function Functions::find(const KernelSource& source, int architecture, size_t argument_bytes) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = functions_.find(source.name);
    if (found != functions_.end()) return found->second;
  }
  const std::lock_guard lock(mutex_);
  abi::Function& function = functions_[source.name];
  if (function != nullptr || !compiler_.is_there()) return function;
  abi::Module module = nullptr;
  try {
    const std::string image = compiler_.compile(source, architecture);
    driver_.check(driver_.cuModuleLoadData(&module, image.data()), "loading " + source.name);
    compiled_.push_back(module);
    function = find_in(module, source.name, argument_bytes);
  } catch (const Failure& failure) {
    // A compiler that does not know this GPU counts as missing.
    if (failure.lost()) throw;
  }
  return function;
}

// The limit only grows, because streams of other threads launch the same function with other sizes.
void Functions::allow_shared(abi::Function function, unsigned bytes) {
  const std::lock_guard lock(shared_bytes_mutex_);
  unsigned& allowed = shared_bytes_[function];
  if (bytes <= allowed) return;
  driver_.check(driver_.cuFuncSetAttribute(function, abi::kFunctionMaxDynamicShared, static_cast<int>(bytes)),
                "cuFuncSetAttribute");
  allowed = bytes;
}

}  // namespace percale::cuda
