/// Engines, the owners of devices, threads, registries and the memory limit.
#ifndef PERCALE_CPP_ENGINE_HPP_
#define PERCALE_CPP_ENGINE_HPP_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "percale/options.hpp"

namespace percale {

/// Owns the devices, threads, registries and the memory limit. Several engines may exist in one
/// process. Objects that are created with an engine keep it alive. Thread-safe.
class Engine : public Handle<percale_engine, percale_engine_release> {
 public:
  using Handle::Handle;

  /// Creates an engine with the defaults. It searches for plug-ins, which happens only here.
  static Result<Engine> create() {
    return detail::made<Engine, percale_engine>(
        [](percale_engine** out) { return percale_engine_create(nullptr, out); });
  }
  /// Creates an engine with `options` of kind "engine".
  static Result<Engine> create(const Options& options) {
    if (!options.status()) return options.status();
    return detail::made<Engine, percale_engine>(
        [&](percale_engine** out) { return percale_engine_create(options.get(), out); });
  }
  /// Returns another owner of the same engine.
  Engine share() const { return Engine(percale_engine_retain(get())); }

  /// The names of the usable devices: "cpu:0", ...
  std::vector<std::string> devices() const {
    std::vector<std::string> out;
    for (size_t i = 0; i < percale_engine_device_count(get()); ++i) {
      out.emplace_back(detail::view(percale_engine_get_device_name(get(), i)));
    }
    return out;
  }
  /// Returns facts as JSON. `what` is "info", "ops", "layers", "passes", "kernels", "losses",
  /// "metrics", "optimizers", "schedules", "spec" or "asked_ops".
  Result<std::string> describe(Text what) const {
    return detail::text([&](percale_text** out) { return percale_engine_describe(get(), what.c_str(), out); });
  }

  /// Reads a file and returns the first error that it finds. It accepts .percale, .onnx,
  /// .safetensors, .npy and .npz files, a SPEC (.json), a checkpoint, or a folder of checkpoints.
  Status check_file(Text path) const { return Status(percale_file_check(get(), path.c_str())); }

  /// Memory of the engine.
  struct Memory {
    int64_t used = 0, peak = 0;  ///< bytes
  };
  /// Returns the bytes that the engine's allocations hold now, and the highest number so far.
  Memory memory() const {
    Memory out;
    percale_engine_memory(get(), &out.used, &out.peak);
    return out;
  }

  /// Gives memory that is kept for later runs back to the system, and returns the bytes that the
  /// engine has released. Runs that are under way keep what they have; later runs allocate again.
  int64_t trim() { return percale_engine_trim(get()); }
  /// Returns what the engine has counted so far as JSON: runs, errors, time, memory, plans, steps
  /// of training. percale_engine_metrics() lists the keys. It is cheap, and no run waits for it.
  Result<std::string> metrics() const {
    return detail::text([&](percale_text** out) { return percale_engine_metrics(get(), out); });
  }

  /// Passes log messages to `sink(level, std::string_view)`, which may be called on any thread.
  /// Levels go from 0 (debug) to 3 (error). `sink` must not throw. It is kept until another one
  /// replaces it or the engine ends. Call set_log() before other threads use the engine.
  template <class Sink>
  Status set_log(Sink sink) {
    auto kept = std::make_unique<Sink>(std::move(sink));
    Status status(percale_engine_set_log_owned(
        get(),
        [](void* user, int32_t level, const char* message, size_t size) {
          (*static_cast<Sink*>(user))(level, std::string_view(message, size));
        },
        kept.get(), [](void* user) { delete static_cast<Sink*>(user); }));
    if (status) (void)kept.release();
    return status;
  }
  /// Ends logging.
  void clear_log() { percale_engine_set_log(get(), nullptr, nullptr); }
};

}  // namespace percale

#endif  // PERCALE_CPP_ENGINE_HPP_
