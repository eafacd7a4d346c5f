// Graphs that clients run on a served device give the bits of a session, and wrong ones an error.
#include "core/serve/served_device.h"

#include <doctest/doctest.h>

#include <thread>

#include "core/base/c_status.h"
#include "core/graph/builder.h"
#include "core/graph_io/writer.h"
#include "core/session/session.h"
#include "tests/support/sim_engine.h"

namespace percale {
namespace {

// y = Tanh(x w), z = y + y.
std::shared_ptr<const Graph> small_graph(const Engine& engine, const Shape& x) {
  Builder builder(engine.registry());
  Emitter e(builder.main());
  const ValueId in = *builder.main().add_input("x", DType::kF32, x);
  std::vector<float> w(15);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i) * 0.1f - 0.7f;
  const ValueId weights = *builder.main().add_constant(Tensor::of<float>(Shape{5, 3}, w));
  const ValueId y = e.emit("Tanh", {e.emit("MatMul", {in, weights}, {})}, {}, "y");
  const ValueId z = e.emit("Add", {y, y}, {}, "z");
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(builder.main().set_outputs({y, z}).ok());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  return *graph;
}

std::vector<float> numbers(size_t count) {
  std::vector<float> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(i % 7) * 0.3f - 0.9f;
  return out;
}

// A client of a served device.
class Client {
 public:
  explicit Client(ServedDevice& device) : device_(device), api_(ServedDevice::api()) {}

  void* allocate(uint64_t bytes) {
    void* out = nullptr;
    const Status status = from_c(api_.allocate(device_.handle(), bytes, &out));
    REQUIRE_MESSAGE(status.ok(), status.to_string());
    return out;
  }
  void* put(const std::vector<float>& values) {
    void* const out = allocate(values.size() * sizeof(float));
    REQUIRE(from_c(api_.copy_from_host(device_.handle(), nullptr, out, values.data(), values.size() * 4)).ok());
    return out;
  }
  std::vector<float> get(void* memory, size_t count) {
    std::vector<float> out(count);
    REQUIRE(from_c(api_.copy_to_host(device_.handle(), nullptr, out.data(), memory, count * 4)).ok());
    return out;
  }
  Status compile(const Graph& graph, void** out) {
    const std::string bytes = *write_graph(graph);
    return from_c(api_.compile(device_.handle(), bytes.data(), bytes.size(), out));
  }
  Status execute(void* executable, std::vector<void*> inputs, std::vector<void*> outputs) {
    return from_c(api_.execute(executable, nullptr, inputs.data(), outputs.data()));
  }
  void destroy(void* executable) { api_.executable_destroy(executable); }
  void free(void* memory) { api_.free(device_.handle(), memory); }

 private:
  ServedDevice& device_;
  const percale_device_api& api_;
};

TEST_CASE("a graph on a served device has the bits of a session") {
  for (const char* devices : {"cpu:0", "cpu:0,cpu:1", "sim:0", "sim_partition:0"}) {
    CAPTURE(devices);
    const auto engine = sim_engine(2, devices);
    const auto graph = small_graph(*engine, Shape{4, 5});
    const std::vector<float> x = numbers(20);
    const auto wanted =
        (*Session::create(sim_engine(1, "cpu:0"), graph, nullptr))
            ->run({.feeds = {"x"}, .fetches = {"y", "z"}}, std::vector{Tensor::of<float>(Shape{4, 5}, x)});
    REQUIRE_MESSAGE(wanted.ok(), wanted.status().to_string());
    ServedDevice device(engine, 0, 0);
    CHECK(device.name() == engine->devices()[0]->name());
    Client client(device);
    void* executable = nullptr;
    const Status compiled = client.compile(*graph, &executable);
    REQUIRE_MESSAGE(compiled.ok(), compiled.to_string());
    std::vector<uint64_t> sizes;
    device.entry().list_operands(
        executable,
        [](void* to, int32_t is_output, uint64_t bytes) {
          static_cast<std::vector<uint64_t>*>(to)->push_back(is_output != 0 ? 1000 + bytes : bytes);
        },
        &sizes);
    CHECK(sizes == std::vector<uint64_t>{80, 1048, 1048});
    void *const in = client.put(x), *const y = client.allocate(48), *const z = client.allocate(48);
    for (int run = 0; run < 2; ++run) {
      const Status status = client.execute(executable, {in}, {y, z});
      REQUIRE_MESSAGE(status.ok(), status.to_string());
      CHECK(std::ranges::equal(client.get(y, 12), (*wanted)[0].span<float>()));
      CHECK(std::ranges::equal(client.get(z, 12), (*wanted)[1].span<float>()));
    }
    client.destroy(executable);
  }
}

TEST_CASE("all devices of an engine are one, which follows the hints of the nodes") {
  const auto engine = sim_engine(1, "cpu:0,sim:0");
  ServedDevice device(engine, ServedDevice::kAllDevices, 0);
  CHECK(device.name() == "engine:0");
  percale_device_description facts{};
  facts.struct_size = sizeof facts;
  REQUIRE(from_c(ServedDevice::api().describe(device.handle(), &facts)).ok());
  CHECK(facts.places_nodes == 1);
  Client client(device);
  void* executable = nullptr;
  Graph graph = *small_graph(*engine, Shape{4, 5});
  graph.functions[0].nodes[1].device = "sim:0";
  REQUIRE(client.compile(graph, &executable).ok());
  percale_sim_faults none{};
  set_faults(0, none);
  void *const in = client.put(numbers(20)), *const y = client.allocate(48), *const z = client.allocate(48);
  CHECK(client.execute(executable, {in}, {y, z}).ok());
  percale_sim_counts counts{};
  percale_sim_get_counts(sim_plugin(), 0, &counts);
  CHECK(counts.launches >= 1);
  client.destroy(executable);
}

TEST_CASE("threads execute at once") {
  const auto engine = sim_engine(2, "cpu:0");
  ServedDevice device(engine, 0, 0);
  void* executable = nullptr;
  REQUIRE(Client(device).compile(*small_graph(*engine, Shape{4, 5}), &executable).ok());
  std::vector<std::vector<float>> results(8);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&device, &result, executable] {
      Client client(device);
      void *const in = client.put(numbers(20)), *const y = client.allocate(48), *const z = client.allocate(48);
      for (int run = 0; run < 20; ++run) CHECK(client.execute(executable, {in}, {y, z}).ok());
      result = client.get(z, 12);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) CHECK(result == results[0]);
  Client(device).destroy(executable);
}

