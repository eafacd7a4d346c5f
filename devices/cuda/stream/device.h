// A device that an engine has opened: a GPU's primary context, its memory and its modules. Several
// devices may share one GPU.
#ifndef PERCALE_DEVICES_CUDA_STREAM_DEVICE_H_
#define PERCALE_DEVICES_CUDA_STREAM_DEVICE_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "devices/cuda/driver/compiler.h"
#include "devices/cuda/driver/driver.h"
#include "devices/cuda/driver/memory.h"
#include "devices/cuda/stream/functions.h"

namespace percale::cuda {

class Stream;
class DnnPlan;

// The state that all devices of one copy of the library share, and the host's function table. Lives
// as long as the process.
struct Shared {
  explicit Shared(const percale_host_api& given, const std::string& folders)
      : host(given),
        driver(folders),
        blas(folders),
        dnn(folders),
        compiler(folders, CodeFolder::default_path()),
        pinned(driver) {}
  const percale_host_api& host;
  Driver driver;
  BlasLibrary blas;
  DnnLibrary dnn;
  Compiler compiler;
  PinnedMemory pinned;
};

// A logical device on a GPU. Thread-safe.
class Device {
 public:
  // Retains the GPU's primary context, which the host application may use as well. The context is
  // never reset. Throws a Failure if the GPU or the options are not available.
  Device(Shared& shared, int ordinal, const percale_device_options& options);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Shared& shared() const { return shared_; }
  const percale_host_api& host() const { return shared_.host; }
  const Driver& driver() const { return shared_.driver; }
  Memory& memory() { return *memory_; }
  abi::Context context() const { return context_; }
  abi::DeviceNumber number() const { return number_; }
  int multiprocessors() const { return facts_.multiprocessors; }
  bool tf32() const { return tf32_; }
  bool deterministic() const { return deterministic_; }
  void describe(percale_device_description& out) const;

  // Returns a kernel of the device code. Its module is loaded on first use. The kernel takes one
  // struct of `argument_bytes` bytes.
  abi::Function function(Family family, const std::string& name, size_t argument_bytes) {
    return functions_.find(family, name, argument_bytes);
  }
  // Returns a kernel that is compiled on first use, or null if it cannot be compiled.
  abi::Function function(const KernelSource& source, size_t argument_bytes) {
    return functions_.find(source, facts_.major * 10 + facts_.minor, argument_bytes);
  }
  // Allows launches of the function with `bytes` bytes of dynamic shared memory from now on. The
  // context must be current.
  void allow_shared(abi::Function function, unsigned bytes) { functions_.allow_shared(function, bytes); }
  // Returns the handle of cuBLASLt, created on first use. The context must be current.
  abi::Blas blas();
  // Calls f(handle) with the handle of cuDNN, which is created on first use, or with null if cuDNN
  // is not available. The handle has a stream, so only one thread at a time runs f. The context
  // must be current.
  template <class F>
  auto with_dnn(F&& f) {
    const std::lock_guard lock(dnn_mutex_);
    return f(dnn());
  }

  // Returns the plan of a cuDNN graph, whose `key` describes the graph completely. It is null until
  // it has been planned. Call it only within with_dnn().
  std::shared_ptr<const DnnPlan>& dnn_plan(const std::string& key) { return dnn_plans_[key]; }

  // Calls f(stream) with the stream for work outside of runs. Only one thread at a time runs f. The
  // context must be current.
  template <class F>
  void with_copies(F&& f) {
    const std::lock_guard lock(copies_mutex_);
    f(copies());
  }
  // Synchronous copies: they are complete when the call returns.
  void copy_to_device(abi::Address to, const void* from, uint64_t bytes);
  void copy_to_host(void* to, abi::Address from, uint64_t bytes);

  bool lost() const { return lost_; }
  // Records a failure. A failure that ends the context marks the device as lost.
  void note(const Failure& failure) {
    if (failure.lost()) note_lost();
  }
  void note_lost() { lost_ = true; }
  // Throws a Failure with UNAVAILABLE if the device is lost.
  void check_alive() const;

 private:
  // The facts about the GPU.
  struct Facts {
    std::string name;
    uint64_t total = 0;  // bytes of memory
    int multiprocessors = 1, major = 0, minor = 0;
    double gflops = 0, gbytes_per_second = 0;
  };

  void read_facts();
  Stream& copies();
  abi::Dnn dnn();

  Shared& shared_;
  abi::DeviceNumber number_ = 0;
  abi::Context context_ = nullptr;
  Facts facts_;
  const bool tf32_, deterministic_;
  std::atomic<bool> lost_{false};
  std::unique_ptr<Memory> memory_;

  Functions functions_;
  std::mutex blas_mutex_;
  abi::Blas blas_ = nullptr;
  std::mutex dnn_mutex_;
  bool asked_for_dnn_ = false;
  abi::Dnn dnn_ = nullptr;
  std::unordered_map<std::string, std::shared_ptr<const DnnPlan>> dnn_plans_;
  std::mutex copies_mutex_;
  std::unique_ptr<Stream> copies_;
};

// Makes the device's context current on this thread while the object lives.
class Current {
 public:
  explicit Current(const Device& device);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  const Driver& driver_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_STREAM_DEVICE_H_
