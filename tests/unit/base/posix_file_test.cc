// Files as only POSIX has them: links, pipes, sparse and truncated files, pages of mappings.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "core/file/file.h"
#include "core/system/memory.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

std::string bytes_of(const Buffer& buffer) {
  return std::string(static_cast<const char*>(buffer.data()), static_cast<size_t>(buffer.bytes()));
}

int64_t page() { return static_cast<int64_t>(os::page_bytes()); }

// Returns the number of the buffer's pages that are present in this process, from
// /proc/self/pagemap.
int64_t present_pages(const Buffer& buffer) {
  const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  REQUIRE(map >= 0);
  const auto first = static_cast<int64_t>(reinterpret_cast<uintptr_t>(buffer.data())) / page();
  int64_t present = 0;
  for (int64_t i = 0; i < buffer.bytes() / page(); ++i) {
    uint64_t entry = 0;
    REQUIRE(pread(map, &entry, sizeof(entry), (first + i) * 8) == 8);
    present += static_cast<int64_t>(entry >> 63);
  }
  close(map);
  return present;
}

TEST_CASE("a mapping outlives the file's name and keeps the old bytes when the file is replaced") {
  const TempFolder folder;
  REQUIRE(write_file(folder / "x", "old").ok());
  const auto mapped = map_file(folder / "x");
  REQUIRE(mapped.ok());
  REQUIRE(write_file(folder / "x", "new!").ok());
  CHECK(bytes_of(*mapped.value()) == "old");
  CHECK(*read_file(folder / "x") == "new!");
  REQUIRE(remove_file(folder / "x").ok());
  CHECK(bytes_of(*mapped.value()) == "old");
}

TEST_CASE("bytes of a mapping that rest leave the memory and read the same again; other memory is left alone") {
  const TempFolder folder;
  const std::string bytes(size_t{1} << 20, 'x');
  REQUIRE(write_file(folder / "x", bytes).ok());
  const auto mapped = *map_file(folder / "x");
  CHECK(bytes_of(*mapped) == bytes);
  CHECK(present_pages(*mapped) == mapped->bytes() / page());
  // The first page stays.
  rest_mapping(*mapped, static_cast<const char*>(mapped->data()) + 1, mapped->bytes() - 1);
  CHECK(present_pages(*mapped) == 1);
  CHECK(bytes_of(*mapped) == bytes);

  const auto own = Buffer::allocate_uncounted(mapped->bytes());
  std::memset(own->data(), 7, bytes.size());
  rest_mapping(*own, own->data(), own->bytes());
  CHECK(static_cast<const char*>(own->data())[bytes.size() / 2] == 7);
}

TEST_CASE("a part of a mapping is checked as the whole file, and keeps it mapped") {
  const TempFolder folder;
  REQUIRE(write_file(folder / "x", std::string(10000, 'x')).ok());
  const auto part = Buffer::part(Buffer::part(*map_file(folder / "x"), 10, 9000), 10, 5);
  CHECK(bytes_of(*part) == "xxxxx");
  CHECK(check_mapping(*part).ok());
  REQUIRE(truncate((folder / "x").c_str(), 9999) == 0);  // behind the part
  CHECK(check_mapping(*part).code() == Code::kDataLoss);
  CHECK(check_mapping(*Buffer::part(Buffer::allocate_uncounted(8), 4, 4)).ok());
}

TEST_CASE("a sparse file that claims more than memory can hold is refused") {
  const TempFolder folder;
  REQUIRE(write_file(folder / "x", "1").ok());
  if (truncate((folder / "x").c_str(), (off_t{1} << 43)) != 0) {
    MESSAGE("this file system has no files of 8 TiB");
    return;
  }
  CHECK(read_file(folder / "x").status().code() == Code::kResourceExhausted);
}

TEST_CASE("a named pipe is refused and not waited for") {
  const TempFolder folder;
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(read_file(folder / "pipe").status().code() == Code::kInvalidArgument);
  CHECK(map_file(folder / "pipe").status().code() == Code::kInvalidArgument);
}

TEST_CASE("removing a tree removes links and spares what they lead to") {
  const TempFolder folder;
  REQUIRE(create_folders(folder / "kept").ok());
  REQUIRE(write_file(folder / "kept/x", "x").ok());
  REQUIRE(create_folders(folder / "gone").ok());
  REQUIRE(symlink((folder / "kept").c_str(), (folder / "gone/link").c_str()) == 0);
  REQUIRE(remove_tree(folder / "gone").ok());
  CHECK(path_kind(folder / "gone") == PathKind::kNothing);
  CHECK(*read_file(folder / "kept/x") == "x");
}

TEST_CASE("a confined path follows links that stay within its folder alone") {
  const TempFolder folder;
  REQUIRE(create_folders(folder / "model/sub").ok());
  REQUIRE(write_file(folder / "secret", "s").ok());
  REQUIRE(write_file(folder / "model/sub/v", "v").ok());
  REQUIRE(symlink("../secret", (folder / "model/out").c_str()) == 0);
  REQUIRE(symlink("sub/v", (folder / "model/in").c_str()) == 0);
  REQUIRE(symlink("..", (folder / "model/up").c_str()) == 0);
  const auto inner = confined_path(folder / "model", "in");
  REQUIRE(inner.ok());
  CHECK(*read_file(*inner) == "v");
  for (const char* name : {"out", "up/secret"}) {
    CAPTURE(name);
    CHECK(confined_path(folder / "model", name).status().code() == Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace percale
