#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <percale/ops.hpp>

#include "bindings/cpp/tests/good.h"

using namespace percale;

namespace {

// Returns 40 rows of one feature; the class is its sign.
Dataset signs(const Engine& engine) {
  std::vector<float> x;
  std::vector<int64_t> y;
  for (int i = 0; i < 40; ++i) {
    x.push_back(static_cast<float>(i - 20) / 10);
    y.push_back(i < 20 ? 0 : 1);
  }
  return good(
      Dataset::from_tensors(engine, {{"x", good(Tensor::adopt(x, {40, 1}))}, {"y", good(Tensor::adopt(y, {40}))}}));
}

Sequential two_layers() {
  return {layers::Dense(10, {{"activation", "relu"}, {"input_shape", {1}}}),
          layers::Dense(10, {{"activation", "softmax"}})};
}
const Training kTraining = {.optimizer = R"({"name": "adam", "learning_rate": 0.02})",
                            .loss = "sparse_categorical_crossentropy",
                            .metrics = {"accuracy"}};

}  // namespace

TEST_CASE("Keras' example: a mirrored strategy over all devices learns, and reports each epoch") {
  const Engine engine = good(Engine::create(Options("engine").set("devices", "cpu=2x1")));
  const MirroredStrategy strategy;
  Trainer trainer = good(two_layers().compile(engine, strategy, kTraining));
  Dataset data = signs(engine);
  good(data.batch(10));
  int epochs = 0;
  good(trainer.fit(data, 10, [&](const Progress& p) {
    if (p.epoch_ended) {
      ++epochs;
      CHECK(p.metrics["accuracy"] >= 0);
    }
    return true;
  }));
  CHECK(epochs == 10);
  CHECK(trainer.steps() == 40);
  CHECK(good(trainer.evaluate(data))["accuracy"] > 0.8);
}

TEST_CASE("true and false are said of an optimizer and a loss, and are 1 and 0 to layers and nodes") {
  const Named optimizer = {{"name", "sgd"}, {"learning_rate", 0.25}, {"nesterov", true}, {"momentum", 0.5}};
  CHECK(optimizer.json() == R"({"name":"sgd","learning_rate":0.25,"nesterov":true,"momentum":0.5})");
  const Engine engine = good(Engine::create());
  const Sequential model = {layers::Dense(10, {{"use_bias", false}, {"input_shape", {1}}})};
  Trainer trainer = good(
      model.compile(engine, {.optimizer = {{"name", "sgd"}, {"momentum", 0.5}, {"nesterov", true}},
                             .loss = {{"name", "sparse_categorical_crossentropy"}, {"from_logits", true}},
                             .metrics = {"accuracy"},
                             .schedule = {{{"name", "warm_up"}, {"steps", 4}}, {{"name", "cosine"}, {"alpha", 0.1}}}}));
  Dataset data = signs(engine);
  good(data.batch(10));
  good(trainer.fit(data, 1));
  CHECK(good(trainer.variables()).names().size() == 1);

  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {2, 2});
  const Value kept = b.node("ReduceSum", {x}, {{"keepdims", true}});
  const Value sum = b.node("ReduceSum", {x}, {{"keepdims", false}});
  CHECK(b.type(kept).dims.size() == 2);
  CHECK(b.type(sum).dims.empty());
  b.set_outputs({sum});
  good(b.finish());
}

TEST_CASE("the same bits come from one device and from two") {
  std::string digests[2];
  for (const int devices : {1, 2}) {
    const Engine engine = good(Engine::create(Options("engine").set("devices", devices == 1 ? "cpu:0" : "cpu=2x1")));
    Training training = kTraining;
    training.more = "\"shards\": 2";
    Trainer trainer = good(two_layers().compile(engine, MirroredStrategy(), training));
    Dataset data = signs(engine);
    good(data.batch(10, 3));
    good(trainer.fit(data, 2));
    digests[devices - 1] = good(good(trainer.variables()).digest());
  }
  CHECK(digests[0] == digests[1]);
}

