#include "core/system/process.h"

#include <sys/utsname.h>
#include <unistd.h>

namespace percale::os {

int64_t process_id() { return getpid(); }

std::string machine_name() {
  utsname system{};
  return uname(&system) == 0 ? system.machine : "unknown";
}

}  // namespace percale::os
