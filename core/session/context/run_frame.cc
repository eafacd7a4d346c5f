#include "core/session/context/run_frame.h"

namespace percale {
namespace {

bool is_cancelled(const RunFrame& frame) {
  return (frame.session_cancel != nullptr && frame.session_cancel->cancelled()) ||
         (frame.options.cancel != nullptr && frame.options.cancel->cancelled());
}

}  // namespace

bool RunFrame::should_stop() const {
  return is_cancelled(*this) || (options.deadline_ns >= 0 && now_ns() >= options.deadline_ns);
}

Status RunFrame::stop_reason() const {
  if (!should_stop()) return {};
  if (is_cancelled(*this)) return Status(Code::kCancelled, "the run was cancelled; nothing was assigned");
  return Status(Code::kDeadlineExceeded, "the run's deadline has passed; nothing was assigned");
}

}  // namespace percale
