#include "core/base/c_status.h"

#include <atomic>

namespace percale {
namespace {

// A process-wide counter, because a status belongs to no engine.
std::atomic<int64_t> live{0};

}  // namespace

percale_status* out_of_memory_c_status() noexcept {
  // Its Status is empty. The C API compares the address and supplies code and message.
  static percale_status status;
  return &status;
}

percale_status* to_c(Status status) noexcept {
  if (status.ok()) return nullptr;
  auto* out = new (std::nothrow) percale_status{std::move(status)};
  if (out == nullptr) return out_of_memory_c_status();
  live.fetch_add(1, std::memory_order_relaxed);
  return out;
}

percale_status* retain_c_status(percale_status* status) noexcept {
  if (status != nullptr && status != out_of_memory_c_status()) status->users.fetch_add(1, std::memory_order_relaxed);
  return status;
}

void release_c_status(percale_status* status) noexcept {
  if (status == nullptr || status == out_of_memory_c_status()) return;
  if (status->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  delete status;
  live.fetch_sub(1, std::memory_order_relaxed);
}

Status from_c(percale_status* status) {
  if (status == nullptr) return {};
  if (status == out_of_memory_c_status()) return Status::out_of_memory();
  Status out = status->status;
  release_c_status(status);
  return out;
}

percale_status* unexpected_c_status() noexcept {
  try {
    return to_c(Status(Code::kInternal, "an unexpected exception occurred"));
  } catch (const std::bad_alloc&) {
    return out_of_memory_c_status();
  }
}

int64_t live_c_statuses() noexcept { return live.load(std::memory_order_relaxed); }

}  // namespace percale
