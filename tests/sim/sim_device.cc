// Memory, copies and launches of the sim device, and the loss of a device.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "tests/sim/sim_partition.h"
#include "tests/sim/sim_queue.h"
#include "tests/sim/sim_system.h"

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

  const percale_host_api& host() const { return plugin_.host(); }
  bool lost() const { return lost_; }

  Error allocate(uint64_t bytes, void** out) {
    if (bytes == 0) return {PERCALE_INVALID_ARGUMENT, "cannot allocate 0 bytes"};
    if (unit_.count_allocation()) lost_ = true;
    if (lost_) return kLost;
    const std::lock_guard lock(mutex_);
    if (bytes > kMemoryBytes - used_) return {PERCALE_RESOURCE_EXHAUSTED, "no such memory on a sim device"};
    const auto page = page_bytes();
    // At least one byte more, so that no other block starts at the end.
    Block block{nullptr, (bytes / page + 1) * page, bytes, nullptr};
    block.address = reserve_addresses(block.mapped);
    if (block.address == nullptr) return {PERCALE_RESOURCE_EXHAUSTED, "no addresses for a sim device"};
    block.bytes = static_cast<char*>(::operator new (bytes, std::align_val_t{kAlignment}, std::nothrow));
    if (block.bytes == nullptr) {
      drop(block);
      return {PERCALE_RESOURCE_EXHAUSTED, "no such memory on a sim device"};
    }
    blocks_[block.address] = block;
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    *out = block.address;
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
    for (Device* device : devices) {
      if (device->lost_) return kLost;
      if (!counts.empty()) device->unit_.count_sum(device->worker().works());
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
    release_addresses(block.address, block.mapped);
    ::operator delete (block.bytes, std::align_val_t{kAlignment});
  }

  // Sleeps until the time has passed, or the run (may be null) or the device has ended.
  void pause(uint64_t nanoseconds, percale_run_context* run) const {
    const auto end = Clock::now() + std::chrono::nanoseconds(nanoseconds);
    while (nanoseconds > 0 && Clock::now() < end && !lost_) {
      if (run != nullptr && plugin_.host().run->cancelled(run)) return;
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

// The functions that both kinds of devices share, as the kit calls them. D is the derived class.
template <class D>
class SimDevice {
 public:
  using Owner = Plugin;
  using Stream = Worker::Queue;

  SimDevice(Plugin& plugin, int32_t first_unit, int32_t index)
      : device_(plugin, plugin.units[static_cast<size_t>(first_unit + checked(index))]) {}

  const percale_host_api& host() const { return device_.host(); }
  static int32_t probe(Plugin&, const char**) { return PERCALE_SIM_DEVICES; }
  bool lost() const { return device_.lost(); }

  void* allocate(uint64_t bytes) {
    void* out = nullptr;
    raise(device_.allocate(bytes, &out));
    return out;
  }
  void free(void* memory) { device_.free(memory); }
  void memory_stats(uint64_t* out_used, uint64_t* out_peak) const { device_.statistics(out_used, out_peak); }
  void copy_from_host(Stream* queue, void* to, const void* from, uint64_t bytes) {
    raise(device_.copy(queue, to, from, bytes, true));
  }
  void copy_to_host(Stream* queue, void* to, const void* from, uint64_t bytes) {
    raise(device_.copy(queue, to, from, bytes, false));
  }

  static D& device_of(Stream& queue) { return *static_cast<D*>(queue.device); }
  Stream* make_stream() {
    if (lost()) raise(kLost);
    try {
      return device_.worker().create(static_cast<D*>(this));
    } catch (const std::system_error&) {
      throw percale::plugin::Failure(PERCALE_RESOURCE_EXHAUSTED, "no thread for a sim device");
    }
  }
  static void destroy_stream(Stream* queue) { Worker::destroy(queue); }
  void synchronize(Stream& queue) {
    const Error error = Worker::synchronize(&queue);
    raise(error.code == 0 && lost() ? kLost : error);
  }
  void signal(Stream& queue, void (*reached)(void*, uint64_t, percale_code), void* event, uint64_t value) {
    Worker::add(&queue, [this, reached, event, value](const Error& before) -> Error {
      const Error error = before.code == 0 && lost() ? kLost : before;
      reached(event, value, static_cast<percale_code>(error.code));
      return error;
    });
  }

  static void all_reduce(const std::vector<D*>& devices, void* const* buffers, std::span<const uint64_t> counts,
                         percale_dtype dtype) {
    std::vector<Device*> all;
    for (D* device : devices) all.push_back(&device->device_);
    const std::vector<uint64_t> sizes(counts.begin(), counts.end());
    raise(dtype == PERCALE_DTYPE_F64 ? Device::all_reduce<double>(all, buffers, sizes)
                                     : Device::all_reduce<float>(all, buffers, sizes));
  }

 protected:
  static percale_device_description description(const char* kind) {
    percale_device_description out{};
    out.kind = kind;
    out.model = "simulated accelerator";
    out.memory_bytes = kMemoryBytes;
    return out;
  }
  static int32_t checked(int32_t index) {
    if (index < 0 || index >= PERCALE_SIM_DEVICES) raise({PERCALE_NOT_FOUND, "no sim device has that index"});
    return index;
  }

  Device device_;
};

// Runs the kernels of the CPU one by one.
class KernelDevice : public SimDevice<KernelDevice> {
 public:
  static constexpr const char* kKind = "sim";
  KernelDevice(Plugin& plugin, int32_t index, const percale_device_options&) : SimDevice(plugin, 0, index) {}

  static percale_device_description describe() { return description(kKind); }
  void launch(Stream& queue, void (*run)(const void*, const percale_launch*), const void* state,
              const percale_launch& launch, size_t operand_count) {
    raise(device_.launch(&queue, run, state, launch, operand_count));
  }
};

// Runs whole partitions.
class PartitionDevice : public SimDevice<PartitionDevice> {
 public:
  static constexpr const char* kKind = "sim_partition";
  struct Executable {
    PartitionDevice* device;
    std::unique_ptr<Partition> partition;
  };
  PartitionDevice(Plugin& plugin, int32_t index, const percale_device_options&)
      : SimDevice(plugin, PERCALE_SIM_PARTITION(0), index) {}

  static percale_device_description describe() { return description(kKind); }
  using SimDevice::device_of;
  static PartitionDevice& device_of(Executable& executable) { return *executable.device; }
  Executable* compile(const void* graph, uint64_t bytes) {
    if (lost()) raise(kLost);
    int32_t code = 0;
    std::string text;
    auto partition = Partition::compile(graph, bytes, &code, &text);
    if (partition == nullptr) raise({code, text.c_str()});
    return new Executable{this, std::move(partition)};
  }
  void execute(Executable& executable, Stream* queue, void* const* inputs, void* const* outputs) {
    raise(device_.execute(queue, *executable.partition, inputs, outputs));
  }
};

}  // namespace

percale_device_api kernel_devices(Plugin& plugin) {
  percale_device_api api = percale::plugin::device_of<KernelDevice>(KernelDevice::kKind, plugin);
  api.borrow_kernels = "cpu";
  return api;
}

percale_device_api partition_devices(Plugin& plugin) {
  return percale::plugin::device_of<PartitionDevice>(PartitionDevice::kKind, plugin);
}

}  // namespace percale_sim
