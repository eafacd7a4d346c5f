#include <malloc.h>
#include <process.h>
#include <windows.h>
// After windows.h, whose types it uses.
#include <ntsecapi.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "core/system/memory.h"
#include "core/system/process.h"
#include "core/system/thread.h"
#include "core/system/windows/wide_text.h"

namespace percale::os {
namespace {

SYSTEM_INFO system_info() {
  SYSTEM_INFO out{};
  GetNativeSystemInfo(&out);
  return out;
}

}  // namespace

size_t page_bytes() { return system_info().dwPageSize; }

uint64_t machine_memory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  return GlobalMemoryStatusEx(&status) != 0 ? status.ullTotalPhys : 0;
}

void* allocate_aligned(size_t alignment, size_t bytes) { return _aligned_malloc(bytes, alignment); }

void free_aligned(void* memory) { _aligned_free(memory); }

// Large pages need a privilege that few processes have.
void prefer_large_pages(void*, size_t) {}
void populate_pages(void*, size_t) {}
void return_free_memory() { _heapmin(); }

// Processes do not fork.
bool map_fork_word(uint32_t** out) {
  *out = nullptr;
  return true;
}
void unmap_fork_word(uint32_t*) {}

int64_t process_id() { return _getpid(); }

int random_bytes(void* out, size_t bytes) { return RtlGenRandom(out, static_cast<ULONG>(bytes)) != 0 ? 0 : EIO; }

std::string machine_name() {
  switch (system_info().wProcessorArchitecture) {
    case PROCESSOR_ARCHITECTURE_AMD64: return "x86_64";
    case PROCESSOR_ARCHITECTURE_ARM64: return "aarch64";
    default: return "unknown";
  }
}

// There are no signals to block. A name is for debuggers alone, so it may fail.
std::thread start_thread(const std::string& name, std::function<void()> body) {
  return std::thread([name, body = std::move(body)] {
    using SetDescription = HRESULT(WINAPI*)(HANDLE, PCWSTR);  // since Windows 10
    const HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    const auto set =
        reinterpret_cast<SetDescription>(reinterpret_cast<void*>(GetProcAddress(kernel, "SetThreadDescription")));
    if (set != nullptr) set(GetCurrentThread(), wide_text(name).c_str());
    body();
  });
}

int64_t usable_processors() {
  DWORD_PTR own = 0, all = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all) == 0) own = 0;
  return std::max<int64_t>(std::popcount(uint64_t{own}), 1);
}

}  // namespace percale::os
