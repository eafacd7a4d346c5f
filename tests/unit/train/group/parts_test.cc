// Groups whose ranks have parts of the data, and rows that come in a stream.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "core/train/data/row_stream.h"
#include "tests/unit/train/group/threads.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr int64_t kColumns = 5;
const char* const kKeys =
    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"], "optimizer": "adam",
    "collective_data": "parts", "shards": 4)";

std::unique_ptr<Trainer> trainer_of(const std::string& model, const std::string& keys = "") {
  return make_job(engine_of(1), model, kKeys + keys, DType::kF32, {}, 4);
}

using Numbers = std::vector<int64_t>;  // of rows

Numbers numbers_between(int64_t begin, int64_t end) {
  Numbers out;
  for (int64_t i = begin; i < end; ++i) out.push_back(i);
  return out;
}

float element(int64_t row, int64_t column) {
  return std::sin(0.7F * static_cast<float>(row * kColumns + column) + 9.0F);
}

std::vector<Tensor> rows_of(const Numbers& numbers) {
  std::vector<float> x;
  Numbers y;
  for (const int64_t row : numbers) {
    for (int64_t c = 0; c < kColumns; ++c) x.push_back(element(row, c));
    y.push_back((5 * row + row / 3) % 3);
  }
  const auto count = static_cast<int64_t>(numbers.size());
  return {Tensor::of(Shape{count, kColumns}, std::span<const float>(x)), Tensor::vector(std::span<const int64_t>(y))};
}

std::shared_ptr<Dataset> data_of(const Numbers& numbers, int64_t batch) {
  const auto rows = rows_of(numbers);
  auto out =
      Dataset::create({{"x", rows[0], DType::kF32, 1}, {"y", rows[1], DType::kI64, 1}}, std::make_shared<MemoryPool>());
  REQUIRE_OK(out.status());
  REQUIRE_OK((*out)->configure({.batch_size = batch}));
  return *out;
}

// Gives the rows in pieces of 3 at most, and notes where it was asked to begin.
struct Pieces {
  Numbers numbers;
  std::vector<std::pair<int64_t, int64_t>> asked = {};  // epoch, row
  Status error = {};                                    // instead of the rows from `fails_at` on
  int64_t fails_at = INT64_MAX;

  Result<int64_t> read(int64_t epoch, int64_t first, int64_t most, void* const* columns) {
    asked.emplace_back(epoch, first);
    if (first >= fails_at) return error;
    const int64_t count = std::min({most, int64_t{3}, static_cast<int64_t>(numbers.size()) - first});
    const auto from = numbers.begin() + first;
    const auto rows = rows_of(Numbers(from, from + count));
    for (size_t i = 0; i < rows.size(); ++i)
      std::memcpy(columns[i], rows[i].data(), static_cast<size_t>(rows[i].bytes()));
    return count;
  }
};

std::shared_ptr<Dataset> stream_of(const std::shared_ptr<Pieces>& pieces, int64_t batch, bool drop = false) {
  auto stream = RowStream::create({{"x", DType::kF32, Shape{kColumns}}, {"y", DType::kI64, Shape{}}},
                                  [pieces](int64_t epoch, int64_t first, int64_t most, void* const* columns) {
                                    return pieces->read(epoch, first, most, columns);
                                  });
  REQUIRE_OK(stream.status());
  auto out = Dataset::from_stream(*std::move(stream), std::make_shared<MemoryPool>());
  REQUIRE_OK(out.status());
  REQUIRE_OK((*out)->configure({.batch_size = batch, .drop_remainder = drop}));
  return *out;
}

std::shared_ptr<Dataset> stream_of(const Numbers& numbers, int64_t batch) {
  return stream_of(std::make_shared<Pieces>(Pieces{numbers}), batch);
}

std::vector<double> losses_of(const Trainer& trainer) {
  std::vector<double> out;
  for (const History::Row& row : trainer.history().rows) out.push_back(row.loss);
  return out;
}

