#include <percale.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    return std::printf("percale %s\n", percale_version()) < 0 ? 1 : 0;
  }
  if (argc > 1) std::fprintf(stderr, "percale: unknown command '%s'\n", argv[1]);
  std::fputs("usage: percale --version\n", stderr);
  return 2;
}
