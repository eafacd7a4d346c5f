/// The root of everything: registries, devices, threads, memory limit.
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

/// thread-safe. Several may live in one process; what is made with an engine keeps it alive.
class Engine : public Handle<percale_engine, percale_engine_release> {
 public:
  using Handle::Handle;

  /// With defaults. Plug-ins are looked for now and at no other time.
  static Result<Engine> create() {
    return detail::made<Engine, percale_engine>(
        [](percale_engine** out) { return percale_engine_create(nullptr, out); });
  }
  /// `options` of kind "engine".
  static Result<Engine> create(const Options& options) {
    if (!options.status()) return options.status();
    return detail::made<Engine, percale_engine>(
        [&](percale_engine** out) { return percale_engine_create(options.get(), out); });
  }
  /// One more owner of the same engine.
  Engine share() const { return Engine(percale_engine_retain(get())); }

  /// "cpu:0", ...
  std::vector<std::string> devices() const {
    std::vector<std::string> out;
    for (size_t i = 0; i < percale_engine_device_count(get()); ++i) {
      out.emplace_back(detail::view(percale_engine_get_device_name(get(), i)));
    }
    return out;
  }
  /// Facts as JSON: "info", "ops", "layers", "passes", "kernels", "losses", "metrics",
  /// "optimizers", "schedules" or "spec".
  Result<std::string> describe(Text what) const {
    return detail::text([&](percale_text** out) { return percale_engine_describe(get(), what.c_str(), out); });
  }

  /// Reads a file and returns what is wrong with it. Kinds: .percale, .onnx, .safetensors, .npy,
  /// .npz, a SPEC (.json), a checkpoint or a folder of checkpoints.
  Status check_file(Text path) const { return Status(percale_file_check(get(), path.c_str())); }

  /// Bytes that the engine accounts for.
  struct Memory {
    int64_t used = 0, peak = 0;  ///< bytes
  };
  /// What the engine's allocations hold now, and the most they ever held.
  Memory memory() const {
    Memory out;
    percale_engine_memory(get(), &out.used, &out.peak);
    return out;
  }

  /// Sends messages to `sink(level, std::string_view)`, on any thread; level 0 debug to 3 error. `sink` must not throw; it is kept
  /// until another takes its place or the engine ends. Before other threads use the engine.
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
  /// Messages go nowhere again.
  void clear_log() { percale_engine_set_log(get(), nullptr, nullptr); }
};

}  // namespace percale

#endif  // PERCALE_CPP_ENGINE_HPP_
