// Memory, copies and launches of the sim device, and the loss of a device.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <optional>

#include "tests/sim/sim_partition.h"
#include "tests/sim/sim_queue.h"

namespace percale_sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kMemoryBytes = uint64_t{4} << 30, kAlignment = 64;
constexpr Error kLost{PERCALE_UNAVAILABLE, "the device is lost"};

// An allocation. `address` lies in inaccessible pages; the contents are at `bytes`.
struct Block {
  char* address;
  uint64_t mapped, size;
  char* bytes;
};

class Device {
 public:
  Device(const Plugin& plugin, Unit& unit) : plugin_(plugin), unit_(unit) { unit.reset_counts(); }
  ~Device() {
    worker_.reset();
    for (auto& [address, block] : blocks_) drop(block);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Plugin& plugin() const { return plugin_; }
  bool lost() const { return lost_; }

  Error allocate(uint64_t bytes, void** out) {
    if (bytes == 0) return {PERCALE_INVALID_ARGUMENT, "cannot allocate 0 bytes"};
    if (unit_.count_allocation()) lost_ = true;
    if (lost_) return kLost;
    const std::lock_guard lock(mutex_);
    if (bytes > kMemoryBytes - used_) return {PERCALE_RESOURCE_EXHAUSTED, "no such memory on a sim device"};
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    // At least one byte more, so that no other block starts at the end.
    Block block{nullptr, (bytes / page + 1) * page, bytes, nullptr};
    void* pages = mmap(nullptr, block.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return {PERCALE_RESOURCE_EXHAUSTED, "no addresses for a sim device"};
    block.address = static_cast<char*>(pages);
    block.bytes =
        static_cast<char*>(std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment));
    if (block.bytes == nullptr) {
      drop(block);
      return {PERCALE_RESOURCE_EXHAUSTED, "no such memory on a sim device"};
    }
    blocks_[block.address] = block;
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    *out = pages;
    return {};
  }

  void free(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(static_cast<char*>(memory));
    if (found == blocks_.end()) return;
    used_ -= found->second.size;
    drop(found->second);
    blocks_.erase(found);
  }

  // Returns the accessible address of these bytes; null if they do not belong to the device.
  char* reach(const void* memory, uint64_t bytes) const {
    const std::lock_guard lock(mutex_);
    const auto* at = static_cast<const char*>(memory);
    auto found = blocks_.upper_bound(const_cast<char*>(at));
    if (found == blocks_.begin()) return nullptr;
    const Block& block = (--found)->second;
    const auto offset = static_cast<uint64_t>(at - block.address);
    return offset <= block.size && bytes <= block.size - offset ? block.bytes + offset : nullptr;
  }

  void statistics(uint64_t* used, uint64_t* peak) const {
    const std::lock_guard lock(mutex_);
    *used = used_;
    *peak = peak_;
  }

  Worker& worker() {
    const std::lock_guard lock(mutex_);
    if (!worker_) worker_.emplace();
    return *worker_;
  }

  Error copy(void* queue, void* to, const void* from, uint64_t bytes, bool from_host) {
    if (lost_) return kLost;
    void* target = from_host ? reach(to, bytes) : to;
    const void* source = from_host ? from : reach(from, bytes);
    if ((from_host ? target : source) == nullptr) {
      return {PERCALE_INVALID_ARGUMENT, "the copy leaves the device's memory"};
    }
    const auto work = [this, target, source, bytes, from_host,
                       queued = queue != nullptr](const Error& before) -> Error {
      if (before.code != 0) return before;
      if (unit_.count_copy(from_host, bytes)) lost_ = true;
      if (queued) pause(unit_.faults().copy_ns, nullptr);
      if (lost_) return kLost;
      if (bytes > 0) std::memcpy(target, source, bytes);
      return {};
    };
    if (queue == nullptr) return work({});
    Worker::add(static_cast<Worker::Queue*>(queue), work);
    return {};
  }

  Error launch(Worker::Queue* queue, void (*run)(const void*, const percale_launch*), const void* state,
               const percale_launch& given, size_t count) {
    if (lost_) return kLost;
    std::vector<void*> operands(given.operands, given.operands + count);
    percale_launch launch{nullptr, given.scratch, nullptr, given.run};
    bool known = true;
    const auto move = [&](void*& p) {
      if (p == nullptr) return;
      p = reach(p, 0);
      known = known && p != nullptr;
    };
    for (void*& operand : operands) move(operand);
    move(launch.scratch);
    if (!known) return {PERCALE_INVALID_ARGUMENT, "an operand of a kernel is not in the device's memory"};
    Worker::add(queue, [this, run, state, launch, operands = std::move(operands)](const Error& before) -> Error {
      return work(before, launch.run, [&]() -> Error {
        percale_launch own = launch;
        own.operands = operands.data();
        run(state, &own);
        return {};
      });
    });
    return {};
  }

  // Replaces the numbers at buffers[i * counts.size() + k] of each device i by their sums, which
  // are added as a tree over the devices.
  template <class T>
  static Error all_reduce(const std::vector<Device*>& devices, void* const* buffers,
                          const std::vector<uint64_t>& counts) {
    for (const Device* device : devices) {
      if (device->lost_) return kLost;
    }
    for (size_t k = 0; k < counts.size(); ++k) {
      std::vector<T*> parts;
      for (size_t i = 0; i < devices.size(); ++i) {
        parts.push_back(reinterpret_cast<T*>(devices[i]->reach(buffers[i * counts.size() + k], counts[k] * sizeof(T))));
        if (parts.back() == nullptr) return {PERCALE_INVALID_ARGUMENT, "a sum leaves the device's memory"};
      }
      for (uint64_t at = 0; at < counts[k]; ++at) {
        const T sum = tree_sum(parts, 0, parts.size(), at);
        for (T* part : parts) part[at] = sum;
      }
    }
    return {};
  }

  // Enqueues a partition.
  Error execute(Worker::Queue* queue, Partition& partition, void* const* inputs, void* const* outputs) {
    if (lost_) return kLost;
    std::vector<void*> from, to;
    for (size_t i = 0; i < partition.inputs(); ++i) from.push_back(reach(inputs[i], 0));
    for (size_t i = 0; i < partition.outputs(); ++i) to.push_back(reach(outputs[i], 0));
    for (const auto* addresses : {&from, &to}) {
      if (std::find(addresses->begin(), addresses->end(), nullptr) != addresses->end()) {
        return {PERCALE_INVALID_ARGUMENT, "an operand of a partition is not in the device's memory"};
      }
    }
    Worker::add(queue, [this, &partition, from = std::move(from), to = std::move(to)](const Error& before) -> Error {
      return work(before, nullptr, [&] { return partition.run(from.data(), to.data()); });
    });
    return {};
  }

 private:
  // Runs one launch on the device's thread: counts it, delays it, and may lose the device.
  template <class F>
  Error work(const Error& before, percale_run_context* run, F&& launch) {
    if (before.code != 0) return before;
    if (unit_.count_launch()) lost_ = true;
    if (lost_) return kLost;
    const percale_sim_faults faults = unit_.faults();
    const auto begin = Clock::now();
    const Error error = launch();
    const auto took = static_cast<double>((Clock::now() - begin).count());
    pause(faults.launch_ns + static_cast<uint64_t>(faults.slow > 1 ? took * (faults.slow - 1) : 0), run);
    return lost_ ? kLost : error;
  }

  template <class T>
  static T tree_sum(const std::vector<T*>& parts, size_t begin, size_t end, uint64_t at) {
    if (end - begin == 1) return parts[begin][at];
    const size_t middle = begin + (end - begin + 1) / 2;
    return tree_sum(parts, begin, middle, at) + tree_sum(parts, middle, end, at);
  }

  static void drop(const Block& block) {
    munmap(block.address, block.mapped);
    std::free(block.bytes);
  }

  // Sleeps until the time has passed, or the run (may be null) or the device has ended.
  void pause(uint64_t nanoseconds, percale_run_context* run) const {
    const auto end = Clock::now() + std::chrono::nanoseconds(nanoseconds);
    while (nanoseconds > 0 && Clock::now() < end && !lost_) {
      if (run != nullptr && plugin_.host->run->cancelled(run)) return;
      std::this_thread::sleep_for(std::min<Clock::duration>(end - Clock::now(), std::chrono::milliseconds(2)));
    }
  }

  const Plugin& plugin_;
  Unit& unit_;
  std::atomic<bool> lost_{false};
  mutable std::mutex mutex_;  // guards the members below
  std::map<char*, Block> blocks_;
  uint64_t used_ = 0, peak_ = 0;
  std::optional<Worker> worker_;
};

Device& device_of(void* handle) { return *static_cast<Device*>(handle); }

// Runs `f`, which returns an Error. Turns that, or an allocation failure, into a status.
template <class F>
percale_status* answer(const Plugin& plugin, F&& f) {
  try {
    return to_status(plugin, f());
  } catch (const std::bad_alloc&) {
    return to_status(plugin, {PERCALE_RESOURCE_EXHAUSTED, "no memory for a sim device"});
  } catch (...) {
    return to_status(plugin, {PERCALE_RESOURCE_EXHAUSTED, "no thread for a sim device"});
  }
}

int32_t probe(void*, const char** out_reason) {
  *out_reason = nullptr;
  return PERCALE_SIM_DEVICES;
}

template <int32_t kFirstUnit>
percale_status* open_device(void* self, int32_t index, const percale_device_options*, void** out_device) {
  auto& plugin = *static_cast<Plugin*>(self);
  *out_device = nullptr;
  return answer(plugin, [&]() -> Error {
    if (index < 0 || index >= PERCALE_SIM_DEVICES) return {PERCALE_NOT_FOUND, "no sim device has that index"};
    *out_device = new Device(plugin, plugin.units[static_cast<size_t>(kFirstUnit + index)]);
    return {};
  });
}

void close_device(void* device) { delete &device_of(device); }

constexpr const char *kKernelKind = "sim", *kPartitionKind = "sim_partition";

percale_status* describe(const char* kind, percale_device_description* out) {
  percale_device_description facts{};
  facts.struct_size = std::min<uint32_t>(out->struct_size, sizeof facts);
  facts.kind = kind;
  facts.model = "simulated accelerator";
  facts.memory_bytes = kMemoryBytes;
  std::memcpy(out, &facts, facts.struct_size);
  return nullptr;
}

percale_status* allocate(void* device, uint64_t bytes, void** out_memory) {
  *out_memory = nullptr;
  return answer(device_of(device).plugin(), [&] { return device_of(device).allocate(bytes, out_memory); });
}

void free_memory(void* device, void* memory) { device_of(device).free(memory); }

percale_status* queue_create(void* device, void** out_queue) {
  *out_queue = nullptr;
  return answer(device_of(device).plugin(), [&]() -> Error {
    if (device_of(device).lost()) return kLost;
    *out_queue = device_of(device).worker().create(device);
    return {};
  });
}

void queue_destroy(void* queue) { Worker::destroy(static_cast<Worker::Queue*>(queue)); }

percale_status* copy_from_host(void* device, void* queue, void* to, const void* from, uint64_t bytes) {
  return answer(device_of(device).plugin(), [&] { return device_of(device).copy(queue, to, from, bytes, true); });
}

percale_status* copy_to_host(void* device, void* queue, void* to, const void* from, uint64_t bytes) {
  return answer(device_of(device).plugin(), [&] { return device_of(device).copy(queue, to, from, bytes, false); });
}

percale_status* queue_synchronize(void* queue) {
  auto* q = static_cast<Worker::Queue*>(queue);
  return answer(device_of(q->device).plugin(), [&] {
    const Error error = Worker::synchronize(q);
    return error.code == 0 && device_of(q->device).lost() ? kLost : error;
  });
}

percale_status* launch(void* queue, void (*run)(const void*, const percale_launch*), const void* state,
                       const percale_launch* launch, size_t operand_count) {
  auto* q = static_cast<Worker::Queue*>(queue);
  return answer(device_of(q->device).plugin(),
                [&] { return device_of(q->device).launch(q, run, state, *launch, operand_count); });
}

percale_status* queue_signal(void* queue, void (*reached)(void*, uint64_t, percale_code), void* event, uint64_t value) {
  auto* q = static_cast<Worker::Queue*>(queue);
  Device& device = device_of(q->device);
  return answer(device.plugin(), [&]() -> Error {
    Worker::add(q, [&device, reached, event, value](const Error& before) -> Error {
      const Error error = before.code == 0 && device.lost() ? kLost : before;
      reached(event, value, static_cast<percale_code>(error.code));
      return error;
    });
    return {};
  });
}

void memory_stats(void* device, uint64_t* out_used, uint64_t* out_peak) {
  device_of(device).statistics(out_used, out_peak);
}

// A partition and the device that it was compiled for.
struct Executable {
  Device* device;
  std::unique_ptr<Partition> partition;
};

percale_status* compile(void* device, const void* graph, uint64_t bytes, void** out_executable) {
  *out_executable = nullptr;
  int32_t code = 0;
  std::string text;
  return answer(device_of(device).plugin(), [&]() -> Error {
    if (device_of(device).lost()) return kLost;
    auto partition = Partition::compile(graph, bytes, &code, &text);
    if (partition == nullptr) return {code, text.c_str()};
    *out_executable = new Executable{&device_of(device), std::move(partition)};
    return {};
  });
}

percale_status* execute(void* executable, void* queue, void* const* inputs, void* const* outputs) {
  auto& e = *static_cast<Executable*>(executable);
  return answer(e.device->plugin(),
                [&] { return e.device->execute(static_cast<Worker::Queue*>(queue), *e.partition, inputs, outputs); });
}

void executable_destroy(void* executable) { delete static_cast<Executable*>(executable); }

percale_status* all_reduce(void* const* devices, uint32_t device_count, void* const* buffers, const uint64_t* counts,
                           uint32_t buffer_count, percale_dtype dtype) {
  return answer(device_of(devices[0]).plugin(), [&] {
    std::vector<Device*> all;
    for (uint32_t i = 0; i < device_count; ++i) all.push_back(&device_of(devices[i]));
    const std::vector<uint64_t> sizes(counts, counts + buffer_count);
    return dtype == PERCALE_DTYPE_F64 ? Device::all_reduce<double>(all, buffers, sizes)
                                      : Device::all_reduce<float>(all, buffers, sizes);
  });
}

int32_t lost(void* device) { return device_of(device).lost() ? 1 : 0; }

}  // namespace

