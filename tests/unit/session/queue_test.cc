// Queues and mutexes in sessions: what a run sees, what other runs see of it, how it waits and how
// waiting ends.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/engine/trace.h"
#include "core/graph/builder.h"
#include "core/graph_io/reader.h"
#include "core/graph_io/writer.h"
#include "core/session/initialize.h"
#include "core/session/session.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

constexpr int64_t kMs = 1'000'000;

std::shared_ptr<Engine> engine_of(int64_t memory_limit = 0) {
  EngineOptions options;
  options.threads = 1;
  options.memory_limit = memory_limit;
  auto engine = make_test_engine(options);
  REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
  return *engine;
}

using Build = std::function<void(Builder&, Emitter&)>;

std::shared_ptr<const Graph> graph_of(const std::shared_ptr<Engine>& engine, const Build& build) {
  Builder builder(engine->registry());
  Emitter e(builder.main());
  build(builder, e);
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  return *graph;
}

std::shared_ptr<Session> session_on(const std::shared_ptr<Engine>& engine, const std::shared_ptr<const Graph>& graph,
                                    std::shared_ptr<Variables> variables = nullptr) {
  auto session = Session::create(engine, graph, std::move(variables));
  REQUIRE_MESSAGE(session.ok(), session.status().to_string());
  return *session;
}

Attributes dequeue_of(int64_t capacity, std::vector<int64_t> dims) {
  return {{"queue", "q"},
          {"capacity", capacity},
          {"dtypes", std::vector<int64_t>{static_cast<int64_t>(DType::kF32)}},
          {"ranks", std::vector<int64_t>{static_cast<int64_t>(dims.size())}},
          {"dims", std::move(dims)}};
}

// Builds both ends of a queue of f32 [?] in one function: targets "put", "close"; fetches "got",
// "twice" = 2 * got, "size", "closed".
void both_ends(Builder& b, Emitter& e, int64_t capacity) {
  const ValueId x = *b.main().add_input("x", DType::kF32, Shape{kUnknownDim});
  e.emit_many("percale:QueueEnqueue", {x}, 0, {{"queue", "q"}, {"capacity", capacity}}, "put");
  const ValueId got = e.emit("percale:QueueDequeue", {}, dequeue_of(capacity, {kUnknownDim}), "got");
  e.emit("Add", {got, got}, {}, "twice");
  const auto size = e.emit_many("percale:QueueSize", {}, 2, {{"queue", "q"}}, "size");
  REQUIRE(b.main().rename(size[1], "closed").ok());
  e.emit_many("percale:QueueClose", {}, 0, {{"queue", "q"}}, "close");
}

Tensor floats(std::vector<float> values) {
  return Tensor::of<float>(Shape{static_cast<int64_t>(values.size())}, values);
}

Status put(Session& session, float value, const RunOptions& options = {}) {
  return session.run({.feeds = {"x"}, .targets = {"put"}}, std::vector{floats({value})}, options).status();
}
Result<float> take(Session& session, const RunOptions& options = {}) {
  PERCALE_ASSIGN_OR_RETURN(const auto out, session.run({.fetches = {"got"}}, {}, options));
  return out[0].span<float>()[0];
}
int64_t size_of(Session& session) {
  const auto out = session.run({.fetches = {"size"}}, {});
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return (*out)[0].span<int64_t>()[0];
}

TEST_CASE("Elements come out in the order in which they went in, of whatever shape each has, and feed what follows") {
  const auto engine = engine_of();
  const auto session = session_on(engine, graph_of(engine, [](Builder& b, Emitter& e) { both_ends(b, e, 8); }));
  for (const std::vector<float>& v : {std::vector<float>{1}, {2, 3}, {}, {4, 5, 6}}) {
    REQUIRE(session->run({.feeds = {"x"}, .targets = {"put"}}, std::vector{floats(v)}).ok());
  }
  CHECK(size_of(*session) == 4);
  for (const std::vector<float>& v : {std::vector<float>{1}, {2, 3}, {}, {4, 5, 6}}) {
    const auto out = session->run({.fetches = {"got", "twice"}}, {});
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
    REQUIRE((*out)[0].shape() == Shape{static_cast<int64_t>(v.size())});
    for (size_t i = 0; i < v.size(); ++i) {
      CHECK((*out)[0].span<float>()[i] == v[i]);
      CHECK((*out)[1].span<float>()[i] == 2 * v[i]);
    }
  }
  CHECK(size_of(*session) == 0);
}

