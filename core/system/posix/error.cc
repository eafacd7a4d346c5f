#include "core/system/error.h"

#include <cerrno>

namespace percale::os {

int quota_error() { return EDQUOT; }

}  // namespace percale::os
