#include <chrono>
#include <percale/ops.hpp>
#include <thread>

#include "bindings/cpp/tests/good.h"

using namespace percale;

namespace {

// Returns y = x * x * x * ..., which takes seconds for 2500 rows.
Session powers(const Engine& engine, int count) {
  Builder b = good(Builder::create(engine));
  Value x = b.input("x", DType::kF32, {-1, -1}), y = x;
  for (int i = 0; i < count; ++i) y = ops::MatMul(b, y, x);
  b.rename(y, "y");
  b.set_outputs({y});
  return good(Session::create(engine, good(b.finish())));
}

}  // namespace

TEST_CASE("a wrong shape gives the library's message when the graph is built") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {32, 128}), w = b.input("w", DType::kF32, {64, 10});
  ops::MatMul(b, x, w, "fc1");
  CHECK(b.status().code() == Code::kInvalidArgument);
  CHECK(b.status().message().find("MatMul 'fc1'") != std::string::npos);
  CHECK(b.status().message().find("128 and 64") != std::string::npos);
  // Later calls do nothing, and finish() returns the same error.
  CHECK_FALSE(ops::Relu(b, x));
  const auto graph = b.finish();
  CHECK_FALSE(graph);
  CHECK(graph.error().message().find("fc1") != std::string::npos);
}

TEST_CASE("a wrong dtype is an error, and so is reading elements as another type") {
  const Engine engine = good(Engine::create());
  Session session = powers(engine, 1);
  const Tensor numbers = good(Tensor::create(engine, DType::kI64, {2, 2}));
  const auto out = session.run({{"x", numbers}}, {"y"});
  CHECK_FALSE(out);
  CHECK(out.error().code() == Code::kInvalidArgument);
  CHECK(out.error().message().find("i64") != std::string::npos);
  CHECK(numbers.as<float>().error().message() == "the tensor is i64, wanted are elements of f32");
  // The session stays usable.
  const Tensor two = floats({2, 0, 0, 2}, {2, 2});
  CHECK(good(good(session.run({{"x", two}}, {"y"}))[0].as<float>())[0] == 4);
}

TEST_CASE("an unknown op is named, and so is the nearest") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  b.node("MatMull", {});
  CHECK(b.status().code() == Code::kNotFound);
  CHECK(b.status().message().find("MatMull") != std::string::npos);
}

TEST_CASE("a missing file is NOT_FOUND and names it") {
  const Engine engine = good(Engine::create());
  const auto graph = Graph::load(engine, "/nowhere/model.percale");
  CHECK(graph.error().code() == Code::kNotFound);
  CHECK(graph.error().message().find("/nowhere/model.percale") != std::string::npos);
  CHECK(engine.check_file("/nowhere/weights.safetensors").code() == Code::kNotFound);
}

TEST_CASE("a run is cancelled inside a kernel, and the session stays usable") {
  const Engine engine = good(Engine::create());
  Session session = powers(engine, 8);
  const Tensor x = good(Tensor::create(engine, DType::kF32, {2500, 2500}));
  Event event = good(session.run_async({{"x", x}}, {"y"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  event.cancel();
  CHECK(event.wait().code() == Code::kCancelled);
  CHECK(session.run({{"x", x}}, {"y"}, {}, 20'000'000).error().code() == Code::kDeadlineExceeded);
  const Tensor one = floats({1}, {1, 1});
  CHECK(session.run({{"x", one}}, {"y"}));
}

TEST_CASE("a wrong word of a layer is named with a similar one") {
  const Engine engine = good(Engine::create());
  const Sequential model = {layers::Dense(1, {{"activaton", "relu"}, {"input_shape", {2}}})};
  const auto trainer = model.compile(engine, {.optimizer = "sgd", .loss = "mean_squared_error"});
  CHECK(trainer.error().code() == Code::kInvalidArgument);
  CHECK(trainer.error().message().find("Dense 'dense': no attribute 'activaton', did you mean 'activation'") !=
        std::string::npos);
}

TEST_CASE("an exceeded memory limit is RESOURCE_EXHAUSTED") {
  const Engine engine = good(Engine::create(Options("engine").set("memory_limit", 1 << 20)));
  const auto tensor = Tensor::create(engine, DType::kF32, {1024, 1024});
  CHECK(tensor.error().code() == Code::kResourceExhausted);
  CHECK(Tensor::create(engine, DType::kF32, {16, 16}));
}

TEST_CASE("a handle that was given back answers INVALID_ARGUMENT") {
  const Engine engine = good(Engine::create());
  Session session = powers(engine, 1);
  const Session moved = std::move(session);
  CHECK(session.run({}, {"y"}).error().code() == Code::kInvalidArgument);
  Tensor tensor = floats({1}, {1});
  tensor.reset();
  CHECK(tensor.size() == 0);
  CHECK(tensor.save("/nowhere/x.npy").code() == Code::kInvalidArgument);
}

TEST_CASE("a refused option is answered where the options are used") {
  const auto engine = Engine::create(Options("engine").set("treads", 2).set("threads", 1));
  CHECK(engine.error().code() == Code::kNotFound);
  CHECK(engine.error().message().find("threads") != std::string::npos);
}

#if PERCALE_CPP_EXCEPTIONS
TEST_CASE("value() throws the message and the code") {
  const Engine engine = Engine::create().value();
  try {
    Graph::load(engine, "/nowhere/model.percale").value();
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.code() == Code::kNotFound);
    CHECK(std::string(error.what()).find("/nowhere") != std::string::npos);
  }
}
#endif
