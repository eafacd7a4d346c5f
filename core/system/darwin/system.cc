#include <fcntl.h>
#include <malloc/malloc.h>
#include <pthread.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/system/file.h"
#include "core/system/library.h"
#include "core/system/memory.h"
#include "core/system/posix/retry.h"
#include "core/system/posix/signals_blocked.h"
#include "core/system/process.h"
#include "core/system/thread.h"

namespace percale::os {

// fsync() leaves the bytes in the disk's cache. Some file systems know only fsync().
int sync_file(FileHandle file) {
  const int fd = descriptor_of(file);
  if (retrying([&] { return fcntl(fd, F_FULLFSYNC); }) >= 0) return 0;
  return retrying([&] { return fsync(fd); }) != 0 ? errno : 0;
}

int random_bytes(void* out, size_t bytes) { return getentropy(out, bytes) != 0 ? errno : 0; }

// The system decides both itself.
void prefer_large_pages(void*, size_t) {}
void populate_pages(void*, size_t) {}

void return_free_memory() { malloc_zone_pressure_relief(nullptr, 0); }

bool map_fork_word(uint32_t** out) {
  *out = nullptr;
  return true;
}
void unmap_fork_word(uint32_t*) {}

// A thread can only name itself.
std::thread start_thread(const std::string& name, std::function<void()> body) {
  const SignalsBlocked blocked;
  return std::thread([name, body = std::move(body)] {
    pthread_setname_np(name.c_str());
    body();
  });
}

int64_t usable_processors() { return std::max<int64_t>(sysconf(_SC_NPROCESSORS_ONLN), 1); }

std::string_view library_suffix() { return ".dylib"; }

}  // namespace percale::os
