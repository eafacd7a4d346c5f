// The status object of the C ABI, and the two ways across the border.
#ifndef PERCALE_CORE_BASE_C_STATUS_H_
#define PERCALE_CORE_BASE_C_STATUS_H_

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "core/base/status.h"

struct percale_status {
  percale::Status status;
  std::atomic<int64_t> users{1};
};

namespace percale {

// Null for success; else an object that the receiver releases. Never throws: without memory for the object it gives the
// one static out-of-memory status.
percale_status* to_c(Status status) noexcept;
// Takes the object over: the Status it holds, success for null.
Status from_c(percale_status* status);
// One user more, one less: the last one's release frees. Null and the static status are left alone.
percale_status* retain_c_status(percale_status* status) noexcept;
void release_c_status(percale_status* status) noexcept;
// The static status for RESOURCE_EXHAUSTED.
percale_status* out_of_memory_c_status() noexcept;
// A status for INTERNAL, "an unexpected exception".
percale_status* unexpected_c_status() noexcept;
// Status objects that were made and not yet released, in this process: tests compare it before and after.
int64_t live_c_statuses() noexcept;

// Runs `f`, which returns Status, and turns what it returns or throws into a C status. The only catch of the core.
template <class F>
percale_status* catch_to_c(F&& f) noexcept {
  try {
    return to_c(std::forward<F>(f)());
  } catch (const std::bad_alloc&) {
    return out_of_memory_c_status();
  } catch (...) {
    return unexpected_c_status();
  }
}

}  // namespace percale

#endif  // PERCALE_CORE_BASE_C_STATUS_H_
