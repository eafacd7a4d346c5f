// The root of everything: what sessions, trainers and data sets share. Several may live in one process.
#ifndef PERCALE_CORE_RUN_ENGINE_H_
#define PERCALE_CORE_RUN_ENGINE_H_

#include <memory>
#include <string>
#include <vector>

#include "c_api/percale_plugin.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/thread_pool.h"
#include "core/registry/registry.h"

namespace percale {

// A device that was opened. Closed with the engine.
class Device {
 public:
  Device(const percale_device_api& api, int32_t index, void* handle, const percale_device_description& description);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& name() const { return name_; }  // "cpu:0"
  const std::string& kind() const { return kind_; }  // "cpu"
  int32_t index() const { return index_; }
  bool shares_host_memory() const { return description_.shares_host_memory != 0; }
  const percale_device_description& description() const { return description_; }
  const percale_device_api& api() const { return api_; }
  void* handle() const { return handle_; }

 private:
  const percale_device_api& api_;
  int32_t index_;
  void* handle_;
  percale_device_description description_;
  std::string name_, kind_;
};

// A kind of device that the machine lacks, and why.
struct AbsentDevice {
  std::string kind, reason;
};

struct EngineOptions {
  int32_t threads = 0;       // 0: default_threads()
  int64_t memory_limit = 0;  // bytes, 0: none
  std::string devices = "cpu:0";  // "cpu:0,cpu:1", "cpu=4x1", "null:0"; "" = none
  std::string isa = "auto";       // what the CPU kernels may use
  LogLevel log_level = LogLevel::kWarning;
};

// Thread-safe. Immutable after creation but for what its parts count.
class Engine {
 public:
  // What the floors above know and the engine cannot: the op set, the kinds of device, facts for the fingerprint.
  struct Parts {
    std::shared_ptr<const Registry> registry;
    std::vector<const percale_device_api*> device_apis;
    std::string isa;  // the instruction set that the CPU kernels use: "avx512"
  };
  static Result<std::shared_ptr<Engine>> create(const EngineOptions& options, Parts parts);
  ~Engine();

  const std::shared_ptr<const Registry>& registry() const { return parts_.registry; }
  const std::shared_ptr<MemoryPool>& memory() const { return memory_; }
  ThreadPool& threads() const { return *threads_; }
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  const std::vector<AbsentDevice>& absent_devices() const { return absent_; }
  const EngineOptions& options() const { return options_; }
  const std::string& isa() const { return parts_.isa; }
  LogSink& log() { return log_; }
  // What the bits of a result depend on: library, ISA, numeric options. Equal strings promise equal bits.
  std::string fingerprint() const;
  // FAILED_PRECONDITION in a process that was forked after the engine was made.
  Status check_usable() const;

 private:
  Engine() = default;
  EngineOptions options_;
  Parts parts_;
  std::shared_ptr<MemoryPool> memory_;
  std::unique_ptr<ThreadPool> threads_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<AbsentDevice> absent_;
  LogSink log_;
  const uint32_t* fork_mark_ = nullptr;
};

}  // namespace percale

#endif  // PERCALE_CORE_RUN_ENGINE_H_
