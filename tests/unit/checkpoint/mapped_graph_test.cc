// Graphs over files that they map, which not every system replaces.
#include <doctest/doctest.h>

#include "core/checkpoint/graph_files.h"
#include "core/file/file.h"
#include "tests/unit/graph/sample.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

using sample::must;

TEST_CASE("a graph is saved over the weights that it maps") {
  const TempFolder folder;
  const WriteOptions options{.external_file = "w.safetensors", .external_min_bytes = 4};
  REQUIRE(save_graph(*sample::everything(), folder / "g.percale", options).ok());
  const std::string weights = must(read_file(folder / "w.safetensors"));
  const auto loaded = must(load_graph(sample::registry(), folder / "g.percale"));
  REQUIRE(save_graph(*loaded, folder / "h.percale", options).ok());
  CHECK(must(read_file(folder / "h.percale")) == must(read_file(folder / "g.percale")));
  CHECK(must(read_file(folder / "w.safetensors")) == weights);
}

}  // namespace
}  // namespace percale
