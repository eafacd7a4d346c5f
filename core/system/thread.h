// Starting threads, and the processors that they may use.
#ifndef PERCALE_CORE_SYSTEM_THREAD_H_
#define PERCALE_CORE_SYSTEM_THREAD_H_

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace percale::os {

// Starts a thread with a name of at most 15 bytes. All signals are blocked in it. Throws
// std::system_error if the system refuses.
std::thread start_thread(const std::string& name, std::function<void()> body);

// Returns the processors that this process may use at once: those in the affinity mask, limited by
// the quota of its cgroup; at least 1.
int64_t usable_processors();

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_THREAD_H_