struct Outcome {
  std::string digest;
  std::vector<double> losses;
  NamedNumbers evaluation;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(Trainer& trainer, const std::shared_ptr<Dataset>& data) {
  auto evaluation = trainer.evaluate(data);
  REQUIRE_OK(evaluation.status());
  return {trainer.variables()->digest(), losses_of(trainer), *evaluation};
}

using DataOfRank = std::function<std::shared_ptr<Dataset>(int32_t rank)>;

// All ranks have the same outcome, which is returned.
Outcome in_group(const std::string& model, const std::string& keys, int32_t ranks, const DataOfRank& data) {
  std::vector<Outcome> all(static_cast<size_t>(ranks));
  run_ranks(ranks, [&](const std::shared_ptr<ThreadCollective>& collective) {
    const auto trainer = trainer_of(model, keys);
    const auto own = data(collective->rank());
    REQUIRE_OK(trainer->join(collective));
    REQUIRE_OK(trainer->fit(own, 2, {}));
    all[static_cast<size_t>(collective->rank())] = outcome_of(*trainer, own);
  });
  for (const Outcome& other : all) CHECK(other == all[0]);
  return all[0];
}

// The numbers of one process that trains on batches made of one batch of each part.
Numbers interleaved(const std::vector<Numbers>& parts, int64_t batch) {
  Numbers out;
  for (int64_t begin = 0; begin < static_cast<int64_t>(parts[0].size()); begin += batch) {
    for (const Numbers& part : parts) out.insert(out.end(), part.begin() + begin, part.begin() + begin + batch);
  }
  return out;
}

}  // namespace

TEST_CASE("equal parts give the bits of one process that has their batches side by side") {
  for (const std::string model : {"mlp", "dropout", "batchnorm"}) {
    CAPTURE(model);
    const std::vector<Numbers> parts = {numbers_between(0, 24), numbers_between(24, 48)};
    const auto whole = data_of(interleaved(parts, 8), 16);
    const auto one = trainer_of(model);
    REQUIRE_OK(one->fit(whole, 2, {}));
    const auto known = in_group(model, "", 2, [&](int32_t r) { return data_of(parts[static_cast<size_t>(r)], 8); });
    CHECK(known.digest == one->variables()->digest());
    CHECK(known.losses == losses_of(*one));
    const auto streamed =
        in_group(model, "", 2, [&](int32_t r) { return stream_of(parts[static_cast<size_t>(r)], 8); });
    CHECK(streamed == known);
  }
}

TEST_CASE("parts of any sizes: an epoch ends when all have ended, and each row counts once") {
  const std::vector<Numbers> parts = {numbers_between(0, 21), numbers_between(21, 30), numbers_between(30, 47)};
  // One process steps through the same batches; its sums are added in another order.
  const auto one = trainer_of("mlp");
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (size_t begin = 0; begin < 21; begin += 8) {
      Numbers batch;
      for (const Numbers& part : parts) {
        for (size_t i = begin; i < std::min(begin + 8, part.size()); ++i) batch.push_back(part[i]);
      }
      REQUIRE_OK(one->step({"x", "y"}, rows_of(batch)).status());
    }
  }
  const auto wanted = one->evaluate(data_of(numbers_between(0, 47), 47));
  REQUIRE_OK(wanted.status());
  for (const std::string keys : {"", R"(, "collective_bucket": 1)"}) {
    const auto known = in_group("mlp", keys, 3, [&](int32_t r) { return data_of(parts[static_cast<size_t>(r)], 8); });
    REQUIRE(known.losses.size() == 6);
    for (size_t i = 0; i < 6; ++i) CHECK(known.losses[i] == doctest::Approx(losses_of(*one)[i]).epsilon(1e-5));
    CHECK(known.evaluation[0].second == doctest::Approx((*wanted)[0].second).epsilon(1e-4));
    CHECK(known.evaluation[1].second == doctest::Approx((*wanted)[1].second));
    // Some ranks know how many rows they have, and some do not.
    const auto mixed = in_group("mlp", keys, 3, [&](int32_t r) {
      const Numbers& own = parts[static_cast<size_t>(r)];
      return r == 1 ? data_of(own, 8) : stream_of(own, 8);
    });
    CHECK(mixed == known);
  }
}

