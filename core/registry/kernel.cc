#include "core/registry/kernel.h"

#include <algorithm>
#include <cstring>

void percale_run_context::fail_with(int32_t code, std::string_view message) {
  if (status_claimed.exchange(true)) return;
  status_code = code;
  size_t size = std::min(message.size(), sizeof status_text - 1);
  // Do not split a UTF-8 sequence.
  while (size > 0 && size < message.size() && (static_cast<unsigned char>(message[size]) & 0xC0) == 0x80) --size;
  std::memcpy(status_text, message.data(), size);
  status_text[size] = 0;
  fail(percale::RunError::kKernelStatus, 0);
}

void percale_run_context::clear_error() {
  // Relaxed, because no other thread sees the run yet.
  error.store(0, std::memory_order_relaxed);
  error_message.store(nullptr, std::memory_order_relaxed);
  status_claimed.store(false, std::memory_order_relaxed);
  failed_mark.store(-1, std::memory_order_relaxed);
  mark = -1;
}

namespace percale::kernel_detail {

percale_status* call_accepts(Status (*accepts)(const NodeView&), const NodeView& node) noexcept {
  return catch_to_c([&] { return accepts(node); });
}

percale_status* call_plan(Status (*plan)(const NodeView&, KernelPlan&, void** out_state), const NodeView& node,
                          KernelPlan& out_plan, void** out_state) noexcept {
  return catch_to_c([&] { return plan(node, out_plan, out_state); });
}

}  // namespace percale::kernel_detail
