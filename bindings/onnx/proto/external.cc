// Reads elements of tensors from files in the model's folder.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bindings/onnx/proto/external_file.h"
#include "bindings/onnx/proto/tensor.h"

namespace percale_onnx {
namespace {

constexpr std::string_view kHostScheme = "host:";  // of folders that the host reads

Status check_location(std::string_view location) {
  if (location.empty()) return bad("external data has no location");
  if (location.size() > 4096 || location.find('\0') != std::string_view::npos) {
    return bad("external data ", quoted(location), ": not a valid path");
  }
  if (location.find_first_of(forbidden_characters()) != std::string_view::npos) {
    return bad("external data ", quoted(location), ": has one of the characters ", forbidden_characters());
  }
  if (location.front() == '/') return bad("external data ", quoted(location), ": absolute paths are not allowed");
  for (size_t at = 0; at <= location.size();) {
    const size_t slash = std::min(location.find('/', at), location.size());
    if (location.substr(at, slash - at) == "..")
      return bad("external data ", quoted(location), ": the path leads out of the model's folder");
    at = slash + 1;
  }
  return {};
}

Status open_external(const char* folder, std::string_view location, ExternalFile* out) {
  ONNX_TRY(check_location(location));
  return out->open(folder, location);
}

bool is_hosts(const ModelFolder& folder) { return std::string_view(folder.path).starts_with(kHostScheme); }

// The path of a file of the host.
Status host_path(const ModelFolder& folder, std::string_view location, std::string* out) {
  ONNX_TRY(check_location(location));
  const bool is_root = std::string_view(folder.path) == kHostScheme;
  *out = text(std::string_view(folder.path), std::string_view(is_root ? "" : "/"), location);
  return {};
}

Status size_of(const ModelFolder& folder, std::string_view location, uint64_t* out) {
  if (is_hosts(folder)) {
    std::string path;
    ONNX_TRY(host_path(folder, location, &path));
    int64_t size = 0;
    ONNX_TRY(folder.host.take(folder.host->builder->file_size(folder.engine, path.c_str(), &size)));
    *out = static_cast<uint64_t>(size);
    return {};
  }
  ExternalFile file;
  ONNX_TRY(open_external(folder.path, location, &file));
  *out = file.size();
  return {};
}

}  // namespace

Status external_error(std::string_view call, std::string_view path, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  const char* reason = error == ELOOP ? "the path contains a link, which is not followed" : std::strerror(error);
  return Status(missing           ? PERCALE_NOT_FOUND
                : error == EACCES ? PERCALE_PERMISSION_DENIED
                                  : PERCALE_UNAVAILABLE,
                text("external data ", quoted(path), ": ", call, ": ", std::string_view(reason)));
}

Status external_bytes(const ModelFolder& folder, const ExternalData& data, uint64_t* out) {
  uint64_t size = 0;
  ONNX_TRY(size_of(folder, data.location, &size));
  *out = size > data.offset ? size - data.offset : 0;
  if (data.has_length && *out < data.length) {
    return bad("external data ", quoted(data.location), ": ", data.length, " bytes at offset ", data.offset,
               ", but the file has ", size);
  }
  if (data.has_length) *out = data.length;
  return {};
}

Status read_external(const ModelFolder& folder, const ExternalData& data, void* to, uint64_t bytes) {
  if (is_hosts(folder)) {
    std::string path;
    ONNX_TRY(host_path(folder, data.location, &path));
    const auto offset = static_cast<int64_t>(data.offset);
    return folder.host.take(folder.host->builder->read_file(folder.engine, path.c_str(), offset, to, bytes));
  }
  ExternalFile file;
  ONNX_TRY(open_external(folder.path, data.location, &file));
  for (uint64_t done = 0; done < bytes;) {
    constexpr uint64_t kMost = uint64_t{1} << 30;  // a system call transfers at most 2 GB
    uint64_t got = 0;
    ONNX_TRY(file.read(data.offset + done, static_cast<char*>(to) + done, std::min(bytes - done, kMost), &got));
    if (got == 0) return bad("external data ", quoted(data.location), ": unexpected end of file");
    done += got;
  }
  return {};
}

}  // namespace percale_onnx
