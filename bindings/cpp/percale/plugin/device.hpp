/// Devices: the table of a device class.
#ifndef PERCALE_CPP_PLUGIN_DEVICE_HPP_
#define PERCALE_CPP_PLUGIN_DEVICE_HPP_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "error.hpp"

namespace percale::plugin {

namespace detail {

template <class D>
D& device_at(void* device) {
  return *static_cast<D*>(device);
}

// Runs f(device) and returns a status of what it throws.
template <class D, class F>
percale_status* on_device(void* device, F&& f) {
  D& self = device_at<D>(device);
  return guarded(self.host(), [&] { f(self); });
}

template <class D>
void add_memory(percale_device_api& api) {
  api.allocate = [](void* device, uint64_t bytes, void** out_memory) {
    *out_memory = nullptr;
    return on_device<D>(device, [&](D& self) { *out_memory = self.allocate(bytes); });
  };
  api.free = [](void* device, void* memory) { device_at<D>(device).free(memory); };
  if constexpr (requires(D & d) { d.allocate_host(uint64_t{}); }) {
    api.allocate_host = [](void* device, uint64_t bytes, void** out_memory) {
      *out_memory = nullptr;
      return on_device<D>(device, [&](D& self) { *out_memory = self.allocate_host(bytes); });
    };
    api.free_host = [](void* device, void* memory) { device_at<D>(device).free_host(memory); };
  }
  if constexpr (requires(D & d, uint64_t * out) { d.memory_stats(out, out); }) {
    api.memory_stats = [](void* device, uint64_t* out_used, uint64_t* out_peak) {
      device_at<D>(device).memory_stats(out_used, out_peak);
    };
  }
}

template <class D, class S>
void add_copies(percale_device_api& api) {
  api.copy_from_host = [](void* device, void* stream, void* to, const void* from, uint64_t bytes) {
    return on_device<D>(device, [&](D& self) { self.copy_from_host(static_cast<S*>(stream), to, from, bytes); });
  };
  api.copy_to_host = [](void* device, void* stream, void* to, const void* from, uint64_t bytes) {
    return on_device<D>(device, [&](D& self) { self.copy_to_host(static_cast<S*>(stream), to, from, bytes); });
  };
  if constexpr (requires(D & d, S * s) { d.copy_out(s, nullptr, nullptr, uint64_t{}); }) {
    api.copy_out = [](void* device, void* stream, void* to, const void* from, uint64_t bytes) {
      return on_device<D>(device, [&](D& self) { self.copy_out(static_cast<S*>(stream), to, from, bytes); });
    };
  }
}

template <class D, class S>
void add_streams(percale_device_api& api) {
  api.stream_create = [](void* device, void** out_stream) {
    *out_stream = nullptr;
    return on_device<D>(device, [&](D& self) { *out_stream = self.make_stream(); });
  };
  api.stream_destroy = [](void* stream) { D::destroy_stream(static_cast<S*>(stream)); };
  api.stream_synchronize = [](void* stream) {
    auto& s = *static_cast<S*>(stream);
    return on_device<D>(&D::device_of(s), [&](D& self) { self.synchronize(s); });
  };
  using Reached = void (*)(void* event, uint64_t value, percale_code code);
  if constexpr (requires(D & d, S & s, Reached r) { d.signal(s, r, nullptr, uint64_t{}); }) {
    api.stream_signal = [](void* stream, Reached reached, void* event, uint64_t value) {
      auto& s = *static_cast<S*>(stream);
      return on_device<D>(&D::device_of(s), [&](D& self) { self.signal(s, reached, event, value); });
    };
  }
}

template <class D, class S>
void add_captures(percale_device_api& api) {
  using Captured = typename D::Captured;
  api.capture_begin = [](void* stream) {
    auto& s = *static_cast<S*>(stream);
    return on_device<D>(&D::device_of(s), [&](D& self) { self.capture_begin(s); });
  };
  api.capture_end = [](void* stream, void** out_captured) {
    *out_captured = nullptr;
    auto& s = *static_cast<S*>(stream);
    return on_device<D>(&D::device_of(s), [&](D& self) { *out_captured = self.capture_end(s); });
  };
  api.replay = [](void* stream, void* captured, percale_run_context* run) {
    auto& s = *static_cast<S*>(stream);
    return on_device<D>(&D::device_of(s), [&](D& self) { self.replay(s, *static_cast<Captured*>(captured), run); });
  };
  api.captured_destroy = [](void* captured) { D::destroy_captured(static_cast<Captured*>(captured)); };
}

template <class D, class S>
void add_partitions(percale_device_api& api) {
  using Executable = typename D::Executable;
  api.compile = [](void* device, const void* graph, uint64_t bytes, void** out_executable) {
    *out_executable = nullptr;
    return on_device<D>(device, [&](D& self) { *out_executable = self.compile(graph, bytes); });
  };
  api.execute = [](void* executable, void* stream, void* const* inputs, void* const* outputs) {
    auto& e = *static_cast<Executable*>(executable);
    return on_device<D>(&D::device_of(e), [&](D& self) { self.execute(e, static_cast<S*>(stream), inputs, outputs); });
  };
  api.executable_destroy = [](void* executable) { delete static_cast<Executable*>(executable); };
  if constexpr (requires(const Executable& e, uint64_t* out) { D::operand_counts(e, out, out); }) {
    api.operand_counts = [](void* executable, uint64_t* out_inputs, uint64_t* out_outputs) {
      D::operand_counts(*static_cast<const Executable*>(executable), out_inputs, out_outputs);
    };
  }
}

template <class D>
struct StreamOf {
  using Type = void;
};
template <class D>
requires requires { typename D::Stream; }
struct StreamOf<D> {
  using Type = typename D::Stream;
};

}  // namespace detail

/// Fills a description, of which the caller may know only the first `out.struct_size` bytes.
inline void give_description(percale_device_description facts, percale_device_description* out) {
  facts.struct_size = static_cast<uint32_t>(std::min<size_t>(out->struct_size, sizeof facts));
  std::memcpy(out, &facts, facts.struct_size);
}

/// The table of the device class D. Errors are exceptions. D has
///   using Owner = ...;                                 with `const percale_host_api& host() const`
///   static int32_t probe(Owner& owner, const char** out_reason);
///   D(Owner& owner, int32_t index, const percale_device_options& options);
///   const percale_host_api& host() const;
///   percale_device_description describe() const;
///   void* allocate(uint64_t bytes);  void free(void* memory);
///   void copy_from_host(Stream* stream, void* to, const void* from, uint64_t bytes);
///   void copy_to_host(Stream* stream, void* to, const void* from, uint64_t bytes);
/// and, if the device can do it, under the names of the table's slots: lost; allocate_host and
/// free_host; memory_stats; copy_out; for streams `using Stream = ...`, make_stream,
/// destroy_stream, synchronize, signal, device_of(Stream&); launch; for captures `using Captured =
/// ...`, capture_begin, capture_end, replay, destroy_captured; for partitions `using Executable =
/// ...`, compile, execute, device_of(Executable&), operand_counts; all_reduce. `owner` must live as
/// long as the process.
template <class D>
percale_device_api device_of(const char* kind, typename D::Owner& owner) {
  using Owner = typename D::Owner;
  using S = typename detail::StreamOf<D>::Type;
  percale_device_api api{};
  api.struct_size = sizeof api;
  api.self = &owner;
  api.kind = kind;
  api.probe = [](void* self, const char** out_reason) {
    *out_reason = nullptr;
    return D::probe(*static_cast<Owner*>(self), out_reason);
  };
  api.open = [](void* self, int32_t index, const percale_device_options* options, void** out_device) {
    *out_device = nullptr;
    auto& of = *static_cast<Owner*>(self);
    return guarded(of.host(), [&] { *out_device = new D(of, index, *options); });
  };
  api.close = [](void* device) { delete static_cast<D*>(device); };
  api.describe = [](void* device, percale_device_description* out) {
    return detail::on_device<D>(device, [&](D& self) { give_description(self.describe(), out); });
  };
  if constexpr (requires(D & d) { d.lost(); }) {
    api.lost = [](void* device) { return int32_t{detail::device_at<D>(device).lost()}; };
  }
  detail::add_memory<D>(api);
  detail::add_copies<D, S>(api);
  if constexpr (!std::is_void_v<S>) detail::add_streams<D, S>(api);
  if constexpr (requires { typename D::Captured; }) detail::add_captures<D, S>(api);
  if constexpr (requires { typename D::Executable; }) detail::add_partitions<D, S>(api);
  if constexpr (requires { &D::launch; }) {
    api.launch = [](void* stream, void (*run)(const void* state, const percale_launch* launch), const void* state,
                    const percale_launch* launch, size_t operand_count) {
      auto& s = *static_cast<S*>(stream);
      return detail::on_device<D>(&D::device_of(s),
                                  [&](D& self) { self.launch(s, run, state, *launch, operand_count); });
    };
  }
  if constexpr (requires { &D::all_reduce; }) {
    api.all_reduce = [](void* const* devices, uint32_t device_count, void* const* buffers, const uint64_t* counts,
                        uint32_t buffer_count, percale_dtype dtype) {
      return detail::on_device<D>(devices[0], [&](D&) {
        std::vector<D*> all;
        for (uint32_t i = 0; i < device_count; ++i) all.push_back(static_cast<D*>(devices[i]));
        D::all_reduce(all, buffers, std::span<const uint64_t>(counts, buffer_count), dtype);
      });
    };
  }
  return api;
}

}  // namespace percale::plugin

#endif  // PERCALE_CPP_PLUGIN_DEVICE_HPP_
