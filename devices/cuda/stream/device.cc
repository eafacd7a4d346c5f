#include "devices/cuda/stream/device.h"

#include <cstring>

#include "devices/cuda/stream/stream.h"

namespace percale::cuda {
namespace {

// Returns the number of f32 lanes of a multiprocessor, by the GPU's architecture.
int f32_lanes(int major, int minor) { return major == 8 && minor == 0 ? 64 : 128; }

}  // namespace

Current::Current(const Device& device) : driver_(device.driver()) {
  driver_.check(driver_.cuCtxPushCurrent_v2(device.context()), "cuCtxPushCurrent");
}

Current::~Current() {
  abi::Context context = nullptr;
  driver_.cuCtxPopCurrent_v2(&context);
}

Device::Device(Shared& shared, int ordinal, const percale_device_options& options)
    : shared_(shared), tf32_(options.tf32 != 0), deterministic_(options.deterministic != 0) {
  const Driver& d = driver();
  d.check(d.cuDeviceGet(&number_, ordinal), "cuDeviceGet");
  char name[256] = {};
  d.check(d.cuDeviceGetName(name, sizeof name - 1, number_), "cuDeviceGetName");
  name_ = name;
  size_t total = 0;
  d.check(d.cuDeviceTotalMem_v2(&total, number_), "cuDeviceTotalMem");
  total_ = total;
  const auto attribute = [&](int which) {
    int value = 0;
    d.check(d.cuDeviceGetAttribute(&value, which, number_), "cuDeviceGetAttribute");
    return value;
  };
  major_ = attribute(abi::kAttributeMajor);
  minor_ = attribute(abi::kAttributeMinor);
  if (major_ < 8) {
    throw Failure(PERCALE_FAILED_PRECONDITION, name_ + " is of compute capability " + std::to_string(major_) + "." +
                                                   std::to_string(minor_) + "; 8.0 or newer is needed");
  }
  multiprocessors_ = attribute(abi::kAttributeMultiprocessors);
  // Clocks are in kHz, and memory transfers two words a cycle. If a driver does not report the
  // clocks, a modest GPU is assumed.
  const double clock = attribute(abi::kAttributeClockRate), memory_clock = attribute(abi::kAttributeMemoryClockRate);
  gflops_ = 2.0 * f32_lanes(major_, minor_) * multiprocessors_ * clock * 1e-6;
  gbytes_per_second_ = 2.0 * memory_clock * attribute(abi::kAttributeMemoryBusWidth) / 8 * 1e-6;
  if (gflops_ <= 0) gflops_ = 10'000;
  if (gbytes_per_second_ <= 0) gbytes_per_second_ = 500;
  d.check(d.cuDevicePrimaryCtxRetain(&context_, number_), "cuDevicePrimaryCtxRetain");
  memory_ = std::make_unique<Memory>(d, total_, options.memory_limit);
}

Device::~Device() {
  const Driver& d = driver();
  if (d.cuCtxPushCurrent_v2(context_) == abi::kSuccess) {
    copies_.reset();
    dnn_plans_.clear();
    if (dnn_ != nullptr) shared_.dnn.cudnnDestroy(dnn_);
    if (blas_ != nullptr) shared_.blas.cublasLtDestroy(blas_);
    for (abi::Module module : modules_) {
      if (module != nullptr) d.cuModuleUnload(module);
    }
    for (abi::Module module : compiled_) d.cuModuleUnload(module);
    memory_.reset();
    abi::Context context = nullptr;
    d.cuCtxPopCurrent_v2(&context);
  }
  d.cuDevicePrimaryCtxRelease_v2(number_);
}

void Device::describe(percale_device_description& out) const {
  percale_device_description facts{};
  facts.struct_size = std::min<uint32_t>(out.struct_size, sizeof facts);
  facts.kind = "cuda";
  facts.model = name_.c_str();
  facts.memory_bytes = total_;
  facts.gflops = gflops_;
  facts.gbytes_per_second = gbytes_per_second_;
  std::memcpy(&out, &facts, facts.struct_size);
}

void Device::check_alive() const {
  if (lost_) throw Failure(PERCALE_UNAVAILABLE, "the device is lost", true);
}

abi::Function Device::function(Family family, const std::string& name, size_t argument_bytes) {
  {
    const std::shared_lock lock(functions_mutex_);
    const auto found = functions_.find(name);
    if (found != functions_.end()) return found->second;
  }
  const std::lock_guard lock(functions_mutex_);
  const Driver& d = driver();
  abi::Module& module = modules_[static_cast<size_t>(family)];
  if (module == nullptr) {
    d.check(d.cuModuleLoadData(&module, image_of(family)),
            std::string("loading the kernels of '") + name_of(family) + "'");
  }
  const abi::Function function = find_function(module, name, argument_bytes);
  functions_.emplace(name, function);
  return function;
}

abi::Function Device::find_function(abi::Module module, const std::string& name, size_t argument_bytes) const {
  const Driver& d = driver();
  abi::Function function = nullptr;
  d.check(d.cuModuleGetFunction(&function, module, name.c_str()), "cuModuleGetFunction " + name);
  // Both sides share the header of the argument struct. A driver that reports the size lets us
  // check that both were compiled alike.
  size_t offset = 0, bytes = 0;
  if (d.cuFuncGetParamInfo != nullptr && d.cuFuncGetParamInfo(function, 0, &offset, &bytes) == abi::kSuccess &&
      bytes != argument_bytes) {
    throw Failure(PERCALE_INTERNAL, "kernel " + name + " takes " + std::to_string(bytes) +
                                        " bytes of arguments, but the host passes " + std::to_string(argument_bytes));
  }
  return function;
}

abi::Function Device::function(const KernelSource& source, size_t argument_bytes) {
  {
    const std::shared_lock lock(functions_mutex_);
    const auto found = functions_.find(source.name);
    if (found != functions_.end()) return found->second;
  }
  const std::lock_guard lock(functions_mutex_);
  abi::Function& function = functions_[source.name];
  if (function != nullptr || !shared_.compiler.is_there()) return function;
  const Driver& d = driver();
  abi::Module module = nullptr;
  try {
    const std::string image = shared_.compiler.compile(source, major_ * 10 + minor_);
    d.check(d.cuModuleLoadData(&module, image.data()), "loading " + source.name);
    compiled_.push_back(module);
    function = find_function(module, source.name, argument_bytes);
  } catch (const Failure& failure) {
    // A compiler that does not know this GPU counts as missing.
    if (failure.lost()) throw;
  }
  return function;
}

// The limit only grows, because streams of other threads launch the same function with other sizes.
void Device::allow_shared(abi::Function function, unsigned bytes) {
  const std::lock_guard lock(shared_bytes_mutex_);
  unsigned& allowed = shared_bytes_[function];
  if (bytes <= allowed) return;
  const Driver& d = driver();
  d.check(d.cuFuncSetAttribute(function, abi::kFunctionMaxDynamicShared, static_cast<int>(bytes)),
          "cuFuncSetAttribute");
  allowed = bytes;
}

abi::Blas Device::blas() {
  const std::lock_guard lock(blas_mutex_);
  if (blas_ == nullptr) {
    shared_.blas.open();
    BlasLibrary::check(shared_.blas.cublasLtCreate(&blas_), "cublasLtCreate");
  }
  return blas_;
}

abi::Dnn Device::dnn() {
  if (!asked_for_dnn_) {
    asked_for_dnn_ = true;
    // A cuDNN that does not fit this GPU or driver counts as missing.
    if (shared_.dnn.open() && shared_.dnn.cudnnCreate(&dnn_) != abi::kDnnSuccess) dnn_ = nullptr;
  }
  return dnn_;
}

Stream& Device::copies() {
  if (copies_ == nullptr) copies_ = std::make_unique<Stream>(*this);
  return *copies_;
}

void Device::copy_to_device(abi::Address to, const void* from, uint64_t bytes) {
  with_copies([&](Stream& stream) {
    stream.copy_to_device(to, from, bytes);
    stream.synchronize();
  });
}

void Device::copy_to_host(void* to, abi::Address from, uint64_t bytes) {
  with_copies([&](Stream& stream) {
    stream.copy_to_host(to, from, bytes);
    stream.synchronize();
  });
}

}  // namespace percale::cuda
