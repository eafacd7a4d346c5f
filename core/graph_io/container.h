// The container of a .percale file: a header with the locations of the FlatBuffer and of the
// tensors. schema/README.md describes the layout.
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
// Limit on the FlatBuffer. Its offsets end at 2^31, and every file that we write must be readable.
inline constexpr uint64_t kMaxGraphBytes = uint64_t{1} << 30;

struct FileHeader {
  uint32_t version = kFileVersion;
  uint64_t graph_offset = 0, graph_bytes = 0;
  uint64_t data_offset = 0, data_bytes = 0;
  uint32_t graph_crc32c = 0;
};

// Returns the 64 bytes of the header, including its checksum.
std::string pack_header(const FileHeader& header);

// Reads the header of a complete file and checks all of it against the available bytes, including
// the FlatBuffer's checksum. INVALID_ARGUMENT if it is not such a file, UNIMPLEMENTED for a newer
// version, DATA_LOSS if it is truncated or changed.
Result<FileHeader> unpack_header(std::string_view file);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_IO_CONTAINER_H_
