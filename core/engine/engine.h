// The engine: threads, memory and devices, which sessions, trainers and data sets share. A process
// may have several.
#ifndef PERCALE_CORE_ENGINE_ENGINE_H_
#define PERCALE_CORE_ENGINE_ENGINE_H_

#include <memory>
#include <string>
#include <vector>

#include "c_api/include/percale_plugin.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/thread_pool.h"
#include "core/engine/engine_users.h"
#include "core/registry/registry.h"

namespace percale {

class Cluster;  // core/engine/cluster/cluster.h

inline constexpr std::string_view kRemoteKind = "remote";  // of devices of other processes

// A device that was opened. Closed with the engine. Thread-safe.
class Device {
 public:
  // Takes ownership of `handle`, which api.open() returned. `api`, the texts of `description` and
  // the pool behind `threads` must outlive the device.
  Device(std::string name, const percale_device_api& api, int32_t index, void* handle,
         const percale_device_description& description, int32_t width, ParallelFor threads);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& name() const { return name_; }  // "cpu:0"
  const std::string& kind() const { return kind_; }  // "cpu"
  int32_t index() const { return index_; }
  bool shares_host_memory() const { return description_.shares_host_memory != 0; }
  const percale_device_description& description() const { return description_; }
  // The device's table, of this library's size.
  const percale_device_api& api() const { return api_; }
  void* handle() const { return handle_; }
  // True if the device works from streams, beside the host's threads.
  bool has_streams() const { return api_.stream_create != nullptr; }
  // True if the device compiles whole partitions instead of running kernels one by one.
  bool takes_partitions() const { return api_.compile != nullptr; }
  // True if it is all devices of another process, which follows the device hints of the nodes.
  bool places_nodes() const { return description_.places_nodes != 0; }
  // True if the device can fail for good, and if it has.
  bool can_be_lost() const { return api_.lost != nullptr; }
  bool lost() const { return api_.lost != nullptr && api_.lost(handle_) != 0; }
  // The threads that work for the device at once, the caller included; 0: all of the engine's.
  int32_t width() const { return width_; }
  // True for a device that the options do not name. It holds variables, because no other device has
  // the host's memory, and computes nothing unless the group of a run names it.
  bool is_home() const { return is_home_; }
  void make_home() { is_home_ = true; }
  // Runs the loops of this device's kernels on at most width() threads of the engine. Valid as long
  // as the device.
  ParallelFor parallel() const;
  // All threads of the engine.
  ParallelFor all_threads() const { return threads_; }

 private:
  static void call_narrow(void* device, int64_t pieces, ParallelFor::Body body, void* arg);

