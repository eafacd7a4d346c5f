// The trainer's options: options_reference.py writes options.inc.
#include <algorithm>
#include <cstring>

#include "core/file/file.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr int64_t kRows = 26;

struct Reference {
  const char* name;
  const char* keys;
  int64_t batch, epochs;
  std::vector<double> losses;
  double last;
};

const std::vector<Reference>& references() {
  static const std::vector<Reference> kReferences = {
#include "tests/unit/train/method/options.inc"
  };
  return kReferences;
}

std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& model, const std::string& keys,
                             int64_t shards, DType dtype, const DatasetOptions& batches) {
  return make_job(
      engine, model,
      str_cat(R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, )", keys, ", \"shards\": ", shards),
      dtype, batches, kRows);
}

std::string timeless(const History& history) {
  History copy = history;
  for (History::Row& row : copy.rows) row.seconds = 0;
  return copy.to_csv();
}

// All options that change what a step does or what is stored between steps.
constexpr const char* kEverything =
    R"("optimizer": {"name": "lamb", "learning_rate": 0.05, "clipnorm": 0.5}, "clip": 0.8, "ema": 0.7, "accumulation": 2,
       "metrics": ["accuracy", {"name": "auc", "num_thresholds": 20}, "f1_score"], "seed": 3, "epochs": 6,
       "schedule": {"name": "plateau", "patience": 0, "factor": 0.5, "threshold": 0.1},
       "groups": [{"pattern": "*/bias", "learning_rate_factor": 2, "weight_decay": 0.1}], "freeze": "dense_1/bias",
       "sample_weight": "w", "class_weight": [1, 2, 0.5], "early_stopping": {"patience": 5})";

}  // namespace

TEST_CASE("each option of the trainer does to a training what PyTorch does, whole and in shards") {
  REQUIRE(references().size() == 21);
  for (const Reference& want : references()) {
    for (int64_t shards : {1, 3}) {
      CAPTURE(want.name);
      CAPTURE(shards);
      const auto trainer = job(engine_of(2), "mlp", want.keys, shards, DType::kF64, {.batch_size = want.batch});
      REQUIRE_OK(trainer->fit(nullptr, want.epochs, nullptr));
      const auto& rows = trainer->history().rows;
      REQUIRE(rows.size() == want.losses.size());
      double worst = 0;
      for (size_t i = 0; i < rows.size(); ++i) worst = std::max(worst, std::fabs(rows[i].loss - want.losses[i]));
      CHECK(worst < 1e-9);
      const auto last = trainer->evaluate(nullptr);
      REQUIRE_MESSAGE(last.ok(), last.status().to_string());
      CHECK(std::fabs(last->at(0).second - want.last) < 1e-9);
    }
  }
}

TEST_CASE("with all options at once the bits do not depend on the threads, nor on an interruption at any step") {
  for (const std::string model : {"mlp", "dropout"}) {
    CAPTURE(model);
    // Six batches and three steps an epoch
    const DatasetOptions batches{.batch_size = 5, .shuffle_seed = 2};
    std::string digest, history;
    for (int32_t threads : {1, 3}) {
      const auto whole = job(engine_of(threads), model, kEverything, 2, DType::kF32, batches);
      REQUIRE_OK(whole->fit(nullptr, 0, nullptr));
      CHECK(whole->steps() == 18);
      if (digest.empty()) {
        digest = whole->variables()->digest();
        history = timeless(whole->history());
      }
      CHECK(whole->variables()->digest() == digest);
      CHECK(timeless(whole->history()) == history);
    }
    for (int64_t cut = 1; cut < 18; ++cut) {
      CAPTURE(cut);
      const TempFolder folder;
      const auto first = job(engine_of(2), model, kEverything, 2, DType::kF32, batches);
      REQUIRE_OK(first->fit(nullptr, 0, [&](const Progress& p) {
        if (p.step == cut) REQUIRE_OK(first->save(folder.path()));
        return p.step < cut;
      }));
      const auto second = job(engine_of(1), model, kEverything, 2, DType::kF32, batches);
      REQUIRE_OK(second->restore(folder.path()));
      REQUIRE_OK(second->fit(nullptr, 0, nullptr));
      CHECK(second->variables()->digest() == digest);
      CHECK(timeless(second->history()) == history);
    }
  }
}

TEST_CASE("averages are what is published, and what a checkpoint goes on from are the parameters") {
  const char* keys = R"("optimizer": {"name": "sgd", "learning_rate": 0.5}, "ema": 0.9, "epochs": 2)";
  const auto engine = engine_of(1);
  const auto trainer = job(engine, "mlp", keys, 1, DType::kF64, {.batch_size = 8});
  const auto plain = job(engine, "mlp", R"("optimizer": {"name": "sgd", "learning_rate": 0.5}, "epochs": 2)", 1,
                         DType::kF64, {.batch_size = 8});
  std::vector<double> average;
  const auto kernel = static_cast<size_t>(plain->variables()->find("dense/kernel"));
  REQUIRE_OK(plain->fit(nullptr, 0, [&](const Progress&) {
    REQUIRE_OK(plain->publish());
    const auto now = plain->variables()->current()->values[kernel].span<double>();
    if (average.empty()) average.assign(now.begin(), now.end());
    for (size_t i = 0; i < now.size(); ++i) average[i] = 0.9 * average[i] + 0.1 * now[i];
    return true;
  }));
  REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
  const auto now = trainer->variables()->current()->values[kernel].span<double>();
  for (size_t i = 0; i < now.size(); ++i) CHECK(now[i] == doctest::Approx(average[i]).epsilon(1e-12));
}

