#include "devices/cpu/cpu_device.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/base/c_status.h"
#include "core/system/memory.h"
#include "core/system/process.h"
#include "core/system/processor.h"

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

// The processor's name, or else its architecture.
std::string model_name() {
  const std::string name = os::processor_name();
  return name.empty() ? os::machine_name() : name;
}

// Returns the machine's memory, or the pool's limit if that is less.
uint64_t memory_bytes(const MemoryPool& pool) {
  uint64_t bytes = os::machine_memory();
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

CpuDevices::CpuDevices(std::shared_ptr<MemoryPool> pool) : pool_(std::move(pool)), model_(model_name()) {
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
