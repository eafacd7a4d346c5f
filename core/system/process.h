// The process and the machine that it runs on.
#ifndef PERCALE_CORE_SYSTEM_PROCESS_H_
#define PERCALE_CORE_SYSTEM_PROCESS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace percale::os {

int64_t process_id();
// Fills `out` with at most 256 random bytes fit for ids. Returns 0 or an error (error.h).
int random_bytes(void* out, size_t bytes);
// The architecture, such as "x86_64" or "aarch64".
std::string machine_name();

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_PROCESS_H_
