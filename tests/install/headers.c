/* The public headers need nothing else and please the strictest reader, as C99 and as C++17. */
#include <percale.h>
#include <percale_plugin.h>

int main(void) { return percale_abi_version() > 0 ? 0 : 1; }
