#include "core/file/library_platform.h"

#include <array>
#include <cstdint>

#include "core/file/file.h"

namespace percale {
namespace {

struct Processor {
  uint32_t elf, pe, mach_o;  // its number in each form; 0: none
  std::string_view name;
};
// Sources: <elf.h> of glibc, "PE Format" of Microsoft, <mach/machine.h> of Darwin.
constexpr std::array<Processor, 5> kProcessors = {{
    {0x3e, 0x8664, 0x01000007, "x86-64"},
    {0xb7, 0xaa64, 0x0100000c, "arm64"},
    {0x03, 0x014c, 0x00000007, "x86 of 32 bits"},
    {0x28, 0x01c4, 0x0000000c, "arm of 32 bits"},
    {0xf3, 0x5064, 0, "RISC-V"},
}};

// Returns the little-endian number of `size` bytes at `at`; 0 beyond the end.
uint32_t number_at(std::string_view bytes, size_t at, size_t size) {
  if (at > bytes.size() || bytes.size() - at < size) return 0;
  uint32_t out = 0;
  for (size_t i = size; i-- > 0;) out = out << 8 | static_cast<uint8_t>(bytes[at + i]);
  return out;
}

std::string processor_text(std::string_view system, uint32_t Processor::*form, uint32_t number) {
  for (const Processor& processor : kProcessors) {
    if (number != 0 && processor.*form == number) return str_cat(system, " on ", processor.name);
  }
  return str_cat(system, " on another processor");
}

bool contains(std::string_view bytes, std::string_view part) { return bytes.find(part) != std::string_view::npos; }

// The names of needed libraries are texts of the file, each with a NUL before and after it.
std::string_view c_library(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (contains(bytes, "\0libc.so.6\0"sv)) return " with glibc";
  if (contains(bytes, "\0libc.so\0"sv) || contains(bytes, "\0libc.musl-"sv)) return " with musl";
  return "";
}

std::string platform_of_file(const std::string& path) {
  const Result<std::shared_ptr<Buffer>> file = map_file(path);
  if (!file.ok()) return {};
  return library_platform({static_cast<const char*>((*file)->data()), static_cast<size_t>((*file)->bytes())});
}

}  // namespace

std::string library_platform(std::string_view bytes) {
  constexpr uint32_t kMachO64 = 0xfeedfacf, kPe = 0x00004550;
  if (bytes.starts_with("\177ELF")) {
    return processor_text("Linux", &Processor::elf, number_at(bytes, 18, 2)).append(c_library(bytes));
  }
  if (number_at(bytes, 0, 4) == kMachO64) return processor_text("macOS", &Processor::mach_o, number_at(bytes, 4, 4));
  if (bytes.starts_with("MZ")) {
    const size_t header = number_at(bytes, 0x3c, 4);
    if (number_at(bytes, header, 4) == kPe) {
      return processor_text("Windows", &Processor::pe, number_at(bytes, header + 4, 2));
    }
  }
  return {};
}

std::string other_platform(const std::string& path, const std::string& own) {
  const std::string found = platform_of_file(path), wanted = platform_of_file(own);
  // One that names no C library does not differ by it.
  if (found.empty() || wanted.empty() || found.starts_with(wanted) || wanted.starts_with(found)) return {};
  return str_cat("it is for ", found, ", and this process runs on ", wanted);
}

}  // namespace percale
