// Runs with recurrent state: which values stay on a device, which return to the host, and what an
// error leaves unchanged.
#include "core/session/recurrent_call.h"

#include <doctest/doctest.h>

#include <optional>

#include "core/graph/builder.h"
#include "tests/support/get.h"
#include "tests/support/sim_engine.h"

namespace percale {
namespace {

constexpr int64_t kSize = 1000;
const Shape kShape{kSize};

Tensor filled(float value) { return Tensor::of<float>(kShape, std::vector<float>(kSize, value)); }
float first_of(const Tensor& t) { return t.span<float>()[0]; }

// Builds sum = s + x, product = p * 2 + sum, the mean of product, and the element of sum at
// `index`.
std::shared_ptr<const Graph> graph(const Engine& engine) {
  Builder builder(engine.registry());
  Emitter e(builder.main());
  const auto input = [&](const char* name) { return get(builder.main().add_input(name, DType::kF32, kShape)); };
  const ValueId x = input("x"), s = input("s"), p = input("p");
  const ValueId index = get(builder.main().add_input("index", DType::kI64, Shape{1}));
  const ValueId sum = e.emit("Add", {s, x}, {}, "sum");
  const ValueId product = e.emit("Add", {e.emit("Mul", {p, e.scalar(DType::kF32, 2)}), sum}, {}, "product");
  e.emit("ReduceMean", {product}, {{"keepdims", 0}}, "mean");
  e.emit("Gather", {sum, index}, {}, "picked");
  REQUIRE(e.status().ok());
  REQUIRE(builder.main().set_outputs({product}).ok());
  return get(builder.finish());
}

struct Job {
  std::shared_ptr<Session> session;
  std::unique_ptr<RecurrentCall> run;
  std::vector<Tensor> outputs;

  explicit Job(const std::shared_ptr<Session>& given) : session(given) {
    const RunSpec spec{.feeds = {"x", "s", "p", "index"}, .fetches = {"mean", "sum", "picked", "product"}};
    const ValueType wide{DType::kF32, kShape};
    run = get(RecurrentCall::create(session, spec, {wide, wide, wide, {DType::kI64, Shape{1}}}, {{1, 1}, {3, 2}}));
  }

  // With `begin`, s and p start from that value.
  Status step(float x, std::optional<float> begin = {}, int64_t index = 0, bool all = false) {
    std::vector<Tensor> feeds{filled(x), {}, {}, Tensor::of<int64_t>({1}, std::vector<int64_t>{index})};
    if (begin) feeds[1] = filled(*begin), feeds[2] = filled(*begin);
    outputs = {filled(0), {}, {}, {}};
    outputs[0] = Tensor::scalar(0.0f);
    if (all) outputs[1] = filled(-1), outputs[3] = filled(-1);
    return run->run(feeds, outputs, {});
  }
};

TEST_CASE("what a run gives is what the next one is fed, on the host and on a device that keeps it") {
  for (const std::string devices : {"cpu:0", "sim:0", "cpu:0,sim:0", "sim_partition:0"}) {
    CAPTURE(devices);
    const auto engine = sim_engine(1, devices);
    const auto session = get(Session::create(engine, graph(*engine), nullptr));
    Job job(session), other(session);
    if (devices == "cpu:0") CHECK(!job.run->is_on_devices());
    if (devices == "sim:0") CHECK(job.run->is_on_devices());
    CHECK(std::string(job.step(1).message()).find("first run") != std::string::npos);
    float s = 3, p = 3;
    for (int i = 0; i < 6; ++i) {
      CAPTURE(i);
      const bool begins = i == 0 || i == 4;
      if (begins) s = p = 3;
      const auto x = static_cast<float>(i + 1);
      REQUIRE(job.step(x, begins ? std::optional(3.0f) : std::nullopt, 0, i % 2 == 1).ok());
      s += x, p = 2 * p + s;
      CHECK(first_of(job.outputs[0]) == p);
      CHECK(first_of(job.outputs[2]) == s);
      if (i % 2 == 1) {
        CHECK(first_of(job.outputs[1]) == s);
        CHECK(first_of(job.outputs[3]) == p);
      }
      // A failed run, and another call of the session, change nothing.
      if (i == 2) CHECK(job.step(9, {}, kSize + 5).code() == Code::kOutOfRange);
      REQUIRE(other.step(100, 0).ok());
    }
  }
}

TEST_CASE("values that stay on a device do not pass the host, and go with the call") {
  const auto engine = sim_engine(1, "sim:0");
  const auto session = get(Session::create(engine, graph(*engine), nullptr));
  const Device& device = *engine->find_device("sim:0");
  {
    Job job(session);
    REQUIRE(job.step(1, 0).ok());
    percale_sim_counts before{}, after{};
    percale_sim_get_counts(sim_plugin(), 0, &before);
    for (int i = 0; i < 10; ++i) REQUIRE(job.step(1).ok());
    percale_sim_get_counts(sim_plugin(), 0, &after);
    CHECK(after.bytes_from_host - before.bytes_from_host == 10 * (4 * kSize + 8));
    CHECK(after.bytes_to_host - before.bytes_to_host == 10 * (4 + 4));
    CHECK(session->device_store().bytes_on(device).current == 2 * 4 * kSize);
  }
  CHECK(session->device_store().bytes_on(device).current + session->device_store().bytes_on(device).spare == 0);
}

TEST_CASE("feeds that runs hand on are given together, and have the fetch's type") {
  const auto engine = sim_engine(1, "cpu:0");
  const auto session = get(Session::create(engine, graph(*engine), nullptr));
  Job job(session);
  std::vector<Tensor> feeds{filled(1), filled(1), {}, Tensor::of<int64_t>({1}, std::vector<int64_t>{0})};
  std::vector<Tensor> outputs(4);
  CHECK(job.run->run(feeds, outputs, {}).message().find("of 2 feeds that runs hand on 1 are given") !=
        std::string_view::npos);
  const ValueType wide{DType::kF32, kShape};
  CHECK(RecurrentCall::create(session, {.feeds = {"x", "s", "p"}, .fetches = {"mean"}}, {wide, wide, wide}, {{0, 1}})
            .status()
            .message() == "'mean' is f32 [], the feed 's' that it is to be f32 [1000]");
}

}  // namespace
}  // namespace percale