TEST_CASE("a SPEC finds its files in the folders that are given, and options override it") {
  char pattern[] = "/tmp/percale-folders-XXXXXX";
  const std::string of_spec = mkdtemp(pattern), of_data = of_spec + "/data";
  std::filesystem::create_directory(of_data);
  const auto write = [](const std::string& folder, int64_t rows) {
    const std::vector<float> zeros(static_cast<size_t>(rows));
    good(good(Tensor::adopt(zeros, {rows, 1})).save(folder + "/x.npy"));
    good(good(Tensor::adopt(zeros, {rows, 1})).save(folder + "/y.npy"));
  };
  write(of_spec, 4);
  write(of_data, 6);
  const char* spec =
      R"({"model": [{"layer": "Dense", "units": 1}], "input_shape": [1], "loss": "mean_squared_error",
                         "optimizer": "sgd", "batch_size": 1, "epochs": 1, "data": {"train": {"x": "x.npy", "y": "y.npy"}}})";
  const auto steps = [](Result<Trainer> trainer) {
    Trainer own = good(std::move(trainer));
    good(own.fit());
    return own.steps();
  };
  const Engine engine = good(Engine::create());
  CHECK(Trainer::from_spec(engine, spec).error().code() == Code::kNotFound);
  CHECK(steps(Trainer::from_spec(engine, spec, {.spec = of_spec.c_str()})) == 4);
  CHECK(steps(Trainer::from_spec(engine, spec, {.spec = of_spec.c_str(), .data = of_data.c_str()})) == 6);
  CHECK(steps(Trainer::from_spec(engine, spec, {.data = of_data.c_str()}, Options("trainer").set("epochs", 2))) == 12);
  std::filesystem::remove_all(of_spec);
}

TEST_CASE("data without labels is refused, naming the label") {
  const Engine engine = good(Engine::create());
  Trainer trainer = good(two_layers().compile(engine, kTraining));
  Dataset data = good(Dataset::range(engine, "x", 0, 100));
  good(data.batch(10));
  const Status status = trainer.fit(data, 10);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("needs an input 'y'") != std::string::npos);
}

TEST_CASE("a callback stops the training, and what it throws comes out of fit") {
  const Engine engine = good(Engine::create());
  Trainer trainer = good(two_layers().compile(engine, kTraining));
  Dataset data = signs(engine);
  good(data.batch(10));
  good(trainer.fit(data, 10, [](const Progress& p) { return p.step < 3; }));
  CHECK(trainer.steps() == 3);
#if PERCALE_CPP_EXCEPTIONS
  CHECK_THROWS_WITH((void)trainer.fit(data, 10, [](const Progress&) -> bool { throw std::runtime_error("enough"); }),
                    "enough");
#endif
}

TEST_CASE("a cancellation ends a training within, and what begins after it") {
  const Engine engine = good(Engine::create());
  Trainer trainer = good(two_layers().compile(engine, kTraining));
  Dataset data = signs(engine);
  good(data.batch(10));
  Cancellation cancellation = good(Cancellation::create());
  trainer.set_cancellation(cancellation);
  const auto cancel = [&](const Progress& p) {
    if (p.step == 3) cancellation.cancel();
    return true;
  };
  CHECK(trainer.fit(data, 10, cancel).code() == Code::kCancelled);
  CHECK(trainer.fit(data, 10).code() == Code::kCancelled);
  CHECK(trainer.steps() == 3);
  trainer.set_cancellation({});
  good(trainer.fit(data, 1));
  CHECK(trainer.steps() == 4);
}

TEST_CASE("what the library calls lives as long as it may be called") {
  const auto token = std::make_shared<int>(7);
  {
    Engine engine = good(Engine::create());
    good(engine.set_log([token](int32_t, std::string_view) {}));
    CHECK(token.use_count() == 2);
    const std::vector<FeedType> columns = {{"x", DType::kF32, {}}};
    const auto sevens = [token](int64_t, void* const* memory) {
      *static_cast<float*>(memory[0]) = static_cast<float>(*token);
      return true;
    };
    Dataset twice = good(good(Dataset::generate(engine, columns, 2, sevens)).repeat(2));
    CHECK(token.use_count() == 4);  // owned by the log, `sevens` and the library
    good(twice.batch(4));
    CHECK(good((*good(twice.next()))[0].as<float>())[3] == 7);
    CHECK_FALSE(Dataset::generate(engine, columns, 0, sevens).has_value());
    CHECK(token.use_count() == 4);
    twice.reset();
    CHECK(token.use_count() == 3);
    engine.clear_log();
    CHECK(token.use_count() == 2);
  }
  CHECK(token.use_count() == 1);
}

