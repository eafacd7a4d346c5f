// An advisory file lock that the system releases when the process ends.
#ifndef PERCALE_CORE_FILE_FILE_LOCK_H_
#define PERCALE_CORE_FILE_FILE_LOCK_H_

#include <string>

#include "core/base/status.h"
#include "core/system/file.h"

namespace percale {

// Holds the lock on a file, which it creates and removes. If the process is killed, the file
// remains but the lock is released.
class FileLock {
 public:
  // Takes the lock without waiting. UNAVAILABLE names the process that holds it. Succeeds on a file
  // system without locks.
  static Result<FileLock> take(const std::string& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  const std::string& path() const { return path_; }

 private:
  FileLock(std::string path, os::FileHandle file);
  std::string path_;
  os::FileHandle file_ = os::kNoFile;
};

}  // namespace percale

#endif  // PERCALE_CORE_FILE_FILE_LOCK_H_