TEST_CASE("synchronized means, accumulation and tables take parts of any sizes") {
  const std::vector<Numbers> parts = {numbers_between(0, 21), numbers_between(21, 30)};
  for (const auto& [model, keys] : std::vector<std::pair<std::string, std::string>>{
           {"batchnorm", R"(, "synchronized_batch_norm": true)"}, {"mlp", R"(, "accumulation": 2)"}}) {
    CAPTURE(model);
    const auto known = in_group(model, keys, 2, [&](int32_t r) { return data_of(parts[static_cast<size_t>(r)], 8); });
    CHECK(in_group(model, keys, 2, [&](int32_t r) { return stream_of(parts[static_cast<size_t>(r)], 8); }) == known);
  }
}

TEST_CASE("a stream trains one process as a data set with the same rows does") {
  for (const std::string keys : {"", R"(, "accumulation": 2)"}) {
    const auto one = trainer_of("dropout", keys), other = trainer_of("dropout", keys);
    const auto data = data_of(numbers_between(0, 29), 8);
    REQUIRE_OK(one->fit(data, 3, {}));
    const auto pieces = std::make_shared<Pieces>(Pieces{numbers_between(0, 29)});
    const auto stream = stream_of(pieces, 8);
    int64_t epochs = 0;
    const auto progress = [&](const Progress& now) {
      CHECK(now.steps == 0);
      CHECK(now.steps_in_epoch == 0);
      CHECK(now.eta_seconds == 0);
      epochs += now.epoch_ended ? 1 : 0;
      // It stops within an epoch, and goes on.
      return now.step != 2;
    };
    REQUIRE_OK(other->fit(stream, 3, progress));
    REQUIRE_OK(other->fit(stream, 3, progress));
    CHECK(epochs == 3);
    // No row was read twice.
    for (size_t i = 1; i < pieces->asked.size(); ++i) CHECK(pieces->asked[i] > pieces->asked[i - 1]);
    CHECK(outcome_of(*other, stream) == outcome_of(*one, data));
  }
}

TEST_CASE("a stream drops a short last batch, and says what it cannot do") {
  const auto stream = stream_of(std::make_shared<Pieces>(Pieces{numbers_between(0, 10)}), 4, true);
  CHECK(stream->rows() == -1);
  CHECK(stream->batches() == -1);
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int batch = 0; batch < 2; ++batch) {
      const auto rows = stream->next();
      REQUIRE_OK(rows.status());
      CHECK((*rows)[0].shape() == Shape{4, kColumns});
      CHECK((*rows)[0].span<float>()[0] == element(batch * 4, 0));
    }
    CHECK(stream->next().status().code() == Code::kOutOfRange);
  }
  const std::vector<int64_t> first = {0};
  CHECK(stream->gather(first).status().code() == Code::kFailedPrecondition);
  CHECK(stream->configure({.batch_size = 4, .shuffle_seed = 1}).message().find("cannot be shuffled") !=
        std::string::npos);
  CHECK(RowStream::create({{"x", DType::kF32, Shape{kUnknownDim}}}, {}).status().code() == Code::kInvalidArgument);
  CHECK(trainer_of("mlp", R"(, "mode": "async")")->fit(stream, 1, {}).code() == Code::kFailedPrecondition);
  const Status schedule = trainer_of("mlp", R"(, "schedule": "cosine")")->fit(stream, 1, {});
  CHECK_MESSAGE(schedule.message().find("give it a length") != std::string::npos, schedule.to_string());
}

