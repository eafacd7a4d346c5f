#include "core/file/file.h"

#include <doctest/doctest.h>

#include "core/system/process.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

std::string text_of(const Buffer& buffer) {
  return std::string(static_cast<const char*>(buffer.data()), static_cast<size_t>(buffer.bytes()));
}

TEST_CASE("what is written is read back, whole and by mapping, and no temporary file stays") {
  const TempFolder folder;
  const std::string bytes("a\0b\n", 4);
  REQUIRE(write_file(folder / "x", bytes).ok());
  CHECK(*read_file(folder / "x") == bytes);
  CHECK(text_of(**map_file(folder / "x")) == bytes);
  CHECK(*list_folder(folder.path()) == std::vector<std::string>{"x"});
}

TEST_CASE("an empty file is read and mapped as no bytes at a pointer that is not null") {
  const TempFolder folder;
  REQUIRE(write_file(folder / "empty", "").ok());
  CHECK(read_file(folder / "empty")->empty());
  const auto mapped = map_file(folder / "empty");
  REQUIRE(mapped.ok());
  CHECK(mapped.value()->bytes() == 0);
  CHECK(mapped.value()->data() != nullptr);
}

TEST_CASE("an atomic file that is not committed leaves what was there") {
  const TempFolder folder;
  REQUIRE(write_file(folder / "x", "old").ok());
  {
    auto file = AtomicFile::create(folder / "x");
    REQUIRE(file.ok());
    REQUIRE(file->write("half of the ne").ok());
  }
  CHECK(*read_file(folder / "x") == "old");
  CHECK(list_folder(folder.path())->size() == 1);
}

TEST_CASE("a file left behind by a crashed writer does not stop the next one") {
  const TempFolder folder;
  const std::string stale = folder / str_cat("x.tmp-", os::process_id(), "-0");
  REQUIRE(write_file(stale, "torn").ok());
  REQUIRE(write_file(folder / "x", "new").ok());
  CHECK(*read_file(folder / "x") == "new");
  CHECK(*read_file(stale) == "torn");
}

TEST_CASE("errors carry a code, the path and the system's text") {
  const TempFolder folder;
  const Status status = read_file(folder / "absent").status();
  CHECK(status.code() == Code::kNotFound);
  CHECK(std::string(status.message()).find("absent': No such file") != std::string::npos);
  CHECK(map_file(folder.path()).status().code() == Code::kInvalidArgument);
  CHECK(write_file(folder / "no/such/folder", "x").code() == Code::kNotFound);
  CHECK(read_file(std::string("a\0b", 3)).status().code() == Code::kInvalidArgument);
  CHECK(read_file("").status().code() == Code::kInvalidArgument);
  CHECK(remove_file(folder / "absent").code() == Code::kNotFound);
  CHECK(rename_path(folder / "absent", folder / "y").code() == Code::kNotFound);
  CHECK(list_folder(folder / "absent").status().code() == Code::kNotFound);
}

TEST_CASE("a file larger than the limit is refused before it is read") {
  const TempFolder folder;
  REQUIRE(write_file(folder / "x", "12345").ok());
  CHECK(read_file(folder / "x", 4).status().code() == Code::kResourceExhausted);
  CHECK(read_file(folder / "x", 5).ok());
}

TEST_CASE("folders are made with those above them, listed in order, renamed and removed with all in them") {
  const TempFolder folder;
  REQUIRE(create_folders(folder / "a/b/c").ok());
  REQUIRE(create_folders(folder / "a/b/c").ok());
  for (const char* name : {"z", "m", "k"}) REQUIRE(write_file(folder / str_cat("a/b/", name), name).ok());
  CHECK(*list_folder(folder / "a/b") == std::vector<std::string>{"c", "k", "m", "z"});
  CHECK(path_kind(folder / "a") == PathKind::kFolder);
  CHECK(path_kind(folder / "a/b/k") == PathKind::kFile);
  CHECK(path_kind(folder / "a/b/q") == PathKind::kNothing);
  CHECK(create_folders(folder / "a/b/k").code() == Code::kAlreadyExists);
  REQUIRE(rename_path(folder / "a", folder / "b").ok());
  REQUIRE(sync_folder(folder.path()).ok());
  REQUIRE(remove_tree(folder / "b").ok());
  CHECK(list_folder(folder.path())->empty());
  CHECK(remove_tree(folder / "b").ok());
}

TEST_CASE("a confined path stays within its folder") {
  const TempFolder folder;
  REQUIRE(create_folders(folder / "model/sub").ok());
  REQUIRE(write_file(folder / "secret", "s").ok());
  REQUIRE(write_file(folder / "model/w", "w").ok());
  REQUIRE(write_file(folder / "model/sub/v", "v").ok());
  const std::string model = folder / "model";
  for (const char* name : {"w", "sub/v", "./w", "sub//v"}) {
    CAPTURE(name);
    const auto path = confined_path(model, name);
    REQUIRE(path.ok());
    CHECK(read_file(*path).ok());
  }
  for (const char* name : {"", "/etc/passwd", "..", "../secret", "sub/../../secret", "sub/.."}) {
    CAPTURE(name);
    CHECK(confined_path(model, name).status().code() == Code::kInvalidArgument);
  }
  CHECK(confined_path(model, std::string_view("w\0", 2)).status().code() == Code::kInvalidArgument);
  CHECK(confined_path(model, "absent").status().code() == Code::kNotFound);
}

TEST_CASE("paths are joined and cut at the slash") {
  CHECK(join_path("a", "b") == "a/b");
  CHECK(join_path("a/", "b") == "a/b");
  CHECK(join_path("a", "/b") == "/b");
  CHECK(join_path("", "b") == "b");
  CHECK(parent_folder("a/b") == "a");
  CHECK(parent_folder("b") == ".");
  CHECK(parent_folder("/b") == "/");
  CHECK(file_name("a/b") == "b");
  CHECK(file_name("b") == "b");
  CHECK(file_name("a/").empty());
}

}  // namespace
}  // namespace percale
