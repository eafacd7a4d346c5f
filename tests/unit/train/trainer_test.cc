#include "core/train/trainer.h"

#include <doctest/doctest.h>

#include <thread>

#include "core/file/file.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr const char* kAdam =
    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"],
       "optimizer": "adam", "seed": 4, "epochs": 2, "schedule": {"name": "one_cycle", "max_learning_rate": 0.02})";

std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& model, int64_t shards) {
  return make_job(engine, model, str_cat(kAdam, ", \"shards\": ", shards), DType::kF32,
                  {.batch_size = 16, .shuffle_seed = 4}, 100);
}

// Returns the CSV with the column of times zeroed.
std::string timeless(const History& history) {
  History copy = history;
  for (History::Row& row : copy.rows) row.seconds = 0;
  return copy.to_csv();
}

}  // namespace

TEST_CASE("the weights after training are the same bits on any number of threads") {
  for (const std::string model : {"mlp", "cnn", "dropout", "normalised"}) {
    std::string digest;
    for (int32_t threads : {1, 2, 3, 4}) {
      const auto trainer = job(engine_of(threads), model, 2);
      REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
      CHECK(trainer->steps() == 14);
      if (digest.empty()) digest = trainer->variables()->digest();
      CAPTURE(model);
      CHECK(trainer->variables()->digest() == digest);
    }
  }
}

TEST_CASE("a run that is taken up in the middle of an epoch ends with the same bits and the same history") {
  for (const std::string model : {"mlp", "cnn", "dropout", "normalised"}) {
    CAPTURE(model);
    const auto engine = engine_of(2);
    const auto whole = job(engine, model, 2);
    REQUIRE_OK(whole->fit(nullptr, 0, nullptr));

    const TempFolder folder;
    const auto first = job(engine, model, 2);
    REQUIRE_OK(first->fit(nullptr, 0, [&](const Progress& p) {
      if (p.step == 10) REQUIRE_OK(first->save(folder.path()));
      return p.step < 12;
    }));
    CHECK(first->steps() == 12);
    const auto second = job(engine, model, 2);
    REQUIRE_OK(second->restore(folder.path()));
    CHECK(second->steps() == 10);
    REQUIRE_OK(second->fit(nullptr, 0, nullptr));
    CHECK(second->variables()->digest() == whole->variables()->digest());
    CHECK(timeless(second->history()) == timeless(whole->history()));
  }
}

TEST_CASE("a checkpoint of another job is refused and changes nothing") {
  const auto engine = engine_of(1);
  const TempFolder folder;
  const auto mlp = job(engine, "mlp", 2);
  REQUIRE_OK(mlp->fit(nullptr, 1, nullptr));
  REQUIRE_OK(mlp->save(folder.path()));
  for (const auto& other : {job(engine, "cnn", 2), job(engine, "mlp", 4)}) {
    const std::string before = other->variables()->digest();
    CHECK(other->restore(folder.path()).code() == Code::kFailedPrecondition);
    CHECK(other->variables()->digest() == before);
    CHECK(other->steps() == 0);
  }
  CHECK(job(engine, "mlp", 2)->restore(folder / "nothing").code() == Code::kNotFound);
}

TEST_CASE("progress counts steps and epochs, and an epoch ends with its metrics") {
  const auto trainer = job(engine_of(1), "mlp", 1);
  int64_t calls = 0, epochs = 0;
  REQUIRE_OK(trainer->fit(nullptr, 0, [&](const Progress& p) {
    ++calls;
    CHECK(p.step == calls);
    CHECK(p.steps == 14);
    CHECK(p.epoch == (calls - 1) / 7 + 1);
    CHECK(p.step_in_epoch == (calls - 1) % 7 + 1);
    CHECK(p.epoch_ended == (calls % 7 == 0));
    CHECK(p.metrics->size() == (p.epoch_ended ? 1 : 0));
    epochs += p.epoch_ended ? 1 : 0;
    return true;
  }));
  CHECK(calls == 14);
  CHECK(epochs == 2);
  CHECK(trainer->history().rows.back().metrics.size() == 1);
  REQUIRE_OK(trainer->fit(nullptr, 2, nullptr));  // nothing is left to do
  CHECK(trainer->steps() == 14);
}

