// Row-sparse gradients: row_sparse_reference.py writes row_sparse.inc.
#include "core/autodiff/row_sparse.h"

#include <algorithm>
#include <cstring>

#include "core/compile/plan.h"
#include "core/session/initialize.h"
#include "core/train/rewrite/minimize.h"
#include "core/train/rewrite/train_graph.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr int64_t kRows = 40, kLength = 5, kTable = 13;

struct Reference {
  const char *name, *layers, *optimizer;
  std::vector<double> losses;
  double last;
};

const std::vector<Reference>& references() {
  static const std::vector<Reference> kReferences = {
#include "tests/unit/train/method/row_sparse.inc"
  };
  return kReferences;
}

constexpr const char* kLookup =
    R"([{"layer": "Embedding", "input_dim": 13, "output_dim": 6}, {"layer": "Flatten"}, {"layer": "Dense", "units": 3}])";
constexpr const char* kBag =
    R"([{"layer": "EmbeddingBag", "input_dim": 13, "output_dim": 6, "combiner": "sum", "padding_idx": 3},
        {"layer": "Dense", "units": 3}])";

constexpr const char* kGreatest =
    R"([{"layer": "EmbeddingBag", "input_dim": 13, "output_dim": 6, "combiner": "max"}, {"layer": "Dense", "units": 3}])";

// Looks up rows by a formula. With `spoilt`, all lookups are of that row.
Tensor looked_up(int64_t spoilt = -1) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < kRows * kLength; ++i) {
    out.push_back(spoilt >= 0 ? spoilt : (7 * i + i / 3 + i * i / 11) % kTable);
  }
  return Tensor::of(Shape{kRows, kLength}, std::span<const int64_t>(out));
}

Tensor labels() {
  const std::vector<int64_t> numbers = class_numbers(kRows, 3);
  return Tensor::vector(std::span<const int64_t>(numbers));
}

Result<Model> model_of(const std::shared_ptr<Engine>& engine, const std::string& layers, const std::string& keys,
                       DType dtype, TrainerOptions* options) {
  PERCALE_ASSIGN_OR_RETURN(
      Spec spec,
      parse_spec(str_cat("{\"model\": ", layers,
                         R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, )", keys, "}")));
  spec.dtype = dtype;
  *options = spec.trainer;
  return build_model(spec, engine->registry(), Shape{kUnknownDim, kLength}, ValueType{DType::kI64, Shape{kUnknownDim}});
}

Result<std::unique_ptr<Trainer>> try_job(const std::shared_ptr<Engine>& engine, const std::string& layers,
                                         const std::string& keys, DType dtype = DType::kF32, int64_t batch = 8) {
  TrainerOptions options;
  PERCALE_ASSIGN_OR_RETURN(const Model model, model_of(engine, layers, keys, dtype, &options));
  std::vector<Column> columns = {{"x", looked_up(), DType::kI64, 1}, {"y", labels(), DType::kI64, 1}};
  PERCALE_ASSIGN_OR_RETURN(const auto data, Dataset::create(std::move(columns), engine->memory()));
  PERCALE_RETURN_IF_ERROR(data->configure({.batch_size = batch}));
  PERCALE_ASSIGN_OR_RETURN(auto trainer, Trainer::create(engine, model, nullptr, options));
  std::vector<std::pair<int32_t, Tensor>> first;
  const auto& variables = trainer->variables()->variables();
  for (size_t i = 0; i < variables.size(); ++i) {
    const double salt = i == 0 ? 1 : static_cast<double>(i) + 2;
    first.emplace_back(static_cast<int32_t>(i), formula(dtype, variables[i].shape, salt, i == 2 ? 0.1 : 0.5));
  }
  PERCALE_RETURN_IF_ERROR(trainer->variables()->publish(first).status());
  trainer->set_data(data, data);
  return trainer;
}

std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& layers, const std::string& keys,
                             DType dtype = DType::kF32, int64_t batch = 8) {
  auto trainer = try_job(engine, layers, keys, dtype, batch);
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  return std::move(*trainer);
}

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

std::string table_of(int64_t rows) {
  return str_cat(R"([{"layer": "Embedding", "name": "words", "input_dim": )", rows,
                 R"(, "output_dim": 2}, {"layer": "Flatten"}, {"layer": "Dense", "units": 3}])");
}

// Returns the largest difference between numbers of two tables.
double distance(const Variables& a, const Variables& b) {
  double worst = 0;
  for (size_t i = 0; i < a.variables().size(); ++i) {
    const auto x = a.current()->values[i].span<float>(), y = b.current()->values[i].span<float>();
    for (size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::fabs(static_cast<double>(x[k] - y[k])));
  }
  return worst;
}

}  // namespace

