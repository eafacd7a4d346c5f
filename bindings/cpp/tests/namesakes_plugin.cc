// A plug-in whose ops have the names and attributes of ops that Percale itself treats specially.
// Each computes something else:
// sample:ReadVariable(x) = 2 x, sample:Assign(x) = x + 1, sample:Conv(x, w) = x - w.
#include <percale_plugin.hpp>

namespace {

using namespace percale::plugin;

struct ReadVariable {
  static constexpr const char *kName = "ReadVariable", *kDoc = "2 x.";
  static constexpr percale_op_value kInputs[] = {input("x", 'T', PERCALE_DTYPE_F32)};
  static constexpr percale_op_value kOutputs[] = {output("y", 'T')};
  static constexpr percale_op_attribute kAttributes[] = {string_attribute("variable", "")};
  static void shape(Shape& shape) { shape.set_output_like(0, 0); }
  static void gradient(Gradient& g) { g.set(0, g.emit("Mul", {g.output_gradient(0), g.scalar(g.input(0), 2)})); }
};

struct Assign {
  static constexpr const char *kName = "Assign", *kDoc = "x + 1.";
  static constexpr percale_op_value kInputs[] = {input("value", 'T', PERCALE_DTYPE_F32)};
  static constexpr percale_op_value kOutputs[] = {output("y", 'T')};
  static constexpr percale_op_attribute kAttributes[] = {string_attribute("variable", "")};
  static void shape(Shape& shape) { shape.set_output_like(0, 0); }
  static void gradient(Gradient& g) { g.set(0, g.output_gradient(0)); }
};

struct Conv {
  static constexpr const char *kName = "Conv", *kDoc = "X - W.";
  static constexpr percale_op_value kInputs[] = {input("X", 'T', PERCALE_DTYPE_F32),
                                                 input("W", 'T', PERCALE_DTYPE_F32)};
  static constexpr percale_op_value kOutputs[] = {output("Y", 'T')};
  static constexpr percale_op_attribute kAttributes[] = {int_attribute("group", 1)};
  static void shape(Shape& shape) { shape.set_output_like(0, 0); }
  static void gradient(Gradient& g) {
    g.set(0, g.output_gradient(0));
    g.set(1, g.emit("Neg", {g.output_gradient(0)}));
  }
};

// A kernel that computes f(a, b) for each element. `b` is `a` for ops of one input.
template <class Op>
struct EachElement {
  explicit EachElement(const Node& node, KernelPlan&) : count(elements(node.dims(0))) {}
  void run(const Launch& launch) const {
    const float* a = launch.in<float>(0);
    const float* b = launch.in<float>(Op::kOperands - 1);
    float* y = launch.out<float>(0);
    launch.run().parallel_chunks(count, 16384, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) y[i] = Op::of(a[i], b[i]);
    });
  }
  int64_t count;
};

struct Doubled {
  static constexpr int32_t kOperands = 1;
  static float of(float a, float) { return 2 * a; }
};
struct Increased {
  static constexpr int32_t kOperands = 1;
  static float of(float a, float) { return a + 1; }
};
struct Difference {
  static constexpr int32_t kOperands = 2;
  static float of(float a, float b) { return a - b; }
};

struct ReadVariableOnCpu : EachElement<Doubled> {
  static constexpr KernelName kKernel{"sample.read_variable", "sample", "ReadVariable"};
  using EachElement::EachElement;
};
struct AssignOnCpu : EachElement<Increased> {
  static constexpr KernelName kKernel{"sample.assign", "sample", "Assign"};
  using EachElement::EachElement;
};
struct ConvOnCpu : EachElement<Difference> {
  static constexpr KernelName kKernel{"sample.conv", "sample", "Conv"};
  using EachElement::EachElement;
};

struct NamesakesPlugin : Plugin {
  static constexpr const char* kName = "namesakes";
  explicit NamesakesPlugin(const percale_host_api& host) : Plugin(host, kName, "1.0", "sample") {
    add_op<ReadVariable>();
    add_op<Assign>();
    add_op<Conv>();
    add_kernel<ReadVariableOnCpu>();
    add_kernel<AssignOnCpu>();
    add_kernel<ConvOnCpu>();
  }
};

}  // namespace

PERCALE_PLUGIN(NamesakesPlugin)
