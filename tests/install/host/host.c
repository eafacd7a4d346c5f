#include <percale.h>
#include <stdio.h>

int main(void) {
  printf("percale %s\n", percale_version());
  return percale_abi_version() > 0 ? 0 : 1;
}
