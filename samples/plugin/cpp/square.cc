// A plug-in in C++: the op sample:Square, y = x^2, with its gradient and a kernel for the CPU.
// c++ -std=c++20 -O2 -shared -fPIC square.cc $(pkg-config --cflags percale) -o libpercale_square.so
#include <percale_plugin.hpp>
using namespace percale::plugin;

struct Square {
  static constexpr const char *kName = "Square", *kDoc = "x squared.";
  static constexpr percale_op_value kInputs[] = {input("x", 'T', PERCALE_DTYPE_F32)};
  static constexpr percale_op_value kOutputs[] = {output("y", 'T')};
  static void shape(Shape& shape) { shape.set_output_like(0, 0); }
  static void gradient(Gradient& g) {  // dx = dy * 2x
    const Value x = g.input(0), slope = g.emit("Mul", {x, g.scalar(x, 2)});
    g.set(0, g.emit("Mul", {g.output_gradient(0), slope}));
  }
};

// --8<-- [start:kernel]
struct SquareOnCpu {
  static constexpr KernelName kKernel{"sample.square", "sample", "Square"};
  SquareOnCpu(const Node& node, KernelPlan&) : count(elements(node.dims(0))) {}
  void run(const Launch& launch) const {
    const float* x = launch.in<float>(0);
    float* y = launch.out<float>(0);
    launch.run().parallel_chunks(count, 16384, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) y[i] = x[i] * x[i];
    });
  }
  int64_t count;
};
// --8<-- [end:kernel]

struct SquarePlugin : Plugin {
  static constexpr const char* kName = "square";
  explicit SquarePlugin(const percale_host_api& host) : Plugin(host, kName, "1.0", "sample") {
    add_op<Square>();
    add_kernel<SquareOnCpu>();
  }
};
PERCALE_PLUGIN(SquarePlugin)
