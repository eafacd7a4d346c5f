#include "core/graph_io/container.h"

#include <concepts>

#include "core/file/crc32c.h"

namespace percale {
namespace {

template <std::unsigned_integral T>
void put(std::string& out, T number) {
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(number >> (8 * i) & 255);
}

template <std::unsigned_integral T>
T get(std::string_view bytes, size_t at) {
  T out = 0;
  for (size_t i = 0; i < sizeof(T); ++i) out |= static_cast<T>(T{static_cast<unsigned char>(bytes[at + i])} << (8 * i));
  return out;
}

constexpr size_t kChecksumAt = kFileHeaderBytes - 4;

// Checks a section: aligned, not before byte `begin`, within the file.
Status check_section(const char* name, uint64_t offset, uint64_t bytes, uint64_t begin, uint64_t file_bytes) {
  if (offset % kFileAlignment != 0 || offset < begin) {
    return data_loss("the ", name, " cannot start at byte ", offset);
  }
  if (offset > file_bytes || bytes > file_bytes - offset) {
    return data_loss("the file is truncated: the ", name, " is ", bytes, " bytes from byte ", offset,
                     ", but the file has ", file_bytes);
  }
  return {};
}

}  // namespace

std::string pack_header(const FileHeader& header) {
  std::string out(kFileMagic);
  put(out, header.version);
  put(out, static_cast<uint32_t>(kFileHeaderBytes));
  put(out, header.graph_offset);
  put(out, header.graph_bytes);
  put(out, header.data_offset);
  put(out, header.data_bytes);
  put(out, header.graph_crc32c);
  out.resize(kChecksumAt, '\0');
  put(out, crc32c(out));
  return out;
}

Result<FileHeader> unpack_header(std::string_view file) {
  const std::string_view begin = file.substr(0, kFileMagic.size());
  if (begin.empty() || begin != kFileMagic.substr(0, begin.size())) {
    return invalid_argument("not a .percale file: it does not begin with PERCALE");
  }
  if (file.size() < kFileHeaderBytes) {
    return data_loss("the file is truncated: ", static_cast<uint64_t>(file.size()),
                     " bytes do not contain the whole header");
  }
  if (get<uint32_t>(file, kChecksumAt) != crc32c(file.substr(0, kChecksumAt))) {
    return data_loss("the header is damaged: its checksum is wrong");
  }
  FileHeader out;
  out.version = get<uint32_t>(file, 8);
  if (out.version > kFileVersion) {
    return unimplemented("the file was written by a newer library: its version is ", out.version,
                         ", this library reads up to ", kFileVersion);
  }
  if (out.version == 0 || get<uint32_t>(file, 12) != kFileHeaderBytes) {
    return invalid_argument("version ", out.version, " with a header of ", get<uint32_t>(file, 12),
                            " bytes is not a .percale file");
  }
  out.graph_offset = get<uint64_t>(file, 16);
  out.graph_bytes = get<uint64_t>(file, 24);
  out.data_offset = get<uint64_t>(file, 32);
  out.data_bytes = get<uint64_t>(file, 40);
  out.graph_crc32c = get<uint32_t>(file, 48);
  const uint64_t size = file.size();
  PERCALE_RETURN_IF_ERROR(check_section("graph", out.graph_offset, out.graph_bytes, kFileHeaderBytes, size));
  const uint64_t graph_end = out.graph_offset + out.graph_bytes;
  PERCALE_RETURN_IF_ERROR(check_section("data", out.data_offset, out.data_bytes, graph_end, size));
  if (const uint64_t end = out.data_offset + out.data_bytes; end != size) {
    return data_loss("the file has ", size, " bytes, but its header gives ", end);
  }
  const std::string_view graph =
      file.substr(static_cast<size_t>(out.graph_offset), static_cast<size_t>(out.graph_bytes));
  if (crc32c(graph) != out.graph_crc32c) return data_loss("the graph is damaged: its checksum is wrong");
  return out;
}

}  // namespace percale