TEST_CASE("A producer and a consumer on threads of their own pass through a small queue, until it is closed") {
  const auto engine = engine_of();
  const auto session = session_on(engine, graph_of(engine, [](Builder& b, Emitter& e) { both_ends(b, e, 2); }));
  constexpr int kCount = 100;
  std::thread producer([&] {
    for (int i = 0; i < kCount; ++i) CHECK(put(*session, static_cast<float>(i)).ok());
    CHECK(session->run({.targets = {"close"}}, {}).ok());
  });
  int next = 0;
  while (true) {
    const auto got = take(*session);
    if (!got.ok()) {
      CHECK((got.status().code() == Code::kOutOfRange));
      CHECK(got.status().message() == "percale:QueueDequeue 'got': queue 'q' is closed and empty");
      break;
    }
    CHECK(*got == static_cast<float>(next++));
  }
  CHECK(next == kCount);
  producer.join();
  const Status late = put(*session, 1);
  CHECK((late.code() == Code::kCancelled));
  CHECK(late.message() == "percale:QueueEnqueue 'put': queue 'q' is closed");
  CHECK(*(*session->run({.fetches = {"closed"}}, {}))[0].span<bool>().data());
}

TEST_CASE("Cancel and deadline end a run that waits, for an element and for room, within 50 ms; the session goes on") {
  const auto engine = engine_of();
  const auto session = session_on(engine, graph_of(engine, [](Builder& b, Emitter& e) { both_ends(b, e, 1); }));
  for (const bool full : {false, true}) {
    if (full) REQUIRE(put(*session, 5).ok());
    const auto blocked = [&](const RunOptions& options) {
      return full ? put(*session, 6, options) : take(*session, options).status();
    };
    int64_t begin = now_ns();
    const Status late = blocked({.deadline_ns = begin + 20 * kMs});
    CHECK((late.code() == Code::kDeadlineExceeded));
    CHECK(now_ns() - begin < 70 * kMs);

    for (const bool by_session : {false, true}) {
      CancelToken token;
      Status status;
      int64_t ended = 0;
      std::thread thread([&] {
        status = blocked({.cancel = &token});
        ended = now_ns();
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      begin = now_ns();
      if (by_session) {
        session->cancel_all();
      } else {
        token.cancel();
      }
      thread.join();
      CHECK((status.code() == Code::kCancelled));
      CHECK(ended - begin < 50 * kMs);
    }
    CHECK(size_of(*session) == (full ? 1 : 0));
  }
  CHECK(*take(*session) == 5);
}

TEST_CASE("A run that fails puts nothing in, takes nothing out, closes nothing and lets go of its mutex") {
  const auto engine = engine_of();
  const auto session = session_on(engine, graph_of(engine, [](Builder& b, Emitter& e) {
                                    both_ends(b, e, 4);
                                    const ValueId holds = *b.main().add_input("holds", DType::kBool, Shape{});
                                    e.emit_many("percale:MutexLock", {}, 0, {{"mutex", "m"}}, "lock");
                                    e.emit_many("percale:Assert", {holds}, 0, {{"message", "no"}}, "assert");
                                  }));
  REQUIRE(put(*session, 1).ok());
  REQUIRE(put(*session, 2).ok());
  for (const bool holds : {false, true}) {
    const auto out =
        session->run({.feeds = {"x", "holds"}, .fetches = {"got"}, .targets = {"put", "close", "lock", "assert"}},
                     std::vector{floats({3}), Tensor::scalar(holds)}, {.deadline_ns = now_ns() + 2000 * kMs});
    CHECK((out.status().code() == (holds ? Code::kOk : Code::kFailedPrecondition)));
    CHECK(size_of(*session) == 2);  // 1 and 2, or 2 and 3
    CHECK(*(*session->run({.fetches = {"closed"}}, {}))[0].span<bool>().data() == holds);
  }
  CHECK(*take(*session) == 2);
  CHECK(*take(*session) == 3);
  CHECK((take(*session).status().code() == Code::kOutOfRange));
}

TEST_CASE("Sessions on one table of variables share its queues, other sessions do not") {
  const auto engine = engine_of();
  const auto graph = graph_of(engine, [](Builder& b, Emitter& e) { both_ends(b, e, 4); });
  const auto table = *initialize_variables(engine, graph, 1);
  const auto first = session_on(engine, graph, table), second = session_on(engine, graph, table);
  const auto alone = session_on(engine, graph);
  REQUIRE(put(*first, 1).ok());
  CHECK(size_of(*second) == 1);
  CHECK(size_of(*alone) == 0);
  CHECK(*take(*second) == 1);

  const auto wider = graph_of(engine, [](Builder& b, Emitter& e) { both_ends(b, e, 5); });
  const auto refused = Session::create(engine, wider, table);
  CHECK((refused.status().code() == Code::kInvalidArgument));
  CHECK(refused.status().message() == "queue 'q' has capacity 4, but is used with capacity 5");
}

TEST_CASE("Reading and assigning under one mutex loses no update, whatever version the runs began with") {
  const auto engine = engine_of();
  const auto graph = graph_of(engine, [](Builder& b, Emitter& e) {
    Variable variable;
    variable.name = "n";
    variable.dtype = DType::kI64;
    variable.initial = Tensor::scalar(int64_t{0});
    REQUIRE(b.add_variable(variable).ok());
    e.emit_many("percale:MutexLock", {}, 0, {{"mutex", "m"}}, "lock");
    e.emit_many("percale:AssignAdd", {e.constant(Tensor::scalar(int64_t{1}))}, 0, {{"variable", "n"}}, "count");
  });
  const auto table = *initialize_variables(engine, graph, 1);
  const auto session = session_on(engine, graph, table);
  constexpr int kEach = 100;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) CHECK(session->run({.targets = {"count"}}, {}).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(table->current()->values[0].span<int64_t>()[0] == 4 * kEach);
}

TEST_CASE("Who takes an element sees the variables that its producer has assigned") {
  const auto engine = engine_of();
  const auto graph = graph_of(engine, [](Builder& b, Emitter& e) {
    Variable variable;
    variable.name = "w";
    variable.dtype = DType::kF32;
    variable.shape = Shape{1};
    variable.initial = floats({0});
    REQUIRE(b.add_variable(variable).ok());
    both_ends(b, e, 4);
    const ValueId w = e.emit("percale:ReadVariable", {},
                             {{"variable", "w"}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>{1}}});
    e.emit("Neg", {w}, {}, "minus_w");
    e.emit_many("percale:Assign", {*b.main().add_input("new_w", DType::kF32, Shape{1})}, 0, {{"variable", "w"}},
                "assign");
  });
  const auto session = session_on(engine, graph, *initialize_variables(engine, graph, 1));
  float seen = 0;
  std::thread consumer([&] {
    const auto out = session->run({.fetches = {"got", "minus_w"}}, {});
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
    seen = (*out)[1].span<float>()[0];
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  REQUIRE(session->run({.feeds = {"x", "new_w"}, .targets = {"put", "assign"}}, std::vector{floats({1}), floats({7})})
              .ok());
  consumer.join();
  CHECK(seen == -7);
}

TEST_CASE("A Loop fills and drains queues; what its body takes out without using it is gone all the same") {
  const auto engine = engine_of();
  const auto graph = graph_of(engine, [](Builder& b, Emitter& e) {
    for (const char* name : {"fill", "drain"}) {
      FunctionBuilder* f = *b.add_function(name);
      Emitter body(*f);
      const ValueId trip = *f->add_input("trip", DType::kI64, Shape{});
      const ValueId cond = *f->add_input("cond", DType::kBool, Shape{});
      if (std::string_view(name) == "fill") {
        const ValueId value = body.emit("Cast", {body.emit("Reshape", {trip, body.ints({1})})}, {{"to", DType::kF32}});
        body.emit_many("percale:QueueEnqueue", {value}, 0, {{"queue", "q"}, {"capacity", 8}}, "put");
      } else {
        body.emit("percale:QueueDequeue", {}, dequeue_of(8, {1}));
      }
      REQUIRE_MESSAGE(body.status().ok(), body.status().to_string());
      REQUIRE(f->set_outputs({body.emit("Identity", {cond})}).ok());
    }
    const ValueId trips = *b.main().add_input("trips", DType::kI64, Shape{});
    for (const char* name : {"fill", "drain"}) {
      e.emit_many("Loop", {trips}, 0, {{"body", FunctionRef{name}}, {"num_carried", 0}}, name);
    }
    e.emit("percale:QueueDequeue", {}, dequeue_of(8, {1}), "got");
    e.emit("percale:QueueSize", {}, {{"queue", "q"}}, "size");
  });
  const auto session = session_on(engine, graph);
  const auto loop = [&](const char* name, int64_t trips) {
    const Status status =
        session->run({.feeds = {"trips"}, .targets = {name}}, std::vector{Tensor::scalar(trips)}).status();
    CHECK_MESSAGE(status.ok(), status.to_string());
  };
  loop("fill", 5);
  CHECK(size_of(*session) == 5);
  loop("drain", 3);
  CHECK(size_of(*session) == 2);
  CHECK(*take(*session) == 3);
  loop("drain", 1);
  const Status too_many = session
                              ->run({.feeds = {"trips"}, .targets = {"fill"}}, std::vector{Tensor::scalar(int64_t{9})},
                                    {.deadline_ns = now_ns() + 2000 * kMs})
                              .status();
  CHECK((too_many.code() == Code::kFailedPrecondition));
  CHECK(too_many.message().find("this run has filled queue 'q' of capacity 8") != std::string::npos);
  CHECK(size_of(*session) == 0);
}

TEST_CASE("What a queue holds counts against the limits of memory and is given back") {
  constexpr int64_t kElement = int64_t{1} << 20;
  const auto engine = engine_of(8 * kElement);
  const int64_t before = engine->memory()->used();
  {
    const auto session = session_on(engine, graph_of(engine, [](Builder& b, Emitter& e) { both_ends(b, e, 1000); }));
    const Tensor x = Tensor::of<float>(Shape{kElement / 4}, std::vector<float>(kElement / 4, 1.0f));
    int64_t held = 0;
    Status status;
    while (status.ok() && held < 20) {
      status = session->run({.feeds = {"x"}, .targets = {"put"}}, std::vector{x}).status();
      held += status.ok() ? 1 : 0;
    }
    CHECK((status.code() == Code::kResourceExhausted));
    CHECK(held >= 6);
    CHECK(held <= 8);
    CHECK(engine->memory()->used() >= held * kElement);
    CHECK(size_of(*session) == held);
    CHECK(take(*session).ok());
    CHECK(session->run({.feeds = {"x"}, .targets = {"put"}}, std::vector{x}).ok());
  }
  CHECK(engine->memory()->used() == before);
}

TEST_CASE("A file keeps queues, and what it says of them is checked when it is read") {
  const auto engine = engine_of();
  const auto graph = graph_of(engine, [](Builder& b, Emitter& e) { both_ends(b, e, 8); });
  std::string bytes = *write_graph(*graph);
  const auto read = [&]() {
    return read_graph(engine->registry(),
                      Buffer::wrap(bytes.data(), static_cast<int64_t>(bytes.size()), nullptr, nullptr));
  };
  const auto again = read();
  REQUIRE_MESSAGE(again.ok(), again.status().to_string());
  CHECK(*write_graph(**again) == bytes);
  const auto session = session_on(engine, *again);
  REQUIRE(put(*session, 3).ok());
  CHECK(*take(*session) == 3);

  Graph torn = *graph;
  for (Node& node : torn.functions[0].nodes) {
    if (node.name == "put") node.attributes.set("capacity", int64_t{9});
  }
  bytes = *write_graph(torn);
  const Status refused = read().status();
  CHECK((refused.code() == Code::kInvalidArgument));
  CHECK(refused.message().find("'got': queue 'q' has capacity 9, but is used with capacity 8") != std::string::npos);
}

TEST_CASE("Queues are checked when a graph is built") {
  const auto engine = engine_of();
  const auto refusal = [&](const Build& build) {
    Builder builder(engine->registry());
    Emitter e(builder.main());
    build(builder, e);
    if (!e.status().ok()) return std::string(e.status().message());
    return std::string(builder.finish().status().message());
  };
  const auto input = [](Builder& b) { return *b.main().add_input("x", DType::kF32, Shape{2}); };
  CHECK(refusal([&](Builder& b, Emitter& e) {
          e.emit_many("percale:QueueEnqueue", {input(b)}, 0, {{"queue", "q"}, {"capacity", int64_t{1} << 60}}, "put");
        }).find("capacity") != std::string::npos);
  CHECK(refusal([&](Builder& b, Emitter& e) {
          e.emit_many("percale:QueueEnqueue", {input(b)}, 0, {{"queue", ""}}, "put");
        }) == "QueueEnqueue 'put': attribute 'queue' must not be empty");
  CHECK(refusal([&](Builder& b, Emitter& e) {
          e.emit_many("percale:QueueEnqueue", {input(b)}, 0, {{"queue", "q"}}, "put");
          e.emit("percale:QueueDequeue", {}, dequeue_of(32, {3}), "got");
        }) == "percale:QueueDequeue 'got': queue 'q': component 0 is f32 [2], but is used as f32 [3]");
  CHECK(refusal([&](Builder&, Emitter& e) {
          Attributes a = dequeue_of(4, {3});
          a.set("ranks", std::vector<int64_t>{2});
          e.emit("percale:QueueDequeue", {}, a, "got");
        }) == "QueueDequeue 'got': attribute 'dims' has 1 entries, fewer than 'ranks' requires");
  CHECK(refusal([&](Builder&, Emitter& e) {
          Attributes a = dequeue_of(4, {3});
          a.set("dtypes", std::vector<int64_t>{999});
          e.emit("percale:QueueDequeue", {}, a, "got");
        }) == "QueueDequeue 'got': attribute 'dtypes': 999 is not a dtype");
  CHECK(refusal([&](Builder&, Emitter& e) { e.emit_many("percale:QueueDequeue", {}, 2, dequeue_of(4, {3}), "got"); }) ==
        "QueueDequeue 'got': 'dtypes' declares 1 components, but the number of outputs is 2");
}

TEST_CASE("An element of another shape than the queue's fails the run that brings it") {
  const auto engine = engine_of();
  const auto session =
      session_on(engine, graph_of(engine, [](Builder& b, Emitter& e) {
                   const ValueId x = *b.main().add_input("x", DType::kF32, Shape{kUnknownDim});
                   e.emit_many("percale:QueueEnqueue", {x}, 0, {{"queue", "q"}, {"capacity", 4}}, "put");
                   e.emit("percale:QueueDequeue", {}, dequeue_of(4, {2}), "got");
                 }));
  const Status status = session->run({.feeds = {"x"}, .targets = {"put"}}, std::vector{floats({1, 2, 3})}).status();
  CHECK(status.message() == "percale:QueueEnqueue 'put': queue 'q': component 0 is f32 [2], but is used as f32 [3]");
  CHECK(session->run({.feeds = {"x"}, .targets = {"put"}}, std::vector{floats({1, 2})}).ok());
}

}  // namespace
}  // namespace percale
