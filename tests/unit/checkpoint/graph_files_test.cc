#include "core/checkpoint/graph_files.h"

#include <doctest/doctest.h>

#include "core/file/file.h"
#include "tests/unit/graph/sample.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

using sample::must;

TEST_CASE("a graph and its weights are written as two files and come back as one graph") {
  const TempFolder folder;
  const auto graph = sample::everything();
  const WriteOptions options{.external_file = "w.safetensors", .external_min_bytes = 4};
  REQUIRE(save_graph(*graph, folder / "g.percale", options).ok());
  CHECK(must(list_folder(folder.path())) == std::vector<std::string>{"g.percale", "w.safetensors"});
  const auto loaded = must(load_graph(sample::registry(), folder / "g.percale"));
  CHECK(must(write_graph(*loaded)) == must(write_graph(*graph)));
  const TempFolder other;
  REQUIRE(save_graph(*loaded, other / "g.percale", options).ok());
  CHECK(must(read_file(other / "g.percale")) == must(read_file(folder / "g.percale")));
}

TEST_CASE("the weights' file must lie in the graph's folder") {
  const TempFolder folder;
  const auto graph = sample::everything();
  REQUIRE(create_folders(folder / "model").ok());
  for (const char* name : {"../w.safetensors", "/w.safetensors", ".."}) {
    CHECK_FALSE(save_graph(*graph, folder / "model/g.percale", {.external_file = name, .external_min_bytes = 1}).ok());
  }
  // A file from another writer may contain any name.
  const auto image = must(make_graph_image(*graph, {.external_file = "../w.safetensors", .external_min_bytes = 1}));
  REQUIRE(write_safetensors(folder / "w.safetensors", image.external).ok());
  REQUIRE(write_image(image, folder / "model/g.percale").ok());
  const Status status = load_graph(sample::registry(), folder / "model/g.percale").status();
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("'..' part") != std::string::npos);
}

}  // namespace
}  // namespace percale
