// The status object of the C ABI, and its conversion from and to percale::Status.
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

// Converts `status` to a C status that the caller must release, or null for success. Never throws:
// if the object cannot be allocated, returns the static out-of-memory status.
percale_status* to_c(Status status) noexcept;
// Takes ownership of `status` and returns the Status in it. Null gives success.
Status from_c(percale_status* status);
// Add and drop a reference; the last release frees the object. Null and the static status are
// ignored.
percale_status* retain_c_status(percale_status* status) noexcept;
void release_c_status(percale_status* status) noexcept;
// Returns the static status for RESOURCE_EXHAUSTED. It needs no allocation and is never freed.
percale_status* out_of_memory_c_status() noexcept;
// Returns a status INTERNAL, "an unexpected exception".
percale_status* unexpected_c_status() noexcept;
// Returns the number of status objects in this process that are not yet released. Tests compare it
// before and after.
int64_t live_c_statuses() noexcept;

// Runs `f`, which returns Status, and converts its result or its exception to a C status. This is
// the only place of the core that catches exceptions.
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