TEST_CASE("tables train by rows as in PyTorch with sparse gradients, whole, in shards and with accumulation") {
  REQUIRE(references().size() == 9);
  for (const Reference& want : references()) {
    for (const char* how : {R"("shards": 1)", R"("shards": 3)", R"("shards": 2, "accumulation": 2)"}) {
      CAPTURE(want.name);
      CAPTURE(how);
      const bool halves = std::strstr(how, "accumulation") != nullptr;
      const auto trainer = job(engine_of(2), want.layers, str_cat("\"optimizer\": ", want.optimizer, ", ", how),
                               DType::kF64, halves ? 4 : 8);
      REQUIRE_OK(trainer->fit(nullptr, 4, nullptr));
      const auto& rows = trainer->history().rows;
      REQUIRE(rows.size() == want.losses.size());
      REQUIRE(rows.size() == 20);
      double worst = 0;
      for (size_t i = 0; i < rows.size(); ++i) worst = std::max(worst, std::fabs(rows[i].loss - want.losses[i]));
      CHECK(worst < 1e-9);
      const auto last = trainer->evaluate(nullptr);
      REQUIRE_MESSAGE(last.ok(), last.status().to_string());
      CHECK(std::fabs(last->at(0).second - want.last) < 1e-9);
    }
  }
}

TEST_CASE("weights that trained by rows are the same bits on any devices and any number of threads") {
  for (const char* layers : {kLookup, kBag}) {
    for (const char* optimizer :
         {R"({"name": "adagrad", "sparse": true})", R"({"name": "adam", "sparse": true, "global_clipnorm": 0.1})"}) {
      for (const char* how : {R"("shards": 8)", R"("shards": 5, "accumulation": 3)"}) {
        CAPTURE(layers);
        CAPTURE(optimizer);
        CAPTURE(how);
        std::string digest;
        for (const char* devices : {"cpu:0", "cpu=2", "cpu=4x1"}) {
          for (int32_t threads : {1, 2, 4}) {
            const auto trainer = job(engine_of(threads, devices), layers,
                                     str_cat("\"optimizer\": ", optimizer, ", \"epochs\": 3, ", how), DType::kF32, 9);
            REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
            if (digest.empty()) digest = trainer->variables()->digest();
            CAPTURE(devices);
            CAPTURE(threads);
            CHECK(trainer->variables()->digest() == digest);
          }
        }
      }
    }
  }
}

TEST_CASE(
    "SGD and Adagrad by rows give the bits of dense gradients, or close where shards are added in another order") {
  for (const char* layers : {kLookup, kBag, kGreatest}) {
    for (const char* name : {"sgd", "adagrad"}) {
      for (const char* more : {"", R"(, "clipvalue": 0.02)", R"(, "global_clipnorm": 0.1)", R"(, "clipnorm": 0.05)"}) {
        for (int64_t shards : {1, 3}) {
          CAPTURE(layers);
          CAPTURE(name);
          CAPTURE(more);
          CAPTURE(shards);
          const auto trained = [&](const char* sparse) {
            auto trainer = job(engine_of(2), layers,
                               str_cat(R"("epochs": 4, "optimizer": {"learning_rate": 0.1, "name": ")", name,
                                       R"(", "sparse": )", sparse, more, "}, \"shards\": ", shards));
            REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
            return trainer;
          };
          const auto rows = trained("true"), dense = trained("false");
          // Sums of squares are in another order
          const bool norms = std::strstr(more, "norm") != nullptr;
          if (shards == 1 && !norms) CHECK(rows->variables()->digest() == dense->variables()->digest());
          CHECK(distance(*rows->variables(), *dense->variables()) < 1e-5);
        }
      }
    }
  }
}

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

