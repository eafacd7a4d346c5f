#include "tests/sim/sim_system.h"

#include <windows.h>

#include <utility>

namespace percale_sim {

uint64_t page_bytes() {
  SYSTEM_INFO info{};
  GetSystemInfo(&info);
  return info.dwPageSize;
}

char* reserve_addresses(uint64_t bytes) {
  return static_cast<char*>(VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS));
}

void release_addresses(char* address, uint64_t) { VirtualFree(address, 0, MEM_RELEASE); }

std::thread start_thread(std::function<void()> body) { return std::thread(std::move(body)); }

void* open_shared_library(const char* path, std::string* out_reason) {
  void* out = path == nullptr ? GetModuleHandleA(nullptr) : LoadLibraryA(path);
  if (out == nullptr) *out_reason = "error " + std::to_string(GetLastError());
  return out;
}

void* find_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace percale_sim