TEST_CASE("a stream that fails, or writes too many rows, changes nothing") {
  const auto pieces =
      std::make_shared<Pieces>(Pieces{numbers_between(0, 30), {}, invalid_argument("no such file"), 12});
  const auto trainer = trainer_of("mlp");
  const auto stream = stream_of(pieces, 8);
  const Status failed = trainer->fit(stream, 1, {});
  CHECK(failed.code() == Code::kInvalidArgument);
  CHECK(failed.message().find("no such file") != std::string::npos);
  // The second batch tells whether the epoch goes on after the first one.
  CHECK(trainer->steps() == 0);
  pieces->asked.clear();
  pieces->fails_at = INT64_MAX;
  REQUIRE_OK(trainer->fit(stream, 1, {}));
  CHECK(pieces->asked[0] == std::pair<int64_t, int64_t>(0, 8));  // the first batch was kept
  const auto whole = trainer_of("mlp");
  REQUIRE_OK(whole->fit(data_of(numbers_between(0, 30), 8), 1, {}));
  CHECK(trainer->variables()->digest() == whole->variables()->digest());

  auto wrong = RowStream::create({{"x", DType::kF32, Shape{}}}, [](int64_t, int64_t, int64_t most, void* const*) {
    return Result<int64_t>(most + 1);
  });
  REQUIRE_OK(wrong.status());
  const auto batch = (*wrong)->batch({0, 0}, 4, std::make_shared<MemoryPool>());
  CHECK(batch.status().message() == "data set: the callback wrote 5 rows from row 0 on, wanted 0 to 4");
}

TEST_CASE("rows that come once are used again when an exchange fails without a loss") {
  const std::vector<Numbers> parts = {numbers_between(0, 21), numbers_between(21, 40), numbers_between(40, 47)};
  const DataOfRank data = [&](int32_t r) { return stream_of(parts[static_cast<size_t>(r)], 8); };
  for (const std::string keys : {"", R"(, "accumulation": 2)"}) {
    CAPTURE(keys);
    const auto whole = in_group("mlp", keys, 3, data);
    for (int64_t at = 7; at < 36; ++at) {
      for (const int32_t one : {0, 1, 2, 3}) {
        CAPTURE(at);
        CAPTURE(one);
        run_ranks(
            3,
            [&](const std::shared_ptr<ThreadCollective>& collective) {
              const int32_t rank = collective->rank();
              const bool stumbles = one == 3 || rank == one;
              const auto trainer = trainer_of("mlp", keys);
              REQUIRE_OK(trainer->join(std::make_shared<Stumbling>(collective, at, stumbles ? 1 : 0)));
              const auto own = data(rank);
              const Status status = trainer->fit(own, 2, {});
              CHECK_MESSAGE(status.ok(), status.to_string());
              if (status.ok()) CHECK(outcome_of(*trainer, own) == whole);
            },
            true);
      }
    }
  }
}

TEST_CASE("an error of one rank's data ends the fit on all by name, and they go on together") {
  const std::vector<Numbers> parts = {numbers_between(0, 21), numbers_between(21, 40)};
  const auto whole = in_group("mlp", "", 2, [&](int32_t r) { return stream_of(parts[static_cast<size_t>(r)], 8); });
  run_ranks(2, [&](const std::shared_ptr<ThreadCollective>& collective) {
    const int32_t rank = collective->rank();
    const auto pieces =
        std::make_shared<Pieces>(Pieces{parts[static_cast<size_t>(rank)], {}, data_loss("a torn page")});
    if (rank == 1) pieces->fails_at = 16;
    const auto trainer = trainer_of("mlp");
    REQUIRE_OK(trainer->join(collective));
    const auto stream = stream_of(pieces, 8);
    const Status failed = trainer->fit(stream, 2, {});
    CHECK(failed.code() == Code::kDataLoss);
    CHECK(failed.message().find("a torn page") != std::string::npos);
    if (rank == 0) CHECK(failed.message().find("rank 1") != std::string::npos);
    CHECK(trainer->steps() == 1);
    pieces->fails_at = INT64_MAX;
    // One rank ends the fit, too.
    const auto progress = [&](const Progress& now) { return rank == 0 || now.step < 3; };
    CHECK(trainer->fit(stream, 2, progress).code() == (rank == 0 ? Code::kCancelled : Code::kOk));
    CHECK(trainer->steps() == 3);
    REQUIRE_OK(trainer->fit(stream, 2, {}));
    CHECK(trainer->variables()->digest() == whole.digest);
  });
}

