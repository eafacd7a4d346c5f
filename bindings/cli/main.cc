#include <percale.h>

#include <cstdio>

int main() { return std::printf("percale %s\n", percale_version()) < 0 ? 1 : 0; }
