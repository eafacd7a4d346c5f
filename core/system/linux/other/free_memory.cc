#include "core/system/memory.h"

namespace percale::os {

// The C library has no call for it.
void return_free_memory() {}

}  // namespace percale::os
