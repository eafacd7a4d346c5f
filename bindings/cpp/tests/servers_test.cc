// Servers of the devices of an engine, and engines that use them. All are in this process.
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bindings/cpp/tests/good.h"
#include "bindings/cpp/tests/line.h"

using namespace percale;
using namespace std::chrono_literals;

namespace {

// Returns a server at a free port; none, with a message, if no plug-in connects processes.
std::optional<Server> served(const Engine& engine) {
  auto server = Server::create(engine, "127.0.0.1:0");
  if (!server && server.error().code() == Code::kUnimplemented) {
    CHECK(server.error().message().find("libpercale_remote.so") != std::string::npos);
    MESSAGE("skipped: ", server.error().message());
    return std::nullopt;
  }
  return good(std::move(server));
}

std::string address_of(const Server& server) { return "127.0.0.1:" + std::to_string(server.port()); }

// A busy machine can take seconds to answer.
Result<Engine> client_of(const std::string& address, int connect_seconds = 60) {
  return Engine::create(Options("engine")
                            .set("threads", 1)
                            .set("devices", "remote:" + address + "/cpu:0")
                            .set("connect_timeout", connect_seconds));
}

// Returns the bits of tanh(x x) for fixed numbers.
std::vector<std::byte> computed(const Engine& engine) {
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {8, 8});
  b.set_outputs({b.node("Tanh", {b.node("MatMul", {x, x})}, {}, "y")});
  const Graph graph = good(b.finish());
  std::vector<float> numbers;
  for (int i = 0; i < 64; ++i) numbers.push_back(static_cast<float>(i % 7) / 9 - 0.3f);
  const Tensor in = floats(std::move(numbers), {8, 8});
  Session session = good(Session::create(engine, graph));
  const auto results = good(session.run({{"x", in}}, {"y"}));
  const auto bits = std::as_bytes(good(results.front().as<float>()));
  return {bits.begin(), bits.end()};
}

}  // namespace

TEST_CASE("a device of a server computes the bits of this process, and the server waits for the client's end") {
  const Engine engine = one_thread();
  auto server = served(engine);
  if (!server) return;
  CHECK(server->port() > 0);
  CHECK(server->wait(10ms).code() == Code::kDeadlineExceeded);
  Engine client = good(client_of(address_of(*server)));
  CHECK(client.devices().front() == "remote:" + address_of(*server) + "/cpu:0");
  CHECK(computed(client) == computed(engine));
  CHECK(server->wait(-1s).code() == Code::kDeadlineExceeded);
  Status waited(Code::kUnknown, "");
  std::thread waiter([&] { waited = server->wait(60s); });
  client.reset();
  waiter.join();
  good(waited);
}

TEST_CASE("a server refuses addresses that it cannot have") {
  const Engine engine = one_thread();
  auto server = served(engine);
  if (!server) return;
  CHECK(Server::create(engine, address_of(*server)).error().code() == Code::kUnavailable);
  CHECK(Server::create(engine, "192.0.2.1:0").error().code() == Code::kFailedPrecondition);
  CHECK(Server::create(engine, "127.0.0.1:0", "no/such/folder").error().code() == Code::kNotFound);
}

TEST_CASE("a client of a server that has ended is told so") {
  const Engine engine = one_thread();
  auto server = served(engine);
  if (!server) return;
  const std::string address = address_of(*server);
  server->reset();
  CHECK(server->port() == 0);
  CHECK(server->wait().code() == Code::kInvalidArgument);
  CHECK(client_of(address, 1).error().code() == Code::kUnavailable);
}
