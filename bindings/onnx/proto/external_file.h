// Files with elements of tensors, as the system opens them. A folder per system has it.
#ifndef PERCALE_BINDINGS_ONNX_PROTO_EXTERNAL_FILE_H_
#define PERCALE_BINDINGS_ONNX_PROTO_EXTERNAL_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "bindings/onnx/host.h"

namespace percale_onnx {

// A regular file within a folder. No part of its path may be a link.
class ExternalFile {
 public:
  ExternalFile() = default;
  ~ExternalFile();
  ExternalFile(const ExternalFile&) = delete;
  ExternalFile& operator=(const ExternalFile&) = delete;

  // `location` is relative, without "..", and has none of forbidden_characters().
  Status open(const char* folder, std::string_view location);
  uint64_t size() const { return size_; }
  // Reads at most `bytes` from `offset`; 0 bytes are read at the end only.
  Status read(uint64_t offset, void* to, uint64_t bytes, uint64_t* out_read);

 private:
  std::string location_;  // for messages
  intptr_t handle_ = -1;
  uint64_t size_ = 0;
};

// Characters that would let a relative path leave its folder.
std::string_view forbidden_characters();

// The error of a system call on a file, for a value of errno.
Status external_error(std::string_view call, std::string_view path, int error);

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_PROTO_EXTERNAL_FILE_H_
