// Which of the host's callbacks a thread is in, where that limits what it may call.
#ifndef PERCALE_C_API_CALLBACK_H_
#define PERCALE_C_API_CALLBACK_H_

#include <cstdint>

#include "core/base/status.h"

namespace percale::c_api {

enum class Callback : uint8_t {
  kNone,  // none, or one that limits nothing by itself
  // percale_event_callback: functions that wait are refused, because others wait for its thread.
  kEvent,
  // percale_log_function, percale_destroy, percale_deleter: every function that returns a status is
  // refused, because the library may be in the middle of anything.
  kClosed,
};

// The thread is in the callback as long as this lives. Scopes nest.
class CallbackScope {
 public:
  explicit CallbackScope(Callback kind) noexcept;
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  Callback before_;
};

// FAILED_PRECONDITION within a closed callback. guarded() asks for every function that returns a
// status.
Status check_may_call(const char* function);
// FAILED_PRECONDITION within percale_event_callback too.
Status check_may_wait(const char* function);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_CALLBACK_H_
