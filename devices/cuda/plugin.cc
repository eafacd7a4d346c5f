// The way in: the host's table down, the table of devices and the list of kernels up.
#include <cstdlib>
#include <list>
#include <mutex>
#include <new>

#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/rows/all_reduce.h"

namespace percale::cuda {
namespace {

constexpr const char* kKind = "cuda";

Device& device_of(void* handle) { return *static_cast<Device*>(handle); }
Queue& queue_of(void* handle) { return *static_cast<Queue*>(handle); }
abi::Address address_of(const void* p) { return reinterpret_cast<abi::Address>(p); }

// Runs f() with the device's context, and makes a status of what it throws.
template <class F>
percale_status* on_device(Device& device, F&& f) {
  return guarded(device.host(), [&] {
    try {
      device.check_alive();
      const Current current(device);
      f();
    } catch (const Failure& failure) {
      device.note(failure);
      throw;
    }
  });
}

int32_t probe(void* self, const char** out_reason) {
  Driver& driver = static_cast<Shared*>(self)->driver;
  const char* reason = nullptr;
  int count = 0;
  try {
    count = driver.open();
    if (count == 0) reason = driver.reason().c_str();
  } catch (const std::bad_alloc&) {
    reason = "out of host memory";
  }
  if (out_reason != nullptr) *out_reason = reason;
  return count;
}

percale_status* open_with(void* self, int32_t index, const percale_device_options* options, void** out_device) {
  auto& shared = *static_cast<Shared*>(self);
  *out_device = nullptr;
  return guarded(shared.host, [&] {
    const int count = shared.driver.open();
    if (index < 0 || index >= count) {
      throw Failure(PERCALE_NOT_FOUND,
                    count > 0 ? "there are only " + std::to_string(count) + " GPUs" : shared.driver.reason());
    }
    *out_device = new Device(shared, index, *options);
  });
}

percale_status* open_device(void* self, int32_t index, void** out_device) {
  percale_device_options options{};
  options.struct_size = sizeof options;
  options.deterministic = 1;
  return open_with(self, index, &options, out_device);
}

void close_device(void* device) { delete &device_of(device); }

percale_status* describe(void* device, percale_device_description* out) {
  device_of(device).describe(*out);
  return nullptr;
}

percale_status* allocate(void* device, uint64_t bytes, void** out_memory) {
  *out_memory = nullptr;
  return on_device(device_of(device),
                   [&] { *out_memory = reinterpret_cast<void*>(device_of(device).memory().allocate(bytes)); });
}

// Kept blocks may have to go, which takes the context; on a lost device that fails and matters no more.
void free_memory(void* device, void* memory) {
  Device& d = device_of(device);
  percale_status* status = guarded(d.host(), [&] {
    const Current current(d);
    d.memory().free(address_of(memory));
  });
  d.host().status_release(status);
}

percale_status* allocate_host(void* device, uint64_t bytes, void** out_memory) {
  *out_memory = nullptr;
  return on_device(device_of(device), [&] { *out_memory = device_of(device).shared().pinned.allocate(bytes); });
}

void free_host(void* device, void* memory) {
  Device& d = device_of(device);
  percale_status* status = guarded(d.host(), [&] {
    const Current current(d);
    d.shared().pinned.free(memory);
  });
  d.host().status_release(status);
}

percale_status* queue_create(void* device, void** out_queue) {
  *out_queue = nullptr;
  return on_device(device_of(device), [&] { *out_queue = new Queue(device_of(device)); });
}

void queue_destroy(void* queue) {
  Device& d = queue_of(queue).device();
  percale_status* status = guarded(d.host(), [&] {
    const Current current(d);
    delete &queue_of(queue);
  });
  d.host().status_release(status);
}

percale_status* copy_from_host(void* device, void* queue, void* to, const void* from, uint64_t bytes) {
  return on_device(device_of(device), [&] {
    if (queue == nullptr) return device_of(device).copy_to_device(address_of(to), from, bytes);
    if (!queue_of(queue).failed()) queue_of(queue).copy_to_device(address_of(to), from, bytes);
  });
}

percale_status* copy_to_host(void* device, void* queue, void* to, const void* from, uint64_t bytes) {
  return on_device(device_of(device), [&] {
    if (queue == nullptr) return device_of(device).copy_to_host(to, address_of(from), bytes);
    if (!queue_of(queue).failed()) queue_of(queue).copy_to_host(to, address_of(from), bytes);
  });
}

percale_status* copy_out(void* device, void* queue, void* to, const void* from, uint64_t bytes) {
  return on_device(device_of(device), [&] {
    if (!queue_of(queue).failed()) queue_of(queue).copy_out(to, address_of(from), bytes);
  });
}

// Also on a lost device: what has been enqueued must come to its end, and synchronising says why.
percale_status* queue_synchronize(void* queue) {
  Queue& q = queue_of(queue);
  return guarded(q.device().host(), [&] {
    const Current current(q.device());
    q.synchronize();
  });
}

percale_status* queue_signal(void* queue, void (*reached)(void*, uint64_t, percale_code), void* event, uint64_t value) {
  Queue& q = queue_of(queue);
  return guarded(q.device().host(), [&] {
    const Current current(q.device());
    q.signal(reached, event, value);
  });
}

percale_status* record_begin(void* queue) {
  Queue& q = queue_of(queue);
  return on_device(q.device(), [&] { q.record_begin(); });
}

percale_status* record_end(void* queue, void** out_recording) {
  *out_recording = nullptr;
  Queue& q = queue_of(queue);
  return guarded(q.device().host(), [&] {
    const Current current(q.device());
    *out_recording = q.record_end().release();
  });
}

percale_status* play(void* queue, void* recording, percale_run_context* run) {
  Queue& q = queue_of(queue);
  return on_device(q.device(), [&] {
    if (!q.failed()) q.play(*static_cast<Recording*>(recording), run);
  });
}

void recording_destroy(void* recording) {
  auto* const r = static_cast<Recording*>(recording);
  const Device& d = r->device();
  percale_status* status = guarded(d.host(), [&] {
    const Current current(d);
    delete r;
  });
  d.host().status_release(status);
}

void memory_stats(void* device, uint64_t* out_used, uint64_t* out_peak) {
  device_of(device).memory().statistics(out_used, out_peak);
}

int32_t lost(void* device) { return device_of(device).lost() ? 1 : 0; }

percale_status* add_across(void* const* devices, uint32_t device_count, void* const* buffers, const uint64_t* counts,
                           uint32_t buffer_count, percale_dtype dtype) {
  return guarded(device_of(devices[0]).host(), [&] {
    std::vector<Device*> all;
    for (uint32_t i = 0; i < device_count; ++i) {
      all.push_back(&device_of(devices[i]));
      all.back()->check_alive();
    }
    all_reduce(all, buffers, {counts, buffer_count}, dtype);
  });
}

percale_device_api device_table(Shared& shared) {
  percale_device_api api{};
  api.struct_size = sizeof api;
  api.self = &shared;
  api.kind = kKind;
  api.probe = probe;
  api.open = open_device;
  api.close = close_device;
  api.describe = describe;
  api.allocate = allocate;
  api.free = free_memory;
  api.queue_create = queue_create;
  api.queue_destroy = queue_destroy;
  api.copy_from_host = copy_from_host;
  api.copy_to_host = copy_to_host;
  api.queue_synchronize = queue_synchronize;
  api.memory_stats = memory_stats;
  api.lost = lost;
  api.queue_signal = queue_signal;
  api.open_with = open_with;
  api.allocate_host = allocate_host;
  api.free_host = free_host;
  api.record_begin = record_begin;
  api.record_end = record_end;
  api.play = play;
  api.recording_destroy = recording_destroy;
  api.copy_out = copy_out;
  api.all_reduce = add_across;
  return api;
}

// The folders of the vendor's libraries; empty: where the system looks.
std::string library_folders() {
  const char* folders = std::getenv("PERCALE_CUDA_LIBRARIES");
  return folders == nullptr ? std::string() : folders;
}

// What one copy of the library is given. Two versions of it may live in one process, and a plug-in is never unloaded.
struct Instance {
  Shared shared;
  percale_device_api device;
  const percale_device_api* devices[1];
  std::vector<KernelContext> contexts;
  std::vector<percale_kernel> kernels;
  std::vector<const percale_kernel*> list;
  std::vector<const char*> kinds;
  percale_plugin_api api{};

