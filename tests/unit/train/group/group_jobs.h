// Jobs that groups train in tests, and their results.
#ifndef PERCALE_TESTS_UNIT_TRAIN_GROUP_GROUP_JOBS_H_
#define PERCALE_TESTS_UNIT_TRAIN_GROUP_GROUP_JOBS_H_

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/train/group/threads.h"
#include "tests/unit/train/method/row_sparse_jobs.h"

namespace percale {

// Returns the distance between the exchanges at which a test makes a fault: `step`, and ten times
// as much under QEMU, which takes about 20 times as long as the processor.
inline int64_t points_every(int64_t step) {
  const char* wrapper = std::getenv("MESON_EXE_WRAPPER");
  const bool emulated = wrapper != nullptr && std::string_view(wrapper).find("qemu") != std::string_view::npos;
  return emulated ? 10 * step : step;
}

struct GroupJob {
  std::string model, keys;
  int64_t rows = 48, batch = 16;
  bool saves = false;  // after each step
};

inline std::unique_ptr<Trainer> trainer_of(const GroupJob& job, const std::string& devices = "cpu:0") {
  const auto engine = engine_of(1, devices);
  if (job.model == "table") return percale::job(engine, kLookup, job.keys, DType::kF32, job.batch);
  if (job.model == "bag") return percale::job(engine, kBag, job.keys, DType::kF32, job.batch);
  const std::string loss =
      R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"])";
  return make_job(engine, job.model, loss + job.keys, DType::kF32, {.batch_size = job.batch, .shuffle_seed = 3},
                  job.rows);
}

// The results of a training: parameters, and the columns of the history.
struct Outcome {
  std::string digest;
  std::vector<double> losses;
  NamedNumbers evaluation;
  bool operator==(const Outcome&) const = default;
};

inline Outcome outcome_of(Trainer& trainer) {
  Outcome out;
  out.digest = trainer.variables()->digest();
  for (const History::Row& row : trainer.history().rows) out.losses.push_back(row.loss);
  auto evaluation = trainer.evaluate(nullptr);
  REQUIRE_OK(evaluation.status());
  out.evaluation = *evaluation;
  return out;
}

inline Outcome alone(const GroupJob& job) {
  const auto trainer = trainer_of(job);
  REQUIRE_OK(trainer->fit(nullptr, 3, {}));
  return outcome_of(*trainer);
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_TRAIN_GROUP_GROUP_JOBS_H_
