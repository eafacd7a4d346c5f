// Calls that are repeated when a signal interrupts them.
#ifndef PERCALE_CORE_SYSTEM_POSIX_RETRY_H_
#define PERCALE_CORE_SYSTEM_POSIX_RETRY_H_

#include <fcntl.h>

#include <cerrno>

#include "core/system/file.h"

namespace percale::os {

inline int descriptor_of(FileHandle file) { return static_cast<int>(file); }

template <class Call>
int retrying(const Call& call) {
  int result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

inline int open_retrying(const char* path, int flags, mode_t mode = 0) {
  return retrying([&] { return open(path, flags | O_CLOEXEC, mode); });
}

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_POSIX_RETRY_H_
