// A device in the memory of this process, which tests and fuzz targets serve.
#ifndef PERCALE_TESTS_UNIT_REMOTE_MEMORY_DEVICE_H_
#define PERCALE_TESTS_UNIT_REMOTE_MEMORY_DEVICE_H_

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tests/unit/remote/fake_host.h"

namespace percale::remote {

// A "graph" is a text: "copy 100" has one input and one output of 100 bytes, and copies. "wait 100"
// also waits until let_go() was called. "fail 100" is an error of each run. "" does not compile.
class MemoryDevice {
 public:
  explicit MemoryDevice(uint64_t memory_bytes = uint64_t{1} << 30) : memory_bytes_(memory_bytes) {}
  MemoryDevice(const MemoryDevice&) = delete;
  MemoryDevice& operator=(const MemoryDevice&) = delete;

  // Under the name "cpu:0".
  percale_served_device served() {
    percale_served_device out{};
    out.struct_size = sizeof out;
    out.name = "cpu:0";
    out.api = &table();
    out.device = this;
    out.options = &options;
    out.list_operands = [](void* executable, void (*found)(void* to, int32_t is_output, uint64_t bytes), void* to) {
      const uint64_t bytes = static_cast<Program*>(executable)->bytes;
      found(to, 0, bytes);
      found(to, 1, bytes);
    };
    return out;
  }

  // The blocks and programs that exist now.
  struct Counts {
    size_t blocks, programs;
    uint64_t bytes;
    bool operator==(const Counts&) const = default;
  };
  Counts counts() const {
    const std::lock_guard lock(mutex_);
    return {blocks_.size(), programs_.size(), used_};
  }
  // Runs of "wait" that are under way, and all later ones, go on.
  void let_go() {
    const std::lock_guard lock(mutex_);
    may_go_ = true;
    changed_.notify_all();
  }
  void wait_for_run() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return running_ > 0; });
  }

  percale_device_options options{sizeof(percale_device_options), 0, 1, 0};
  std::atomic<bool> is_lost{false};

 private:
  struct Program {
    MemoryDevice* device;
    std::string verb;
    uint64_t bytes;
  };

  percale_status* allocate(uint64_t bytes, void** out) {
    const std::lock_guard lock(mutex_);
    if (bytes > memory_bytes_ - used_) return make_status(PERCALE_RESOURCE_EXHAUSTED, "the device has no memory");
    *out = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    std::memset(*out, 0, bytes);
    blocks_[*out] = bytes;
    used_ += bytes;
    return nullptr;
  }
  void free(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(memory);
    used_ -= found->second;
    blocks_.erase(found);
    std::free(memory);
  }
  percale_status* compile(const std::string& text, void** out) {
    const size_t space = text.find(' ');
    if (space == std::string::npos) return make_status(PERCALE_UNIMPLEMENTED, "the node 'x' of op Foo has no kernel");
    auto program = std::make_unique<Program>(
        Program{this, text.substr(0, space), std::strtoull(text.c_str() + space, nullptr, 10)});
    const std::lock_guard lock(mutex_);
    *out = program.get();
    programs_[*out] = std::move(program);
    return nullptr;
  }
  percale_status* run(const Program& program, const void* from, void* to) {
    std::unique_lock lock(mutex_);
    ++running_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return program.verb != "wait" || may_go_; });
    --running_;
    lock.unlock();
    if (program.verb == "fail") return make_status(PERCALE_OUT_OF_RANGE, "an index is out of range");
    if (program.bytes > 0) std::memmove(to, from, program.bytes);
    return nullptr;
  }

  static MemoryDevice& at(void* device) { return *static_cast<MemoryDevice*>(device); }
  static const percale_device_api& table() {
    static const percale_device_api api = [] {
      percale_device_api out{};
      out.struct_size = sizeof out;
      out.kind = "cpu";
      out.describe = [](void* device, percale_device_description* facts) {
        facts->kind = "cpu";
        facts->model = "a test";
        facts->memory_bytes = at(device).memory_bytes_;
        facts->gflops = 12.5;
        facts->gbytes_per_second = 3;
        return static_cast<percale_status*>(nullptr);
      };
      out.lost = [](void* device) { return int32_t{at(device).is_lost}; };
      out.allocate = [](void* device, uint64_t bytes, void** memory) { return at(device).allocate(bytes, memory); };
      out.free = [](void* device, void* memory) { at(device).free(memory); };
      out.copy_from_host = out.copy_to_host = [](void* device, void*, void* to, const void* from, uint64_t bytes) {
        if (at(device).is_lost) return make_status(PERCALE_UNAVAILABLE, "the device is lost");
        if (bytes > 0) std::memcpy(to, from, bytes);
        return static_cast<percale_status*>(nullptr);
      };
      out.compile = [](void* device, const void* graph, uint64_t bytes, void** executable) {
        return at(device).compile(std::string(static_cast<const char*>(graph), bytes), executable);
      };
      out.execute = [](void* executable, void*, void* const* inputs, void* const* outputs) {
        const auto& program = *static_cast<Program*>(executable);
        return program.device->run(program, inputs[0], outputs[0]);
      };
      out.executable_destroy = [](void* executable) {
        MemoryDevice& device = *static_cast<Program*>(executable)->device;
        const std::lock_guard lock(device.mutex_);
        device.programs_.erase(executable);
      };
      return out;
    }();
    return api;
  }

  const uint64_t memory_bytes_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable changed_;
  std::map<void*, uint64_t> blocks_;
  std::map<void*, std::unique_ptr<Program>> programs_;
  uint64_t used_ = 0;
  size_t running_ = 0;
  bool may_go_ = false;
};

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_MEMORY_DEVICE_H_
