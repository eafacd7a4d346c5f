// Recomputed activations: less memory, the same bits.
#include "core/train/rewrite/recompute.h"

#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

// Models whose activations are larger than their weights. Each has something that a repeated
// forward pass could get wrong: random ops, batch statistics, views, skip connections.
const char* const kDense = R"([{"layer": "Dense", "units": 32, "activation": "relu"}, {"layer": "Dropout", "rate": 0.3},
  {"layer": "Dense", "units": 32, "activation": "tanh", "name": "a"}, {"layer": "Dropout", "rate": 0.3},
  {"layer": "Dense", "units": 32, "activation": "gelu", "name": "b"}, {"layer": "LayerNormalization"},
  {"layer": "Dense", "units": 32, "activation": "relu", "name": "c"}, {"layer": "Dropout", "rate": 0.3, "name": "d"},
  {"layer": "Add", "inputs": ["a", "d"]},
  {"layer": "Dense", "units": 32, "activation": "sigmoid"}, {"layer": "Dense", "units": 32, "activation": "relu"},
  {"layer": "Dense", "units": 32, "activation": "elu"}, {"layer": "Dense", "units": 32, "activation": "softplus"},
  {"layer": "Dense", "units": 3}])";
const char* const kImages = R"([
  {"layer": "Conv2D", "filters": 8, "kernel_size": 3, "padding": "same"}, {"layer": "BatchNormalization"},
  {"layer": "Activation", "activation": "relu"},
  {"layer": "Conv2D", "filters": 8, "kernel_size": 3, "padding": "same"}, {"layer": "BatchNormalization"},
  {"layer": "Activation", "activation": "relu"}, {"layer": "Dropout", "rate": 0.2},
  {"layer": "Conv2D", "filters": 8, "kernel_size": 3, "padding": "same", "activation": "relu"}, {"layer": "MaxPooling2D", "pool_size": 2},
  {"layer": "Conv2D", "filters": 8, "kernel_size": 3, "padding": "same", "activation": "tanh"},
  {"layer": "Conv2D", "filters": 8, "kernel_size": 3, "padding": "same", "activation": "relu"},
  {"layer": "Flatten"}, {"layer": "Dense", "units": 3}])";

std::string deep(int64_t layers) {
  std::string out = "[";
  for (int64_t i = 0; i < layers; ++i) out += R"({"layer": "Dense", "units": 16, "activation": "tanh"}, )";
  return out + R"({"layer": "Dense", "units": 3}])";
}

struct Outcome {
  std::string digest;
  std::vector<double> losses;
  int64_t planned = 0;
  bool recomputed = false;
};

Result<Outcome> train(const std::shared_ptr<Engine>& engine, const std::string& layers, const Shape& row, int64_t rows,
                      const std::string& keys) {
  auto spec =
      parse_spec(str_cat("{\"model\": ", layers, R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true,
      "optimizer": "adam", "metrics": ["accuracy"], "seed": 4)",
                         keys, "}"));
  REQUIRE_MESSAGE(spec.ok(), spec.status().to_string());
  Shape shape{rows};
  for (int64_t d : row) shape.push_back(d);
  const std::vector<int64_t> numbers = class_numbers(rows, 3);
  auto data = Dataset::create({{"x", formula(DType::kF32, shape, 9), DType::kF32, 1},
                               {"y", Tensor::vector(std::span<const int64_t>(numbers)), DType::kI64, 1}},
                              engine->memory());
  REQUIRE_MESSAGE(data.ok(), data.status().to_string());
  // A whole batch, and one with fewer rows
  REQUIRE_OK((*data)->configure({.batch_size = rows / 2 + 3}));
  const auto types = (*data)->types();
  auto model = build_model(*spec, engine->registry(), types[0].shape, types[1]);
  REQUIRE_MESSAGE(model.ok(), model.status().to_string());
  PERCALE_ASSIGN_OR_RETURN(const auto trainer, Trainer::create(engine, *model, nullptr, spec->trainer));
  PERCALE_RETURN_IF_ERROR(trainer->fit(*data, 3, nullptr));
  Outcome out{trainer->variables()->digest(), {}, trainer->planned_bytes(), trainer->recomputes()};
  for (const auto& r : trainer->history().rows) {
    out.losses.push_back(r.loss);
    out.losses.insert(out.losses.end(), r.metrics.begin(), r.metrics.end());
  }
  return out;
}

Outcome must_train(const std::shared_ptr<Engine>& engine, const std::string& layers, const Shape& row, int64_t rows,
                   const std::string& keys) {
  auto out = train(engine, layers, row, rows, keys);
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return *out;
}

}  // namespace

TEST_CASE("a step that recomputes gives the same bits and plans less memory, whatever the layers, threads and shards") {
  for (const auto& [layers, row] : {std::pair{kDense, Shape{20}}, {kImages, Shape{12, 10, 2}}}) {
    for (const char* shards : {"1", "3"}) {
      for (int32_t threads : {1, 2}) {
        CAPTURE(layers);
        CAPTURE(shards);
        const std::string keys = str_cat(", \"shards\": ", shards, ", \"accumulation\": ", threads);
        const Outcome plain = must_train(engine_of(threads), layers, row, 201, keys);
        const Outcome again = must_train(engine_of(threads), layers, row, 201, keys + ", \"recompute\": true");
        CHECK_FALSE(plain.recomputed);
        CHECK(again.recomputed);
        CHECK(again.digest == plain.digest);
        CHECK(again.losses == plain.losses);
        CHECK(again.planned < plain.planned);
      }
    }
  }
}

