#include "core/file/file_lock.h"

#include <utility>

#include "core/file/file.h"
#include "core/system/process.h"

namespace percale {
namespace {

std::string holder_name(int64_t pid) {
  if (pid <= 0) return "another process";
  return pid == os::process_id() ? str_cat("this process (", pid, ")") : str_cat("process ", pid);
}

}  // namespace

FileLock::FileLock(std::string path, os::FileHandle file) : path_(std::move(path)), file_(file) {}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, os::kNoFile)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}

FileLock::~FileLock() {
  if (file_ != os::kNoFile) os::unlock_file(path_, file_);
}

Result<FileLock> FileLock::take(const std::string& path) {
  const os::FileLock lock = os::lock_file(path);
  switch (lock.state) {
    case os::FileLock::State::kLocked: return FileLock(path, lock.file);
    case os::FileLock::State::kFailed: return system_error(lock.failed.call, path, lock.failed.error);
    case os::FileLock::State::kHeld: break;
  }
  return Status(Code::kUnavailable, str_cat("'", path, "' is locked by ", holder_name(lock.holder)));
}

}  // namespace percale
