#include "devices/cpu/cpu_device.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/base/c_status.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace percale {
namespace {

// One of the virtual devices.
struct CpuDevice {
  const CpuDevices& kind;
  std::atomic<uint64_t> used{0}, peak{0};
};

// free() receives no size, so each block starts with a header that stores it. The header is one
// alignment unit, which keeps the memory after it aligned.
struct alignas(kAlignment) BlockHeader {
  uint64_t bytes;
};

constexpr auto kHeaderBytes = static_cast<int64_t>(sizeof(BlockHeader));

std::string machine_name() {
  utsname system{};
  return uname(&system) == 0 ? system.machine : "unknown";
}

#if defined(__x86_64__) || defined(__i386__)
// Reads the brand string from CPUID leaves 0x80000002 to 0x80000004: 48 characters, padded with
// blanks or NUL.
std::string processor_name() {
  uint32_t words[12] = {};
  if (__get_cpuid_max(0x80000000U, nullptr) < 0x80000004U) return machine_name();
  for (uint32_t leaf = 0; leaf < 3; ++leaf) {
    uint32_t* w = words + 4 * leaf;
    __get_cpuid(0x80000002U + leaf, w, w + 1, w + 2, w + 3);
  }
  char text[sizeof words + 1] = {};
  std::memcpy(text, words, sizeof words);
  std::string name(text);
  name.erase(0, name.find_first_not_of(' '));
  name.erase(name.find_last_not_of(' ') + 1);
  return name.empty() ? machine_name() : name;
}
#else
std::string processor_name() { return machine_name(); }
#endif

// Returns the machine's memory, or the pool's limit if that is less.
uint64_t memory_bytes(const MemoryPool& pool) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  uint64_t bytes = pages > 0 && page > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) : 0;
  if (pool.limit() > 0) {
    const auto limit = static_cast<uint64_t>(pool.limit());
    bytes = bytes == 0 ? limit : std::min(bytes, limit);
  }
  return bytes;
}

int32_t probe(void*, const char** out_reason) {
  *out_reason = nullptr;
  return CpuDevices::kCount;
}

percale_status* open(void* self, int32_t index, const percale_device_options*, void** out_device) {
  return catch_to_c([&]() -> Status {
    *out_device = nullptr;
    if (index < 0 || index >= CpuDevices::kCount) {
      return not_found("cpu:", index, ": there are cpu:0 to cpu:", CpuDevices::kCount - 1);
    }
    *out_device = new CpuDevice{*static_cast<const CpuDevices*>(self)};
    return {};
  });
}

void close(void* device) { delete static_cast<CpuDevice*>(device); }

percale_status* describe(void* device, percale_device_description* out) {
  const CpuDevices& kind = static_cast<const CpuDevice*>(device)->kind;
  percale_device_description description{};
  description.struct_size = static_cast<uint32_t>(std::min<size_t>(out->struct_size, sizeof description));
  description.kind = "cpu";
  description.model = kind.model().c_str();
  description.memory_bytes = memory_bytes(*kind.pool());
  description.shares_host_memory = 1;
  std::memcpy(out, &description, description.struct_size);
  return nullptr;
}

percale_status* allocate(void* device, uint64_t bytes, void** out_memory) {
  return catch_to_c([&]() -> Status {
    *out_memory = nullptr;
    auto& self = *static_cast<CpuDevice*>(device);
    if (bytes == 0) return invalid_argument("cannot allocate 0 bytes");
    if (bytes > static_cast<uint64_t>(INT64_MAX - kHeaderBytes)) {
      return resource_exhausted("the system has no ", bytes, " bytes of memory");
    }
    PERCALE_ASSIGN_OR_RETURN(void* block, self.kind.pool()->allocate(static_cast<int64_t>(bytes) + kHeaderBytes));
    new (block) BlockHeader{bytes};
    const uint64_t now = self.used.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    uint64_t peak = self.peak.load(std::memory_order_relaxed);
    while (now > peak && !self.peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    *out_memory = static_cast<char*>(block) + kHeaderBytes;
    return {};
  });
}

void free(void* device, void* memory) {
  if (memory == nullptr) return;
  auto& self = *static_cast<CpuDevice*>(device);
  void* block = static_cast<char*>(memory) - kHeaderBytes;
  const uint64_t bytes = static_cast<const BlockHeader*>(block)->bytes;
  self.used.fetch_sub(bytes, std::memory_order_relaxed);
  self.kind.pool()->free(block, static_cast<int64_t>(bytes) + kHeaderBytes);
}

percale_status* copy(void*, void*, void* to, const void* from, uint64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return nullptr;
}

void memory_stats(void* device, uint64_t* out_used, uint64_t* out_peak) {
  const auto& self = *static_cast<const CpuDevice*>(device);
  *out_used = self.used.load(std::memory_order_relaxed);
  *out_peak = self.peak.load(std::memory_order_relaxed);
}

}  // namespace

std::shared_ptr<const CpuDevices> CpuDevices::create(std::shared_ptr<MemoryPool> pool) {
  return std::shared_ptr<const CpuDevices>(new CpuDevices(std::move(pool)));
}

CpuDevices::CpuDevices(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)), model_(processor_name()) {
  api_.struct_size = sizeof api_;
  api_.self = this;
  api_.kind = "cpu";
  api_.probe = probe;
  api_.open = open;
  api_.close = close;
  api_.describe = describe;
  api_.allocate = allocate;
  api_.free = free;
  api_.copy_from_host = copy;
  api_.copy_to_host = copy;
  api_.memory_stats = memory_stats;
}

}  // namespace percale
