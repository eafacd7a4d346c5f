// Models in training form are converted to the inference form, and train with the statistics that
// they came with.
#include "core/train/rewrite/inference_form.h"

#include "core/session/initialize.h"
#include "core/train/layers/state_ops.h"
#include "core/train/rewrite/objective.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

enum class Read { kPlain, kIdentity };

// The mean of squares of a chain of `layers` normalisations that share their variables, and of a
// Dropout, all in training form if `training` is true. Output "mean" is the running mean of the
// last one.
struct Net {
  bool training = false;
  int layers = 1;
  Read read = Read::kPlain;
};

std::shared_ptr<const Graph> graph_of(const std::shared_ptr<const Registry>& registry, const Net& net) {
  Builder b(registry);
  FunctionBuilder& f = b.main();
  Emitter e(f);
  const auto variable = [&](const char* name, double value, bool trainable) {
    const std::vector<double> values(3, value);
    const Variable v{.name = name,
                     .dtype = DType::kF64,
                     .shape = Shape{3},
                     .trainable = trainable,
                     .initial = Tensor::of(Shape{3}, std::span<const double>(values))};
    REQUIRE_OK(b.add_variable(v));
    const ValueId read = read_variable(e, v);
    return net.read == Read::kPlain ? read : e.emit("Identity", {read});
  };
  ValueId x = *f.add_input("x", DType::kF64, Shape{-1, 3});
  const ValueId scale = variable("scale", 1, true), bias = variable("bias", 0, true);
  const ValueId mean = variable("mean", 0, false), var = variable("var", 1, false);
  ValueId running = kNoValue;
  for (int i = 0; i < net.layers; ++i) {
    const auto out = e.emit_many("BatchNormalization", {x, scale, bias, mean, var}, net.training ? 3 : 1,
                                 {{"training_mode", int64_t{net.training}}, {"momentum", 0.5}}, str_cat("norm", i));
    x = out[0];
    if (net.training) running = out[1];
  }
  x = e.emit("Dropout", {x, e.scalar(DType::kF64, 0.0), e.constant(Tensor::scalar(net.training))});
  const ValueId loss = e.emit("ReduceMean", {e.emit("Mul", {x, x})}, {{"keepdims", 0}}, "loss");
  std::vector<ValueId> outputs = {loss};
  if (running != kNoValue) {
    REQUIRE_OK(f.rename(running, "running"));
    outputs.push_back(running);
  }
  REQUIRE_OK(e.status());
  REQUIRE_OK(f.set_outputs(outputs));
  const auto graph = b.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  return *graph;
}

std::vector<Tensor> run(const std::shared_ptr<Engine>& engine, const std::shared_ptr<const Graph>& graph,
                        std::vector<std::string> fetches, const Tensor& x) {
  const auto table = initialize_variables(engine, graph, 1);
  REQUIRE_MESSAGE(table.ok(), table.status().to_string());
  const auto session = Session::create(engine, graph, *table);
  REQUIRE_MESSAGE(session.ok(), session.status().to_string());
  RunSpec spec;
  spec.feeds = {"x"};
  spec.fetches = std::move(fetches);
  const std::vector<Tensor> feeds = {x};
  const auto out = (*session)->run(spec, feeds);
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return *out;
}

// Returns the moving means after one step on a batch whose column means are those of `x`.
std::vector<double> moved(const std::shared_ptr<Engine>& engine, const std::shared_ptr<const Graph>& graph,
                          const Tensor& x) {
  const auto model = model_of_mean_loss(*graph, "loss");
  REQUIRE_MESSAGE(model.ok(), model.status().to_string());
  TrainerOptions options;
  options.optimizer = *parse_optimizer("sgd");
  options.shards = 1;
  const auto trainer = Trainer::create(engine, *model, nullptr, options);
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  const auto loss = (*trainer)->step({"x"}, {x});
  REQUIRE_MESSAGE(loss.ok(), loss.status().to_string());
  const Variables& table = *(*trainer)->variables();
  const auto values = table.current()->values[static_cast<size_t>(table.find("mean"))].span<double>();
  return {values.begin(), values.end()};
}

const std::vector<double> kRows = {1, 2, 3, 3, 6, 5, 2, 1, 7};  // column means 2, 3, 5
const Tensor kBatch = Tensor::of(Shape{3, 3}, std::span<const double>(kRows));

}  // namespace

TEST_CASE("a model in training form infers with its running statistics and without dropout") {
  const auto engine = engine_of(1);
  const auto converted = inference_form(graph_of(engine->registry(), {.training = true}));
  REQUIRE_MESSAGE(converted.ok(), converted.status().to_string());
  const auto plain = graph_of(engine->registry(), {});
  CHECK(run(engine, *converted, {"loss"}, kBatch)[0].span<double>()[0] ==
        run(engine, plain, {"loss"}, kBatch)[0].span<double>()[0]);
  for (const Node& node : (*converted)->main().nodes) {
    CHECK(node.attributes.get_int("training_mode") == 0);
    if (op_name(*node.op) == "Dropout") CHECK(node.inputs.size() == 2);
  }
}

TEST_CASE("outputs that were updated statistics become the statistics, under their names") {
  const auto engine = engine_of(1);
  const auto converted = inference_form(graph_of(engine->registry(), {.training = true}));
  REQUIRE_MESSAGE(converted.ok(), converted.status().to_string());
  const auto out = run(engine, *converted, {"running"}, kBatch);
  for (double v : out[0].span<double>()) CHECK(v == 0);
}

TEST_CASE("the training form of a converted model moves its running statistics") {
  const auto engine = engine_of(1);
  const auto converted = inference_form(graph_of(engine->registry(), {.training = true}));
  REQUIRE_MESSAGE(converted.ok(), converted.status().to_string());
  CHECK(moved(engine, *converted, kBatch) == std::vector<double>{1, 1.5, 2.5});
}

TEST_CASE("a graph in inference form stays the same object") {
  const auto graph = graph_of(engine_of(1)->registry(), {});
  CHECK(*inference_form(graph) == graph);
}

TEST_CASE("statistics that are read through Identity move") {
  const auto engine = engine_of(1);
  CHECK(moved(engine, graph_of(engine->registry(), {.read = Read::kIdentity}), kBatch) ==
        std::vector<double>{1, 1.5, 2.5});
}

TEST_CASE("statistics of two uses of one layer move twice: the second batch has mean 0") {
  const auto engine = engine_of(1);
  const auto means = moved(engine, graph_of(engine->registry(), {.layers = 2}), kBatch);
  REQUIRE(means.size() == 3);
  CHECK(means[0] == doctest::Approx(0.5));
  CHECK(means[1] == doctest::Approx(0.75));
  CHECK(means[2] == doctest::Approx(1.25));
}

}  // namespace percale
