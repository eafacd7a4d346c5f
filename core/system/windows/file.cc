#include "core/system/file.h"

#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "core/system/process.h"
#include "core/system/windows/handle.h"
#include "core/system/windows/last_error.h"

namespace percale::os {
namespace {

int result_of_open(HANDLE handle, FileHandle* out) {
  *out = file_from(handle);
  return error_of(handle != INVALID_HANDLE_VALUE);
}

// One call transfers at most this many bytes.
constexpr int64_t kMostAtOnce = int64_t{1} << 30;

int64_t read_pid(const std::string& path) {
  const HANDLE file = open_handle(path, GENERIC_READ, kShareAll, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
  if (file == INVALID_HANDLE_VALUE) return 0;
  char text[32] = "";
  int64_t got = 0;
  static_cast<void>(read_file(file_from(file), text, sizeof text - 1, &got));
  CloseHandle(file);
  return std::strtoll(text, nullptr, 10);
}

}  // namespace

// A folder is opened, too, so that facts_of() can tell that it is no file.
int open_to_read(const std::string& path, FileHandle* out) {
  return result_of_open(open_handle(path, GENERIC_READ, kShareAll, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS), out);
}

int create_new(const std::string& path, FileHandle* out) {
  return result_of_open(open_handle(path, GENERIC_WRITE, kShareAll, CREATE_NEW, FILE_ATTRIBUTE_NORMAL), out);
}

int close_file(FileHandle file) { return error_of(CloseHandle(handle_of(file))); }

int facts_of(FileHandle file, FileFacts* out) {
  if (GetFileType(handle_of(file)) != FILE_TYPE_DISK) {
    *out = {};
    return 0;
  }
  BY_HANDLE_FILE_INFORMATION info{};
  if (GetFileInformationByHandle(handle_of(file), &info) == 0) return last_error();
  out->kind = FileKind::kFile;
  if ((info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) out->kind = FileKind::kFolder;
  out->bytes = static_cast<int64_t>(uint64_t{info.nFileSizeHigh} << 32 | info.nFileSizeLow);
  out->device = info.dwVolumeSerialNumber;
  out->inode = uint64_t{info.nFileIndexHigh} << 32 | info.nFileIndexLow;
  return 0;
}

int facts_at(const std::string& path, bool follow, FileFacts* out) {
  const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
  const HANDLE file = open_handle(path, FILE_READ_ATTRIBUTES, kShareAll, OPEN_EXISTING, flags);
  if (file == INVALID_HANDLE_VALUE) return last_error();
  const int error = facts_of(file_from(file), out);
  FILE_ATTRIBUTE_TAG_INFO tag{};
  if (!follow && GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof tag) != 0 &&
      (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
    out->kind = FileKind::kOther;
  }
  CloseHandle(file);
  return error;
}

int read_file(FileHandle file, void* out, int64_t bytes, int64_t* out_read) {
  *out_read = 0;
  while (*out_read < bytes) {
    DWORD got = 0;
    const auto wanted = static_cast<DWORD>(std::min(bytes - *out_read, kMostAtOnce));
    if (ReadFile(handle_of(file), static_cast<char*>(out) + *out_read, wanted, &got, nullptr) == 0) return last_error();
    if (got == 0) break;
    *out_read += got;
  }
  return 0;
}

int write_file(FileHandle file, const void* data, int64_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    DWORD put = 0;
    const auto wanted = static_cast<DWORD>(std::min(bytes, kMostAtOnce));
    if (WriteFile(handle_of(file), next, wanted, &put, nullptr) == 0) return last_error();
    next += put;
    bytes -= put;
  }
  return 0;
}

int sync_file(FileHandle file) { return error_of(FlushFileBuffers(handle_of(file))); }

// The view keeps the mapping object alive.
int map_file(FileHandle file, int64_t, void** out) {
  *out = nullptr;
  const HANDLE mapping = CreateFileMappingW(handle_of(file), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping == nullptr) return last_error();
  *out = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
  const int error = error_of(*out != nullptr);
  CloseHandle(mapping);
  return error;
}

void unmap_file(void* data, int64_t) { UnmapViewOfFile(data); }

// Unlocking pages that are not locked removes them from the working set.
void drop_mapped_pages(void* begin, int64_t bytes) { VirtualUnlock(begin, static_cast<size_t>(bytes)); }

// The holder keeps the file open in a way that refuses other writers. The system removes the file
// when the holder closes it or ends.
FileLock lock_file(const std::string& path) {
  FileLock out;
  const HANDLE file = open_handle(path, GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_DELETE, OPEN_ALWAYS,
                                  FILE_ATTRIBUTE_NORMAL | FILE_FLAG_DELETE_ON_CLOSE);
  if (file == INVALID_HANDLE_VALUE) {
    const DWORD error = GetLastError();
    // Access is denied while the file of a holder that has ended is being removed.
    if (error == ERROR_SHARING_VIOLATION) {
      out.state = FileLock::State::kHeld;
      out.holder = read_pid(path);
    } else {
      out.failed = {"open", last_error()};
    }
    return out;
  }
  out.state = FileLock::State::kLocked;
  out.file = file_from(file);
  const std::string pid = std::to_string(process_id()) + "\n";
  SetEndOfFile(file);
  static_cast<void>(write_file(out.file, pid.data(), static_cast<int64_t>(pid.size())));
  return out;
}

void unlock_file(const std::string&, FileHandle file) { CloseHandle(handle_of(file)); }

}  // namespace percale::os
