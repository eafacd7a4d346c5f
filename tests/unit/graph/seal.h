// Recomputes the checksums of a modified .percale file, so that the checks after them are reached.
#ifndef PERCALE_TESTS_UNIT_GRAPH_SEAL_H_
#define PERCALE_TESTS_UNIT_GRAPH_SEAL_H_

#include <cstring>
#include <string>
#include <string_view>

#include "core/file/crc32c.h"
#include "core/graph_io/container.h"
#include "core/graph_io/schema/flat.h"

namespace percale {

template <class T>
void put_at(std::string& file, size_t at, T number) {
  std::memcpy(file.data() + at, &number, sizeof number);
}
template <class T>
T get_at(std::string_view file, size_t at) {
  T out;
  std::memcpy(&out, file.data() + at, sizeof out);
  return out;
}

// Fixes the header's checksum, and the graph's checksum if its location is valid.
inline void reseal(std::string& file) {
  if (file.size() < kFileHeaderBytes) return;
  const auto offset = get_at<uint64_t>(file, 16), bytes = get_at<uint64_t>(file, 24);
  if (offset <= file.size() && bytes <= file.size() - offset) {
    put_at(file, 48, crc32c(std::string_view(file).substr(offset, bytes)));
  }
  put_at(file, 60, crc32c(std::string_view(file).substr(0, 60)));
}

// Builds a file from a hand-made FlatBuffer and the bytes of its tensors.
inline std::string make_file(flatbuffers::FlatBufferBuilder& flat, std::string_view data = {}) {
  FileHeader header;
  header.graph_offset = kFileHeaderBytes;
  header.graph_bytes = flat.GetSize();
  header.data_offset = (kFileHeaderBytes + flat.GetSize() + 63) / 64 * 64;
  header.data_bytes = data.size();
  std::string out = pack_header(header);
  out.append(reinterpret_cast<const char*>(flat.GetBufferPointer()), flat.GetSize());
  out.resize(header.data_offset, '\0');
  out.append(data);
  reseal(out);
  return out;
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_GRAPH_SEAL_H_