  explicit Instance(const percale_host_api& host)
      : shared(host, library_folders()), device(device_table(shared)), devices{&device} {
    for (const KernelEntry& entry : all_kernels()) contexts.push_back({&shared, entry});
    for (KernelContext& context : contexts) kernels.push_back(make_kernel(context));
    for (const percale_kernel& kernel : kernels) list.push_back(&kernel);
    kinds.assign(list.size(), kKind);
    api.struct_size = sizeof(api);
    api.name = kKind;
    api.version = "0.1.0";
    api.devices = devices;
    api.device_count = 1;
    api.kernels = list.data();
    api.kernel_device_kinds = kinds.data();
    api.kernel_count = list.size();
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
};

struct Instances {
  std::mutex mutex;
  std::list<Instance> all;
};
// Never destroyed: whoever has loaded the plug-in may use it to the end of the process.
Instances& instances() {
  static auto* const kept = new Instances;
  return *kept;
}

const percale_plugin_api* instance_for(const percale_host_api& host) {
  Instances& known = instances();
  const std::lock_guard lock(known.mutex);
  for (const Instance& instance : known.all) {
    if (&instance.shared.host == &host) return &instance.api;
  }
  return &known.all.emplace_back(host).api;
}

}  // namespace
}  // namespace percale::cuda

extern "C" __attribute__((visibility("default"))) percale_status* percale_plugin_init(const percale_host_api* host,
                                                                                      uint32_t host_abi, const char*,
                                                                                      const percale_plugin_api** out) {
  using namespace percale::cuda;
  *out = nullptr;
  if (host_abi < PERCALE_PLUGIN_ABI || host->struct_size < sizeof(*host)) {
    return to_status(*host, PERCALE_UNIMPLEMENTED, "the library is older than the plug-in 'cuda'");
  }
  return guarded(*host, [&] { *out = instance_for(*host); });
}
