// Values fetched from a step, compared with the reported loss and with steps without fetches.
#include <cmath>

#include "tests/support/sim_engine.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

// Returns the mean of -log softmax(scores)[label].
double cross_entropy(const Tensor& scores, const Tensor& labels) {
  const auto s = scores.span<double>();
  const auto y = labels.span<int64_t>();
  const size_t classes = s.size() / y.size();
  double out = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    double sum = 0;
    for (size_t k = 0; k < classes; ++k) sum += std::exp(s[i * classes + k]);
    out += std::log(sum) - s[i * classes + static_cast<size_t>(y[i])];
  }
  return out / static_cast<double>(y.size());
}

std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& model, const std::string& more,
                             const std::vector<std::string>& devices = {}) {
  const std::string keys = R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "optimizer": "adam")";
  return make_job(engine, model, keys + more, DType::kF64, {.batch_size = 20, .shuffle_seed = 3}, 100, devices);
}

std::string output_of(const Trainer& trainer) {
  const auto model = trainer.inference_model();
  REQUIRE_OK(model.status());
  const Function& f = (*model)->main();
  return f.value(f.outputs[0]).name;
}

// Alternates steps with and without fetches. The bits must be those of steps without, and the
// fetched predictions must give the reported loss.
void check_against(Trainer& fetching, Trainer& plain) {
  const std::string output = output_of(fetching);
  for (int64_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    const auto batch = fetching.train_data()->batch({0, i % 5}, fetching.engine()->threads().parallel());
    REQUIRE_OK(batch.status());
    std::vector<Tensor> values;
    const auto loss =
        i % 3 == 2 ? fetching.step({"x", "y"}, *batch) : fetching.step({"x", "y"}, *batch, {output, output}, &values);
    REQUIRE_OK(loss.status());
    const auto same = plain.step({"x", "y"}, *batch);
    REQUIRE_OK(same.status());
    CHECK(*loss == *same);
    if (values.empty()) continue;
    REQUIRE(values.size() == 2);
    CHECK(values[0].shape() == Shape{20, 3});
    CHECK(cross_entropy(values[0], (*batch)[1]) == doctest::Approx(*loss).epsilon(1e-12));
  }
  CHECK(fetching.variables()->digest() == plain.variables()->digest());
}

TEST_CASE("a step gives the predictions that its loss is of, and the bits of a step without") {
  for (const std::string model : {"mlp", "normalised", "dropout"}) {
    for (const std::string more : {R"(, "shards": 1)", R"(, "shards": 3)", R"(, "shards": 2, "accumulation": 2)",
                                   R"(, "shards": 2, "recompute": true)"}) {
      CAPTURE(model);
      CAPTURE(more);
      const auto fetching = job(engine_of(2), model, more), plain = job(engine_of(2), model, more);
      check_against(*fetching, *plain);
    }
  }
}

TEST_CASE("parameters on devices come home for the first step with fetches") {
  const auto host = job(engine_of(1), "mlp", R"(, "shards": 1)");
  const auto device = job(sim_engine(2, "cpu:0,sim:0"), "mlp", R"(, "parameters": "device")", {"sim:0"});
  check_against(*device, *host);
}

TEST_CASE("a step gives what a table that trains by rows looked up") {
  const auto engine = engine_of(2);
  const auto make = [&] {
    auto spec = parse_spec(R"({"model": [{"layer": "Embedding", "input_dim": 13, "output_dim": 6}, {"layer": "Flatten"},
      {"layer": "Dense", "units": 3}], "loss": "sparse_categorical_crossentropy", "from_logits": true, "shards": 2,
      "optimizer": {"name": "sgd", "sparse": true}, "seed": 4})");
    REQUIRE_OK(spec.status());
    spec->dtype = DType::kF64;
    const auto model =
        build_model(*spec, engine->registry(), Shape{kUnknownDim, 5}, ValueType{DType::kI64, Shape{kUnknownDim}});
    REQUIRE_OK(model.status());
    auto trainer = Trainer::create(engine, *model, nullptr, spec->trainer);
    REQUIRE_OK(trainer.status());
    return std::move(*trainer);
  };
  const auto fetching = make(), plain = make();
  const std::vector<int64_t> ids = class_numbers(40, 13), labels = class_numbers(8, 3);
  const std::vector<Tensor> batch = {Tensor::of(Shape{8, 5}, std::span<const int64_t>(ids)),
                                     Tensor::vector(std::span<const int64_t>(labels))};
  for (int i = 0; i < 3; ++i) {
    std::vector<Tensor> values;
    const auto loss = fetching->step({"x", "y"}, batch, {output_of(*fetching)}, &values);
    REQUIRE_OK(loss.status());
    CHECK(cross_entropy(values[0], batch[1]) == doctest::Approx(*loss).epsilon(1e-12));
    CHECK(*loss == *plain->step({"x", "y"}, batch));
  }
  CHECK(fetching->variables()->digest() == plain->variables()->digest());
}

TEST_CASE("modes that leave shards out, or work on several batches, give no fetches") {
  for (const std::string mode : {"backup:1", "async"}) {
    const auto trainer = job(engine_of(1), "mlp", str_cat(R"(, "shards": 2, "mode": ")", mode, "\""));
    const auto batch = trainer->train_data()->batch({0, 0}, trainer->engine()->threads().parallel());
    REQUIRE_OK(batch.status());
    std::vector<Tensor> values;
    CHECK(trainer->step({"x", "y"}, *batch, {output_of(*trainer)}, &values).status().code() ==
          Code::kFailedPrecondition);
    CHECK(values.empty());
  }
}

}  // namespace
}  // namespace percale
