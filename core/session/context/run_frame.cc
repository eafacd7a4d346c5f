#include "core/session/context/run_frame.h"

namespace percale {

Status RunFrame::stop_reason() const {
  if (!should_stop()) return {};
  if (is_cancelled()) return Status(Code::kCancelled, "the run was cancelled; nothing was assigned");
  return Status(Code::kDeadlineExceeded, "the run's deadline has passed; nothing was assigned");
}

}  // namespace percale
