// The program percale-worker.
#include <cstdio>
#include <cstring>
#include <exception>

#include "devices/remote/net/certificates.h"

namespace {

constexpr const char* kUsage =
    "usage: percale-worker --make-certificates DIR\n"
    "  --make-certificates DIR  Makes the certificates of a private cluster. Copy DIR to all its machines, where\n"
    "                           PERCALE_CERTIFICATES names it. Whoever has node.key can join.\n";

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(kUsage, stdout) < 0;
  if (argc != 3 || std::strcmp(argv[1], "--make-certificates") != 0) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  try {
    percale::remote::make_certificates(argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "percale-worker: %s\n", error.what());
    return 1;
  }
}
