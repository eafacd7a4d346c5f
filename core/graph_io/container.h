// The container of a .percale file: a header that says where the FlatBuffer and the tensors lie. schema/README.md draws it.
#ifndef PERCALE_CORE_GRAPH_IO_CONTAINER_H_
#define PERCALE_CORE_GRAPH_IO_CONTAINER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace percale {

inline constexpr std::string_view kFileMagic{"PERCALE\0", 8};
inline constexpr uint32_t kFileVersion = 1;
inline constexpr size_t kFileHeaderBytes = 64;
inline constexpr uint64_t kFileAlignment = 64;
// Of the FlatBuffer: its own offsets end at 2^31, and what we write we also read.
inline constexpr uint64_t kMaxGraphBytes = uint64_t{1} << 30;

struct FileHeader {
  uint32_t version = kFileVersion;
  uint64_t graph_offset = 0, graph_bytes = 0;
  uint64_t data_offset = 0, data_bytes = 0;
  uint32_t graph_crc32c = 0;
};

// The 64 bytes, their checksum included.
std::string pack_header(const FileHeader& header);

// The header of a whole file, everything in it checked against the bytes that are there, the FlatBuffer's checksum included:
// INVALID_ARGUMENT for what is no such file, UNIMPLEMENTED for a newer version, DATA_LOSS for a file cut short or changed.
Result<FileHeader> unpack_header(std::string_view file);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_IO_CONTAINER_H_
