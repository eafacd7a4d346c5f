// The collaborators of a trainer, made from a small model without a trainer.
#ifndef PERCALE_TESTS_UNIT_TRAIN_PARTS_H_
#define PERCALE_TESTS_UNIT_TRAIN_PARTS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/builder.h"
#include "core/session/initialize.h"
#include "core/train/loop/fed_steps.h"
#include "core/train/loop/streaming_loop.h"
#include "core/train/loop/synchronous_loop.h"
#include "core/train/parameters/host_store.h"
#include "core/train/parameters/publisher.h"
#include "core/train/step/step_runner.h"
#include "tests/unit/train/jobs.h"

namespace percale {

// The training graph of a model of jobs.h with this optimizer, and a table of its variables.
struct SmallModel {
  std::shared_ptr<Engine> engine;
  Model model;
  Spec spec;
  TrainGraph graph;
  std::shared_ptr<Variables> table;
};

inline SmallModel small_model(const std::shared_ptr<Engine>& engine, const std::string& name,
                              const std::string& more = R"(, "optimizer": "sgd")") {
  const Job job = job_of(name);
  const std::string keys = R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true)";
  auto spec = parse_spec(str_cat("{\"model\": ", job.layers, keys, more, "}"));
  REQUIRE_MESSAGE(spec.ok(), spec.status().to_string());
  Shape x{kUnknownDim};
  for (const int64_t dim : job.row) x.push_back(dim);
  SmallModel out;
  out.engine = engine;
  out.spec = *spec;
  auto model = build_model(*spec, engine->registry(), x, ValueType{DType::kI64, Shape{kUnknownDim}});
  REQUIRE_MESSAGE(model.ok(), model.status().to_string());
  out.model = *std::move(model);
  auto graph = build_train_graph(out.model, spec->trainer.optimizer);
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  out.graph = *std::move(graph);
  auto table = initialize_variables(engine, out.model.graph, 3);
  REQUIRE_MESSAGE(table.ok(), table.status().to_string());
  out.table = *std::move(table);
  return out;
}

inline std::unique_ptr<WorkingSet> working_set_of(const SmallModel& small) {
  const auto first = first_values(*small.graph.graph, *small.table);
  REQUIRE_OK(first.status());
  auto out = WorkingSet::create(small.graph, *first, small.spec.trainer.optimizer.ema > 0, small.engine->memory());
  REQUIRE_OK(out.status());
  return std::move(*out);
}

inline std::shared_ptr<Session> session_of(const SmallModel& small) {
  auto out = Session::create(small.engine, small.graph.graph, nullptr);
  REQUIRE_OK(out.status());
  return *out;
}

inline ReplicaDevices devices_of(const SmallModel& small, const std::vector<std::string>& wanted = {}) {
  return {small.engine, wanted, small.spec.trainer.parallel, names_devices(*small.graph.graph)};
}

// Sums of a step whose weight is 2 and whose updates follow a formula.
inline std::vector<Tensor> sums_of(const SmallModel& small) {
  const auto types = sum_types(small.graph, true);
  REQUIRE_OK(types.status());
  std::vector<Tensor> out;
  for (const ValueType& type : *types) out.push_back(formula(type.dtype, type.shape, 1 + 0.1 * out.size()));
  out[StepLayout::kWeight] = scalar_tensor(types->at(StepLayout::kWeight).dtype, 2);
  return out;
}

inline std::string digest_of(const SmallModel& small, const WorkingSet& working) {
  return digest_of(small.graph.graph->variables, working.values());
}

// The parts that make steps of a small model, without a trainer.
struct StepFixture {
  static constexpr int64_t kRows = 12;

  explicit StepFixture(int64_t shards, const std::string& model = "mlp", Recompute recompute = {}, TrainMode mode = {},
                       int64_t accumulation = 1)
      : small(small_model(engine_of(2), model)),
        working(working_set_of(small)),
        session(session_of(small)),
        devices(devices_of(small)),
        store(session, *working, small.graph.layout, !mode.streams()),
        planner(session, small.graph, devices, store, small.engine->memory(), {std::move(recompute), 0}),
        batch(small.engine, small.engine->memory(), small.graph, devices, store, facts,
              {shards, accumulation, mode, "the mode"}),
        computer(session, small.engine->memory(), small.graph, devices, store, facts, 0),
        loss(small.engine->log(), true),
        runner(small.engine, small.engine->memory(), small.graph, *working, store, planner, batch, computer, facts,
               loss, nullptr) {}

  std::vector<Tensor> rows() const {
    const std::vector<int64_t> numbers = class_numbers(kRows, 3);
    return {formula(DType::kF32, Shape{kRows, 5}, 9), Tensor::vector(std::span<const int64_t>(numbers))};
  }
  Result<StepRunner::Outcome> step(int64_t number, const CancelToken& cancel = {}) {
    return runner.run({"x", "y"}, {StepBatch{rows()}}, {number, 0.1, cancel});
  }

  SmallModel small;
  std::unique_ptr<WorkingSet> working;
  std::shared_ptr<Session> session;
  ReplicaDevices devices;
  HostStore store;
  RunFacts facts;
  ShardPlanner planner;
  BatchShards batch;
  ShardComputer computer;
  LossCheck loss;
  StepRunner runner;
};

// The same with a log, observers and a publisher.
struct LoopFixture : StepFixture {
  explicit LoopFixture(int64_t shards, TrainMode mode = {}, int64_t accumulation = 1, EarlyStopping stopping = {})
      : StepFixture(shards, "mlp", {}, mode, accumulation),
        totals(small.model.objective, *small.graph.graph->find_function(kComputeFunction), {}),
        log(totals.metric_names(), totals.count()),
        rate({}, 0.1, {}),
        early(std::move(stopping), BestWeights(*working, small.graph.graph->variables)),
        evaluator(session, small.engine->memory(), small.graph, totals, *working, store, planner, facts, 0, nullptr,
                  false),
        closer(log, evaluator, totals, store, {&rate, &early}),
        publisher(small.table, *small.graph.graph, *working, store, small.engine->memory()) {}

  // `batches` batches of kRows rows.
  std::shared_ptr<Dataset> data(int64_t batches) const {
    const int64_t rows = batches * kRows;
    const std::vector<int64_t> numbers = class_numbers(rows, 3);
    std::vector<Column> columns = {{"x", formula(DType::kF32, Shape{rows, 5}, 9), DType::kF32, 1},
                                   {"y", Tensor::vector(std::span<const int64_t>(numbers)), DType::kI64, 1}};
    auto out = Dataset::create(std::move(columns), small.engine->memory());
    REQUIRE_OK(out.status());
    REQUIRE_OK((*out)->configure({.batch_size = kRows}));
    return *out;
  }
  FitParts fit_parts(Publishing::When when = Publishing::When::kAuto) {
    Publishing publishing;
    publishing.when = when;
    return {small.engine->threads(), log, closer, rate, early, publisher, store, publishing};
  }
  StreamParts stream_parts() {
    return {small.engine->memory(), small.graph, *working, planner, batch, computer, runner, facts, loss};
  }
  SynchronousSteps steps() { return {runner, batch, facts}; }
  std::string digest() const { return digest_of(small, *working); }

  ObjectiveTotals totals;
  EpochLog log;
  LearningRate rate;
  EarlyStopper early;
  Evaluator evaluator;
  EpochCloser closer;
  Publisher publisher;
};

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_TRAIN_PARTS_H_