void fill_devices(Plugin& plugin) {
  percale_device_api api{};
  api.struct_size = sizeof api;
  api.self = &plugin;
  api.probe = probe;
  api.close = close_device;
  api.allocate = allocate;
  api.free = free_memory;
  api.stream_create = queue_create;
  api.stream_destroy = queue_destroy;
  api.copy_from_host = copy_from_host;
  api.copy_to_host = copy_to_host;
  api.stream_synchronize = queue_synchronize;
  api.memory_stats = memory_stats;
  api.lost = lost;
  api.stream_signal = queue_signal;
  api.all_reduce = all_reduce;
  plugin.kernel_api = plugin.partition_api = api;

  plugin.kernel_api.kind = kKernelKind;
  plugin.kernel_api.open = open_device<0>;
  plugin.kernel_api.describe = [](void*, percale_device_description* out) { return describe(kKernelKind, out); };
  plugin.kernel_api.borrow_kernels = "cpu";
  plugin.kernel_api.launch = launch;

  plugin.partition_api.kind = kPartitionKind;
  plugin.partition_api.open = open_device<PERCALE_SIM_PARTITION(0)>;
  plugin.partition_api.describe = [](void*, percale_device_description* out) { return describe(kPartitionKind, out); };
  plugin.partition_api.compile = compile;
  plugin.partition_api.execute = execute;
  plugin.partition_api.executable_destroy = executable_destroy;
}

}  // namespace percale_sim
