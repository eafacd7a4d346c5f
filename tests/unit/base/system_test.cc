#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <string>

#include "core/system/error.h"
#include "core/system/library.h"
#include "core/system/memory.h"
#include "core/system/process.h"
#include "core/system/processor.h"
#include "core/system/thread.h"

namespace percale {
namespace {

TEST_CASE("errors of the system have a kind and a text") {
  CHECK(os::error_kind(ENOENT) == os::ErrorKind::kNotFound);
  CHECK(os::error_kind(EACCES) == os::ErrorKind::kPermissionDenied);
  CHECK(os::error_kind(EEXIST) == os::ErrorKind::kAlreadyExists);
  CHECK(os::error_kind(ENOSPC) == os::ErrorKind::kExhausted);
  CHECK(os::error_kind(os::quota_error()) == os::ErrorKind::kExhausted);
  CHECK(os::error_kind(EINVAL) == os::ErrorKind::kOther);
  CHECK(os::error_text(ENOENT) == std::strerror(ENOENT));
}

TEST_CASE("random bytes differ from call to call") {
  std::set<std::array<unsigned char, 16>> seen;
  for (int i = 0; i < 8; ++i) {
    std::array<unsigned char, 16> bytes{};
    REQUIRE(os::random_bytes(bytes.data(), bytes.size()) == 0);
    seen.insert(bytes);
  }
  CHECK(seen.size() == 8);
}

TEST_CASE("the system tells its pages, its memory and its architecture") {
  const size_t page = os::page_bytes();
  CHECK((page & (page - 1)) == 0);
  CHECK(page >= 4096);
  CHECK(os::machine_memory() >= page);
  CHECK(os::machine_name() != "unknown");
  CHECK(os::usable_processors() >= 1);
}

TEST_CASE("aligned memory is aligned, and pages may be asked for in advance") {
  constexpr size_t kBytes = size_t{4} << 20, kAligned = size_t{2} << 20;
  auto* memory = static_cast<unsigned char*>(os::allocate_aligned(kAligned, kBytes));
  REQUIRE(memory != nullptr);
  CHECK(reinterpret_cast<uintptr_t>(memory) % kAligned == 0);
  os::prefer_large_pages(memory, kBytes);
  os::populate_pages(memory + 1, kBytes - 2);
  memory[0] = memory[kBytes - 1] = 7;
  CHECK(memory[0] == memory[kBytes - 1]);
  os::free_aligned(memory);
  os::return_free_memory();
}

TEST_CASE("the word for forks is set in the process that made it") {
  uint32_t* word = nullptr;
  REQUIRE(os::map_fork_word(&word));
  CHECK((word == nullptr || *word == 1));
  os::unmap_fork_word(word);
}

TEST_CASE("a file that is no library is refused with a reason, and code knows its own file") {
  std::string reason;
  CHECK(os::open_library("/nowhere/libnothing.so", &reason) == nullptr);
  CHECK_FALSE(reason.empty());
  const std::string own = os::file_of(reinterpret_cast<const void*>(&os::page_bytes));
  CHECK(own.find("unit_base") != std::string::npos);
  CHECK(own.find('\\') == std::string::npos);
}

TEST_CASE("the mode of floats is restored") {
  const uint32_t before = os::set_float_mode();
  os::restore_float_mode(before);
  CHECK(os::set_float_mode() == before);
  os::restore_float_mode(before);
}

}  // namespace
}  // namespace percale
