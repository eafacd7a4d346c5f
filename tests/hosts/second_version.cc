// The functions that distinguish the second version of the library from the first; a host calls
// both.
#include "c_api/include/percale.h"

const char* percale_version(void) { return "1.0.0"; }
uint32_t percale_abi_version(void) { return 1000; }
