// A plug-in on the kit, for plugin_test.cc. The op kit:Halves cuts its input into as many equal
// parts as the attribute 'parts' says, scales it by 'factor' and gives the first part.
#include <percale_plugin.hpp>
#include <stdexcept>

namespace {

using namespace percale::plugin;

struct Halves {
  static constexpr const char *kName = "Halves", *kDoc = "The first of equal parts, scaled.";
  static constexpr percale_op_value kInputs[] = {input("x", 'T', PERCALE_DTYPE_F32, PERCALE_DTYPE_F64),
                                                 optional_input("unused", 'T', PERCALE_DTYPE_F32)};
  static constexpr percale_op_value kOutputs[] = {output("y", 'T')};
  static constexpr percale_op_attribute kAttributes[] = {
      int_attribute("parts", 2), float_attribute("factor", 1), string_attribute("mode", "plain"),
      optional_attribute("names", PERCALE_ATTRIBUTE_STRINGS), optional_attribute("axes", PERCALE_ATTRIBUTE_INTS)};

  static void shape(Shape& shape) {
    const int64_t parts = shape.attributes().get("parts", int64_t{0});
    auto dims = shape.dims(0);
    if (shape.attributes().get("mode", std::string_view()) == "broken") throw std::runtime_error("broken on purpose");
    if (parts < 1 || (dims && dims->size() != 1)) throw Failure(PERCALE_INVALID_ARGUMENT, "wants a vector and parts");
    if (dims && dims->at(0) >= 0) dims->at(0) /= parts;
    shape.set_output(0, shape.dtype(0), dims);
  }

  // The gradient of the other parts is zero.
  static void gradient(Gradient& g) {
    if (!g.wants(0)) return;
    const int64_t parts = g.attributes().get("parts", int64_t{0});
    const Value x = g.input(0);
    const Value factor = g.scalar(x, g.attributes().get("factor", 0.0));
    const std::vector<Value> pieces =
        g.emit_outputs("Split", static_cast<size_t>(parts), {x}, {{"axis", 0}, {"num_outputs", parts}});
    const Value rest = g.emit("Mul", {x, g.scalar(x, 0)});
    const std::vector<Value> zeros =
        g.emit_outputs("Split", static_cast<size_t>(parts), {rest}, {{"axis", 0}, {"num_outputs", parts}});
    const Value first = g.emit("Mul", {g.output_gradient(0), factor});
    g.set(0, g.dims(pieces[0]) && parts == 2 ? g.emit("Concat", {first, zeros[1]}, {{"axis", 0}}) : -1);
  }
};

struct HalvesOnCpu {
  static constexpr KernelName kKernel{"kit.halves", "kit", "Halves"};
  HalvesOnCpu(const Node& node, KernelPlan& plan)
      : count(elements(node.output_dims())), factor(static_cast<float>(node.attribute("factor", 0.0))) {
    refuse_if(node.dtype(0) != PERCALE_DTYPE_F32, "it works in f32 alone");
    refuse_if(node.has(1) || node.attributes().has("absent"), "it has no second input");
    if (const char* second = node.attribute_string("names", 1)) fails = std::string_view(second) == "fail";
    plan.set_scratch(64);
  }
  void run(const Launch& launch) const {
    const float* x = launch.in<float>(0);
    float* y = launch.out<float>(0);
    if (fails) throw Failure(PERCALE_DATA_LOSS, "as it was told");
    if (count > 0 && x[0] < 0) throw std::runtime_error("a negative number");
    launch.run().parallel_chunks(count, 2, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) y[i] = factor * x[i];
    });
  }
  int64_t count;
  float factor;
  bool fails = false;
};

struct KitPlugin : Plugin {
  static constexpr const char* kName = "kit";
  explicit KitPlugin(const percale_host_api& host) : Plugin(host, kName, "0.5", "kit") {
    add_op<Halves>();
    add_kernel<HalvesOnCpu>();
  }
};

}  // namespace

PERCALE_PLUGIN(KitPlugin)
