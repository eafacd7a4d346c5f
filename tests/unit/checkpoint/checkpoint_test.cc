#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/run_folder.h"
#include "core/file/file.h"
#include "core/system/process.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

Checkpoint sample(int64_t step) {
  Checkpoint c;
  c.step = step;
  c.seed = 7;
  c.epoch = 1;
  c.batch = 3;
  c.shards = 2;
  c.seconds = 1.0 / 3;
  c.fingerprint = "a \"b\"";
  c.sums = {0.1, std::nan("")};
  const std::vector<float> w = {1, 2, static_cast<float>(step)};
  c.tensors = {{"dense/kernel", Tensor::of(Shape{3, 1}, std::span<const float>(w))},
               {"dense/kernel/adam/m", Tensor::scalar(0.25)},
               {"empty", Tensor::of(Shape{0}, std::span<const int64_t>())}};
  return c;
}

}  // namespace

TEST_CASE("a checkpoint comes back as it was written") {
  const TempFolder folder;
  REQUIRE(write_checkpoint(folder / "out", sample(12)).ok());
  const auto path = newest_checkpoint(folder / "out");
  REQUIRE(path.ok());
  CHECK(*path == folder / "out/step-12");
  const auto back = read_checkpoint(*path);
  REQUIRE_MESSAGE(back.ok(), back.status().to_string());
  const Checkpoint want = sample(12);
  CHECK(back->step == 12);
  CHECK(back->seed == 7);
  CHECK(back->epoch == 1);
  CHECK(back->batch == 3);
  CHECK(back->shards == 2);
  CHECK(back->seconds == want.seconds);
  CHECK(back->fingerprint == want.fingerprint);
  REQUIRE(back->sums.size() == 2);
  CHECK(back->sums[0] == 0.1);
  CHECK(std::isnan(back->sums[1]));
  REQUIRE(back->tensors.size() == 3);
  for (const auto& [name, tensor] : back->tensors) {
    bool found = false;
    for (const auto& [other, value] : want.tensors) {
      if (other != name) continue;
      found = true;
      CHECK(tensor.dtype() == value.dtype());
      CHECK(tensor.shape() == value.shape());
      CHECK(std::memcmp(tensor.data(), value.data(), static_cast<size_t>(value.bytes())) == 0);
    }
    CHECK(found);
  }
}

TEST_CASE("the newest checkpoint is that of the latest save, whatever its step") {
  const TempFolder folder;
  CHECK(newest_checkpoint(folder / "out").status().code() == Code::kNotFound);
  for (int64_t step : {9, 100, 20}) REQUIRE(write_checkpoint(folder / "out", sample(step)).ok());
  REQUIRE(create_folders(folder / "out/step-200").ok());  // a folder that was not written by a save
  REQUIRE(create_folders(folder / "out/step-300.tmp").ok());
  REQUIRE(write_file(folder / "out/step-300.tmp/MANIFEST", "{}").ok());
  REQUIRE(create_folders(folder / "out/step-x").ok());
  CHECK(*newest_checkpoint(folder / "out") == folder / "out/step-20");
  REQUIRE(write_checkpoint(folder / "out", sample(9)).ok());
  CHECK(*newest_checkpoint(folder / "out") == folder / "out/step-9");
}

TEST_CASE("the checkpoint just saved stays, and so do those of another run") {
  const TempFolder folder;
  Checkpoint older = sample(900);
  older.run = "a";
  REQUIRE(write_checkpoint(folder.path(), older).ok());
  for (int64_t step : {1, 2, 3}) {
    Checkpoint c = sample(step);
    c.run = "b";
    REQUIRE(write_checkpoint(folder.path(), c).ok());
    REQUIRE(keep_checkpoints(folder.path(), "b", 1, 0).ok());
    CHECK(*newest_checkpoint(folder.path()) == folder / str_cat("step-", step));
  }
  CHECK(*list_folder(folder.path()) == std::vector<std::string>{"step-3", "step-900"});
}

TEST_CASE("a run goes on from the newest whole checkpoint, and says which are damaged") {
  const TempFolder folder;
  CHECK(read_newest_checkpoint(folder.path()).status().code() == Code::kNotFound);
  for (int64_t step : {1, 2, 3}) REQUIRE(write_checkpoint(folder.path(), sample(step)).ok());
  REQUIRE(remove_file(folder / "step-3/state.safetensors").ok());
  REQUIRE(remove_file(folder / "step-2/MANIFEST").ok());
  {
    const auto newest = read_newest_checkpoint(folder.path());
    REQUIRE_MESSAGE(newest.ok(), newest.status().to_string());
    CHECK(newest->path == folder / "step-1");
    CHECK(newest->checkpoint.step == 1);
    REQUIRE(newest->skipped.size() >= 1);
    CHECK(newest->skipped[0].find("step-3") != std::string::npos);
    CHECK(newest->skipped[0].find("state.safetensors") != std::string::npos);
  }  // Windows removes a file after its last mapping has gone

  REQUIRE(remove_file(folder / "step-1/state.safetensors").ok());
  CHECK(read_newest_checkpoint(folder.path()).status().code() == Code::kDataLoss);
  CHECK(read_checkpoint(folder / "step-1").status().code() == Code::kDataLoss);
  CHECK(read_checkpoint(folder / "step-7").status().code() == Code::kNotFound);
}

