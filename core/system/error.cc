#include "core/system/error.h"

#include <cerrno>
#include <system_error>

namespace percale::os {

ErrorKind error_kind(int error) {
  if (error == quota_error()) return ErrorKind::kExhausted;
  switch (error) {
    case ENOENT:
    case ENOTDIR: return ErrorKind::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorKind::kPermissionDenied;
    case EEXIST:
    case ENOTEMPTY: return ErrorKind::kAlreadyExists;
    case ENOSPC:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EFBIG: return ErrorKind::kExhausted;
    default: return ErrorKind::kOther;
  }
}

std::string error_text(int error) { return std::generic_category().message(error); }

}  // namespace percale::os
