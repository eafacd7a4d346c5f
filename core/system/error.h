// Errors of system calls. They are values of errno on every system.
#ifndef PERCALE_CORE_SYSTEM_ERROR_H_
#define PERCALE_CORE_SYSTEM_ERROR_H_

#include <string>

namespace percale::os {

enum class ErrorKind { kOther, kNotFound, kPermissionDenied, kAlreadyExists, kExhausted };

// kExhausted covers disk space, quotas, open files and memory.
ErrorKind error_kind(int error);

// Returns the C library's text, such as "No such file or directory".
std::string error_text(int error);

// The error of a used-up disk quota.
int quota_error();

// A system call that failed; `error` is 0 if none did.
struct CallError {
  const char* call = "";
  int error = 0;
};

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_ERROR_H_
