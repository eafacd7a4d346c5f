// Paths and files as only Windows has them.
#include <doctest/doctest.h>

#include "core/file/file.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

TEST_CASE("a backslash separates, too, and a drive leads out of a folder") {
  const TempFolder folder;
  REQUIRE(create_folders(folder / "model\\sub").ok());
  REQUIRE(write_file(folder / "model/sub/v", "v").ok());
  CHECK(*read_file(folder / "model\\sub\\v") == "v");
  CHECK(parent_folder("a\\b/c") == "a\\b");
  CHECK(file_name("a/b\\c") == "c");
  CHECK(join_path("a\\", "b") == "a\\b");
  CHECK(join_path("a", "C:\\b") == "C:\\b");
  for (const char* name : {"..\\secret", "sub\\..\\..\\secret", "C:secret", "C:\\secret", "\\secret", "sub/v:stream"}) {
    CAPTURE(name);
    CHECK(confined_path(folder / "model", name).status().code() == Code::kInvalidArgument);
  }
  const auto inner = confined_path(folder / "model", "sub\\v");
  REQUIRE(inner.ok());
  CHECK(*read_file(*inner) == "v");
}

// Windows replaces a mapped file since version 10 1709; Wine 8 does not.
TEST_CASE("a mapped file is replaced, or nothing changes; the mapping keeps the old bytes") {
  const TempFolder folder;
  REQUIRE(write_file(folder / "x", "old").ok());
  const auto mapped = map_file(folder / "x");
  REQUIRE(mapped.ok());
  const Status replaced = write_file(folder / "x", "new!");
  CHECK(*read_file(folder / "x") == (replaced.ok() ? "new!" : "old"));
  CHECK(std::string_view(static_cast<const char*>(mapped.value()->data()), 3) == "old");
  CHECK(list_folder(folder.path())->size() == 1);
}

TEST_CASE("names are UTF-8") {
  const TempFolder folder;
  const std::string name = "\xC3\xA4\xE6\x97\xA5.bin";
  REQUIRE(write_file(folder / name, "x").ok());
  CHECK(*list_folder(folder.path()) == std::vector<std::string>{name});
  CHECK(*read_file(folder / name) == "x");
}

}  // namespace
}  // namespace percale