  std::string name_, kind_;
  percale_device_api api_;
  int32_t index_;
  void* handle_;
  percale_device_description description_;
  int32_t width_;
  ParallelFor threads_;
  bool is_home_ = false;
};

// A kind of device that the machine lacks, and why.
struct AbsentDevice {
  std::string kind, reason;
};

struct EngineOptions {
  int32_t threads = 0;       // 0: default_threads()
  int64_t memory_limit = 0;  // bytes, 0: none
  // Names and groups, separated by commas:
  //   "cpu:0", "cuda:1"   that device
  //   "cuda:0/0"          one of several logical devices on that one
  //   "cpu=4x1"           the devices 0 to 3 of the kind, each at most 1 thread wide
  //   "cpu=4"             the same, each as wide as the engine
  //   "remote:HOST:PORT/cpu:0"            a device of another process
  //   "/job:worker/task:1/device:cpu:0"   that device of a task of `cluster`
  //   "remote:HOST:PORT", "/job:ps/task:0"   all devices that the process serves
  //   "all"               alone: all devices that report a speed and have memory of their own;
  //                       cpu:0 if there is none
  //   "" or "none"        none: graphs can be built, not run
  // If none of them shares the host's memory, cpu:0 is added as the home of variables.
  std::string devices = "cpu:0";
  // Instruction set and numerics of the CPU kernels; obeyed by the maker of Parts.
  std::string isa = "auto";
  Numerics numerics = {};
  LogLevel log_level = LogLevel::kWarning;
  // Options of devices that have them: bytes that each may allocate (0: all it has), the same bits
  // in every run, f32 products in tf32.
  int64_t device_memory_limit = 0;
  bool deterministic = true;
  bool tf32 = false;
  bool map_files = true;  // MemoryPool::maps_files()
  // For devices of other processes: the cluster whose tasks `devices` names (null: none), and the
  // folder of certificates ("": none).
  std::shared_ptr<const Cluster> cluster = nullptr;
  std::string certificates = {};
  int64_t connect_timeout = 10;  // seconds until another process must have answered
};

// Thread-safe. Immutable after creation, except for the counters of its parts.
class Engine {
 public:
  // The parts that the caller adds: the op set, the kinds of device, facts for the fingerprint.
  struct Parts {
    std::shared_ptr<const Registry> registry;            // null: an empty one
    std::vector<const percale_device_api*> device_apis;  // see `owners`
    std::string isa;                                     // of the CPU kernels: "avx512"
    std::string numerics;                                // decides bits too: "onednn=3.7.2"
    const percale_transport* transport = nullptr;        // reaches other processes; may be null
    std::vector<AbsentDevice> absent;                    // kinds that have no table at all, and why
    // The pool of the engine, for tables that allocate from it: make_pool(options). Null: the
    // engine makes one.
    std::shared_ptr<MemoryPool> memory;
    std::shared_ptr<HostPool> host_pool;  // computes; null: the engine's own threads do
    // Owners of the tables, kernels and schemas. Released last, in reverse order.
    std::vector<std::shared_ptr<const void>> owners;
  };
  // A pool with the memory limit of the options.
  static std::shared_ptr<MemoryPool> make_pool(const EngineOptions& options);

  // INVALID_ARGUMENT or OUT_OF_RANGE for an invalid option. NOT_FOUND for a device that the machine
  // lacks; the message lists the devices it has, and why others are absent.
  static Result<std::shared_ptr<Engine>> create(const EngineOptions& options, Parts parts);
  // An engine of the same parts and options, but with these devices and one thread. It shares the
  // users. Errors as create().
  Result<std::shared_ptr<Engine>> create_sibling(const std::string& devices) const;
  // In a process that was forked after creation, threads and devices belong to the parent and are
  // not touched.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const std::shared_ptr<const Registry>& registry() const { return parts_.registry; }
  const std::shared_ptr<MemoryPool>& memory() const { return parts_.memory; }
  ThreadPool& threads() const { return *threads_; }
  // The sessions of the engine and of its siblings.
  EngineUsers& users() const { return *users_; }
  // In the order of EngineOptions::devices.
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  // Null if the engine has not opened it.
  const Device* find_device(std::string_view name) const;
  const std::vector<AbsentDevice>& absent_devices() const { return parts_.absent; }
  const EngineOptions& options() const { return options_; }
  const std::string& isa() const { return parts_.isa; }
  LogSink& log() { return log_; }
  const LogSink& log() const { return log_; }
  // Identifies what the bits of results depend on: library, instruction set unless numerics are
  // portable, numeric options. Equal strings promise equal bits.
  std::string fingerprint() const;
  // FAILED_PRECONDITION in a process that was forked after the engine was made.
  Status check_usable() const;

 private:
  class ForkMark;

  Engine() = default;

  EngineOptions options_;
  Parts parts_;
  std::shared_ptr<EngineUsers> users_ = std::make_shared<EngineUsers>();
  std::unique_ptr<ForkMark> fork_mark_;
  std::unique_ptr<ThreadPool> threads_;
  std::vector<std::unique_ptr<Device>> devices_;
  LogSink log_;
};

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_ENGINE_H_
