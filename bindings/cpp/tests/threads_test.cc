#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bindings/cpp/tests/good.h"

using namespace percale;

namespace {

// Returns y = x * x * x ...: some hundred microseconds of work.
Graph powers(const Engine& engine) {
  Builder b = good(Builder::create(engine));
  Value x = b.input("x", DType::kF32, {-1, -1});
  for (int i = 0; i < 20; ++i) x = b.node("MatMul", {x, x});
  b.rename(x, "y");
  b.set_outputs({x});
  return good(b.finish());
}

void in_threads(int count, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

Dataset line(const Engine& engine) {
  return good(
      Dataset::from_tensors(engine, {{"x", floats({1, 2, 3, 4}, {4, 1})}, {"y", floats({2, 4, 6, 8}, {4, 1})}}));
}

Trainer line_trainer(const Engine& engine) {
  const Sequential model = {layers::Dense(1, {{"input_shape", {1}}})};
  return good(model.compile(engine, {.optimizer = "sgd", .loss = "mean_squared_error"}));
}

constexpr const char* kUsed = " is used by another thread: one thread at a time may";

}  // namespace

TEST_CASE("an owner may be given back while other threads use their own shares of the object") {
  const Engine engine = good(Engine::create(Options("engine").set("threads", 2)));
  const Graph graph = powers(engine);
  for (int round = 0; round < 20; ++round) {
    Session session = good(Session::create(engine, graph));
    Tensor x = floats(std::vector<float>(1024, 0), {32, 32});
    Event event = good(session.run_async({{"x", x}}, {"y"}));
    struct Share {
      Session session;
      Tensor x;
      Event event;
      Graph graph;
    };
    std::vector<Share> shares;
    for (int i = 0; i < 3; ++i) shares.push_back({session.share(), x.share(), event.share(), graph.share()});
    in_threads(4, [&](int number) {
      if (number == 3) {
        session.reset();
        x.reset();
        event.reset();
        return;
      }
      Share own = std::move(shares[static_cast<size_t>(number)]);
      for (int i = 0; i < 10; ++i) {
        CHECK(own.session.run({{"x", own.x}}, {"y"}).has_value());
        CHECK(own.event.wait().ok());
        CHECK(own.graph.inputs().size() == 1);
      }
    });
  }
}

TEST_CASE("a call in four threads answers one of them and refuses the others") {
  const Engine engine = good(Engine::create(Options("engine").set("threads", 1)));
  const Graph graph = powers(engine);
  const Session session = good(Session::create(engine, graph));
  const std::vector<FeedType> feeds = {{"x", DType::kF32, {64, 64}}};
  const std::vector<std::string> fetches = {"y"};
  Call call = good(Call::create(session, feeds, fetches));
  std::vector<Tensor> in, out;
  in.push_back(floats(std::vector<float>(4096, 0), {64, 64}));
  out.push_back(good(Tensor::create(engine, DType::kF32, {64, 64})));
  good(call.bind(std::move(in), std::move(out)));
  std::atomic<int> refused = 0;
  // On a busy machine it can take a while until two threads run at the same time.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  in_threads(4, [&](int) {
    for (int i = 0; i < 100 || (refused == 0 && std::chrono::steady_clock::now() < end); ++i) {
      const Status status = call.run();
      if (status.ok()) continue;
      ++refused;
      CHECK(status.code() == Code::kFailedPrecondition);
      CHECK(status.message() == std::string("call run: the call") + kUsed);
    }
  });
  CHECK(refused > 0);
  good(call.run());
}

TEST_CASE("a second fit of a trainer is refused, and the first goes on though its owner is given back") {
  const Engine engine = good(Engine::create(Options("engine").set("threads", 1)));
  Trainer trainer = line_trainer(engine);
  Trainer other = trainer.share();
  const Dataset data = line(engine);
  std::string message;
  good(trainer.fit(data, 3, [&](const Progress& p) {
    if (p.step == 1) {
      in_threads(1, [&](int) { message = other.fit(data, 1).message(); });
      CHECK(other.describe().has_value());  // the thread of the fit may use it
      trainer.reset();
    }
    return true;
  }));
  CHECK(message == std::string("trainer fit: the trainer") + kUsed);
  CHECK(!trainer);
  CHECK(other.steps() == 3);
}

TEST_CASE("what a call was made from may be given back while another thread runs the call") {
  constexpr int64_t kSize = 128;
  std::vector<float> identity(kSize * kSize, 0);
  for (size_t i = 0; i < kSize; ++i) identity[i * (kSize + 1)] = 1;
  for (int round = 0; round < 5; ++round) {
    Engine engine = good(Engine::create(Options("engine").set("threads", 1)));
    Graph graph = powers(engine);
    Session session = good(Session::create(engine, graph));
    const std::vector<FeedType> feeds = {{"x", DType::kF32, {kSize, kSize}}};
    Call call = good(Call::create(session, feeds, std::vector<std::string>{"y"}));
    std::vector<Tensor> in, out;
    in.push_back(floats(identity, {kSize, kSize}));
    out.push_back(good(Tensor::create(engine, DType::kF32, {kSize, kSize})));
    good(call.bind(std::move(in), std::move(out)));
    std::atomic<bool> released = false;
    std::thread runner([&] {
      // Runs at least once after the release. The other thread's question may come in between.
      for (bool last = false; !last;) {
        last = released;
        Status status = call.run();
        while (status.code() == Code::kFailedPrecondition) status = call.run();
        CHECK_MESSAGE(status.ok(), status.message());
      }
    });
    // A run is in progress once the call refuses another thread.
    while (call.carry(9, 9).code() != Code::kFailedPrecondition) std::this_thread::yield();
    session.reset();
    graph.reset();
    engine.reset();
    released = true;
    runner.join();
    const auto y = good(call.outputs()[0].as<float>());
    CHECK(std::vector<float>(y.begin(), y.end()) == identity);
  }
}
