// Metrics over any division of the rows: metrics_reference.py writes metrics.inc.
#include "core/train/method/metrics.h"

#include "core/train/method/metric_ops.h"
#include "core/train/rewrite/graph_metrics.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr int64_t kRows = 57, kClasses = 4;

struct Reference {
  const char* loss;
  bool from_logits;
  const char* metric;
  double value;
};

constexpr Reference kReferences[] = {
#include "tests/unit/train/method/metrics.inc"
};

// Returns predictions and labels of rows [begin, end).
std::vector<Tensor> rows_of(const Reference& want, int64_t begin, int64_t end) {
  const std::string loss = want.loss;
  const bool binary = loss == "binary_crossentropy";
  const int64_t width = binary ? 1 : kClasses;
  const Tensor scores = binary ? formula(DType::kF64, {kRows, 1}, 3, 3) : formula(DType::kF64, {kRows, kClasses}, 1, 2);
  const std::vector<int64_t> numbers = class_numbers(kRows, kClasses);
  std::vector<double> given, wanted;
  std::vector<int64_t> classes;
  for (int64_t i = begin; i < end; ++i) {
    const double* row = scores.span<double>().data() + i * width;
    double sum = 0;
    for (int64_t c = 0; c < width; ++c) sum += std::exp(row[c]);
    for (int64_t c = 0; c < width; ++c) {
      const double probability = binary ? 1 / (1 + std::exp(-row[c])) : std::exp(row[c]) / sum;
      given.push_back(want.from_logits ? row[c] : probability);
      const bool yes = binary ? (i * i + i / 2) % 3 == 0 : numbers[static_cast<size_t>(i)] == c;
      wanted.push_back(yes ? 1 : 0);
    }
    classes.push_back(numbers[static_cast<size_t>(i)]);
  }
  const Shape shape{end - begin, width};
  return {Tensor::of(shape, std::span<const double>(given)), loss.starts_with("sparse")
                                                                 ? Tensor::vector(std::span<const int64_t>(classes))
                                                                 : Tensor::of(shape, std::span<const double>(wanted))};
}

}  // namespace

TEST_CASE("metrics of an epoch are those of the formula, however its rows were cut") {
  const auto engine = engine_of(2);
  for (const Reference& want : kReferences) {
    CAPTURE(want.loss);
    CAPTURE(want.metric);
    const auto json = Json::parse(want.metric);
    REQUIRE(json.ok());
    const auto options = parse_metric(*json);
    REQUIRE_MESSAGE(options.ok(), options.status().to_string());
    LossOptions loss;
    loss.name = want.loss;
    loss.from_logits = want.from_logits;
    Builder b(engine->registry());
    const auto sample = rows_of(want, 0, 1);
    Shape x = sample[0].shape(), y = sample[1].shape();
    x[0] = y[0] = kUnknownDim;
    const ValueId given = *b.main().add_input("p", DType::kF64, x),
                  wanted = *b.main().add_input("y", sample[1].dtype(), y);
    const auto totals = add_metric(b.main(), *options, loss, given, wanted);
    REQUIRE_MESSAGE(totals.ok(), totals.status().to_string());
    REQUIRE_OK(b.main().set_outputs(totals->values));
    RunSpec run;
    run.feeds = {"p", "y"};
    for (ValueId id : totals->values) run.fetches.push_back(b.main().function().value(id).name);
    const auto graph = b.finish();
    REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
    const auto session = Session::create(engine, *graph, nullptr);
    REQUIRE(session.ok());
    for (const std::vector<int64_t>& cuts : {std::vector<int64_t>{0, kRows}, {0, 1, 20, 33, kRows}}) {
      std::vector<double> sums;
      for (size_t i = 0; i + 1 < cuts.size(); ++i) {
        const auto out = (*session)->run(run, rows_of(want, cuts[i], cuts[i + 1]));
        REQUIRE_MESSAGE(out.ok(), out.status().to_string());
        add_totals(*out, sums);
      }
      CHECK(std::fabs(finish_metric(totals->rule, sums, maths::kNative) - want.value) < 1e-12);
    }
  }
}