TEST_CASE("ranks that feed steps give rows of their own, some none") {
  const std::vector<std::vector<Numbers>> batches = {{numbers_between(0, 6), numbers_between(6, 8)},
                                                     {{}, numbers_between(8, 12)}};
  const auto one = trainer_of("mlp");
  std::vector<double> losses;
  for (const auto& batch : batches) {
    Numbers all = batch[0];
    all.insert(all.end(), batch[1].begin(), batch[1].end());
    const auto loss = one->step({"x", "y"}, rows_of(all));
    REQUIRE_OK(loss.status());
    losses.push_back(*loss);
  }
  std::vector<std::string> digests(2);
  run_ranks(2, [&](const std::shared_ptr<ThreadCollective>& collective) {
    const auto rank = static_cast<size_t>(collective->rank());
    const auto trainer = trainer_of("mlp");
    REQUIRE_OK(trainer->join(collective));
    for (size_t i = 0; i < batches.size(); ++i) {
      const auto loss = trainer->step({"x", "y"}, rows_of(batches[i][rank]));
      REQUIRE_OK(loss.status());
      CHECK(*loss == doctest::Approx(losses[i]).epsilon(1e-5));
    }
    CHECK(trainer->step({"x", "y"}, rows_of({})).status().message().find("no rows on any rank") != std::string::npos);
    // A rank with a wrong batch tells the others.
    const auto rows = rows_of(numbers_between(0, 4));
    const auto wrong = trainer->step({"x", rank == 0 ? "z" : "y"}, rows);
    CHECK(wrong.status().code() == Code::kInvalidArgument);
    digests[rank] = trainer->variables()->digest();
  });
  CHECK(digests[0] == digests[1]);
}

TEST_CASE("a rank that is lost with its part ends the step; the others go on with data that has its rows") {
  const std::vector<Numbers> parts = {numbers_between(0, 24), numbers_between(24, 48), numbers_between(48, 72)};
  for (const int64_t exchange : {12, 17, 20, 23}) {
    CAPTURE(exchange);
    std::mutex mutex;
    std::vector<std::string> digests;
    run_ranks(3,
              [&](const std::shared_ptr<ThreadCollective>& collective) {
                const int32_t rank = collective->rank();
                const auto trainer = trainer_of("mlp");
                REQUIRE_OK(trainer->join(collective));
                const Status status = trainer->fit(data_of(parts[static_cast<size_t>(rank)], 8), 2, {});
                if (rank == 1) return;
                CHECK(status.code() == Code::kUnavailable);
                CHECK_MESSAGE(status.message().find("part of the data") != std::string::npos, status.to_string());
                Numbers more = parts[static_cast<size_t>(rank)];
                for (int64_t row = rank == 0 ? 24 : 36; row < (rank == 0 ? 36 : 48); ++row) more.push_back(row);
                REQUIRE_OK(trainer->fit(data_of(more, 12), 2, {}));
                const std::lock_guard lock(mutex);
                digests.push_back(trainer->variables()->digest());
              },
              true, {{1, exchange, 1}});
    REQUIRE(digests.size() == 2);
    CHECK(digests[0] == digests[1]);
  }
}

TEST_CASE("a batch is cut by parts, and evenly within them") {
  const BatchCut cut({{7, 2}, {0, 1}, {5, 3}});
  CHECK(cut.rows() == 12);
  CHECK(cut.shards() == 6);
  CHECK(cut.rows_of_shards() == std::vector<int64_t>{3, 4, 0, 1, 2, 2});
  CHECK(cut.of(ShardRange{1, 5}).begin == 3);
  CHECK(cut.of(ShardRange{1, 5}).end == 10);
  CHECK(BatchCut(10, 4).rows_of_shards() == std::vector<int64_t>{2, 3, 2, 3});
}

}  // namespace percale