TEST_CASE("a graph of layers and ops is trained by minimize and by a trainer") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {-1, 1}), t = b.input("t", DType::kF32, {-1, 1});
  const Value e = ops::Sub(b, b.layer("Dense", {x}, {{"units", 1}}, "y"), t);
  const Value loss = ops::ReduceMean(b, ops::Mul(b, e, e), {}, {.keepdims = 0}, "loss");
  b.set_outputs({loss});
  const Graph graph = good(b.finish());
  const Variables variables = good(graph.variables(engine, 1));
  Trainer trainer = good(Trainer::create(
      engine, graph, variables, Options("trainer").set("optimizer", R"({"name": "sgd", "learning_rate": 0.5})")));
  const Tensor xs = floats({-1, 0, 1, 2}, {4, 1}), ts = floats({-3, -1, 1, 3}, {4, 1});
  double last = 0;
  for (int i = 0; i < 100; ++i) last = good(trainer.step({{"x", xs}, {"t", ts}}));
  CHECK(last < 1e-4);
  const auto fetched = good(trainer.step_fetch({{"x", xs}, {"t", ts}}, {"y"}));
  CHECK(fetched.loss < 1e-4);
  CHECK(good(fetched.values[0].as<float>())[3] == doctest::Approx(3).epsilon(0.02));
  CHECK(good(good(variables.value("y/bias")).as<float>())[0] == doctest::Approx(-1).epsilon(0.01));
}

TEST_CASE("an epoch gives each row once, from what a function makes, zipped and repeated") {
  const Engine engine = good(Engine::create());
  auto squares = [](int64_t row, void* const* columns) {
    *static_cast<float*>(columns[0]) = static_cast<float>(row * row);
    return true;
  };
  const std::vector<FeedType> columns = {{"square", DType::kF32, {}}};
  const Dataset made = good(Dataset::generate(engine, columns, 5, squares));
  const Dataset numbers = good(Dataset::range(engine, "n", 0, 5));
  const Dataset* both[] = {&numbers, &made};
  Dataset data = good(good(Dataset::zip(both)).repeat(2));
  CHECK(data.columns() == std::vector<std::string>{"n", "square"});
  const auto types = good(data.column_types());
  CHECK(types.size() == 2);
  for (const FeedType& type : types) {
    CHECK(type.dtype == (type.name == "n" ? DType::kI64 : DType::kF32));
    CHECK(type.dims.empty());
  }
  CHECK(good(data.rename({"x", "y"})).columns() == std::vector<std::string>{"x", "y"});
  CHECK(data.rows() == 10);
  good(data.batch(4));
  for (int pass = 0; pass < 2; ++pass) {
    int64_t rows = 0;
    for (auto& batch : data.epoch()) {
      const auto n = good((*batch)[0].as<int64_t>());
      const auto square = good((*batch)[1].as<float>());
      for (size_t i = 0; i < n.size(); ++i) CHECK(square[i] == static_cast<float>(n[i] * n[i]));
      rows += static_cast<int64_t>(n.size());
    }
    CHECK(rows == 10);
  }
  CHECK(good(data.distribute(2)).size() == 2);
}

TEST_CASE("a trace holds the spans of a session's runs") {
  const Engine engine = good(Engine::create());
  Trainer trainer = good(two_layers().compile(engine, kTraining));
  const Trace trace = good(Trace::create(engine));
  trainer.set_trace(trace);
  Dataset data = signs(engine);
  good(data.batch(10));
  good(trainer.fit(data, 1));
  trainer.set_trace(Trace());
  CHECK(good(trace.json()).find("\"ph\"") != std::string::npos);
}

TEST_CASE("the learning rate is set between steps, and from the callback") {
  const Engine engine = good(Engine::create());
  Trainer trainer = good(two_layers().compile(engine, kTraining));
  Dataset data = signs(engine);
  good(data.batch(10));
  good(trainer.set_learning_rate(0.5));
  std::vector<double> rates;
  good(trainer.fit(data, 1, [&](const Progress& p) {
    rates.push_back(p.learning_rate);
    return trainer.set_learning_rate(p.learning_rate / 2).ok();
  }));
  CHECK(rates == std::vector<double>{0.5, 0.25, 0.125, 0.0625});
  CHECK(trainer.set_learning_rate(-1).message().find("the learning rate is -1") != std::string::npos);
}

TEST_CASE("a folder is locked for one run, and another run overwrites it only when told to") {
  char pattern[] = "/tmp/percale-cpp-XXXXXX";
  const std::string folder = mkdtemp(pattern);
  const Engine engine = good(Engine::create());
  Trainer first = good(two_layers().compile(engine, kTraining)), second = good(two_layers().compile(engine, kTraining));
  good(first.lock_folder(folder));
  good(first.save(folder));
  CHECK(second.lock_folder(folder).code() == Code::kUnavailable);
  first.reset();
  CHECK(second.lock_folder(folder).code() == Code::kAlreadyExists);
  good(second.lock_folder(folder, true));

  CHECK(second.restore(folder).code() == Code::kNotFound);
  second.reset();
  std::filesystem::remove_all(folder);
}

