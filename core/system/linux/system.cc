#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "core/system/file.h"
#include "core/system/library.h"
#include "core/system/memory.h"
#include "core/system/posix/retry.h"
#include "core/system/posix/signals_blocked.h"
#include "core/system/process.h"
#include "core/system/thread.h"

namespace percale::os {
namespace {

// Numbers of the kernel, which older C libraries do not name. An older kernel refuses them.
constexpr int kHugePage = 14, kWipeOnFork = 18, kPopulateWrite = 23;
constexpr int kNoAdvice = -1;  // every kernel refuses it

// For kernels before 3.17, which lack the call getrandom().
int read_urandom(void* out, size_t bytes) {
  const int file = open_retrying("/dev/urandom", O_RDONLY);
  if (file < 0) return errno;
  int64_t done = 0;
  const int error = read_file(file, out, static_cast<int64_t>(bytes), &done);
  close(file);
  return error == 0 && done < static_cast<int64_t>(bytes) ? EIO : error;
}

}  // namespace

int sync_file(FileHandle file) {
  return retrying([&] { return fsync(descriptor_of(file)); }) != 0 ? errno : 0;
}

int random_bytes(void* out, size_t bytes) {
  const auto got = syscall(SYS_getrandom, out, bytes, 0U);
  if (got == static_cast<long>(bytes)) return 0;
  return got < 0 && errno != ENOSYS && errno != EINTR ? errno : read_urandom(out, bytes);
}

void prefer_large_pages(void* begin, size_t bytes) { madvise(begin, bytes, kHugePage); }

// madvise() refuses a range that is not page-aligned.
void populate_pages(void* begin, size_t bytes) {
  const uintptr_t page = page_bytes(), at = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (at + page - 1) / page * page, end = (at + bytes) / page * page;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, kPopulateWrite);
}

// The kernel clears the page in a forked child. It cannot before Linux 4.14 and in some sandboxes.
// An emulator may ignore all advice and report success, also for advice that does not exist.
bool map_fork_word(uint32_t** out) {
  *out = nullptr;
  const size_t bytes = page_bytes();
  void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  if (madvise(page, bytes, kNoAdvice) == 0 || madvise(page, bytes, kWipeOnFork) != 0) {
    munmap(page, bytes);
    return true;
  }
  *out = static_cast<uint32_t*>(page);
  **out = 1;
  return true;
}

void unmap_fork_word(uint32_t* word) {
  if (word != nullptr) munmap(word, page_bytes());
}

std::thread start_thread(const std::string& name, std::function<void()> body) {
  const SignalsBlocked blocked;
  std::thread thread(std::move(body));
  pthread_setname_np(thread.native_handle(), name.c_str());
  return thread;
}

int64_t usable_processors() {
  int64_t count = 1;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re")) {
    long long quota = 0, period = 0;
    if (std::fscanf(file, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0) {
      count = std::min<int64_t>(count, (quota + period - 1) / period);
    }
    std::fclose(file);
  }
  return std::max<int64_t>(count, 1);
}

std::string_view library_suffix() { return ".so"; }

}  // namespace percale::os