TEST_CASE("a frozen BatchNormalization neither learns nor moves its statistics") {
  const auto trainer = job(engine_of(1), "normalised", R"("optimizer": "sgd", "freeze": ["batch_normalization/*"])", 1,
                           DType::kF32, {.batch_size = 8});
  const auto before = trainer->variables()->current();
  REQUIRE_OK(trainer->fit(nullptr, 2, nullptr));
  const auto after = trainer->variables()->current();
  size_t same = 0;
  for (size_t i = 0; i < before->values.size(); ++i) {
    const bool frozen = trainer->variables()->variables()[i].name.starts_with("batch_normalization/");
    const Tensor &a = before->values[i], &b = after->values[i];
    CHECK((std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0) == frozen);
    same += frozen ? 1 : 0;
  }
  CHECK(same == 4);
}

TEST_CASE("early stopping ends a run when nothing gets better, and a resumed one stays ended") {
  const char* keys = R"("optimizer": {"name": "sgd", "learning_rate": 0.05}, "epochs": 50,
                        "early_stopping": {"monitor": "val_loss", "patience": 2, "min_delta": 0.01})";
  const auto engine = engine_of(1);
  const auto trainer = job(engine, "mlp", keys, 1, DType::kF32, {.batch_size = 8});
  REQUIRE_OK(trainer->set_validation(trainer->test_data()));
  const TempFolder folder;
  std::vector<double> seen;
  REQUIRE_OK(trainer->fit(nullptr, 0, [&](const Progress& p) {
    if (p.epoch_ended) {
      CHECK(p.metric_names->at(0) == "val_loss");
      seen.push_back(p.metrics->at(0));
      REQUIRE_OK(trainer->save(folder.path()));
    }
    return true;
  }));
  // Expected: the first epoch after which two in a row did not improve by more than 0.01.
  double best = seen[0];
  int64_t bad = 0, epochs = 1;
  while (bad < 2) {
    REQUIRE(static_cast<size_t>(epochs) < seen.size());
    const double now = seen[static_cast<size_t>(epochs++)];
    bad = now + 0.01 < best ? 0 : bad + 1;
    best = bad == 0 ? now : best;
  }
  CHECK(static_cast<size_t>(epochs) == seen.size());
  CHECK(epochs < 50);
  const auto again = job(engine, "mlp", keys, 1, DType::kF32, {.batch_size = 8});
  REQUIRE_OK(again->set_validation(again->test_data()));
  REQUIRE_OK(again->restore(folder.path()));
  const int64_t steps = again->steps();
  REQUIRE_OK(again->fit(nullptr, 0, nullptr));
  CHECK(again->steps() == steps);
}

TEST_CASE("the newest and the best checkpoints are kept") {
  const char* keys = R"("optimizer": {"name": "sgd", "learning_rate": 0.1}, "epochs": 6, "metrics": ["accuracy"],
                        "checkpoints": {"keep_last": 2, "keep_best": 1, "monitor": "accuracy"})";
  const auto trainer = job(engine_of(1), "mlp", keys, 1, DType::kF32, {.batch_size = 13});
  const TempFolder folder;
  double best = -1;
  int64_t best_step = 0;
  REQUIRE_OK(trainer->fit(nullptr, 0, [&](const Progress& p) {
    REQUIRE_OK(trainer->save(folder.path()));
    if (p.epoch_ended && p.metrics->at(0) > best) {
      best = p.metrics->at(0);
      best_step = p.step;
    }
    return true;
  }));
  std::vector<std::string> wanted = {"step-11", "step-12"};
  if (best_step < 11) wanted.push_back(str_cat("step-", best_step));
  std::sort(wanted.begin(), wanted.end());
  const auto names = list_folder(folder.path());
  REQUIRE(names.ok());
  CHECK(*names == wanted);
}

TEST_CASE("options that name nothing, and monitors that there are not, are refused") {
  const auto refuse = [](const std::string& keys) {
    auto spec = parse_spec(str_cat("{\"model\": ", job_of("linear").layers,
                                   R"(, "loss": "mean_squared_error", "optimizer": "sgd", )", keys, "}"));
    if (!spec.ok()) return spec.status();
    const auto engine = engine_of(1);
    const auto model = build_model(*spec, engine->registry(), Shape{-1, 5}, ValueType{DType::kF32, Shape{-1, 3}});
    if (!model.ok()) return model.status();
    return Trainer::create(engine, *model, nullptr, spec->trainer).status();
  };
  CHECK(refuse(R"("freeze": ["dense/kernl"])").message() ==
        "'freeze': no variable matches 'dense/kernl', did you mean 'dense/kernel'?");
  CHECK(refuse(R"("freeze": ["*"])").code() == Code::kInvalidArgument);  // nothing is left to train
  CHECK(refuse(R"("groups": [{"pattern": "x*"}])").code() == Code::kInvalidArgument);
  CHECK(refuse(R"("early_stopping": {"monitor": "accuracy"})").code() == Code::kInvalidArgument);
  CHECK(refuse(R"("early_stopping": {"restore_best_weights": 1})").code() == Code::kInvalidArgument);
  CHECK(refuse(R"("class_weight": [1, 2])").message() ==
        "loss 'mean_squared_error': class weights cannot be used with loss 'mean_squared_error'");
  CHECK(refuse(R"("ema": 1)").code() == Code::kOutOfRange);
  CHECK(refuse(R"("accumulation": 0)").code() == Code::kOutOfRange);
}

}  // namespace percale
