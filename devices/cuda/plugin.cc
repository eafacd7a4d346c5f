// The entry point of the plug-in: its kind of device, and the list of kernels.
#include <cstdlib>
#include <deque>
#include <new>
#include <span>

#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/rows/all_reduce.h"

namespace percale::cuda {
namespace {

abi::Address address_of(const void* p) { return reinterpret_cast<abi::Address>(p); }

// The folders of the vendor's libraries; empty: those of the system.
std::string library_folders() {
  const char* folders = std::getenv("PERCALE_CUDA_LIBRARIES");
  return folders == nullptr ? std::string() : folders;
}

class CudaPlugin : public plugin::Plugin {
 public:
  static constexpr const char* kName = "cuda";
  explicit CudaPlugin(const percale_host_api& host);
  Shared& shared() { return shared_; }

 private:
  Shared shared_;
  std::deque<KernelContext> contexts_;
};

// A device as the kit's device_of() makes a table of it.
class Gpu : public Device {
 public:
  using Owner = CudaPlugin;
  using Stream = percale::cuda::Stream;
  using Captured = CapturedSegment;

  Gpu(CudaPlugin& plugin, int32_t index, const percale_device_options& options)
      : Device(plugin.shared(), checked(plugin.shared().driver, index), options) {}

  static int32_t probe(CudaPlugin& plugin, const char** out_reason) {
    Driver& driver = plugin.shared().driver;
    try {
      const int count = driver.open();
      if (count == 0) *out_reason = driver.reason().c_str();
      return count;
    } catch (const std::bad_alloc&) {
      *out_reason = "out of host memory";
      return 0;
    }
  }
  percale_device_description describe() {
    percale_device_description out{};
    out.struct_size = sizeof out;
    Device::describe(out);
    return out;
  }

  void* allocate(uint64_t bytes) {
    return alive([&] { return reinterpret_cast<void*>(memory().allocate(bytes)); });
  }
  // Cached blocks may have to be freed, which takes the context. On a lost device that fails, and
  // does not matter any more.
  void free(void* block) {
    ignoring_errors([&] { memory().free(address_of(block)); });
  }
  void* allocate_host(uint64_t bytes) {
    return alive([&] { return shared().pinned.allocate(bytes); });
  }
  void free_host(void* block) {
    ignoring_errors([&] { shared().pinned.free(block); });
  }
  void memory_stats(uint64_t* out_used, uint64_t* out_peak) { memory().statistics(out_used, out_peak); }

  void copy_from_host(Stream* stream, void* to, const void* from, uint64_t bytes) {
    alive([&] {
      if (stream == nullptr) return copy_to_device(address_of(to), from, bytes);
      if (!stream->failed()) stream->copy_to_device(address_of(to), from, bytes);
    });
  }
  void copy_to_host(Stream* stream, void* to, const void* from, uint64_t bytes) {
    alive([&] {
      if (stream == nullptr) return Device::copy_to_host(to, address_of(from), bytes);
      if (!stream->failed()) stream->copy_to_host(to, address_of(from), bytes);
    });
  }
  void copy_out(Stream* stream, void* to, const void* from, uint64_t bytes) {
    alive([&] {
      if (!stream->failed()) stream->copy_out(to, address_of(from), bytes);
    });
  }

  static Gpu& device_of(Stream& stream) { return static_cast<Gpu&>(stream.device()); }
  Stream* make_stream() {
    return alive([&] { return new Stream(*this); });
  }
  static void destroy_stream(Stream* stream) {
    device_of(*stream).ignoring_errors([&] { delete stream; });
  }
  // Also on a lost device: enqueued commands must end, and synchronising reports the error.
  void synchronize(Stream& stream) {
    const Current current(*this);
    stream.synchronize();
  }
  void signal(Stream& stream, void (*reached)(void*, uint64_t, percale_code), void* event, uint64_t value) {
    const Current current(*this);
    stream.signal(reached, event, value);
  }

  void capture_begin(Stream& stream) {
    alive([&] { stream.capture_begin(); });
  }
  CapturedSegment* capture_end(Stream& stream) {
    const Current current(*this);
    return stream.capture_end().release();
  }
  void replay(Stream& stream, CapturedSegment& captured, percale_run_context* run) {
    alive([&] {
      if (!stream.failed()) stream.replay(captured, run);
    });
  }
  static void destroy_captured(CapturedSegment* captured) {
    const auto& device = static_cast<const Gpu&>(captured->device());
    device.ignoring_errors([&] { delete captured; });
  }

  static void all_reduce(const std::vector<Gpu*>& gpus, void* const* buffers, std::span<const uint64_t> counts,
                         percale_dtype dtype) {
    for (Gpu* gpu : gpus) gpu->check_alive();
    const std::vector<Device*> devices(gpus.begin(), gpus.end());
    cuda::all_reduce(devices, buffers, counts, dtype);
  }

 private:
  static int checked(Driver& driver, int32_t index) {
    const int count = driver.open();
    if (index >= 0 && index < count) return index;
    throw Failure(PERCALE_NOT_FOUND, count > 0 ? "there are only " + std::to_string(count) + " GPUs" : driver.reason());
  }

  // Runs f() with the device's context, and notes an error after which the device is lost.
  template <class F>
  auto alive(F&& f) -> decltype(f()) {
    try {
      check_alive();
      const Current current(*this);
      return f();
    } catch (const Failure& failure) {
      note(failure);
      throw;
    }
  }
  // Runs f() with the device's context, if it can be had.
  template <class F>
  void ignoring_errors(F&& f) const {
    try {
      const Current current(*this);
      f();
    } catch (const Failure&) {
    } catch (const std::bad_alloc&) {
    }
  }
};

CudaPlugin::CudaPlugin(const percale_host_api& host) : Plugin(host, kName, "0.1.0"), shared_(host, library_folders()) {
  add(plugin::device_of<Gpu>(kName, *this));
  for (const KernelEntry& entry : all_kernels()) {
    const KernelContext& context = contexts_.emplace_back(KernelContext{&shared_, entry});
    add(plugin::kernel_of({entry.name, entry.domain, entry.op, kName}, context));
  }
}

}  // namespace
}  // namespace percale::cuda

PERCALE_PLUGIN(percale::cuda::CudaPlugin)
