// Builds random graphs and runs them with oneDNN's kernels and with the core's own.
#ifndef PERCALE_TESTS_ONEDNN_NETS_H_
#define PERCALE_TESTS_ONEDNN_NETS_H_

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/builder.h"
#include "core/session/session.h"
#include "tests/support/get.h"

namespace percale {

size_t count_of(const std::string& text, std::string_view part);
// Returns how many nodes the kernel runs. Entries for refusals are not counted.
size_t runs(const std::string& kernels, std::string_view kernel);

// True if this CPU multiplies tiles of bf16.
bool computes_in_tiles();

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }
  bool coin() { return pick(0, 1) == 1; }
  // f32 within [-1, 1]; i8, u8 and i32 within `low` and `high`.
  Tensor tensor(const Shape& shape);
  Tensor integers(DType dtype, const Shape& shape, int64_t low, int64_t high);

 private:
  std::mt19937 engine_;
};

// A graph over one input "x" whose weights are variables.
class Net {
 public:
  Net(const std::shared_ptr<Engine>& engine, Random& random, const Shape& shape, DType dtype = DType::kF32);
  ValueId weight(const Shape& shape);
  std::shared_ptr<const Graph> finish(ValueId y);

 private:
  Random& random_;
  Builder builder_;
  int64_t variables_ = 0;

 public:
  Emitter e;
  ValueId x = kNoValue;
};

// Casts `v` if the round runs in bf16.
inline ValueId typed(Emitter& e, bool narrow, ValueId v, DType dtype) {
  return narrow ? e.emit("Cast", {v}, {{"to", dtype}}) : v;
}

// Adds one of several chains that may follow a convolution or product of that shape and that
// post-ops can express: kinds 0 to kFollowers.
inline constexpr int64_t kFollowers = 10;
ValueId follow(Net& net, ValueId y, int64_t kind, const Shape& shape);

// The engines of these tests: the core alone, and with oneDNN on 1, 2 and 4 threads. Each engine
// has a registry of its own, so equal graphs are built for each.
struct Engines {
  Engines();
  std::shared_ptr<Engine> core;
  std::vector<std::shared_ptr<Engine>> onednn;
};

struct Outcome {
  Tensor y;
  std::string kernels;
};
Outcome run(const std::shared_ptr<Engine>& engine, const std::shared_ptr<const Graph>& graph, const Tensor& x,
            const SessionOptions& options = {});

// `build` makes the same graph for any engine; its output "y" is f32, u8, i8 or i32. Checks that
// oneDNN gives the same bits on any number of threads. Compares them with the core: within
// `tolerance` of the largest number, or for integers within `tolerance` itself. Returns the
// description of the kernels that ran with oneDNN.
using Build = std::function<std::shared_ptr<const Graph>(const std::shared_ptr<Engine>& engine)>;
std::string compare(const Engines& engines, const Tensor& x, const Build& build, double tolerance = 2e-5,
                    const SessionOptions& options = {});

}  // namespace percale

#endif  // PERCALE_TESTS_ONEDNN_NETS_H_
