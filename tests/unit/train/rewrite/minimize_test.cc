#include "core/train/rewrite/minimize.h"

#include "core/session/initialize.h"
#include "core/train/layers/layers.h"
#include "core/train/rewrite/objective.h"
#include "core/train/rewrite/training_form.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

Attributes units(int64_t n) { return {{"units", n}}; }

// Makes a graph with inputs x and y. Its output "error" is the mean squared error of layers.
std::shared_ptr<const Graph> regression(const std::shared_ptr<const Registry>& registry, bool normalised,
                                        const char* optimizer, std::string* target) {
  Builder b(registry);
  FunctionBuilder& f = b.main();
  const ValueId x = *f.add_input("x", DType::kF64, Shape{-1, 3}), y = *f.add_input("y", DType::kF64, Shape{-1, 1});
  auto hidden = add_layer(f, "Dense", "", {x}, units(4));
  REQUIRE_MESSAGE(hidden.ok(), hidden.status().to_string());
  if (normalised) hidden = add_layer(f, "BatchNormalization", "", {*hidden}, {});
  REQUIRE_MESSAGE(hidden.ok(), hidden.status().to_string());
  const auto out = add_layer(f, "Dense", "", {*hidden}, units(1));
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  Emitter e(f);
  const ValueId d = e.emit("Sub", {*out, y});
  const ValueId error = e.emit("ReduceMean", {e.emit("Mul", {d, d})}, {{"keepdims", 0}}, "error");
  REQUIRE_OK(e.status());
  REQUIRE_OK(f.set_outputs({error}));
  if (optimizer != nullptr) {
    const auto step = add_train_step(f, error, *parse_optimizer(optimizer));
    REQUIRE_MESSAGE(step.ok(), step.status().to_string());
    *target = *step;
  }
  const auto graph = b.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  return *graph;
}

}  // namespace

TEST_CASE("a graph with its own training step learns what a trainer learns from the plain graph") {
  const auto engine = engine_of(1);
  const std::vector<Tensor> batch = {formula(DType::kF64, Shape{8, 3}, 1), formula(DType::kF64, Shape{8, 1}, 2)};
  for (bool normalised : {false, true}) {
    for (const char* optimizer : {"sgd", R"({"name": "sgd", "momentum": 0.9})", "adam"}) {
      CAPTURE(normalised);
      std::string target;
      const auto whole = regression(engine->registry(), normalised, optimizer, &target);
      const auto table = initialize_variables(engine, whole, 1);
      REQUIRE_MESSAGE(table.ok(), table.status().to_string());
      const auto session = Session::create(engine, whole, *table);
      REQUIRE(session.ok());
      RunSpec step;
      step.feeds = {"x", "y"};
      step.targets = {target};

      const auto plain = regression(engine->registry(), normalised, nullptr, nullptr);
      const auto model = model_of_mean_loss(*plain, "");
      REQUIRE_MESSAGE(model.ok(), model.status().to_string());
      TrainerOptions options;
      options.optimizer = *parse_optimizer(optimizer);
      options.seed = 1;
      options.shards = 1;
      const auto trainer = Trainer::create(engine, *model, nullptr, options);
      REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());

      for (int i = 0; i < 5; ++i) {
        const auto run = (*session)->run(step, batch);
        REQUIRE_MESSAGE(run.ok(), run.status().to_string());
        const auto loss = (*trainer)->step({"x", "y"}, batch);
        REQUIRE_MESSAGE(loss.ok(), loss.status().to_string());
      }
      for (const Variable& v : plain->variables) {
        const auto value = [&](const Variables& t) {
          return t.current()->values[static_cast<size_t>(t.find(v.name))].span<double>();
        };
        const auto a = value(**table), c = value(*(*trainer)->variables());
        for (size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(c[i]).epsilon(1e-10));
      }
      const auto counted = (*table)->find("train_step/steps");
      REQUIRE(counted >= 0);
      CHECK((*table)->current()->values[static_cast<size_t>(counted)].span<int64_t>()[0] == 5);
    }
  }
}

TEST_CASE("a loss without a trainable variable, and a graph without a loss, are refused") {
  const auto engine = engine_of(1);
  Builder b(engine->registry());
  const ValueId x = *b.main().add_input("x", DType::kF32, Shape{-1});
  Emitter e(b.main());
  const ValueId loss = e.emit("ReduceMean", {x}, {{"keepdims", 0}}, "loss");
  CHECK(add_train_step(b.main(), loss, Optimizer{}).status().message().find("no trainable variable") !=
        std::string_view::npos);
  CHECK_FALSE(add_train_step(b.main(), x, Optimizer{}).ok());
  CHECK_FALSE(add_train_step(b.main(), 99, Optimizer{}).ok());
  REQUIRE_OK(b.main().set_outputs({x}));
  CHECK_FALSE(model_of_mean_loss(b.graph(), "").ok());
  CHECK(model_of_mean_loss(b.graph(), "los").status().code() == Code::kNotFound);
}

TEST_CASE("the training form changes Dropout and BatchNormalization alone") {
  const auto engine = engine_of(1);
  const auto plain = regression(engine->registry(), false, nullptr, nullptr);
  CHECK_FALSE(training_form(*plain, plain->main()).changed);
  const auto normalised = regression(engine->registry(), true, nullptr, nullptr);
  const TrainingForm form = training_form(*normalised, normalised->main());
  CHECK(form.changed);
  REQUIRE(form.statistics.size() == 2);
  CHECK(form.statistics[0].variable == "batch_normalization/moving_mean");
  CHECK(form.statistics[1].variable == "batch_normalization/moving_variance");
}

}  // namespace percale
