// Data parallel: devices of one engine compute the shards of a batch, and the bits do not show
// which device computed which.
#include <doctest/doctest.h>

#include "core/train/trainer.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr const char* kJob =
    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"],
       "optimizer": "adam", "seed": 4, "epochs": 2)";

std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& model, std::string more) {
  return make_job(engine, model, str_cat(kJob, more), DType::kF32, {.batch_size = 24, .shuffle_seed = 4}, 100);
}

}  // namespace

TEST_CASE("the weights after training are the same bits on any devices and any number of threads") {
  for (const std::string model : {"mlp", "cnn", "dropout", "normalised"}) {
    for (const std::string more : {R"(, "shards": 8)", R"(, "shards": 5, "accumulation": 2)"}) {
      CAPTURE(model);
      CAPTURE(more);
      std::string digest;
      for (const char* devices : {"cpu:0", "cpu=2", "cpu=4x1", "cpu=5"}) {
        for (int32_t threads : {1, 2, 4}) {
          const auto trainer = job(engine_of(threads, devices), model, more);
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

TEST_CASE("as many devices compute as there are shards; too many for a number that was given are an error") {
  const auto engine = engine_of(2, "cpu=4");
  const auto enough = job(engine, "mlp", R"(, "shards": 4)");
  REQUIRE_OK(enough->fit(nullptr, 1, nullptr));
  CHECK(enough->replicas() == 4);

  const auto few = job(engine, "mlp", R"(, "shards": 3)");
  const Status status = few->fit(nullptr, 1, nullptr);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("4 devices share 3 shards") != std::string::npos);
  CHECK(few->steps() == 0);

  const auto chosen = job(engine, "mlp", "");  // so small a model has one shard
  REQUIRE_OK(chosen->fit(nullptr, 1, nullptr));
  CHECK(chosen->shards() == 1);
  CHECK(chosen->replicas() == 1);
}

TEST_CASE("cancelling and errors end all replicas; the state is that of the last completed step") {
  const auto engine = engine_of(4, "cpu=4");
  const auto trainer = job(engine, "cnn", R"(, "shards": 8)");
  int64_t steps = 0;
  const Status status = trainer->fit(nullptr, 5, [&](const Progress& p) {
    steps = p.step;
    if (p.step == 3) trainer->cancel();
    return true;
  });
  CHECK(status.code() == Code::kCancelled);
  CHECK(trainer->steps() == steps);
  REQUIRE_OK(trainer->fit(nullptr, 1, nullptr));
}

}  // namespace percale
