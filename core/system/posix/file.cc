#include "core/system/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/system/posix/retry.h"

namespace percale::os {
namespace {

int result_of_open(int descriptor, FileHandle* out) {
  *out = descriptor;
  return descriptor < 0 ? errno : 0;
}

FileFacts facts_from(const struct stat& info) {
  FileFacts out;
  if (S_ISREG(info.st_mode)) out.kind = FileKind::kFile;
  if (S_ISDIR(info.st_mode)) out.kind = FileKind::kFolder;
  out.bytes = info.st_size;
  out.device = static_cast<uint64_t>(info.st_dev);
  out.inode = static_cast<uint64_t>(info.st_ino);
  return out;
}

}  // namespace

int open_to_read(const std::string& path, FileHandle* out) {
  return result_of_open(open_retrying(path.c_str(), O_RDONLY | O_NONBLOCK), out);
}

int create_new(const std::string& path, FileHandle* out) {
  return result_of_open(open_retrying(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666), out);
}

// After EINTR the descriptor is closed.
int close_file(FileHandle file) { return close(descriptor_of(file)) != 0 && errno != EINTR ? errno : 0; }

int facts_of(FileHandle file, FileFacts* out) {
  struct stat info {};
  if (fstat(descriptor_of(file), &info) != 0) return errno;
  *out = facts_from(info);
  return 0;
}

int facts_at(const std::string& path, bool follow, FileFacts* out) {
  struct stat info {};
  if ((follow ? stat(path.c_str(), &info) : lstat(path.c_str(), &info)) != 0) return errno;
  *out = facts_from(info);
  return 0;
}

int read_file(FileHandle file, void* out, int64_t bytes, int64_t* out_read) {
  *out_read = 0;
  while (*out_read < bytes) {
    const ssize_t got =
        read(descriptor_of(file), static_cast<char*>(out) + *out_read, static_cast<size_t>(bytes - *out_read));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    *out_read += got;
  }
  return 0;
}

int write_file(FileHandle file, const void* data, int64_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t put = write(descriptor_of(file), next, static_cast<size_t>(bytes));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    next += put;
    bytes -= put;
  }
  return 0;
}

int map_file(FileHandle file, int64_t bytes, void** out) {
  void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ, MAP_PRIVATE, descriptor_of(file), 0);
  *out = data == MAP_FAILED ? nullptr : data;
  return data == MAP_FAILED ? errno : 0;
}

void unmap_file(void* data, int64_t bytes) { munmap(data, static_cast<size_t>(bytes)); }

// The pages are read-only, so dropping them loses no data.
void drop_mapped_pages(void* begin, int64_t bytes) { madvise(begin, static_cast<size_t>(bytes), MADV_DONTNEED); }

}  // namespace percale::os