TEST_CASE("of a chain of 48 layers a step that recomputes plans less than half") {
  const auto engine = engine_of(2);
  const Outcome plain = must_train(engine, deep(48), Shape{16}, 800, ", \"shards\": 1");
  const Outcome again = must_train(engine, deep(48), Shape{16}, 800, ", \"shards\": 1, \"recompute\": true");
  CHECK(again.planned * 2 < plain.planned);
  CHECK(again.digest == plain.digest);
}

TEST_CASE("a memory limit that refuses a training lets it pass when it may recompute") {
  const Outcome plain = must_train(engine_of(1), deep(48), Shape{16}, 2000, ", \"shards\": 1");
  EngineOptions options;
  options.threads = 1;
  options.devices = "cpu:0";
  options.memory_limit = 2 << 20;
  const auto limited = [&](const char* keys) {
    const auto engine = make_test_engine(options);
    REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
    auto out = train(*engine, deep(48), Shape{16}, 2000, str_cat(", \"shards\": 1", keys));
    CHECK((*engine)->memory()->peak() <= options.memory_limit);
    return out;
  };
  REQUIRE(plain.planned > options.memory_limit);
  CHECK(limited("").status().code() == Code::kResourceExhausted);
  for (const char* keys : {", \"recompute\": \"auto\"", ", \"recompute\": true"}) {
    const auto out = limited(keys);
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
    CHECK(out->recomputed);
    CHECK(out->digest == plain.digest);
  }
}

TEST_CASE("trainers share an engine under limits of their own: one that is refused leaves the other as it was") {
  const auto engine = engine_of(1);
  const Outcome alone = must_train(engine_of(1), deep(48), Shape{16}, 2000, ", \"shards\": 1");
  const auto refused = train(engine, deep(48), Shape{16}, 2000, ", \"shards\": 1, \"memory_limit\": 2097152");
  CHECK(refused.status().code() == Code::kResourceExhausted);
  const auto recomputed =
      train(engine, deep(48), Shape{16}, 2000, ", \"shards\": 1, \"memory_limit\": 2097152, \"recompute\": \"auto\"");
  REQUIRE_MESSAGE(recomputed.ok(), recomputed.status().to_string());
  CHECK(recomputed->recomputed);
  CHECK(recomputed->digest == alone.digest);
  const Outcome beside = must_train(engine, deep(48), Shape{16}, 2000, ", \"shards\": 1, \"memory_limit\": 100000000");
  CHECK(beside.digest == alone.digest);
}

TEST_CASE("with a number of bytes a step recomputes only where it must, and says when that is not enough") {
  const auto engine = engine_of(1);
  const Outcome plain = must_train(engine, deep(30), Shape{16}, 400, ", \"shards\": 1");
  const Outcome again = must_train(engine, deep(30), Shape{16}, 400, ", \"shards\": 1, \"recompute\": true");
  const auto with = [&](int64_t bytes) {
    return train(engine, deep(30), Shape{16}, 400, str_cat(", \"shards\": 1, \"recompute\": ", bytes));
  };
  // The first batch has 203 rows, the last 197. plain.planned is the plan of the last.
  const auto roomy = with(2 * plain.planned);
  REQUIRE(roomy.ok());
  CHECK_FALSE(roomy->recomputed);
  const auto tight = with(plain.planned - 1);
  REQUIRE_MESSAGE(tight.ok(), tight.status().to_string());
  CHECK(tight->recomputed);
  CHECK(tight->digest == plain.digest);
  const auto none = with(again.planned / 2);
  CHECK(none.status().code() == Code::kResourceExhausted);
  CHECK(none.status().message().find("although it recomputes") != std::string_view::npos);
}

TEST_CASE("what 'recompute' may be") {
  const auto parse = [](const char* text) {
    return parse_spec(
        str_cat(R"({"model": [{"layer": "Flatten"}], "loss": "huber", "optimizer": "sgd", "recompute": )", text, "}"));
  };
  using When = Recompute::When;
  for (const auto& [text, when] : {std::pair{"true", When::kAlways},
                                   {"false", When::kNever},
                                   {"\"on\"", When::kAlways},
                                   {"\"auto\"", When::kAuto},
                                   {"\"off\"", When::kNever},
                                   {"4096", When::kAboveBytes}}) {
    const auto spec = parse(text);
    REQUIRE_MESSAGE(spec.ok(), spec.status().to_string());
    CHECK(spec->trainer.recompute.when == when);
  }
  CHECK(parse("4096")->trainer.recompute.bytes == 4096);
  for (const char* text : {"0", "-1", "\"always\"", "[1]", "1.5"}) {
    CHECK(parse(text).status().code() == Code::kInvalidArgument);
  }
}

}  // namespace percale
