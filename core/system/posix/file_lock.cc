#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "core/system/file.h"
#include "core/system/posix/retry.h"
#include "core/system/process.h"

namespace percale::os {
namespace {

FileLock::State try_lock(int fd) {
  if (retrying([&] { return flock(fd, LOCK_EX | LOCK_NB); }) == 0) return FileLock::State::kLocked;
  if (errno == EWOULDBLOCK) return FileLock::State::kHeld;
  const bool without_locks = errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP || errno == EINVAL;
  return without_locks ? FileLock::State::kLocked : FileLock::State::kFailed;
}

// True if `fd` is still the file at `path`. The previous holder may have removed the file between
// open and lock.
bool is_at(int fd, const std::string& path) {
  FileFacts own, there;
  return facts_of(fd, &own) == 0 && facts_at(path, true, &there) == 0 && own.inode == there.inode &&
         own.device == there.device;
}

int64_t holder_of(int fd) {
  char text[32] = "";
  const ssize_t got = pread(fd, text, sizeof text - 1, 0);
  return got > 0 ? std::strtoll(text, nullptr, 10) : 0;
}

}  // namespace

FileLock lock_file(const std::string& path) {
  for (;;) {
    FileLock out;
    const int fd = open_retrying(path.c_str(), O_RDWR | O_CREAT, 0666);
    if (fd < 0) {
      out.failed = {"open", errno};
      return out;
    }
    out.state = try_lock(fd);
    if (out.state == FileLock::State::kLocked && !is_at(fd, path)) {
      close(fd);
      continue;
    }
    if (out.state != FileLock::State::kLocked) {
      out.failed = {"lock", errno};
      out.holder = holder_of(fd);
      close(fd);
      return out;
    }
    out.file = fd;
    const std::string pid = std::to_string(process_id()) + "\n";
    // The process id is only used in messages; the lock is valid without it.
    if (ftruncate(fd, 0) == 0) static_cast<void>(!pwrite(fd, pid.data(), pid.size(), 0));
    return out;
  }
}

// Unlinks while the lock is held, so that no other holder's file is removed.
void unlock_file(const std::string& path, FileHandle file) {
  unlink(path.c_str());
  close(descriptor_of(file));
}

}  // namespace percale::os
