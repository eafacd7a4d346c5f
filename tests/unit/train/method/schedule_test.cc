#include "core/train/method/schedule.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/train/method/optimizer.h"

namespace percale {
namespace {

Result<Schedule> parse(std::string_view text) {
  const auto json = Json::parse(text);
  REQUIRE(json.ok());
  return parse_schedule(*json);
}

}  // namespace

TEST_CASE("one_cycle gives PyTorch's OneCycleLR") {
  const auto s = parse(R"({"name": "one_cycle", "max_learning_rate": 0.004})");
  REQUIRE(s.ok());
  CHECK(s->needs_total());
  // reference.py, one_cycle()
  const double expected[] = {0.00016,
                             0.00208,
                             0.004,
                             0.003801938528053894,
                             0.003246982615799052,
                             0.0024450480877451666,
                             0.001554967912254843,
                             0.0007530333842009479,
                             0.00019807747194610514,
                             1.6e-08};
  for (int64_t i = 0; i < 10; ++i) {
    CHECK(s->learning_rate(0.001, i, 10, maths::kNative) == doctest::Approx(expected[i]).epsilon(1e-12));
  }
}

TEST_CASE("step, cosine and warm_up follow their formulas") {
  const auto step = parse(R"({"name": "step", "step_size": 2, "gamma": 0.5})");
  REQUIRE(step.ok());
  CHECK(step->learning_rate(1, 1, 0, maths::kNative) == 1);
  CHECK(step->learning_rate(1, 4, 0, maths::kNative) == 0.25);
  const auto cosine = parse(R"("cosine")");
  REQUIRE(cosine.ok());
  CHECK(cosine->learning_rate(2, 0, 10, maths::kNative) == 2);
  CHECK(cosine->learning_rate(2, 5, 10, maths::kNative) == doctest::Approx(1));
  CHECK(cosine->learning_rate(2, 20, 10, maths::kNative) == doctest::Approx(0));
  CHECK(parse_schedule("cosine")->kind == Schedule::Kind::kCosine);
  const auto warm = parse_schedule(R"({"name": "warm_up", "steps": 4})");
  REQUIRE(warm.ok());
  CHECK(warm->learning_rate(1, 0, 0, maths::kNative) == 0.25);
  CHECK(warm->learning_rate(1, 9, 0, maths::kNative) == 1);
}

TEST_CASE("schedules follow each other, each from its own step 0") {
  const auto s = parse(R"([{"name": "warm_up", "steps": 4}, {"name": "constant", "duration": 2}, {"name": "cosine"}])");
  REQUIRE_MESSAGE(s.ok(), s.status().to_string());
  CHECK(s->needs_total());
  const double expected[] = {0.5, 1, 1.5, 2, 2, 2, 2, 1, 0};
  const int64_t steps[] = {0, 1, 2, 3, 4, 5, 6, 8, 10};
  for (size_t i = 0; i < 9; ++i) {
    CAPTURE(steps[i]);
    CHECK(s->learning_rate(2, steps[i], 10, maths::kNative) == doctest::Approx(expected[i]));
  }
  // A part uses its own length. A "duration" takes precedence, and a cosine without its own length
  // spans it.
  const auto parts =
      parse(R"([{"name": "cosine", "decay_steps": 8, "duration": 4}, {"name": "cosine", "duration": 2}, "constant"])");
  REQUIRE(parts.ok());
  CHECK_FALSE(parts->needs_total());
  CHECK(parts->learning_rate(1, 3, 0, maths::kNative) ==
        doctest::Approx(0.5 * (1 + std::cos(3.14159265358979 * 3 / 8))));
  CHECK(parts->learning_rate(1, 4, 0, maths::kNative) == 1);
  CHECK(parts->learning_rate(1, 5, 0, maths::kNative) == doctest::Approx(0.5));
  CHECK(parts->learning_rate(1, 6, 0, maths::kNative) == 1);
  const auto waiting = parse(R"([{"name": "warm_up", "steps": 4}, {"name": "plateau", "monitor": "val_loss"}])");
  REQUIRE(waiting.ok());
  REQUIRE(waiting->waits_for() != nullptr);
  CHECK(waiting->waits_for()->monitor.name == "val_loss");
  CHECK(parse_schedule(R"([{"name": "warm_up", "steps": 4}, "cosine"])")->parts.size() == 2);
}

TEST_CASE("rates are computed with the functions of the engine's numerics") {
  maths::Functions functions = maths::kPortable;
  functions.cos.of_double = [](double) { return 0.5; };
  functions.pow.of_double = [](double base, double exponent) { return base + exponent; };
  CHECK(parse(R"("cosine")")->learning_rate(1, 1, 10, functions) == 0.75);
  const auto cycle = parse(R"({"name": "one_cycle", "max_learning_rate": 1, "div_factor": 1, "final_div_factor": 2})");
  CHECK(cycle->learning_rate(1, 9, 10, functions) == 0.875);
  CHECK(parse(R"({"name": "step", "step_size": 2, "gamma": 0.5})")->learning_rate(1, 4, 0, functions) == 2.5);
  CHECK(parse(R"([{"name": "constant", "duration": 2}, "cosine"])")->learning_rate(1, 3, 10, functions) == 0.75);
}

TEST_CASE("a sequence that cannot be followed is refused") {
  const auto message = [](std::string_view text) { return std::string(parse(text).status().message()); };
  CHECK(message("[]").find("the list is empty") != std::string::npos);
  CHECK(message(R"(["constant", "cosine"])").find("entry 1 of 2 needs a length") != std::string::npos);
  CHECK(message(R"([{"name": "cosine"}, "constant"])").find("entry 1 of 2 needs a length") != std::string::npos);
  CHECK(message(R"(["constant"  , {"name": "cosine", "duration": 5}])").find("needs a length") != std::string::npos);
  CHECK(message(R"([{"name": "constant", "duration": 5}])").find("lasts to the end of the run") != std::string::npos);
  CHECK(message(R"({"name": "constant", "duration": 5})").find("an entry of a list") != std::string::npos);
  CHECK(message(R"([{"name": "constant", "duration": 0}, "cosine"])").find("duration") != std::string::npos);
  CHECK(message(R"([["constant"]])").find("schedule") != std::string::npos);
  CHECK(message(R"([{"name": "plateau", "duration": 5}, "plateau"])").find("only one plateau") != std::string::npos);
}

TEST_CASE("a schedule or an optimizer that is misspelt names the nearest, and one that is not there yet says so") {
  CHECK(parse(R"("one_cicle")").status().message() ==
        "line 1, column 1: 'schedule': no schedule 'one_cicle', did you mean 'one_cycle'?");
  CHECK(parse(R"("exponential_decay")").status().message() ==
        "line 1, column 1: 'schedule': no schedule 'exponential_decay'; there are constant, step, cosine, warm_up, "
        "one_cycle, "
        "plateau");
  CHECK(parse(R"({"name": "one_cycle", "max_lr": 1})").status().code() == Code::kInvalidArgument);
  CHECK(parse(R"({"name": "one_cycle"})").status().code() == Code::kInvalidArgument);
  CHECK(parse(R"({"name": "plateau", "factr": 0.1})").status().code() == Code::kInvalidArgument);
  CHECK(parse_optimizer("nadam").status().code() == Code::kUnimplemented);
  CHECK(parse_optimizer("nadam").status().message() == "optimizer 'nadam' is not implemented; use adam");
  CHECK(parse_optimizer("adm").status().message().find("'adam'") != std::string_view::npos);
  CHECK(parse_optimizer(R"({"name": "adam", "beta1": 0.9})").status().message().find("'beta_1'") !=
        std::string_view::npos);
  CHECK(parse_optimizer(R"({"name": "sgd", "momentum": 2})").status().code() == Code::kOutOfRange);
}

TEST_CASE("an optimizer by name has Keras' defaults") {
  const auto adam = parse_optimizer("adam");
  REQUIRE(adam.ok());
  CHECK(adam->learning_rate == 0.001);
  CHECK(adam->epsilon == 1e-7);
  CHECK(adam->slots() == std::vector<std::string>{"m", "v"});
  const auto sgd = parse_optimizer(R"({"name": "sgd", "momentum": 0.9, "nesterov": true})");
  REQUIRE(sgd.ok());
  CHECK(sgd->learning_rate == 0.01);
  CHECK(sgd->slots() == std::vector<std::string>{"momentum"});
}

}  // namespace percale
