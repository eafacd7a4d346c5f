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
    : shared_(shared),
      tf32_(options.tf32 != 0),
      deterministic_(options.deterministic != 0),
      functions_(shared.driver, shared.compiler) {
  const Driver& d = driver();
  d.check(d.cuDeviceGet(&number_, ordinal), "cuDeviceGet");
  read_facts();
  d.check(d.cuDevicePrimaryCtxRetain(&context_, number_), "cuDevicePrimaryCtxRetain");
  memory_ = std::make_unique<Memory>(d, facts_.total, options.memory_limit);
}

void Device::read_facts() {
  const Driver& d = driver();
  char name[256] = {};
  d.check(d.cuDeviceGetName(name, sizeof name - 1, number_), "cuDeviceGetName");
  facts_.name = name;
  size_t total = 0;
  d.check(d.cuDeviceTotalMem_v2(&total, number_), "cuDeviceTotalMem");
  facts_.total = total;
  const auto attribute = [&](int which) {
    int value = 0;
    d.check(d.cuDeviceGetAttribute(&value, which, number_), "cuDeviceGetAttribute");
    return value;
  };
  facts_.major = attribute(abi::kAttributeMajor);
  facts_.minor = attribute(abi::kAttributeMinor);
  if (facts_.major < 8) {
    throw Failure(PERCALE_FAILED_PRECONDITION, facts_.name + " is of compute capability " +
                                                   std::to_string(facts_.major) + "." + std::to_string(facts_.minor) +
                                                   "; 8.0 or newer is needed");
  }
  facts_.multiprocessors = attribute(abi::kAttributeMultiprocessors);
  // Clocks are in kHz, and memory transfers two words a cycle. If a driver does not report the
  // clocks, a modest GPU is assumed.
  const double clock = attribute(abi::kAttributeClockRate), memory_clock = attribute(abi::kAttributeMemoryClockRate);
  facts_.gflops = 2.0 * f32_lanes(facts_.major, facts_.minor) * facts_.multiprocessors * clock * 1e-6;
  facts_.gbytes_per_second = 2.0 * memory_clock * attribute(abi::kAttributeMemoryBusWidth) / 8 * 1e-6;
  if (facts_.gflops <= 0) facts_.gflops = 10'000;
  if (facts_.gbytes_per_second <= 0) facts_.gbytes_per_second = 500;
}

Device::~Device() {
  const Driver& d = driver();
  if (d.cuCtxPushCurrent_v2(context_) == abi::kSuccess) {
    copies_.reset();
    dnn_plans_.clear();
    if (dnn_ != nullptr) shared_.dnn.cudnnDestroy(dnn_);
    if (blas_ != nullptr) shared_.blas.cublasLtDestroy(blas_);
    functions_.unload();
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
  facts.model = facts_.name.c_str();
  facts.memory_bytes = facts_.total;
  facts.gflops = facts_.gflops;
  facts.gbytes_per_second = facts_.gbytes_per_second;
  std::memcpy(&out, &facts, facts.struct_size);
}

void Device::check_alive() const {
  if (lost_) throw Failure(PERCALE_UNAVAILABLE, "the device is lost", true);
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