TEST_CASE("the loss falls, evaluation agrees with it, and the model for inference predicts") {
  const auto engine = engine_of(2);
  const auto trainer = job(engine, "mlp", 2);
  const auto before = trainer->evaluate(nullptr);
  REQUIRE_MESSAGE(before.ok(), before.status().to_string());
  REQUIRE_OK(trainer->fit(nullptr, 30, nullptr));
  const auto after = trainer->evaluate(nullptr);
  REQUIRE(after.ok());
  CHECK(after->at(0).first == "loss");
  CHECK(after->at(1).first == "accuracy");
  CHECK(after->at(0).second < 0.9 * before->at(0).second);

  const auto model = trainer->inference_model();
  REQUIRE_MESSAGE(model.ok(), model.status().to_string());
  CHECK((*model)->main().inputs.size() == 1);
  CHECK((*model)->functions.size() == 2);  // main and init
  const auto session = Session::create(engine, *model, trainer->variables());
  REQUIRE(session.ok());
  RunSpec run;
  run.feeds = {"x"};
  run.fetches = {(*model)->main().value((*model)->main().outputs[0]).name};
  const std::vector<Tensor> x = {formula(DType::kF32, Shape{100, 5}, 9)};
  const auto out = (*session)->run(run, x);
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  CHECK((*out)[0].shape() == Shape{100, 3});
  // The expected accuracy.
  const auto scores = (*out)[0].span<float>();
  const auto labels = class_numbers(100, 3);
  int hits = 0;
  for (size_t i = 0; i < 100; ++i) {
    const auto* row = scores.data() + 3 * i;
    hits += std::max_element(row, row + 3) - row == labels[i];
  }
  CHECK(after->at(1).second == doctest::Approx(hits / 100.0));
}

TEST_CASE("dropout drops while training alone, and the same for a shard as for the whole batch") {
  const auto engine = engine_of(1);
  const auto one = job(engine, "dropout", 1), four = job(engine, "dropout", 4);
  const auto a = one->evaluate(nullptr), b = four->evaluate(nullptr);
  CHECK(a->at(0).second == doctest::Approx(b->at(0).second));
  REQUIRE_OK(one->fit(nullptr, 1, nullptr));
  REQUIRE_OK(four->fit(nullptr, 1, nullptr));
  for (size_t i = 0; i < one->history().rows.size(); ++i) {
    CHECK(one->history().rows[i].loss == doctest::Approx(four->history().rows[i].loss).epsilon(1e-4));
  }
  CHECK(one->evaluate(nullptr)->at(0).second == doctest::Approx(one->evaluate(nullptr)->at(0).second));
}

TEST_CASE("moving statistics go towards those of the data") {
  const auto trainer = job(engine_of(1), "normalised", 1);
  const int32_t at = trainer->variables()->find("batch_normalization/moving_mean");
  REQUIRE(at >= 0);
  const auto value = [&] { return trainer->variables()->current()->values[static_cast<size_t>(at)].span<float>()[1]; };
  CHECK(value() == 0);
  REQUIRE_OK(trainer->fit(nullptr, 1, nullptr));
  CHECK(value() != 0);
}

TEST_CASE("variables that are loaded after the trainer was made are what it trains") {
  const auto trainer = make_job(engine_of(1), "linear", R"(, "loss": "mean_squared_error", "optimizer": "sgd")",
                                DType::kF64, {.batch_size = 4}, 4);
  const auto zero = formula(DType::kF64, Shape{5, 3}, 0, 0);
  REQUIRE_OK(trainer->variables()->publish({{0, zero}, {1, formula(DType::kF64, Shape{3}, 0, 0)}}).status());
  const auto loss = trainer->evaluate(nullptr);
  REQUIRE(loss.ok());
  CHECK(loss->at(0).second == doctest::Approx(1.0 / 3));  // predictions are 0, labels one-hot
}

