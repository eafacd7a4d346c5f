// The op bench:Wait, which takes the time of a layer without its work, so that more processes than
// processors can be measured.
#include <chrono>
#include <cstring>
#include <percale_plugin.hpp>
#include <thread>

using namespace percale::plugin;

namespace {

// Waits until a kernel that began at `begin` has taken so long.
void wait_until(std::chrono::steady_clock::time_point begin, int64_t ns) {
  std::this_thread::sleep_until(begin + std::chrono::nanoseconds(ns));
}

constexpr percale_op_attribute kWaits[] = {int_attribute("forward_ns", 0), int_attribute("backward_ns", 0)};

struct Wait {
  static constexpr const char *kName = "Wait", *kDoc = "x, after forward_ns; its gradients take backward_ns.";
  static constexpr percale_op_value kInputs[] = {input("x", 'T', PERCALE_DTYPE_F32),
                                                 input("w", 'T', PERCALE_DTYPE_F32)};
  static constexpr percale_op_value kOutputs[] = {output("y", 'T')};
  static constexpr const auto& kAttributes = kWaits;
  static void shape(Shape& shape) { shape.set_output_like(0, 0); }
  static void gradient(Gradient& g) {
    const int64_t ns = g.attributes().get("backward_ns", int64_t{0});
    const auto out = g.emit_outputs("bench:WaitGrad", 2, {g.output_gradient(0), g.input(1)}, {{"backward_ns", ns}});
    g.set(0, out[0]);
    g.set(1, out[1]);
  }
};

struct WaitGrad {
  static constexpr const char *kName = "WaitGrad", *kDoc = "dx = dy, dw = 1e-6, after backward_ns.";
  static constexpr percale_op_value kInputs[] = {input("dy", 'T', PERCALE_DTYPE_F32),
                                                 input("w", 'T', PERCALE_DTYPE_F32)};
  static constexpr percale_op_value kOutputs[] = {output("dx", 'T'), output("dw", 'T')};
  static constexpr const auto& kAttributes = kWaits;
  static void shape(Shape& shape) {
    shape.set_output_like(0, 0);
    shape.set_output_like(1, 1);
  }
};

struct WaitOnCpu {
  static constexpr KernelName kKernel{"bench.wait", "bench", "Wait"};
  WaitOnCpu(const Node& node, KernelPlan&)
      : count(elements(node.dims(0))), ns(node.attribute("forward_ns", int64_t{0})) {}
  void run(const Launch& launch) const {
    const auto begin = std::chrono::steady_clock::now();
    std::memcpy(launch.out<float>(0), launch.in<float>(0), static_cast<size_t>(count) * sizeof(float));
    wait_until(begin, ns);
  }
  int64_t count, ns;
};

struct WaitGradOnCpu {
  static constexpr KernelName kKernel{"bench.wait_grad", "bench", "WaitGrad"};
  WaitGradOnCpu(const Node& node, KernelPlan&)
      : rows(elements(node.dims(0))), weights(elements(node.dims(1))), ns(node.attribute("backward_ns", int64_t{0})) {}
  void run(const Launch& launch) const {
    const auto begin = std::chrono::steady_clock::now();
    std::memcpy(launch.out<float>(0), launch.in<float>(0), static_cast<size_t>(rows) * sizeof(float));
    std::fill_n(launch.out<float>(1), weights, 1e-6F);
    wait_until(begin, ns);
  }
  int64_t rows, weights, ns;
};

struct WaitsPlugin : Plugin {
  static constexpr const char* kName = "waits";
  explicit WaitsPlugin(const percale_host_api& host) : Plugin(host, kName, "1.0", "bench") {
    add_op<Wait>();
    add_op<WaitGrad>();
    add_kernel<WaitOnCpu>();
    add_kernel<WaitGradOnCpu>();
  }
};

}  // namespace

PERCALE_PLUGIN(WaitsPlugin)
