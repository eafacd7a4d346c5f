#include "core/graph_io/upgrade_graph.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/graph_io/reader.h"
#include "core/graph_io/writer.h"
#include "core/session/session.h"
#include "tests/support/engine.h"
#include "tests/unit/graph/old_ops.h"

namespace percale {
namespace {

Result<std::shared_ptr<const Graph>> read(const std::shared_ptr<const Registry>& registry, const std::string& bytes) {
  return read_graph(registry, Tensor::copy_of(DType::kU8, Shape{static_cast<int64_t>(bytes.size())}, bytes.data(),
                                              static_cast<int64_t>(bytes.size()))
                                  .buffer());
}

std::vector<float> sums(const std::shared_ptr<Engine>& engine, std::shared_ptr<const Graph> graph, bool flag) {
  const auto session = Session::create(engine, std::move(graph), nullptr);
  REQUIRE_MESSAGE(session.ok(), session.status().to_string());
  const float x[] = {0, 0, 0, std::log(3.0F), 1, 1, 1, 1};
  const RunSpec spec{.feeds = {"x", "flag"}, .fetches = {"sums"}};
  const std::vector<Tensor> feeds{Tensor::of<float>(Shape{2, 2, 2}, {std::begin(x), std::end(x)}),
                                  Tensor::scalar(flag)};
  const auto out = (*session)->run(spec, feeds);
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  const auto values = (*out)[0].span<float>();
  return {values.begin(), values.end()};
}

TEST_CASE("a file with ops of older versions is read as what they meant, within functions too") {
  const auto engine = make_test_engine({});
  REQUIRE(engine.ok());
  const auto registry = (*engine)->registry();
  const auto old = old_ops::graph(registry);
  REQUIRE_MESSAGE(old.ok(), old.status().to_string());
  const auto bytes = write_graph(**old);
  REQUIRE(bytes.ok());
  const auto graph = read(registry, *bytes);
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  // The softmax of row 0 is 1/6, 1/6, 1/6, 1/2; that of row 1 is 1/4 everywhere.
  const auto clipped = sums(*engine, *graph, true), plain = sums(*engine, *graph, false);
  CHECK(clipped[0] == doctest::Approx(0.8));
  CHECK(clipped[1] == doctest::Approx(1.0));
  CHECK(plain[0] == doctest::Approx(1.0));

  const Function& f = (*graph)->main();
  for (const char* name : {"x", "flag", "rows", "rows/rows", "chosen", "sums"}) {
    CAPTURE(name);
    CHECK(f.find_value(name) != kNoValue);
  }
  CHECK(f.node(f.value(f.find_value("rows/rows")).def).op->name == "Relu");
  const auto written = write_graph(**graph);
  REQUIRE(written.ok());
  const auto again = read(registry, *written);
  REQUIRE_MESSAGE(again.ok(), again.status().to_string());
  CHECK(*write_graph(**again) == *written);
}

TEST_CASE("a file with an op of a newer version is refused with both versions") {
  const auto engine = make_test_engine({});
  REQUIRE(engine.ok());
  static constexpr OpRow kNewerRow{.name = "Relu",
                                   .since = 99,
                                   .doc = "",
                                   .inputs = {in("X", 'T', dtypes::kFloat)},
                                   .outputs = {out("Y", 'T')},
                                   .shape = old_ops::same_shape,
                                   .grad = grad::none};
  static constexpr OpSchema kNewer(kNewerRow);
  Builder builder((*engine)->registry());
  FunctionBuilder& f = builder.main();
  const auto x = f.add_input("x", DType::kF32, Shape{1});
  REQUIRE(x.ok());
  const auto node = f.add_node(kNewer, {*x});
  REQUIRE(node.ok());
  REQUIRE(f.set_outputs(f.function().node(*node).outputs).ok());
  const auto graph = builder.finish();
  REQUIRE(graph.ok());
  const Status status = read((*engine)->registry(), *write_graph(**graph)).status();
  CHECK(status.code() == Code::kUnimplemented);
  CHECK(status.message() == "the file needs ops that this library does not have: Relu version 99 (here version 14)");
}

}  // namespace
}  // namespace percale
