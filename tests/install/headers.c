/* The public headers need no other headers and compile without warnings as C99 and as C++17. */
#include <percale.h>
#include <percale_plugin.h>

int main(void) { return percale_abi_version() > 0 ? 0 : 1; }
