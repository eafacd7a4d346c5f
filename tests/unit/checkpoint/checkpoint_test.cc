#include "core/checkpoint/checkpoint.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "core/base/file.h"
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

TEST_CASE("the newest checkpoint is the whole one with the highest step") {
  const TempFolder folder;
  CHECK(newest_checkpoint(folder / "out").status().code() == Code::kNotFound);
  for (int64_t step : {9, 100, 20}) REQUIRE(write_checkpoint(folder / "out", sample(step)).ok());
  REQUIRE(create_folders(folder / "out/step-200").ok());  // no manifest: not written whole
  REQUIRE(create_folders(folder / "out/step-300.tmp").ok());
  REQUIRE(write_file(folder / "out/step-300.tmp/MANIFEST", "{}").ok());
  REQUIRE(create_folders(folder / "out/step-x").ok());
  CHECK(*newest_checkpoint(folder / "out") == folder / "out/step-100");
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
