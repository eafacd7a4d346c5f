// Early stopping that restores the best weights, and steps of several batches that are fed by hand.
#include <algorithm>

#include "core/file/file.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr int64_t kRows = 26;

std::unique_ptr<Trainer> job(const std::string& model, const std::string& keys, const DatasetOptions& batches) {
  return make_job(engine_of(1), model,
                  str_cat(R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, )", keys), DType::kF32,
                  batches, kRows);
}

// Uses a learning rate that is too large, so that the loss jumps about. The training data is also
// the validation data.
std::string wild(const char* early, const char* more = "") {
  return str_cat(R"("optimizer": {"name": "sgd", "learning_rate": 6.0}, "epochs": 9, "seed": 2)", more, early);
}

}  // namespace

TEST_CASE("a run that ends leaves the weights of its best epoch, stopped or not, also after an interruption") {
  int telling = 0;  // cases where the last epoch is not the best
  for (const std::string model : {"mlp", "dropout", "normalised"}) {
    for (const char* more : {"", ", \"ema\": 0.5", ", \"accumulation\": 2, \"freeze\": \"dense/*\""}) {
      for (const char* patience : {"2", "50"}) {
        CAPTURE(model);
        CAPTURE(more);
        CAPTURE(patience);
        const std::string early = str_cat(
            R"(, "early_stopping": {"monitor": "val_loss", "restore_best_weights": true, "patience": )", patience, "}");
        const DatasetOptions batches{.batch_size = 6, .shuffle_seed = 4};
        // Without stopping: the weights after each epoch, and their scores.
        std::vector<std::string> digests;
        std::vector<double> scores;
        const auto plain = job(model, wild("", more), batches);
        REQUIRE_OK(plain->set_validation(plain->train_data()));
        REQUIRE_OK(plain->fit(nullptr, 0, [&](const Progress& p) {
          if (!p.epoch_ended) return true;
          digests.push_back(plain->variables()->digest());
          scores.push_back(p.metrics->at(0));
          return true;
        }));
        REQUIRE(digests.size() == 9);
        // Expected behaviour of Keras' EarlyStopping with these scores.
        size_t best = 0, last = 0, wait = 0;
        for (size_t epoch = 0; epoch < scores.size(); ++epoch) {
          last = epoch;
          ++wait;
          if (epoch == 0 || scores[epoch] < scores[best]) {
            best = epoch;
            wait = 0;
          } else if (wait >= static_cast<size_t>(std::atoi(patience))) {
            break;
          }
        }
        telling += best < last ? 1 : 0;

        const auto whole = job(model, wild(early.c_str(), more), batches);
        REQUIRE_OK(whole->set_validation(whole->train_data()));
        REQUIRE_OK(whole->fit(nullptr, 0, nullptr));
        CHECK(whole->variables()->digest() == digests[best]);
        CHECK(whole->history().rows.back().epoch == static_cast<int64_t>(last) + 1);
        const auto now = whole->evaluate(whole->train_data());
        REQUIRE(now.ok());
        CHECK(now->at(0).second == scores[best]);

        const int64_t steps = whole->steps();
        for (int64_t cut = 1; cut <= steps; cut += 3) {
          CAPTURE(cut);
          const TempFolder folder;
          const auto first = job(model, wild(early.c_str(), more), batches);
          REQUIRE_OK(first->set_validation(first->train_data()));
          REQUIRE_OK(first->fit(nullptr, 0, [&](const Progress& p) {
            if (p.step == cut) REQUIRE_OK(first->save(folder.path()));
            return p.step < cut;
          }));
          const auto second = job(model, wild(early.c_str(), more), batches);
          REQUIRE_OK(second->set_validation(second->train_data()));
          REQUIRE_OK(second->restore(folder.path()));
          REQUIRE_OK(second->fit(nullptr, 0, nullptr));
          CHECK(second->variables()->digest() == digests[best]);
          // Restored only once: a further fit() after the end of the run does not undo other
          // changes.
          REQUIRE_OK(second->fit(nullptr, 0, nullptr));
          CHECK(second->variables()->digest() == digests[best]);
        }
      }
    }
  }
  CHECK(telling >= 12);
}

