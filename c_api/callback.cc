#include "c_api/callback.h"

#include <utility>

namespace percale::c_api {
namespace {

// A callback has no argument in which the library could find itself again when it is called from
// within.
constinit thread_local Callback current = Callback::kNone;

}  // namespace

CallbackScope::CallbackScope(Callback kind) noexcept : before_(std::exchange(current, kind)) {}

CallbackScope::~CallbackScope() { current = before_; }

Status check_may_call(const char* function) {
  if (current != Callback::kClosed) return {};
  return failed_precondition(function, ": not within a log function, a destroy function or a deleter");
}

Status check_may_wait(const char* function) {
  if (current != Callback::kEvent) return {};
  return failed_precondition(function, ": not within the callback of an event, which must not wait");
}

}  // namespace percale::c_api
