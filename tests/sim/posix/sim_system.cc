#include "tests/sim/sim_system.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

namespace percale_sim {

uint64_t page_bytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

char* reserve_addresses(uint64_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<char*>(pages);
}

void release_addresses(char* address, uint64_t bytes) { munmap(address, bytes); }

// The thread inherits the mask.
std::thread start_thread(std::function<void()> body) {
  sigset_t all, saved;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &saved);
  std::thread out(std::move(body));
  pthread_sigmask(SIG_SETMASK, &saved, nullptr);
  return out;
}

void* open_shared_library(const char* path, std::string* out_reason) {
  void* out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (out == nullptr) *out_reason = dlerror();
  return out;
}

void* find_symbol(void* library, const char* name) { return dlsym(library, name); }

}  // namespace percale_sim
