// A NaN or infinite loss is reported once, or ends the training before it spoils the variables.
#include <doctest/doctest.h>

#include <cmath>

#include "core/train/trainer.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

// Uses a learning rate that makes the second loss overflow f32.
std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& more) {
  const std::string keys =
      R"(, "loss": "mean_squared_error", "optimizer": {"name": "sgd", "learning_rate": 1e30}, "shards": 2, "epochs": 2)";
  return make_job(engine, "linear", keys + more, DType::kF32, {.batch_size = 8}, 40);
}

void count_warning(void* user, LogLevel level, std::string_view message) {
  if (level == LogLevel::kWarning && message.find("the loss is") != std::string_view::npos) ++*static_cast<int*>(user);
}

}  // namespace

TEST_CASE("the first loss that is not finite is a warning, and the training goes on") {
  for (const char* mode : {"sync", "bounded:1", "async"}) {
    CAPTURE(mode);
    const auto engine = engine_of(2);
    int warnings = 0;
    engine->log().write = count_warning;
    engine->log().user = &warnings;
    const auto trainer = job(engine, str_cat(R"(, "mode": ")", mode, "\""));
    REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
    CHECK(warnings == 1);
    CHECK_FALSE(std::isfinite(trainer->history().rows.back().loss));
  }
}

TEST_CASE("terminate_on_nan ends the training before the update, with the variables of the step before") {
  for (const std::string more : {R"(, "mode": "sync")", R"(, "mode": "bounded:0")", R"(, "accumulation": 2)"}) {
    CAPTURE(more);
    const auto wanted = job(engine_of(2), more);
    REQUIRE_OK(wanted->fit(nullptr, 0, [](const Progress&) { return false; }));
    REQUIRE(wanted->steps() == 1);
    const auto trainer = job(engine_of(2), more + R"(, "terminate_on_nan": true)");
    const Status status = trainer->fit(nullptr, 0, nullptr);
    CHECK(status.code() == Code::kOutOfRange);
    CHECK(status.message().find("the loss of step 2 is ") != std::string::npos);
    CHECK(status.message().find("terminate_on_nan") != std::string::npos);
    CHECK(trainer->steps() == 1);
    CHECK(trainer->history().rows.size() == 1);
    CHECK(trainer->variables()->digest() == wanted->variables()->digest());
  }
  const auto streamed = job(engine_of(2), R"(, "mode": "async", "terminate_on_nan": true)");
  CHECK(streamed->fit(nullptr, 0, nullptr).code() == Code::kOutOfRange);
  for (const History::Row& row : streamed->history().rows) CHECK(std::isfinite(row.loss));
}

TEST_CASE("a step by hand ends before the update, too") {
  const auto trainer = job(engine_of(1), R"(, "terminate_on_nan": true)");
  Tensor x = formula(DType::kF32, Shape{8, 5}, 9), y = formula(DType::kF32, Shape{8, 3}, 2);
  REQUIRE(trainer->step({"x", "y"}, {x, y}).ok());
  const std::string before = trainer->variables()->digest();
  CHECK(trainer->step({"x", "y"}, {x, y}).status().code() == Code::kOutOfRange);
  CHECK(trainer->steps() == 1);
  CHECK(trainer->variables()->digest() == before);
}

}  // namespace percale
