#include <malloc.h>

#include "core/system/memory.h"

namespace percale::os {

void return_free_memory() { malloc_trim(0); }

}  // namespace percale::os
