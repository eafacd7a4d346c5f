// The calls of the operating system that simulated devices need. A folder per system has them.
#ifndef PERCALE_TESTS_SIM_SIM_SYSTEM_H_
#define PERCALE_TESTS_SIM_SIM_SYSTEM_H_

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace percale_sim {

uint64_t page_bytes();
// Returns whole pages of addresses that fault on access; null if there are none.
char* reserve_addresses(uint64_t bytes);
void release_addresses(char* address, uint64_t bytes);

// Starts a thread that receives none of the host's signals.
std::thread start_thread(std::function<void()> body);

// `path` may be null: the program's own symbols. Returns null on failure, with the reason.
void* open_shared_library(const char* path, std::string* out_reason);
void* find_symbol(void* library, const char* name);

}  // namespace percale_sim

#endif  // PERCALE_TESTS_SIM_SIM_SYSTEM_H_
