// Errors of Windows' functions as values of errno.
#ifndef PERCALE_CORE_SYSTEM_WINDOWS_LAST_ERROR_H_
#define PERCALE_CORE_SYSTEM_WINDOWS_LAST_ERROR_H_

namespace percale::os {

// The error of this thread's last call that failed; never 0.
int last_error();
// 0 if the call succeeded, else last_error().
inline int error_of(int succeeded) { return succeeded != 0 ? 0 : last_error(); }

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_WINDOWS_LAST_ERROR_H_
