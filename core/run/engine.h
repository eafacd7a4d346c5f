// The root of everything: what sessions, trainers and data sets share. Several may live in one process.
#ifndef PERCALE_CORE_RUN_ENGINE_H_
#define PERCALE_CORE_RUN_ENGINE_H_

#include <memory>
#include <string>
#include <vector>

#include "c_api/include/percale_plugin.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/thread_pool.h"
#include "core/registry/registry.h"

namespace percale {

// A device that was opened. Closed with the engine. Thread-safe.
class Device {
 public:
  // Takes over `handle`, which api.open() gave. `api` and the texts of `description` must outlive the device, as must
  // whatever runs `threads`. `width`: see below.
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
  // Complete as far as the core goes: slots that the author of the table did not know are null.
  const percale_device_api& api() const { return api_; }
  void* handle() const { return handle_; }
  // Whether it works on queues, beside whoever gives it work.
  bool has_queues() const { return api_.stream_create != nullptr; }
  // Whether it takes whole partitions, not kernels one by one.
  bool takes_partitions() const { return api_.compile != nullptr; }
  // Whether it will never work again.
  bool lost() const { return api_.lost != nullptr && api_.lost(handle_) != 0; }
  // How many threads work for the device at once, the caller counted; 0: as many as the engine has.
  int32_t width() const { return width_; }
  // Whether nobody has asked for it: it holds variables, since none of the others has the host's memory, and computes nothing unless a
  // run's group names it.
  bool is_home() const { return is_home_; }
  void make_home() { is_home_ = true; }
  // Runs the loops of this device's kernels: on the engine's threads, at most width() of them. Lives as long as the device.
  ParallelFor parallel() const;
  // The engine's, of which parallel() may be a part.
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
  //   "cpu=4x1"           the devices 0 to 3 of the kind, each at most 1 thread wide; "cpu=4": each as wide as the engine
  //   "all"               alone: every device that reports a rate and has memory of its own, else cpu:0
  //   "" or "none"        none: graphs can be built, not run
  // Where none of them has the host's memory, cpu:0 stands behind them as the home of variables.
  std::string devices = "cpu:0";
  std::string isa = "auto";  // what the CPU kernels may use; who makes the Parts has obeyed it
  LogLevel log_level = LogLevel::kWarning;
  // Of devices that know these: bytes that each may give out, 0: what it has; whether bits may differ from run to run; whether f32
  // products may be made of tf32.
  int64_t device_memory_limit = 0;
  bool deterministic = true;
  bool tf32 = false;
  bool map_files = true;  // MemoryPool::maps_files()
};

// Thread-safe. Immutable after creation but for what its parts count.
class Engine {
 public:
  // What the floors above know and the engine cannot: the op set, the kinds of device, facts for the fingerprint.
  struct Parts {
    std::shared_ptr<const Registry> registry;            // null: an empty one
    std::vector<const percale_device_api*> device_apis;  // borrowed until the engine's end; see `owners`
    std::string isa;                                     // the instruction set that the CPU kernels use: "avx512"
    std::string numerics;                                // more that decides bits: "onednn=3.7.2 precision=bf16"
    std::vector<AbsentDevice> absent;                    // kinds that have no table at all, and why
    // The pool that the engine counts with, for tables that allocate from it: make_pool(options). Null: one of its own.
    std::shared_ptr<MemoryPool> memory;
    // What tables, kernels and schemas are borrowed from. Let go of last, in reverse order.
    std::vector<std::shared_ptr<const void>> owners;
  };
  // A pool with the limit of the options.
  static std::shared_ptr<MemoryPool> make_pool(const EngineOptions& options);

  // INVALID_ARGUMENT or OUT_OF_RANGE for an option that means nothing, NOT_FOUND for a device that is not there: the
  // message names what is, and why the absent ones are absent.
  static Result<std::shared_ptr<Engine>> create(const EngineOptions& options, Parts parts);
  // In a process that was forked after creation, threads and devices belong to the parent: they are left alone.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const std::shared_ptr<const Registry>& registry() const { return parts_.registry; }
  const std::shared_ptr<MemoryPool>& memory() const { return parts_.memory; }
  ThreadPool& threads() const { return *threads_; }
  // In the order of the option.
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  // Null when the engine has not opened it.
  const Device* find_device(std::string_view name) const;
  const std::vector<AbsentDevice>& absent_devices() const { return parts_.absent; }
  const EngineOptions& options() const { return options_; }
  const std::string& isa() const { return parts_.isa; }
  LogSink& log() { return log_; }
  const LogSink& log() const { return log_; }
  // What the bits of a result depend on: library, ISA, numeric options. Equal strings promise equal bits.
  std::string fingerprint() const;
  // FAILED_PRECONDITION in a process that was forked after the engine was made.
  Status check_usable() const;

 private:
  class ForkMark;

  Engine() = default;
  Status open_devices();

  EngineOptions options_;
  Parts parts_;
  std::unique_ptr<ForkMark> fork_mark_;
  std::unique_ptr<ThreadPool> threads_;
  std::vector<std::unique_ptr<Device>> devices_;
  LogSink log_;
};

}  // namespace percale

#endif  // PERCALE_CORE_RUN_ENGINE_H_