TEST_CASE("a model that is compiled again keeps its weights") {
  const Engine engine = good(Engine::create());
  Sequential model = two_layers();
  Trainer first = good(model.compile(engine, kTraining));
  Dataset data = signs(engine);
  good(data.batch(10));
  good(first.fit(data, 2));
  model.add(layers::Dense(10, {{"activation", "softmax"}}));
  const Training other = {.optimizer = {{"name", "sgd"}, {"learning_rate", 0.125}},
                          .loss = "sparse_categorical_crossentropy",
                          .metrics = {"accuracy", {{"metric", "accuracy"}, {"name", "mine"}}},
                          .schedule = {{{"name", "warm_up"}, {"steps", 4}}, "cosine"},
                          .weights_of = &first,
                          .more = "\"epochs\": 9"};
  Trainer second = good(model.compile(engine, other));
  const Variables before = good(first.variables()), after = good(second.variables());
  CHECK(before.size() == 4);
  CHECK(after.size() == 6);
  for (const std::string& name : before.names()) {
    CHECK(std::ranges::equal(good(good(before.value(name)).as<float>()), good(good(after.value(name)).as<float>())));
  }
  std::vector<double> rates;
  good(second.fit(data, 1, [&](const Progress& p) {
    rates.push_back(p.learning_rate);
    return true;
  }));
  CHECK(rates.at(0) < rates.at(1));
  CHECK(rates.at(1) < 0.125);
  const Metrics metrics = good(second.evaluate(data));
  CHECK(metrics["mine"] == metrics["accuracy"]);
}

TEST_CASE("a trainer predicts in batches, also before its first fit; a model of a file is compiled without a head") {
  const Engine engine = good(Engine::create());
  Trainer trainer = good(two_layers().compile(engine, kTraining));
  const Tensor x = floats({1, 2, 3, 4, 5}, {5, 1});
  const Tensor whole = good(trainer.predict(engine, x, 5)), parts = good(trainer.predict(engine, x, 2));
  CHECK(std::ranges::equal(parts.dims(), std::vector<int64_t>{5, 10}));
  CHECK(std::ranges::equal(good(whole.as<float>()), good(parts.as<float>())));

  char pattern[] = "/tmp/percale-cpp-XXXXXX";
  const std::string folder = mkdtemp(pattern), file = folder + "/model.percale";
  good(good(trainer.model()).save(file, good(trainer.variables())));
  Training training = kTraining;
  training.model_file = file;
  Trainer again = good(Sequential(std::vector<Layer>()).compile(engine, training));
  CHECK(good(good(again.variables()).digest()) == good(good(trainer.variables()).digest()));
  good(again.fit(signs(engine), 1));
  std::filesystem::remove_all(folder);
}

TEST_CASE("an Embedding takes ids of i64 and of i32") {
  const Engine engine = good(Engine::create());
  const Sequential model = {layers::Embedding(5, 3, {{"input_shape", {2}}}), layers::Flatten(), layers::Dense(2)};
  const Tensor y = good(Tensor::adopt(std::vector<int64_t>{0, 1, 0}, {3}));
  const Tensor longs = good(Tensor::adopt(std::vector<int64_t>{0, 1, 2, 3, 4, 0}, {3, 2}));
  const Tensor ints = good(Tensor::adopt(std::vector<int32_t>{0, 1, 2, 3, 4, 0}, {3, 2}));
  std::string digests[2];
  for (int i = 0; i < 2; ++i) {
    Trainer trainer = good(
        model.compile(engine, {.optimizer = "sgd", .loss = "sparse_categorical_crossentropy", .from_logits = true}));
    const Dataset data =
        good(Dataset::from_tensors(engine, {{"x", (i == 0 ? longs : ints).share()}, {"y", y.share()}}));
    good(trainer.fit(data, 2));
    digests[i] = good(good(trainer.variables()).digest());
    Session session = good(Session::create(engine, good(trainer.model()), good(trainer.variables())));
    CHECK(session.run({{"x", longs}}, {good(trainer.model()).outputs()[0]}).has_value());
  }
  CHECK(digests[0] == digests[1]);
}

TEST_CASE("no status is left over") { CHECK(percale_status_live_count() == 0); }
