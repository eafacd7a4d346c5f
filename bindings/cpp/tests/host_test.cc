// Threads, files and memory that a program supplies; memory that an engine gives back; its metrics.
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <percale/ops.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bindings/cpp/tests/good.h"

using namespace percale;

namespace {

constexpr int64_t kRows = 64, kWide = 256;

// y = x * w, large enough for a loop of several pieces, as the bytes of a file.
std::string wide_file() {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  std::vector<float> weights(static_cast<size_t>(kWide * kWide));
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 83) / 83;
  const Value x = b.input("x", DType::kF32, {kRows, kWide});
  const Value w = b.variable("w", floats(std::move(weights), {kWide, kWide}));
  b.set_outputs({ops::MatMul(b, x, w, "y")});
  const Graph graph = good(b.finish());
  return good(graph.serialize(good(graph.variables(engine))));
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

Result<std::vector<Tensor>> run(const Engine& engine, const Graph& graph) {
  const Variables variables = good(graph.variables(engine));
  Session session = good(Session::create(engine, graph, variables));
  std::vector<float> x(static_cast<size_t>(kRows * kWide));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17);
  const Tensor fed = floats(std::move(x), {kRows, kWide});
  return session.run({{"x", fed}}, {"y"});
}

std::vector<float> values(Result<std::vector<Tensor>> outputs) {
  const auto y = good(TensorOf<float>::from(std::move(good(std::move(outputs))[0])));
  return {y.begin(), y.end()};
}

class Archive final : public FileReader {
 public:
  explicit Archive(std::map<std::string, std::string> files) : files_(std::move(files)) {}
  Result<int64_t> size(const std::string& name) override {
    const auto found = files_.find(name);
    if (found == files_.end()) return Status(Code::kNotFound, "not in the archive");
    return static_cast<int64_t>(found->second.size());
  }
  Status read(const std::string& name, int64_t offset, std::span<std::byte> to) override {
    const std::string& file = files_.at(name);
    if (file.empty()) return Status(Code::kDataLoss, "empty");
    std::memcpy(to.data(), file.data() + offset, to.size());
    return {};
  }

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace

TEST_CASE("a program's threads compute the same bits") {
  const std::string file = wide_file();
  Options plain("engine");
  plain.set("threads", 4);
  const Engine own = good(Engine::create(plain));
  const auto wanted = values(run(own, good(Graph::load(own, bytes_of(file)))));
  std::vector<std::thread> threads;
  {
    Options options("engine");
    options.set("threads", 4).executor([&](std::function<void()> task) -> Status {
      threads.emplace_back(std::move(task));
      return {};
    });
    const Engine engine = good(Engine::create(options));
    CHECK(values(run(engine, good(Graph::load(engine, bytes_of(file))))) == wanted);
  }
  CHECK(!threads.empty());
  for (std::thread& thread : threads) thread.join();
  {
    Options options("engine");
    options.set("threads", 4).executor([](const std::function<void()>& task) -> Status {
      task();
      task();
      return {};
    });
    const Engine engine = good(Engine::create(options));
    CHECK(values(run(engine, good(Graph::load(engine, bytes_of(file))))) == wanted);
  }
}

TEST_CASE("the error of an executor is that of the run") {
  const std::string file = wide_file();
  Options options("engine");
  auto released = std::make_shared<int>(0);
  options.set("threads", 4).executor([released](const std::function<void()>&) -> Status {
    return Status(Code::kUnavailable, "the pool is shut down");
  });
  {
    const Engine engine = good(Engine::create(options));
    auto result = run(engine, good(Graph::load(engine, bytes_of(file))));
    CHECK(result.error().code() == Code::kUnavailable);
    CHECK(result.error().message().find("the pool is shut down") != std::string_view::npos);
  }
  options = Options("engine");
  CHECK(released.use_count() == 1);
  Options wrong("session");
  wrong.executor([](const std::function<void()>&) -> Status { return {}; });
  CHECK(wrong.status().code() == Code::kInvalidArgument);
}

TEST_CASE("models are read by the program") {
  const std::string file = wide_file();
  Options options("engine");
  options.files(std::make_shared<Archive>(std::map<std::string, std::string>{{"m/wide.percale", file}}));
  const Engine engine = good(Engine::create(options));
  const Graph graph = good(Graph::load(engine, "host:m/wide.percale"));
  CHECK(values(run(engine, graph)) == values(run(engine, good(Graph::load(engine, bytes_of(file))))));
  const auto lost = Graph::load(engine, "host:other");
  CHECK(lost.error().code() == Code::kNotFound);
  CHECK(lost.error().message().find("host:other: not in the archive") != std::string_view::npos);
  Options none("engine");
  CHECK(none.files(nullptr).status().code() == Code::kInvalidArgument);
}

TEST_CASE("models lie in memory of the program") {
  const Engine engine = good(Engine::create());
  const std::string file = wide_file();
  auto owner = std::make_shared<int>(0);
  int64_t copied = -1;
  {
    const Graph graph = good(Graph::over(engine, bytes_of(file), owner, &copied));
    CHECK((copied == 0 || copied == static_cast<int64_t>(file.size())));
    CHECK(owner.use_count() == (copied == 0 ? 2 : 1));
    CHECK(values(run(engine, graph)) == values(run(engine, good(Graph::load(engine, bytes_of(file))))));
  }
  CHECK(owner.use_count() == 1);
  CHECK(Graph::over(engine, bytes_of(file).first(70), owner).error().code() == Code::kDataLoss);
  const Graph graph = good(Graph::load(engine, bytes_of(file)));
  Variables variables = good(graph.variables(engine));
  CHECK(variables.load_over(bytes_of(file), owner).error().code() == Code::kInvalidArgument);
  CHECK(owner.use_count() == 1);
}

TEST_CASE("memory is given back, and runs are counted") {
  Engine engine = good(Engine::create());
  values(run(engine, good(Graph::load(engine, bytes_of(wide_file())))));
  CHECK(engine.trim() >= 0);
  CHECK(good(engine.metrics()).starts_with("{\"runs_total\":1,"));
}