TEST_CASE("early stopping counts epochs as Keras does: patience, baseline, start_from_epoch, epochs without a number") {
  const double nan = std::nan("");
  struct Case {
    const char* json;
    std::vector<double> values;
    int64_t stops;  // stops after this epoch, from 0; -1: never
    int64_t best;   // the last epoch whose weights are kept; -1: none
  };
  const std::vector<Case> cases = {
      {R"({"patience": 2})", {5, 4, 6, 4, 3}, 3, 1},  // two epochs in a row not below 4
      {R"({"patience": 2})", {5, 4, 6, 3, 7, 8}, 5, 3},
      {R"({"patience": 0})", {5, 5}, 1, 0},
      {R"({"patience": 0})", {5, 4, 3}, -1, 2},
      {R"({"patience": 2, "min_delta": 1})", {5, 4.5, 4.2, 3}, 2, 0},
      {R"({"patience": 2, "mode": "max"})", {1, 2, 1, 1, 9}, 3, 1},
      // Better each time, but never better than 3
      {R"({"patience": 2, "baseline": 3})", {5, 4, 3.5, 3.6}, 3, 2},
      {R"({"patience": 2, "baseline": 3})", {5, 4, 2, 3.6, 1}, -1, 4},
      {R"({"patience": 2, "baseline": 3})", {5, 2, 4, 2.5, 1}, 3, 1},
      {R"({"patience": 1, "start_from_epoch": 2})", {1, 2, 9, 8, 8.5}, 4, 3},  // the 1 was ignored
      {R"({"patience": 3})", {nan, nan, 4, 3}, -1, 3},
      {R"({"patience": 2})", {nan, nan, nan}, 1, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.json);
    const auto json = Json::parse(c.json);
    REQUIRE(json.ok());
    const auto options = parse_early_stopping(*json);
    REQUIRE_MESSAGE(options.ok(), options.status().to_string());
    MonitorState state;
    int64_t stops = -1, best = -1;
    for (size_t epoch = 0; epoch < c.values.size() && stops < 0; ++epoch) {
      if (state.update(*options, static_cast<int64_t>(epoch), c.values[epoch])) best = static_cast<int64_t>(epoch);
      if (state.stopped) stops = static_cast<int64_t>(epoch);
      NamedNumbers saved;  // through a checkpoint in each epoch
      state.save("e", saved);
      state.load("e", saved);
    }
    CHECK(stops == c.stops);
    CHECK(best == c.best);
  }
}

TEST_CASE("a count that a checkpoint gives wrongly begins at 0 again") {
  for (const double number : {std::nan(""), 1e300, -1e300}) {
    MonitorState state;
    state.load("e", {{"e.bad", number}, {"e.cooldown", number}});
    CHECK(state.bad == 0);
    CHECK(state.cooldown == 0);
  }
}

TEST_CASE("batches that are fed by hand make the steps that fit makes of them, bit for bit") {
  for (const std::string model : {"mlp", "dropout", "normalised"}) {
    CAPTURE(model);
    const std::string keys = R"("optimizer": "adam", "accumulation": 3, "shards": 2, "seed": 5)";
    // Six batches: two steps
    const DatasetOptions batches{.batch_size = 4, .drop_remainder = true};
    const auto fitted = job(model, keys, batches), fed = job(model, keys, batches);
    REQUIRE_OK(fitted->fit(nullptr, 2, nullptr));
    const auto data = fed->train_data();
    const TempFolder folder;
    for (int64_t i = 0; i < 12; ++i) {
      const auto batch = data->batch({0, i % 6}, fed->engine()->threads().parallel());
      REQUIRE_MESSAGE(batch.ok(), batch.status().to_string());
      const auto loss = fed->step({"x", "y"}, *batch);
      REQUIRE_MESSAGE(loss.ok(), loss.status().to_string());
      CHECK(std::isfinite(*loss));
      CHECK(fed->steps() == (i + 1) / 3);
      if (i % 3 == 2) {
        REQUIRE_OK(fed->save(folder.path()));
        continue;
      }
      // In the middle of a step, save() and fit() fail, and a batch of the wrong form changes
      // nothing.
      CHECK(fed->save(folder.path()).code() == Code::kFailedPrecondition);
      CHECK(fed->fit(nullptr, 1, nullptr).code() == Code::kFailedPrecondition);
      CHECK_FALSE(fed->step({"x"}, {(*batch)[0]}).ok());
      if (model == "normalised") {
        const auto other = data->gather(std::vector<int64_t>{0, 1, 2}, fed->engine()->threads().parallel());
        REQUIRE(other.ok());
        CHECK(fed->step({"x", "y"}, *other).status().code() == Code::kInvalidArgument);
      }
    }
    CHECK(fed->variables()->digest() == fitted->variables()->digest());
    REQUIRE(fed->history().rows.size() == 4);
    for (size_t i = 0; i < 4; ++i) CHECK(fed->history().rows[i].loss == fitted->history().rows[i].loss);
    // restore() discards a partial step.
    const auto batch = data->batch({0, 0}, fed->engine()->threads().parallel());
    REQUIRE(fed->step({"x", "y"}, *batch).ok());
    REQUIRE_OK(fed->restore(folder.path()));
    REQUIRE_OK(fed->save(folder.path()));
    CHECK(fed->variables()->digest() == fitted->variables()->digest());
  }
}

}  // namespace percale
