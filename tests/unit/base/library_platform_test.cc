#include "core/file/library_platform.h"

#include <doctest/doctest.h>

#include "core/file/file.h"
#include "core/system/library.h"
#include "core/system/memory.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

using namespace std::string_literals;

// The beginning of an ELF file for a processor, and the names of the libraries that it needs.
std::string elf(char processor, const std::string& needed) {
  std::string out(64, '\0');
  out.replace(0, 6, "\177ELF\2\1"s);
  out[18] = processor;
  out.append(1, '\0').append(needed).append(1, '\0');
  return out;
}

TEST_CASE("the header of a library names its system and processor, and its texts the C library") {
  CHECK(library_platform(elf('\x3e', "libc.so.6")) == "Linux on x86-64 with glibc");
  CHECK(library_platform(elf('\xb7', "libc.so")) == "Linux on arm64 with musl");
  CHECK(library_platform(elf('\xb7', "libc.musl-aarch64.so.1")) == "Linux on arm64 with musl");
  CHECK(library_platform(elf('\xf3', "libm.so.6")) == "Linux on RISC-V");
  CHECK(library_platform(elf('\x16', "")) == "Linux on another processor");
  CHECK(library_platform("\xcf\xfa\xed\xfe\x0c\x00\x00\x01"s) == "macOS on arm64");
  std::string pe(128, '\0');
  pe.replace(0, 2, "MZ");
  pe[0x3c] = 0x40;
  pe.replace(0x40, 6, "PE\0\0\x64\x86"s);
  CHECK(library_platform(pe) == "Windows on x86-64");
}

TEST_CASE("other files and short ones have no platform") {
  CHECK(library_platform("").empty());
  CHECK(library_platform("MZ").empty());
  CHECK(library_platform("\177ELF") == "Linux on another processor");
  CHECK(library_platform("#!/bin/sh\n").empty());
  std::string windows(64, '\xff');
  windows.replace(0, 2, "MZ");
  CHECK(library_platform(windows).empty());
}

TEST_CASE("a library for another platform is named with what was found and wanted") {
  TempFolder folder;
  const std::string own = os::file_of(reinterpret_cast<const void*>(&os::page_bytes)), other = folder / "other.so";
  REQUIRE(write_file(other, elf('\xf3', "libc.so.6")).ok());
  const std::string text = other_platform(other, own);
  CHECK(text.starts_with("it is for Linux on RISC-V with glibc, and this process runs on "));
  CHECK_FALSE(text.ends_with(" on "));
  CHECK(other_platform(own, own).empty());
  CHECK(other_platform(folder / "absent.so", own).empty());
}

}  // namespace
}  // namespace percale