TEST_CASE("outputs that share memory are refused") {
  const auto engine = sim_engine(1, "cpu:0");
  ServedDevice device(engine, 0, 0);
  Client client(device);
  void* executable = nullptr;
  REQUIRE(client.compile(*small_graph(*engine, Shape{4, 5}), &executable).ok());
  auto* const block = static_cast<char*>(client.allocate(4096));
  for (const auto& [x, y, z] : {std::tuple{0, 128, 128}, {0, 128, 172}, {0, 64, 256}, {128, 256, 100}}) {
    CAPTURE(y);
    CHECK(client.execute(executable, {block + x}, {block + y, block + z}).code() == Code::kInvalidArgument);
  }
  CHECK(client.execute(executable, {block}, {block + 128, block + 192}).ok());
  client.destroy(executable);
}

TEST_CASE("an output may take the memory of the input that it is a change of, and of no other") {
  const auto engine = sim_engine(1, "cpu:0");
  Builder builder(engine->registry());
  Emitter e(builder.main());
  const ValueId table = *builder.main().add_input("table", DType::kF32, Shape{4, 16});
  const ValueId rows = *builder.main().add_input("rows", DType::kI64, Shape{2});
  const ValueId change = *builder.main().add_input("change", DType::kF32, Shape{2, 16});
  const ValueId rate = e.constant(Tensor::scalar(1.0));
  const ValueId next = e.emit("percale:SparseApplySGD", {table, rows, change, rate}, {}, "next");
  const ValueId read = e.emit("Gather", {next, rows}, {{"axis", 0}}, "read");
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(builder.main().set_outputs({next, read}).ok());
  const auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  ServedDevice device(engine, 0, 0);
  Client client(device);
  void* executable = nullptr;
  REQUIRE(client.compile(**graph, &executable).ok());
  std::vector<float> values = numbers(64);
  const int64_t numbers_of_rows[] = {1, 3};
  void *const in = client.put(values), *const by = client.put(std::vector<float>(32, 0.25f)),
              *const of = client.allocate(16);
  void *const out = client.allocate(256), *const got = client.allocate(128);
  REQUIRE(from_c(ServedDevice::api().copy_from_host(device.handle(), nullptr, of, numbers_of_rows, 16)).ok());
  for (const auto& [next_at, read_at] : {std::pair{out, in}, {by, got}, {in, in}, {out, by}}) {
    CHECK(client.execute(executable, {in, of, by}, {next_at, read_at}).code() == Code::kInvalidArgument);
  }
  const Status status = client.execute(executable, {in, of, by}, {in, got});
  REQUIRE_MESSAGE(status.ok(), status.to_string());
  for (size_t i = 0; i < 64; ++i) values[i] -= i / 16 == 1 || i / 16 == 3 ? 0.25f : 0.0f;
  CHECK(client.get(in, 64) == values);
  CHECK(client.get(got, 16) == std::vector<float>(values.begin() + 16, values.begin() + 32));
  client.destroy(executable);
}

TEST_CASE("what is no graph of static types is refused") {
  const auto engine = sim_engine(1, "cpu:0");
  ServedDevice device(engine, 0, 0);
  void* executable = nullptr;
  const Status dynamic = Client(device).compile(*small_graph(*engine, Shape{-1, 5}), &executable);
  CHECK(dynamic.code() == Code::kInvalidArgument);
  CHECK_MESSAGE(dynamic.message().find("'x'") != std::string::npos, dynamic.to_string());
  CHECK(executable == nullptr);
  const percale_device_api& api = ServedDevice::api();
  CHECK_FALSE(from_c(api.compile(device.handle(), "no graph", 8, &executable)).ok());
  CHECK(from_c(api.allocate(device.handle(), 0, &executable)).code() == Code::kInvalidArgument);
}

TEST_CASE("clients hold no more than the limit, and what they leave is freed") {
  const auto engine = sim_engine(1, "cpu:0");
  const int64_t before = engine->memory()->used();
  {
    ServedDevice device(engine, 0, 10'000);
    Client client(device);
    void* const block = client.allocate(8'000);
    void* more = nullptr;
    const Status refused = from_c(ServedDevice::api().allocate(device.handle(), 8'000, &more));
    CHECK(refused.code() == Code::kResourceExhausted);
    client.free(block);
    client.allocate(8'000);
  }
  CHECK(engine->memory()->used() == before);
}

}  // namespace
}  // namespace percale
