// Row-sparse gradients in graphs: the tables that have them, and the memory of a step.
#include "core/autodiff/row_sparse.h"
#include "core/compile/plan.h"
#include "core/session/initialize.h"
#include "core/train/rewrite/minimize.h"
#include "core/train/rewrite/train_graph.h"
#include "tests/unit/train/method/row_sparse_jobs.h"

namespace percale {
namespace {

// Returns the parameters of a model that train by rows.
std::vector<std::string> by_rows(const std::string& layers, const std::string& optimizer) {
  const auto engine = engine_of(1);
  TrainerOptions options;
  const auto model = model_of(engine, layers, str_cat("\"optimizer\": ", optimizer), DType::kF32, &options);
  REQUIRE_MESSAGE(model.ok(), model.status().to_string());
  const auto graph = build_train_graph(*model, options.optimizer);
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  std::vector<std::string> out;
  for (size_t i : graph->by_rows) out.push_back(graph->parameters[i].name);
  return out;
}

}  // namespace

TEST_CASE(
    "large tables that are only looked up train by rows where that changes nothing, others where it is asked for") {
  const std::string large = table_of(20000), small = table_of(13);
  const std::vector<std::string> none, words = {"words/embeddings"};
  for (const char* o : {R"("sgd")", R"("adagrad")", R"({"name": "adam", "sparse": true})",
                        R"({"name": "sgd", "momentum": 0.9, "sparse": true})", R"({"name": "ftrl", "sparse": true})"}) {
    CAPTURE(o);
    CHECK(by_rows(large, o) == words);
  }
  for (const char* o :
       {R"("adam")", R"("lion")", R"({"name": "sgd", "momentum": 0.9})", R"({"name": "sgd", "weight_decay": 0.1})",
        R"({"name": "adagrad", "use_ema": true})", R"({"name": "sgd", "sparse": false})",
        R"({"name": "adagrad", "initial_accumulator_value": 0, "epsilon": 0})"}) {
    CAPTURE(o);
    CHECK(by_rows(large, o) == none);
  }
  CHECK(by_rows(small, R"("sgd")") == none);
  CHECK(by_rows(small, R"({"name": "sgd", "sparse": true})") == words);
}

TEST_CASE("a table that is used whole as well meets a dense gradient and has one") {
  const auto engine = engine_of(1);
  const auto trained = [&](bool tied, const char* optimizer, size_t* rows) {
    Builder b(engine->registry());
    FunctionBuilder& f = b.main();
    const ValueId x = *f.add_input("x", DType::kI64, Shape{-1, 2}), y = *f.add_input("y", DType::kF64, Shape{-1, 2, 4});
    Variable table;
    table.name = "table";
    table.dtype = DType::kF64;
    table.shape = Shape{7, 4};
    table.initial = formula(DType::kF64, table.shape, 1);
    REQUIRE_OK(b.add_variable(table));
    Emitter e(f);
    const ValueId read =
        e.emit("percale:ReadVariable", {},
               {{"variable", table.name}, {"dtype", table.dtype}, {"shape", std::vector<int64_t>{7, 4}}});
    ValueId d = e.emit("Sub", {e.emit("Gather", {read, x}, {{"axis", 0}}), y});
    // A second lookup, with negative indices.
    d = e.emit("Add", {d, e.emit("Gather", {read, e.emit("Neg", {x})}, {{"axis", 0}})});
    ValueId loss = e.emit("ReduceMean", {e.emit("Mul", {d, d})}, {{"keepdims", 0}});
    if (tied) loss = e.emit("Add", {loss, e.emit("ReduceMean", {e.emit("Mul", {read, read})}, {{"keepdims", 0}})});
    REQUIRE_OK(e.status());
    REQUIRE_OK(f.rename(loss, "loss"));
    REQUIRE_OK(f.set_outputs({loss}));
    const auto graph = b.finish();
    REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
    const auto model = model_of_mean_loss(**graph, "loss");
    REQUIRE_MESSAGE(model.ok(), model.status().to_string());
    TrainerOptions options;
    options.optimizer = *parse_optimizer(optimizer);
    options.shards = 1;
    *rows = build_train_graph(*model, options.optimizer)->by_rows.size();
    const auto trainer = Trainer::create(engine, *model, nullptr, options);
    REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
    const std::vector<int64_t> numbers = {1, 4, 6, 4, 0, 1};
    const std::vector<Tensor> batch = {Tensor::of(Shape{3, 2}, std::span<const int64_t>(numbers)),
                                       formula(DType::kF64, Shape{3, 2, 4}, 5)};
    for (int i = 0; i < 5; ++i) REQUIRE((*trainer)->step({"x", "y"}, batch).ok());
    const auto values = (*trainer)->variables()->current()->values[0].span<double>();
    return std::vector<double>(values.begin(), values.end());
  };
  for (bool tied : {false, true}) {
    size_t rows = 0, whole = 0;
    const auto a = trained(tied, R"({"name": "adagrad", "learning_rate": 0.3, "sparse": true})", &rows);
    const auto c = trained(tied, R"({"name": "adagrad", "learning_rate": 0.3, "sparse": false})", &whole);
    CHECK(rows == (tied ? 0 : 1));
    CHECK(whole == 0);
    for (size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(c[i]).epsilon(1e-12));
  }
}

TEST_CASE("what moves all rows of a table is refused where its rows were asked for") {
  const auto engine = engine_of(1);
  const auto message = [&](const std::string& keys) {
    const auto trainer = try_job(engine, kLookup, keys);
    return trainer.ok() ? std::string() : std::string(trainer.status().message());
  };
  CHECK(message(R"("optimizer": {"name": "adam", "sparse": true, "weight_decay": 0.1})")
            .find("weight_decay changes all") != std::string::npos);
  CHECK(message(R"("optimizer": {"name": "sgd", "sparse": true}, "ema": 0.9)").find("ema changes all") !=
        std::string::npos);
  CHECK(message(R"("optimizer": {"name": "lion", "sparse": true})").find("cannot update single rows") !=
        std::string::npos);
  CHECK(message(R"("optimizer": {"name": "adam", "sparse": true, "weight_decay": 0.1},
                   "groups": [{"pattern": "embedding/*", "weight_decay": 0}])")
            .empty());
}

TEST_CASE("a step's memory does not depend on the rows of a table that trains by rows") {
  const auto engine = engine_of(1);
  const auto planned = [&](int64_t rows, const char* optimizer, int64_t* commit_bytes) {
    TrainerOptions options;
    const auto model = model_of(engine, table_of(rows), str_cat("\"optimizer\": ", optimizer), DType::kF32, &options);
    REQUIRE_MESSAGE(model.ok(), model.status().to_string());
    // Without slots and first values: only the plans are inspected.
    const auto graph = build_train_graph(*model, options.optimizer);
    REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
    const auto session = Session::create(engine, graph->graph, nullptr);
    REQUIRE_MESSAGE(session.ok(), session.status().to_string());
    RunSpec spec;
    spec.function = kComputeFunction;
    spec.feeds = graph->inputs;
    spec.fetches = graph->outputs;
    spec.binding = RunBinding::changing();
    const Function& compute = *graph->graph->find_function(kComputeFunction);
    std::vector<ValueType> feeds;
    for (const std::string& name : graph->inputs) {
      feeds.push_back(compute.type(compute.find_value(name)));
      feeds.back().shape[0] = kRows;
    }
    const auto plan = (*session)->prepare(spec, feeds);
    REQUIRE_MESSAGE(plan.ok(), plan.status().to_string());
    RunSpec commit;
    commit.function = kCommitFunction;
    commit.feeds = graph->commit_inputs;
    commit.targets = graph->commit_targets;
    commit.binding = RunBinding::exclusive();
    const Function& f = *graph->graph->find_function(kCommitFunction);
    feeds.clear();
    for (const std::string& name : graph->commit_inputs) {
      feeds.push_back(f.type(f.find_value(name)));
      if (!feeds.back().shape.is_static()) feeds.back().shape[0] = kRows * kLength;
    }
    const auto second = (*session)->prepare(commit, feeds);
    REQUIRE_MESSAGE(second.ok(), second.status().to_string());
    *commit_bytes = (*second)->peak_bytes;
    return (*plan)->peak_bytes;
  };
  for (const char* optimizer :
       {R"({"name": "sgd", "sparse": true})", R"({"name": "sgd", "momentum": 0.9, "sparse": true})"}) {
    CAPTURE(optimizer);
    int64_t small_commit = 0, large_commit = 0;
    const int64_t small = planned(1000, optimizer, &small_commit), large = planned(10000000, optimizer, &large_commit);
    CHECK(small > 0);
    CHECK(large == small);
    CHECK(small_commit > 0);
    CHECK(large_commit == small_commit);
  }
  int64_t dense_commit = 0;  // for comparison
  CHECK(planned(1000000, R"({"name": "sgd", "sparse": false})", &dense_commit) >= 1000000 * 2 * 4);
}

TEST_CASE("a graph with its own training step moves the rows that a trainer moves") {
  const auto engine = engine_of(1);
  TrainerOptions options;
  const auto model =
      model_of(engine, kLookup, R"("optimizer": {"name": "adam", "sparse": true})", DType::kF64, &options);
  REQUIRE_MESSAGE(model.ok(), model.status().to_string());
  Builder b(*model->graph);
  FunctionBuilder& f = b.main();
  Emitter e(f);
  const ValueId loss = e.emit("Div", {f.function().find_value(model->objective.loss_sum),
                                      f.function().find_value(model->objective.loss_weight)});
  REQUIRE_OK(e.status());
  const auto target = add_train_step(f, loss, options.optimizer);
  REQUIRE_MESSAGE(target.ok(), target.status().to_string());
  const auto graph = b.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  const auto table = initialize_variables(engine, *graph, 0);
  REQUIRE_MESSAGE(table.ok(), table.status().to_string());
  const auto session = Session::create(engine, *graph, *table);
  REQUIRE(session.ok());
  const auto trainer = Trainer::create(engine, *model, nullptr, options);
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  const std::vector<Tensor> batch = {looked_up(), labels()};
  RunSpec step;
  step.feeds = {"x", "y"};
  step.targets = {*target};
  for (int i = 0; i < 4; ++i) {
    const auto run = (*session)->run(step, batch);
    REQUIRE_MESSAGE(run.ok(), run.status().to_string());
    REQUIRE_OK((*trainer)->step({"x", "y"}, batch).status());
  }
  const Variables& mine = *(*trainer)->variables();
  for (size_t i = 0; i < mine.variables().size(); ++i) {
    const auto a = mine.current()->values[i].span<double>();
    const auto c =
        (*table)->current()->values[static_cast<size_t>((*table)->find(mine.variables()[i].name))].span<double>();
    for (size_t k = 0; k < a.size(); ++k) CHECK(a[k] == doctest::Approx(c[k]).epsilon(1e-10));
  }
}

}  // namespace percale