TEST_CASE("run and job come back, and the first part that differs is named") {
  const TempFolder folder;
  Checkpoint c = sample(1);
  c.run = "0123";
  c.job = {{"optimizer.learning_rate", "0.001"}, {"seed", "7"}};
  REQUIRE(write_checkpoint(folder.path(), c).ok());
  const auto back = read_checkpoint(folder / "step-1");
  REQUIRE_MESSAGE(back.ok(), back.status().to_string());
  CHECK(back->run == "0123");
  CHECK(back->job == c.job);
  CHECK(first_difference(back->job, c.job).empty());
  CHECK(first_difference(back->job, {{"optimizer.learning_rate", "0.01"}, {"seed", "8"}}) ==
        "optimizer.learning_rate: the checkpoint has 0.001, but this job 0.01");
  CHECK(first_difference(back->job, {{"optimizer.learning_rate", "0.001"}}) ==
        "seed: the checkpoint has 7, but this job has none");
  CHECK(job_digest(c.job) != job_digest({{"optimizer.learning_rate", "0.01"}, {"seed", "7"}}));
}

TEST_CASE("a run has its folder to itself") {
  const TempFolder folder;
  Checkpoint c = sample(1);
  c.run = "a";
  REQUIRE(write_checkpoint(folder.path(), c).ok());
  c.step = 2;
  c.run = "b";
  REQUIRE(write_checkpoint(folder.path(), c).ok());
  REQUIRE(create_folders(folder / "step-3.tmp").ok());
  REQUIRE(write_file(folder / "notes.txt", "mine").ok());

  const auto refused = lock_run_folder(folder.path(), "b", false);
  CHECK(refused.status().code() == Code::kAlreadyExists);
  CHECK(refused.status().message().find("step-1") != std::string::npos);

  REQUIRE(write_file(folder / "step-1/notes.txt", "mine").ok());
  const auto foreign = lock_run_folder(folder.path(), "b", true);
  CHECK(foreign.status().code() == Code::kFailedPrecondition);
  CHECK(foreign.status().message().find("step-1/notes.txt") != std::string::npos);
  CHECK(read_checkpoint(folder / "step-1").ok());
  REQUIRE(remove_file(folder / "step-1/notes.txt").ok());

  {
    const auto held = lock_run_folder(folder.path(), "b", true);
    REQUIRE_MESSAGE(held.ok(), held.status().to_string());
    const auto second = lock_run_folder(folder.path(), "b", false);
    CHECK(second.status().code() == Code::kUnavailable);
    CHECK(second.status().message().find(folder.path()) != std::string::npos);
    CHECK(second.status().message().find(str_cat(os::process_id())) != std::string::npos);
  }
  CHECK(*list_folder(folder.path()) == std::vector<std::string>{"notes.txt", "step-2"});
  CHECK(lock_run_folder(folder.path(), "b", false).ok());
}

TEST_CASE("a checkpoint of the same step is replaced, and found if that was interrupted") {
  const TempFolder folder;
  REQUIRE(write_checkpoint(folder.path(), sample(5)).ok());
  Checkpoint other = sample(5);
  other.seed = 8;
  REQUIRE(write_checkpoint(folder.path(), other).ok());
  CHECK(read_checkpoint(*newest_checkpoint(folder.path()))->seed == 8);
  CHECK(list_folder(folder.path())->size() == 1);
  REQUIRE(rename_path(folder / "step-5", folder / "step-5.old").ok());
  CHECK(*newest_checkpoint(folder.path()) == folder / "step-5.old");
}

TEST_CASE("a manifest whose numbers no training can have is damaged") {
  const TempFolder folder;
  REQUIRE(write_checkpoint(folder.path(), sample(1)).ok());
  const std::string path = folder / "step-1/MANIFEST", good = *read_file(path);
  const std::string body = good.substr(0, good.rfind(",\"manifest_crc32c\""));
  for (const auto& [key, is] : {std::pair{"step", 1}, {"epoch", 1}, {"batch", 3}, {"shards", 2}}) {
    for (const char* number : {"-1", "-9223372036854775808", "1099511627777", "9223372036854775807"}) {
      std::string changed = body;
      const std::string was = str_cat("\"", key, "\":", is);
      changed.replace(changed.find(was), was.size(), str_cat("\"", key, "\":", number));
      REQUIRE(write_file(path, changed + manifest_seal(changed)).ok());
      const Status status = read_checkpoint(folder / "step-1").status();
      CHECK(status.code() == Code::kDataLoss);
      CHECK_MESSAGE(status.message().find(str_cat("'", key, "' is ", number, ", wanted 0 to ")) != std::string::npos,
                    status.message());
    }
  }
}

TEST_CASE("every flipped byte and every cut of a checkpoint is noticed") {
  const TempFolder folder;
  REQUIRE(write_checkpoint(folder.path(), sample(1)).ok());
  for (const char* name : {"step-1/MANIFEST", "step-1/state.safetensors"}) {
    const std::string path = folder / name;
    const auto good = read_file(path);
    REQUIRE(good.ok());
    for (size_t i = 0; i < good->size(); ++i) {
      std::string bad = *good;
      bad[i] = static_cast<char>(bad[i] ^ 0x20);
      REQUIRE(write_file(path, bad).ok());
      const auto read = read_checkpoint(folder / "step-1");
      CAPTURE(name);
      CAPTURE(i);
      CHECK_FALSE(read.ok());
    }
    for (size_t size = 0; size < good->size(); size += 7) {
      REQUIRE(write_file(path, good->substr(0, size)).ok());
      CHECK(read_checkpoint(folder / "step-1").status().code() == Code::kDataLoss);
    }
    REQUIRE(write_file(path, *good).ok());
  }
  CHECK(read_checkpoint(folder / "step-1").ok());
}

}  // namespace percale
