// Files of weights that are truncated before they are opened, or while they are in use.
#include <doctest/doctest.h>
#include <unistd.h>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/graph_files.h"
#include "core/checkpoint/safetensors.h"
#include "core/checkpoint/transfer.h"
#include "core/file/file.h"
#include "tests/unit/graph/sample.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

using sample::must;

// More than a page, so that a mapping loses pages when the file is truncated.
constexpr int64_t kElements = 5000;

Tensor counting() {
  std::vector<float> values(kElements);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return Tensor::vector(std::span<const float>(values));
}

bool counts(const Tensor& tensor) {
  const auto values = tensor.span<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != static_cast<float>(i)) return false;
  }
  return values.size() == static_cast<size_t>(kElements);
}

void write_weights(const std::string& path) {
  const NamedTensor tensors[] = {{"w", counting()}};
  REQUIRE(write_safetensors(path, tensors).ok());
}

std::shared_ptr<Variables> table() {
  Variable w;
  w.name = "w";
  w.dtype = DType::kF32;
  w.shape = Shape{kElements};
  return must(Variables::create({w}, {Tensor::vector<float>(std::vector<float>(kElements))}));
}

// A pool for which files are read.
std::shared_ptr<MemoryPool> reading() {
  constexpr bool kMapsFiles = false;
  return std::make_shared<MemoryPool>(0, nullptr, kMapsFiles);
}

void cut(const std::string& path, int64_t bytes) { REQUIRE(truncate(path.c_str(), bytes) == 0); }

}  // namespace

TEST_CASE("a safetensors file that is truncated while it is mapped is DATA_LOSS; one that was read is whole") {
  const TempFolder folder;
  const std::string path = folder / "w.safetensors";
  write_weights(path);
  const auto mapped = must(Safetensors::open(path)), read = must(Safetensors::open(path, reading()));
  CHECK(counts(must(mapped->tensor("w"))));
  const auto bytes = static_cast<int64_t>(must(read_file(path)).size());
  for (int64_t left : {bytes - 1, bytes / 2, int64_t{0}}) {
    CAPTURE(left);
    cut(path, left);
    const Status status = mapped->tensor("w").status();
    CHECK(status.code() == Code::kDataLoss);
    CHECK(status.message().find(str_cat("'", path, "' had ", bytes, " bytes when it was opened and now has ", left)) !=
          std::string_view::npos);
    CHECK(status.message().find("map_files=off") != std::string_view::npos);
    CHECK(counts(must(read->tensor("w"))));
  }
  // Renaming another file over the mapped one leaves it intact.
  write_weights(path);
  const auto renamed = must(Safetensors::open(path));
  const NamedTensor other[] = {{"v", Tensor::scalar(1.0F)}};
  REQUIRE(write_safetensors(path, other).ok());
  CHECK(counts(must(renamed->tensor("w"))));
}

TEST_CASE("weights that were truncated before they are loaded are DATA_LOSS and change no variable") {
  const TempFolder folder;
  const std::string path = folder / "w.safetensors";
  write_weights(path);
  const auto bytes = static_cast<int64_t>(must(read_file(path)).size());
  for (const auto& pool : {std::shared_ptr<MemoryPool>(), reading()}) {
    for (int64_t left : {bytes - 1, bytes / 2, int64_t{70}, int64_t{8}, int64_t{7}, int64_t{0}}) {
      CAPTURE(left);
      write_weights(path);
      cut(path, left);
      const auto variables = table();
      const Status status = load_variables(*variables, path, {}, true, pool).status();
      CHECK(status.code() == Code::kDataLoss);
      CHECK(status.message().starts_with(path));
      CHECK(variables->current()->number == 1);
    }
  }
}

TEST_CASE("with map_files=off, loaded weights survive the truncation of their file or checkpoint") {
  const TempFolder folder;
  write_weights(folder / "w.safetensors");
  Checkpoint checkpoint;
  checkpoint.step = 3;
  checkpoint.tensors = {{"w", counting()}};
  REQUIRE(write_checkpoint(folder / "run", checkpoint).ok());
  const std::pair<std::string, std::string> sources[] = {{folder / "w.safetensors", folder / "w.safetensors"},
                                                         {folder / "run", folder / "run/step-3/state.safetensors"}};
  for (const auto& [path, file] : sources) {
    CAPTURE(path);
    const auto variables = table();
    REQUIRE(must(load_variables(*variables, path, {}, true, reading())) == 1);
    cut(file, 0);
    CHECK(counts(variables->current()->values[0]));
  }
  // The checkpoint is now damaged.
  CHECK(load_variables(*table(), folder / "run", {}, true, reading()).status().code() == Code::kDataLoss);
}

TEST_CASE("a checkpoint that is read into memory survives the truncation of its file") {
  const TempFolder folder;
  Checkpoint checkpoint;
  checkpoint.tensors = {{"w", counting()}};
  REQUIRE(write_checkpoint(folder.path(), checkpoint).ok());
  const auto pool = reading();
  const auto newest = must(read_newest_checkpoint(folder.path(), pool));
  CHECK(pool->used() >= kElements * int64_t{sizeof(float)});
  cut(join_path(newest.path, "state.safetensors"), 0);
  CHECK(counts(newest.checkpoint.tensors[0].second));
}

TEST_CASE("a .percale file that was truncated before it is opened is DATA_LOSS; one that was read is whole") {
  const TempFolder folder;
  const std::string path = folder / "g.percale";
  const auto graph = sample::everything();
  const std::string bytes = must(write_graph(*graph));
  for (const auto& pool : {std::shared_ptr<MemoryPool>(), reading()}) {
    // Eight bytes say that this is a .percale file.
    for (size_t left = 8; left < bytes.size(); left += 61) {
      CAPTURE(left);
      REQUIRE(write_file(path, std::string_view(bytes).substr(0, left)).ok());
      const Status status = load_graph(sample::registry(), path, {.memory = pool}).status();
      CHECK(status.code() == Code::kDataLoss);
      CHECK(status.message().starts_with(path));
    }
    REQUIRE(write_file(path, "").ok());
    CHECK(load_graph(sample::registry(), path, {.memory = pool}).status().code() == Code::kInvalidArgument);
  }
  REQUIRE(write_file(path, bytes).ok());
  const auto loaded = must(load_graph(sample::registry(), path, {.memory = reading()}));
  cut(path, 0);
  CHECK(must(write_graph(*loaded)) == bytes);
}

TEST_CASE("external weights of a graph that were truncated before it is opened are DATA_LOSS; those read are whole") {
  const TempFolder folder;
  const std::string path = folder / "g.percale", weights = folder / "w.safetensors";
  const auto graph = sample::everything();
  REQUIRE(save_graph(*graph, path, {.external_file = "w.safetensors", .external_min_bytes = 4}).ok());
  const auto loaded = must(load_graph(sample::registry(), path, {.memory = reading()}));
  cut(weights, static_cast<int64_t>(must(read_file(weights)).size()) - 1);
  const Status status = load_graph(sample::registry(), path).status();
  CHECK(status.code() == Code::kDataLoss);
  CHECK(status.message().find("w.safetensors") != std::string_view::npos);
  cut(weights, 0);
  CHECK(must(write_graph(*loaded)) == must(write_graph(*graph)));
}

}  // namespace percale