TEST_CASE("metrics of a graph that a host built are those of a SPEC, its labels telling what is meant") {
  const auto engine = engine_of(2);
  for (const Reference& want : kReferences) {
    CAPTURE(want.loss);
    CAPTURE(want.metric);
    Builder b(engine->registry());
    const auto batch = rows_of(want, 0, kRows);
    Shape x = batch[0].shape(), y = batch[1].shape();
    x[0] = y[0] = kUnknownDim;
    const ValueId given = *b.main().add_input("p", DType::kF64, x);
    REQUIRE(b.main().add_input("y", batch[1].dtype(), y).ok());
    Emitter e(b.main());
    const ValueId scores = e.emit("Identity", {given}, {}, "scores");
    const ValueId loss = e.emit("ReduceMean", {scores}, {{"keepdims", 0}}, "loss");
    REQUIRE_OK(b.main().set_outputs({scores, loss}));
    const auto graph = b.finish();
    REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
    const auto plain = model_of_mean_loss(**graph, "");
    REQUIRE_MESSAGE(plain.ok(), plain.status().to_string());
    std::string json = want.metric;
    if (json.front() != '{') json = str_cat("{\"name\": ", json, "}");
    json.back() = ',';
    json += str_cat(" \"from_logits\": ", want.from_logits ? "true" : "false", "}");
    const auto model = add_graph_metrics(*plain, json);
    REQUIRE_MESSAGE(model.ok(), model.status().to_string());
    REQUIRE(model->objective.metrics.size() == 1);
    RunSpec run;
    run.feeds = {"p", "y"};
    run.fetches = model->objective.metrics[0].totals;
    const auto session = Session::create(engine, model->graph, nullptr);
    REQUIRE(session.ok());
    const auto out = (*session)->run(run, batch);
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
    std::vector<double> sums;
    add_totals(*out, sums);
    CHECK(std::fabs(finish_metric(model->objective.metrics[0].rule, sums, maths::kNative) - want.value) < 1e-12);
  }
}

TEST_CASE("a metric is computed with the functions of the engine's numerics") {
  maths::Functions functions = maths::kPortable;
  functions.exp.of_double = [](double x) { return x + 1; };
  CHECK(finish_metric(MetricRule::kExpMean, std::vector<double>{6, 2}, functions) == 4);
}

TEST_CASE("what has no answer is 0, and metrics that do not fit the loss say so") {
  CHECK(finish_metric(MetricRule::kRatio, std::vector<double>{0, 0}, maths::kNative) == 0);
  CHECK(finish_metric(MetricRule::kF1Macro, std::vector<double>{0, 2, 0, 2, 0, 2}, maths::kNative) ==
        0.5);  // a class that never occurs
  const auto parse = [](const char* text) { return parse_metric(*Json::parse(text)).status(); };
  CHECK(parse(R"("acuracy")").message() ==
        "line 1, column 1: 'metrics': no metric 'acuracy', did you mean 'accuracy'?");
  CHECK(parse(R"("r2_score")").code() == Code::kUnimplemented);
  CHECK(parse(R"("r2_score")").message() ==
        "metric 'r2_score' is not implemented; use mean_squared_error, or compute it from the predictions of the "
        "model");
  CHECK(parse(R"({"name": "auc", "curve": "PR"})").code() == Code::kUnimplemented);
  CHECK(parse(R"({"name": "auc", "curve": "PR"})").message() ==
        "line 1, column 26: 'curve' of metrics is not implemented; auc is the area under the ROC curve; compute others "
        "from the predictions of the model");
  CHECK(parse(R"({"name": "f1_score", "average": "none"})").code() == Code::kInvalidArgument);
  CHECK(parse_metric(*Json::parse(R"({"metric": "auc", "name": "area"})"))->label() == "area");
}

TEST_CASE("a job with every kind of metric gives the same numbers with any number of shards") {
  const char* keys =
      R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "optimizer": "sgd", "metrics": ["accuracy",
      "auc", "f1_score", "precision", "recall", "perplexity", {"name": "sparse_top_k_categorical_accuracy", "k": 2}])";
  std::vector<double> first;
  for (int64_t shards : {1, 2, 5}) {
    const auto trainer =
        make_job(engine_of(2), "mlp", str_cat(keys, ", \"shards\": ", shards), DType::kF64, {.batch_size = 7}, 40);
    REQUIRE_OK(trainer->fit(nullptr, 1, nullptr));
    const auto& metrics = trainer->history().rows.back().metrics;
    REQUIRE(metrics.size() == 7);
    if (first.empty()) first = metrics;
    for (size_t i = 0; i < metrics.size(); ++i) CHECK(metrics[i] == doctest::Approx(first[i]).epsilon(1e-12));
  }
}

}  // namespace percale
