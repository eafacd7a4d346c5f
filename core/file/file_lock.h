// An advisory lock that ends with its process.
#ifndef PERCALE_CORE_FILE_FILE_LOCK_H_
#define PERCALE_CORE_FILE_FILE_LOCK_H_

#include <string>

#include "core/base/status.h"

namespace percale {

// Holds the lock on a file, which it creates and removes. A process that is killed leaves the file, but not the lock.
class FileLock {
 public:
  // UNAVAILABLE names the process that holds the lock; it does not wait. On a file system without locks it succeeds.
  static Result<FileLock> take(const std::string& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  const std::string& path() const { return path_; }

 private:
  FileLock(std::string path, int descriptor);
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace percale

#endif  // PERCALE_CORE_FILE_FILE_LOCK_H_