TEST_CASE(
    "tables train by rows in every mode: bounded:0 is sync, async on one device is sync with a shard's rows, backup "
    "the first") {
  for (const char* layers : {kLookup, kBag}) {
    for (const char* optimizer : {R"({"name": "adagrad", "sparse": true})", R"({"name": "adam", "sparse": true})"}) {
      CAPTURE(layers);
      CAPTURE(optimizer);
      const auto trained = [&](const char* devices, int32_t threads, const std::string& how, int64_t batch) {
        auto trainer = job(engine_of(threads, devices), layers, str_cat("\"optimizer\": ", optimizer, ", ", how),
                           DType::kF32, batch);
        REQUIRE_OK(trainer->fit(nullptr, 3, nullptr));
        return trainer;
      };
      const auto sync = trained("cpu:0", 1, R"("shards": 4)", 8);
      for (const char* devices : {"cpu:0", "cpu=3"}) {
        const auto bounded = trained(devices, 3, R"("shards": 4, "mode": "bounded:0")", 8);
        CHECK(bounded->variables()->digest() == sync->variables()->digest());
      }
      const auto small = trained("cpu:0", 1, R"("shards": 1)", 2);
      const auto async = trained("cpu:0", 1, R"("shards": 4, "mode": "async")", 8);
      CHECK(async->steps() == small->steps());
      CHECK(distance(*async->variables(), *small->variables()) == 0);
      for (const char* mode : {R"("shards": 4, "mode": "bounded:2")", R"("shards": 4, "mode": "async")"}) {
        const auto stale = trained("cpu=3", 3, mode, 8);
        // Single steps see few rows, so the first epoch is compared with the last
        const auto& rows = stale->history().rows;
        double first = 0, last = 0;
        for (size_t i = 0; i < rows.size() / 3; ++i) first += rows[i].loss, last += rows[rows.size() - 1 - i].loss;
        CHECK(last < first);
        CHECK(distance(*stale->variables(), *sync->variables()) < 1);
      }
      // Rows looked up by shards that are left out change nothing.
      const auto backup =
          job(engine_of(1), layers, str_cat("\"optimizer\": ", optimizer, R"(, "shards": 4, "mode": "backup:2")"));
      const auto half = job(engine_of(1), layers, str_cat("\"optimizer\": ", optimizer, R"(, "shards": 2)"));
      for (int64_t i = 0; i < 3; ++i) {
        auto batch = half->train_data()->batch({0, i});
        REQUIRE_OK(batch.status());
        REQUIRE_OK(backup->step({"x", "y"}, *batch).status());
        for (Tensor& t : *batch) {
          Shape shape = t.shape();
          shape[0] /= 2;
          auto part = Tensor::allocate(std::make_shared<MemoryPool>(), t.dtype(), shape);
          REQUIRE_OK(part.status());
          std::memcpy(part->data(), t.data(), static_cast<size_t>(part->bytes()));
          t = *part;
        }
        REQUIRE_OK(half->step({"x", "y"}, *batch).status());
      }
      CHECK(distance(*backup->variables(), *half->variables()) == 0);
    }
  }
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

TEST_CASE("a batch that fails leaves no rows behind, and a checkpoint goes on with the same bits") {
  const std::string keys =
      R"("optimizer": {"name": "adam", "sparse": true}, "shards": 3, "accumulation": 2, "publish": "hand")";
  const auto engine = engine_of(2);
  const std::vector<std::string> names = {"x", "y"};
  const std::vector<Tensor> good = {looked_up(), labels()}, bad = {looked_up(kTable), labels()};
  std::string digest;
  for (bool disturbed : {false, true}) {
    const TempFolder folder;
    auto trainer = job(engine, kLookup, keys);
    for (int i = 0; i < 6; ++i) {
      if (disturbed) {
        const auto failed = trainer->step(names, bad);
        REQUIRE_FALSE(failed.ok());
        CHECK(failed.status().message().find("index 13 is out of range") != std::string::npos);
      }
      REQUIRE_OK(trainer->step(names, good).status());
      if (disturbed && i == 3) {
        REQUIRE_OK(trainer->save(folder.path()));
        trainer = job(engine, kLookup, keys);
        REQUIRE_OK(trainer->restore(folder.path()));
      }
    }
    REQUIRE_OK(trainer->publish());
    if (digest.empty()) digest = trainer->variables()->digest();
    CHECK(trainer->variables()->digest() == digest);
  }
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

TEST_CASE("tables that train by rows lie where other parameters do") {
  for (const std::string optimizer : {R"("optimizer": {"name": "adam", "sparse": true}, "clip": 0.1)",
                                      R"("optimizer": {"name": "sgd", "learning_rate": 0.5, "sparse": true})"}) {
    const std::string keys = str_cat(optimizer, R"(, "shards": 2, "epochs": 2, "seed": 1)");
    const auto alone = job(engine_of(1), kLookup, keys);
    REQUIRE_OK(alone->fit(nullptr, 0, nullptr));
    for (const std::string where : {R"("ps")", R"("mirrored")", R"({"ps": "cpu:0,cpu:1", "min_shard_bytes": 16})"}) {
      CAPTURE(where);
      const auto trainer = job(engine_of(2, "cpu:0,cpu:1"), kLookup, str_cat(keys, R"(, "parameters": )", where));
      REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
      CHECK(trainer->variables()->digest() == alone->variables()->digest());
    }
  }
}

}  // namespace percale
