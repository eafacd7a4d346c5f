// Allocations and copies.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "tests/cuda/emulator/driver/driver.h"

using namespace percale_emulator;
using namespace percale_emulator::driver;

namespace {

Result copy(const char* who, StreamTag* stream, uint64_t device, uint64_t bytes, const void* host,
            std::function<std::string()> work, bool to_host = false) {
  Call call(who);
  if (call.fails()) return call.result;
  State& s = state();
  if (!known(stream, who)) return kInvalidValue;
  if (bytes == 0) return misuse(std::string(who) + " of nothing");
  if (host != nullptr && !s.memory.is_host(host, bytes))
    return misuse(std::string(who) + " with memory that is not pinned");
  if (s.memory.reach(device, bytes) == nullptr) return misuse(std::string(who) + " beyond a block");
  s.memory.check_touched();
  if (to_host && s.launches_at_copy == 0) s.launches_at_copy = s.launches;
  // A later call reports it.
  if (host != nullptr && fault(++s.copies, s.options.sticky_copy, *call.context)) return kSuccess;
  stream->push(std::move(work));
  return kSuccess;
}

}  // namespace

extern "C" {

Result cuMemAlloc_v2(Address* out, size_t bytes) {
  const Call call("cuMemAlloc");
  if (call.fails()) return call.result;
  State& s = state();
  if (bytes == 0) return misuse("cuMemAlloc of nothing");
  ++s.allocations;
  if (s.allocations == s.options.fail_allocation) return kOutOfMemory;
  if (bytes > s.options.memory - std::min(s.options.memory, s.memory.used(call.context->device))) return kOutOfMemory;
  *out = s.memory.allocate(call.context->device, bytes);
  return *out == 0 ? kOutOfMemory : kSuccess;
}

// Waits for the whole device, as the real one does.
Result cuMemFree_v2(Address memory) {
  const Call call("cuMemFree");
  if (call.context == nullptr) return call.result;
  State& s = state();
  for (StreamTag* stream : s.streams) {
    if (stream->context == call.context) drain(*stream);
  }
  const std::string wrong = s.memory.free(memory);
  if (!wrong.empty()) return misuse(wrong);
  return call.context->sticky;
}

Result cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
  const Call call("cuMemHostAlloc");
  if (call.fails()) return call.result;
  State& s = state();
  if (bytes == 0) return misuse("cuMemHostAlloc of nothing");
  if (++s.host_allocations == s.options.fail_host_allocation) return kOutOfMemory;
  if ((flags & kHostPortable) == 0) note_problem("pinned memory that other devices do not know");
  *out = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (*out == nullptr) return kOutOfMemory;
  s.memory.add_host(*out, bytes);
  return kSuccess;
}

Result cuMemFreeHost(void* memory) {
  const Call call("cuMemFreeHost");
  if (call.context == nullptr) return call.result;
  State& s = state();
  for (StreamTag* stream : s.streams) drain(*stream);
  if (!s.memory.remove_host(memory)) return misuse("cuMemFreeHost of what is not allocated");
  std::free(memory);
  return kSuccess;
}

Result cuMemHostGetDevicePointer_v2(Address* address, void* memory, unsigned) {
  *address = reinterpret_cast<Address>(memory);
  return kSuccess;
}

Result cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Stream stream) {
  return copy("cuMemcpyHtoDAsync", stream, to, bytes, from, [=]() -> std::string {
    void* target = reach_bytes(to, bytes);
    if (target == nullptr || reach_bytes(reinterpret_cast<uint64_t>(from), bytes) == nullptr)
      return "a copy of what was freed";
    std::memcpy(target, from, bytes);
    return "";
  });
}

Result cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Stream stream) {
  return copy(
      "cuMemcpyDtoHAsync", stream, from, bytes, to,
      [=]() -> std::string {
        const void* source = reach_bytes(from, bytes);
        if (source == nullptr || reach_bytes(reinterpret_cast<uint64_t>(to), bytes) == nullptr)
          return "a copy of what was freed";
        std::memcpy(to, source, bytes);
        return "";
      },
      true);
}

Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream stream) {
  return copy("cuMemcpyDtoDAsync", stream, to, bytes, nullptr, [=]() -> std::string {
    const void* source = reach_bytes(from, bytes);
    void* target = reach_bytes(to, bytes);
    if (source == nullptr || target == nullptr) return "a copy of what is no memory";
    std::memmove(target, source, bytes);
    return "";
  });
}

Result cuMemsetD8Async(Address to, unsigned char value, size_t bytes, Stream stream) {
  return copy("cuMemsetD8Async", stream, to, bytes, nullptr, [=]() -> std::string {
    void* target = reach_bytes(to, bytes);
    if (target == nullptr) return "cuMemsetD8 of what was freed";
    std::memset(target, value, bytes);
    return "";
  });
}

}  // extern "C"
