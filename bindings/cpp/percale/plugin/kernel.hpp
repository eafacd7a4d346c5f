/// Kernels: one run of a node, and the table entry of a kernel.
#ifndef PERCALE_CPP_PLUGIN_KERNEL_HPP_
#define PERCALE_CPP_PLUGIN_KERNEL_HPP_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "node.hpp"

namespace percale::plugin {

/// The counters of random ops.
struct RandomCounters {
  /// Seed and step of the run, and the index of the first row of its batch.
  int64_t seed = 0, step = 0, first_row = 0;
};

/// The run that a kernel works for. Any thread of the run may use it.
class Run {
 public:
  /// Borrows both.
  Run(const percale_host_api& host, percale_run_context* context) : host_(&host), context_(context) {}

  /// The run as the C interface has it.
  percale_run_context* context() const { return context_; }
  /// True if the run was cancelled or its deadline has passed.
  bool is_cancelled() const { return host_->run->cancelled(context_) != 0; }
  /// The counters of random ops.
  RandomCounters random() const {
    RandomCounters out;
    host_->run->random(context_, &out.seed, &out.step, &out.first_row);
    return out;
  }
  /// Fails the run with a message of the kernel's own.
  void fail(percale_code code, std::string_view message) const {
    host_->run->fail(context_, code, message.data(), message.size());
  }
  /// Fails the run for a reason that the library words, with the numbers of fail_at() in
  /// percale_host_run_api.
  void fail(percale_run_error error, int64_t detail, int64_t mark) const {
    host_->run->fail_at(context_, mark, error, detail);
  }
  /// Writes a message to the log of the engine.
  void log(percale_log_level level, std::string_view message) const {
    host_->log->write(context_, level, message.data(), message.size());
  }

  /// Calls body(0) to body(pieces - 1) on the engine's threads. The body must not throw.
  template <class F>
  void parallel_for(int64_t pieces, F&& body) const {
    using Body = std::remove_reference_t<F>;
    host_->run->parallel_for(
        context_, pieces, [](void* arg, int64_t piece) { (*static_cast<Body*>(arg))(piece); },
        const_cast<std::remove_const_t<Body>*>(std::addressof(body)));
  }
  /// Calls body(first, last) for chunks of `size` of the numbers from 0 to count - 1. The chunks,
  /// and so the bits, do not depend on the number of threads.
  template <class F>
  void parallel_chunks(int64_t count, int64_t size, F&& body) const {
    parallel_for((count + size - 1) / size, [&](int64_t piece) {
      if (!is_cancelled()) body(piece * size, std::min(count, (piece + 1) * size));
    });
  }

 private:
  const percale_host_api* host_;
  percale_run_context* context_;
};

/// One run of a node: its operands.
class Launch {
 public:
  /// Borrows the launch. `inputs`: the number of inputs of the node.
  Launch(const percale_host_api& host, const percale_launch& launch, size_t inputs)
      : host_(host), launch_(launch), inputs_(inputs) {}

  /// The elements of an input; NULL if it is absent.
  template <class T>
  const T* in(size_t i) const {
    return static_cast<const T*>(launch_.operands[i]);
  }
  /// The elements of an output; NULL if it is absent.
  template <class T>
  T* out(size_t k) const {
    return static_cast<T*>(launch_.operands[inputs_ + k]);
  }
  /// The scratch memory that the plan has requested.
  template <class T>
  T* scratch() const {
    return static_cast<T*>(launch_.scratch);
  }
  /// The run.
  Run run() const { return {host_, launch_.run}; }

 private:
  const percale_host_api& host_;
  const percale_launch& launch_;
  size_t inputs_;
};

/// The identity of a kernel.
struct KernelName {
  const char* name;                 ///< "sample.square", for traces and `percale kernels`
  const char* domain;               ///< the domain of its op; "" for ONNX's own
  const char* op;                   ///< the name of its op
  const char* device_kind = "cpu";  ///< the kind of device that it runs on
};

/// The table entry of a kernel that a context plans. C has
///   const percale_host_api& host() const;
///   void accepts(const percale_node_view* node) const;   throws a Refusal
///   std::unique_ptr<S> plan(const percale_node_view* node, percale_kernel_plan* plan) const;
/// and S has `void run(const percale_launch& launch) const noexcept`. The context must live as long
/// as the process.
template <class C>
percale_kernel kernel_of(const KernelName& name, const C& context) {
  using State = typename decltype(context.plan(nullptr, nullptr))::element_type;
  percale_kernel kernel{};
  kernel.struct_size = sizeof kernel;
  kernel.name = name.name;
  kernel.device_kind = name.device_kind;
  kernel.domain = name.domain;
  kernel.op = name.op;
  kernel.accepts = [](void* user, const percale_node_view* node) {
    const auto& self = *static_cast<const C*>(user);
    return guarded(self.host(), [&] { self.accepts(node); });
  };
  kernel.plan = [](void* user, const percale_node_view* node, percale_kernel_plan* plan, void** out_state) {
    const auto& self = *static_cast<const C*>(user);
    *out_state = nullptr;
    return guarded(self.host(), [&] { *out_state = self.plan(node, plan).release(); });
  };
  kernel.run = [](const void* state, const percale_launch* launch) { static_cast<const State*>(state)->run(*launch); };
  kernel.destroy = [](void* state) { delete static_cast<State*>(state); };
  kernel.user = const_cast<C*>(&context);
  return kernel;
}

namespace detail {

// The context of a kernel class K, see Plugin::add_kernel().
template <class K>
class KernelClass {
 public:
  /// The host must live as long as the process.
  explicit KernelClass(const percale_host_api& host) : host_(host) {}

  /// A planned node.
  struct State {
    const percale_host_api* host;  ///< the functions of the library
    size_t inputs;                 ///< of the node
    K kernel;                      ///< planned

    /// Runs the kernel. A Failure fails the run.
    void run(const percale_launch& given) const noexcept {
      const Launch launch(*host, given, inputs);
      try {
        kernel.run(launch);
      } catch (const Failure& failure) {
        launch.run().fail(failure.code(), failure.what());
      } catch (const std::bad_alloc&) {
        launch.run().fail(PERCALE_RUN_ERROR_OUT_OF_MEMORY, 0, -1);
      } catch (const std::exception& error) {
        launch.run().fail(PERCALE_INTERNAL, error.what());
      }
    }
  };

  /// See kernel_of().
  const percale_host_api& host() const { return host_; }
  /// See kernel_of().
  void accepts(const percale_node_view* view) const {
    const Node node(host_, view);
    KernelPlan plan(host_, nullptr);
    static_cast<void>(K(node, plan));
  }
  /// See kernel_of().
  std::unique_ptr<State> plan(const percale_node_view* view, percale_kernel_plan* plan) const {
    const Node node(host_, view);
    KernelPlan requests(host_, plan);
    return std::unique_ptr<State>(new State{&host_, node.inputs(), K(node, requests)});
  }

 private:
  const percale_host_api& host_;
};

}  // namespace detail

}  // namespace percale::plugin

#endif  // PERCALE_CPP_PLUGIN_KERNEL_HPP_
