// Observers of epochs: the learning rate, early stopping with the best weights, scores of
// checkpoints.
#include "core/train/epoch/early_stopper.h"
#include "core/train/epoch/learning_rate.h"
#include "tests/unit/train/parts.h"

namespace percale {
namespace {

void end_epoch(EpochObserver& observer, int64_t epoch, double loss) {
  const NamedNumbers numbers = {{"loss", loss}};
  observer.epoch_ended({epoch, numbers});
}

Schedule plateau(int64_t patience) {
  Schedule out;
  out.kind = Schedule::Kind::kPlateau;
  out.plateau.patience = patience;
  out.plateau.factor = 0.5;
  return out;
}

EarlyStopping stopping(bool restores) {
  EarlyStopping out;
  out.on = true;
  out.patience = 2;
  out.restore_best_weights = restores;
  return out;
}

}  // namespace

TEST_CASE("an epoch's numbers are found by name") {
  const NamedNumbers numbers = {{"loss", 1}, {"val_loss", 2}};
  const EpochEnd end{0, numbers};
  CHECK(end.value("val_loss") == 2);
  CHECK(std::isnan(end.value("accuracy")));
}

TEST_CASE("a plateau lowers the rate, and a rate set by hand is its new base") {
  LearningRate rate(plateau(0), 0.8, {});
  CHECK(rate.at(0, 10) == 0.8);
  end_epoch(rate, 0, 1);
  end_epoch(rate, 1, 1);
  CHECK(rate.at(2, 10) == doctest::Approx(0.4));
  REQUIRE_OK(rate.set_base(0.2));
  CHECK(rate.base() == 0.2);
  CHECK(rate.at(2, 10) == doctest::Approx(0.1));
  CHECK(rate.set_base(-1).code() == Code::kInvalidArgument);

  NamedNumbers saved;
  rate.save(saved);
  LearningRate other(plateau(0), 0.8, {});
  other.restore(saved);
  CHECK(other.at(2, 10) == rate.at(2, 10));
  other.restore({});
  CHECK(other.at(2, 10) == 0.8);
}

TEST_CASE("a schedule that says the rate itself takes no base") {
  Schedule cycle;
  cycle.kind = Schedule::Kind::kOneCycle;
  cycle.max_learning_rate = 0.1;
  LearningRate rate(cycle, 0.8, {});
  CHECK(rate.needs_total());
  CHECK(rate.set_base(0.2).code() == Code::kFailedPrecondition);
}

TEST_CASE("training stops when epochs do not improve, and keeps the weights of the best one") {
  const SmallModel small = small_model(engine_of(1), "linear");
  const auto working = working_set_of(small);
  EarlyStopper early(stopping(true), BestWeights(*working, small.graph.graph->variables));
  REQUIRE_OK(early.make_room(small.engine->memory()));
  CHECK(early.reads_weights());
  float& weight = working->values()[working->trained()[0]].mutable_span<float>()[0];
  const double losses[] = {3, 1, 2, 2};
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    CHECK(!early.stopped());
    weight = static_cast<float>(epoch);
    end_epoch(early, epoch, losses[epoch]);
  }
  CHECK(early.stopped());
  REQUIRE(early.best_epoch());
  CHECK(early.best_epoch()->epoch == 2);
  CHECK(early.best_epoch()->value == 1);
  CHECK(early.brings_back());
  early.best().bring_back();
  CHECK(weight == 1);

  NamedNumbers numbers;
  Checkpoint saved;
  early.save(numbers);
  early.best().save(saved);
  weight = 9;
  EarlyStopper other(stopping(true), BestWeights(*working, small.graph.graph->variables));
  REQUIRE_OK(other.make_room(small.engine->memory()));
  other.best().adopt(other.best().find(saved));
  other.restore(numbers);
  CHECK(other.stopped());
  CHECK(other.brings_back());
  other.best().bring_back();
  CHECK(weight == 1);
  other.best().adopt(other.best().find({}));  // a checkpoint without best weights
  CHECK(!other.best().kept());
}

TEST_CASE("without restore_best_weights no memory is taken and nothing is brought back") {
  const SmallModel small = small_model(engine_of(1), "linear");
  const auto working = working_set_of(small);
  EarlyStopper early(stopping(false), BestWeights(*working, small.graph.graph->variables));
  REQUIRE_OK(early.make_room(small.engine->memory()));
  CHECK(!early.best().has_room());
  for (int64_t epoch = 0; epoch < 3; ++epoch) end_epoch(early, epoch, 1);
  CHECK(early.stopped());
  CHECK(!early.brings_back());
}

TEST_CASE("a checkpoint at the start of an epoch has the score of the epoch before") {
  CheckpointScore smaller({"loss", false}), larger({"loss", true});
  CHECK(!smaller.at(0, 0));
  for (CheckpointScore* score : {&smaller, &larger}) end_epoch(*score, 0, 3);
  CHECK(smaller.at(1, 0) == 3.0);
  CHECK(larger.at(1, 0) == -3.0);
  CHECK(!smaller.at(1, 1));
  CHECK(!smaller.at(2, 0));
  smaller.set(7.0, 5);
  CHECK(smaller.at(5, 0) == 7.0);
}

}  // namespace percale
