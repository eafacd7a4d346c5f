#include "bindings/onnx/proto/external_file.h"

#include <windows.h>

#include <algorithm>
#include <cerrno>

namespace percale_onnx {
namespace {

std::wstring wide(std::string_view utf8) {
  const int bytes = static_cast<int>(utf8.size());
  const int size = MultiByteToWideChar(CP_UTF8, 0, utf8.data(), bytes, nullptr, 0);
  std::wstring out(static_cast<size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), bytes, out.data(), size);
  return out;
}

int last_error() {
  switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION: return EACCES;
    default: return EIO;
  }
}

HANDLE handle_of(intptr_t file) { return reinterpret_cast<HANDLE>(file); }

}  // namespace

ExternalFile::~ExternalFile() {
  if (handle_ != -1) CloseHandle(handle_of(handle_));
}

// Each folder on the way must be no link, and the file is opened as itself.
Status ExternalFile::open(const char* folder, std::string_view location) {
  std::string path = *folder == '\0' ? "." : folder;
  for (size_t begin = 0; begin < location.size();) {
    const size_t slash = std::min(location.find('/', begin), location.size());
    path += "/" + std::string(location.substr(begin, slash - begin));
    begin = slash + 1;
    const DWORD attributes = GetFileAttributesW(wide(path).c_str());
    if (attributes == INVALID_FILE_ATTRIBUTES) return external_error("open", location, last_error());
    if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) return external_error("open", location, ELOOP);
  }
  const HANDLE file =
      CreateFileW(wide(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  if (file == INVALID_HANDLE_VALUE) return external_error("open", location, last_error());
  location_ = location;
  handle_ = reinterpret_cast<intptr_t>(file);
  BY_HANDLE_FILE_INFORMATION facts{};
  if (GetFileType(file) != FILE_TYPE_DISK || GetFileInformationByHandle(file, &facts) == 0 ||
      (facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    return bad("external data ", quoted(location), ": not a regular file");
  }
  size_ = uint64_t{facts.nFileSizeHigh} << 32 | facts.nFileSizeLow;
  return {};
}

Status ExternalFile::read(uint64_t offset, void* to, uint64_t bytes, uint64_t* out_read) {
  OVERLAPPED at{};
  at.Offset = static_cast<DWORD>(offset);
  at.OffsetHigh = static_cast<DWORD>(offset >> 32);
  DWORD got = 0;
  const bool good = ReadFile(handle_of(handle_), to, static_cast<DWORD>(bytes), &got, &at) != 0;
  *out_read = got;
  return good || GetLastError() == ERROR_HANDLE_EOF ? Status() : external_error("read", location_, last_error());
}

// A backslash separates parts, and a colon ends the name of a drive.
std::string_view forbidden_characters() { return "\\:"; }

}  // namespace percale_onnx
