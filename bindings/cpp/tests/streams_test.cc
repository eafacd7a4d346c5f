// Data sets of rows that come one after the other.
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bindings/cpp/tests/good.h"

using namespace percale;

namespace {

constexpr int64_t kRows = 29;

float x_of(int64_t row) { return static_cast<float>(row) / kRows; }

// Gives the rows of a line in pieces of 3 at most, and notes where it was asked to begin.
struct Line {
  std::vector<std::pair<int64_t, int64_t>> asked = {};  // epoch, row
  std::function<Status(int64_t first_row)> fails = {};

  Result<int64_t> read(int64_t epoch, int64_t first_row, int64_t max_rows, std::span<void* const> memory) {
    asked.emplace_back(epoch, first_row);
    if (fails) {
      Status status = fails(first_row);
      if (!status) return status;
    }
    const int64_t rows = std::min({max_rows, int64_t{3}, kRows - first_row});
    for (int64_t i = 0; i < rows; ++i) {
      static_cast<float*>(memory[0])[i] = x_of(first_row + i);
      static_cast<float*>(memory[1])[i] = 2 * x_of(first_row + i) - 1;
    }
    return rows;
  }
};

const std::vector<FeedType> kColumns = {{"x", DType::kF32, {1}}, {"y", DType::kF32, {1}}};

Dataset stream_of(const Engine& engine, const std::shared_ptr<Line>& line) {
  const auto read = [line](int64_t epoch, int64_t first_row, int64_t max_rows, std::span<void* const> memory) {
    return line->read(epoch, first_row, max_rows, memory);
  };
  Dataset out = good(Dataset::stream(engine, kColumns, read));
  good(out.batch(8));
  return out;
}

Dataset tensors_of(const Engine& engine) {
  std::vector<float> x, y;
  for (int64_t row = 0; row < kRows; ++row) {
    x.push_back(x_of(row));
    y.push_back(2 * x.back() - 1);
  }
  Dataset out = good(Dataset::from_tensors(
      engine, {{"x", floats(std::move(x), {kRows, 1})}, {"y", floats(std::move(y), {kRows, 1})}}));
  good(out.batch(8));
  return out;
}

Trainer trainer_of(const Engine& engine) {
  const Sequential model = {layers::Dense(8, {{"activation", "relu"}, {"input_shape", {1}}}), layers::Dense(1)};
  return good(model.compile(engine, {.optimizer = "adam", .loss = "mean_squared_error", .metrics = {"mae"}}));
}

Status error_of_next(Dataset& data) {
  auto batch = data.next();
  return batch ? Status() : std::move(batch).error();
}

std::string digest_of(Trainer& trainer) { return good(good(trainer.variables()).digest()); }

}  // namespace

TEST_CASE("a stream gives its rows in batches, epoch after epoch") {
  const Engine engine = good(Engine::create());
  const auto line = std::make_shared<Line>();
  Dataset data = stream_of(engine, line);
  CHECK(data.rows() == -1);
  CHECK(data.columns() == std::vector<std::string>{"x", "y"});
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    int64_t row = 0;
    for (auto& batch : data.epoch()) {
      for (const float x : good((*batch)[0].as<float>())) CHECK(x == x_of(row++));
    }
    CHECK(row == kRows);
    CHECK(line->asked.back().first == epoch);
  }
  CHECK(std::is_sorted(line->asked.begin(), line->asked.end()));
  CHECK(data.repeat(2).error().code() == Code::kFailedPrecondition);
  CHECK_FALSE(data.batch(8, 1).ok());
  CHECK(line.use_count() == 2);
  data.reset();
  CHECK(line.use_count() == 1);
}

TEST_CASE("a stream trains to the bits of a data set with the same rows") {
  const Engine engine = good(Engine::create());
  Trainer one = trainer_of(engine), other = trainer_of(engine);
  Dataset tensors = tensors_of(engine), stream = stream_of(engine, std::make_shared<Line>());
  good(one.fit(tensors, 2));
  good(other.fit(stream, 2));
  CHECK(digest_of(other) == digest_of(one));
  CHECK(good(other.evaluate(stream))["mae"] == good(one.evaluate(tensors))["mae"]);
}

TEST_CASE("an error of a stream ends the call, keeps the state, and the next call goes on") {
  const Engine engine = good(Engine::create());
  const auto line = std::make_shared<Line>();
  Dataset stream = stream_of(engine, line);
  Trainer trainer = trainer_of(engine), whole = trainer_of(engine);
  line->fails = [](int64_t row) { return row < 18 ? Status() : Status(Code::kDataLoss, "the cable is cut"); };
  const Status status = trainer.fit(stream, 1);
  CHECK(status.code() == Code::kDataLoss);
  CHECK_MESSAGE(status.message().find("the cable is cut") != std::string::npos, status.message());
  CHECK(trainer.steps() == 1);  // the third batch tells whether the second is the last one
  line->fails = {};
  line->asked.clear();
  good(trainer.fit(stream, 1));
  CHECK(line->asked.front() == std::pair<int64_t, int64_t>(0, 16));  // of the failed batch
  good(whole.fit(stream, 1));
  CHECK(digest_of(trainer) == digest_of(whole));
}

TEST_CASE("no error of a stream ends an epoch silently") {
  const Engine engine = good(Engine::create());
  const auto line = std::make_shared<Line>();
  Dataset stream = stream_of(engine, line);
  line->fails = [](int64_t) { return Status(Code::kOutOfRange, "no such page"); };
  const Status status = error_of_next(stream);
  CHECK(status.code() == Code::kAborted);
  CHECK_MESSAGE(status.message().find("no such page") != std::string::npos, status.message());

  Dataset wrong = good(Dataset::stream(
      engine, kColumns,
      [](int64_t, int64_t, int64_t max_rows, std::span<void* const>) -> Result<int64_t> { return max_rows + 1; }));
  CHECK(error_of_next(wrong).code() == Code::kInvalidArgument);
}

#if PERCALE_CPP_EXCEPTIONS
TEST_CASE("an exception of a stream becomes the error of fit with its message") {
  const auto code_of = [](const std::function<Status()>& fails) {
    const Engine engine = good(Engine::create());
    const auto line = std::make_shared<Line>();
    line->fails = [fails](int64_t) { return fails(); };
    Dataset stream = stream_of(engine, line);
    const Status status = trainer_of(engine).fit(stream, 1);
    CHECK_MESSAGE(status.message().find("the cable is cut") != std::string::npos, status.message());
    return status.code();
  };
  CHECK(code_of([]() -> Status { throw Error(Code::kDataLoss, "the cable is cut"); }) == Code::kDataLoss);
  CHECK(code_of([]() -> Status { throw std::runtime_error("the cable is cut"); }) == Code::kAborted);
  CHECK(code_of([]() -> Status {
          throw std::system_error(std::make_error_code(std::errc::broken_pipe), "the cable is cut");
        }) == Code::kUnavailable);
}
#endif
