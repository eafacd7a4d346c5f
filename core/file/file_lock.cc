#include "core/file/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "core/file/file.h"

namespace percale {
namespace {

enum class Attempt { kLocked, kHeld, kFailed };

Attempt try_lock(int fd) {
  int result;
  do {
    result = flock(fd, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return Attempt::kLocked;
  if (errno == EWOULDBLOCK) return Attempt::kHeld;
  const bool without_locks = errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP || errno == EINVAL;
  return without_locks ? Attempt::kLocked : Attempt::kFailed;
}

// True if `fd` is still the file at `path`. The previous holder may have removed the file between
// open and lock.
bool is_at(int fd, const std::string& path) {
  struct stat own {
  }, there{};
  return fstat(fd, &own) == 0 && stat(path.c_str(), &there) == 0 && own.st_ino == there.st_ino &&
         own.st_dev == there.st_dev;
}

std::string holder_of(int fd) {
  char text[32] = "";
  const ssize_t got = pread(fd, text, sizeof text - 1, 0);
  const int64_t pid = got > 0 ? std::strtoll(text, nullptr, 10) : 0;
  if (pid <= 0) return "another process";
  return pid == getpid() ? str_cat("this process (", pid, ")") : str_cat("process ", pid);
}

}  // namespace

FileLock::FileLock(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  // Unlink while the lock is held, so that no other holder's file is removed.
  unlink(path_.c_str());
  close(descriptor_);
}

Result<FileLock> FileLock::take(const std::string& path) {
  for (;;) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EINTR) continue;
    if (fd < 0) return system_error("open", path, errno);
    const Attempt attempt = try_lock(fd);
    if (attempt == Attempt::kLocked && !is_at(fd, path)) {
      close(fd);
      continue;
    }
    if (attempt != Attempt::kLocked) {
      const int error = errno;
      const std::string holder = holder_of(fd);
      close(fd);
      if (attempt == Attempt::kFailed) return system_error("lock", path, error);
      return Status(Code::kUnavailable, str_cat("'", path, "' is locked by ", holder));
    }
    FileLock out(path, fd);
    const std::string pid = str_cat(int64_t{getpid()}, "\n");
    // The process id is only used in messages; the lock is valid without it.
    if (ftruncate(fd, 0) == 0) static_cast<void>(!pwrite(fd, pid.data(), pid.size(), 0));
    return out;
  }
}

}  // namespace percale
