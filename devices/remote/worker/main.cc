// The program percale-worker: serves devices to other processes, or makes certificates.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "devices/remote/net/certificates.h"
#include "devices/remote/worker/arguments.h"
#include "devices/remote/worker/service.h"

int main(int argc, char** argv) {
  using namespace percale::worker;
  try {
    const Arguments arguments = parse(std::vector<std::string>(argv + 1, argv + argc));
    if (arguments.help) return std::fputs(kUsage, stdout) < 0;
    if (!arguments.new_certificates.empty()) {
      percale::remote::make_certificates(arguments.new_certificates);
      return 0;
    }
    return serve(arguments);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "percale-worker: %s\n%s", error.message.c_str(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "percale-worker: %s\n", error.what());
    return 1;
  }
}
