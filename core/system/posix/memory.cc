#include "core/system/memory.h"

#include <unistd.h>

#include <cstdlib>

namespace percale::os {

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

uint64_t machine_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) : 0;
}

void* allocate_aligned(size_t alignment, size_t bytes) {
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

void free_aligned(void* memory) { std::free(memory); }

}  // namespace percale::os