TEST_CASE("a step on tensors publishes the next version; data that does not fit says how") {
  const auto trainer = make_job(engine_of(1), "linear", R"(, "loss": "mean_squared_error", "optimizer": "sgd")",
                                DType::kF32, {.batch_size = 4}, 4);
  const Tensor x = formula(DType::kF32, Shape{4, 5}, 1), y = formula(DType::kF32, Shape{4, 3}, 2);
  const int64_t version = trainer->variables()->current()->number;
  const auto loss = trainer->step({"y", "x"}, {y, x});
  REQUIRE_MESSAGE(loss.ok(), loss.status().to_string());
  CHECK(*loss > 0);
  CHECK(trainer->variables()->current()->number == version + 1);
  CHECK(*trainer->step({"x", "y"}, {x, y}) < *loss);
  CHECK(trainer->step({"x"}, {x}).status().message() ==
        "the model needs an input 'y', which the data lacks: it has 'x'");
  CHECK_FALSE(trainer->step({"x", "y"}, {x, formula(DType::kF32, Shape{3, 3}, 2)}).ok());
  CHECK_FALSE(trainer->step({"x", "y"}, {formula(DType::kF64, Shape{4, 5}, 1), y}).ok());
  CHECK(trainer->steps() == 2);
}

TEST_CASE("cancel from another thread ends the run with the state of a completed step") {
  const auto trainer = job(engine_of(2), "cnn", 2);
  std::thread other;
  const Status status = trainer->fit(nullptr, 100000, [&](const Progress& p) {
    if (p.step == 3) other = std::thread([&] { trainer->cancel(); });
    return true;
  });
  other.join();
  CHECK(status.code() == Code::kCancelled);
  const int64_t steps = trainer->steps();
  CHECK(steps >= 3);
  CHECK(trainer->history().rows.size() == static_cast<size_t>(steps));
  const auto again = job(engine_of(1), "cnn", 2);
  REQUIRE_OK(again->fit(nullptr, 100000, [&](const Progress& p) { return p.step < steps; }));
  CHECK(again->variables()->digest() == trainer->variables()->digest());
}

TEST_CASE("rows of another shape are taken where their numbers mean the same, and refused else") {
  const auto engine = engine_of(1);
  auto spec = parse_spec(
      R"({"model": [{"layer": "Flatten"}, {"layer": "Dense", "units": 2}], "loss": "mse", "optimizer": "sgd"})");
  REQUIRE_OK(spec.status());
  const auto step = [&](const Shape& wanted, const Shape& given) -> Status {
    const auto model =
        build_model(*spec, engine->registry(), wanted, ValueType{DType::kF32, Shape{kUnknownDim, 2}}, std::nullopt);
    PERCALE_RETURN_IF_ERROR(model.status());
    PERCALE_ASSIGN_OR_RETURN(const auto trainer, Trainer::create(engine, *model, nullptr, spec->trainer));
    return trainer->step({"x", "y"}, {formula(DType::kF32, given, 1), formula(DType::kF32, Shape{2, 2}, 2)}).status();
  };
  for (const Shape& same : {Shape{2, 3, 4, 4}, Shape{2, 3, 4, 4, 1}, Shape{2, 1, 3, 4, 4}, Shape{2, 48}}) {
    CAPTURE(same.to_string());
    REQUIRE_OK(step(Shape{kUnknownDim, 3, 4, 4}, same));
  }
  REQUIRE_OK(step(Shape{kUnknownDim, 48}, Shape{2, 4, 4, 3}));
  REQUIRE_OK(step(Shape{kUnknownDim, 4, 4, 1}, Shape{2, 4, 4}));
  const auto message = [&](const Shape& wanted, const Shape& given) {
    return std::string(step(wanted, given).message());
  };
  CHECK(message(Shape{kUnknownDim, 3, 4, 4}, Shape{2, 4, 4, 3}) ==
        "input 'x' has shape [?,3,4,4], the data [2,4,4,3]; map the data through a graph with a Transpose that "
        "puts "
        "its dims in this order");
  CHECK(message(Shape{kUnknownDim, 3, 4, 4}, Shape{2, 6, 8}) == "input 'x' has shape [?,3,4,4], the data [2,6,8]");
  CHECK(message(Shape{1, 3, 4, 4}, Shape{2, 3, 4, 4}) ==
        "input 'x' has shape [1,3,4,4], the data [2,3,4,4]; the model is made for batches of 1: free its batch dim "
        "with 'batch=?' ('with dims' of the graph, or 'percale import --dim batch=?')");
}

}  // namespace percale
