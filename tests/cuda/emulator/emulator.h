// What the emulator's libraries share, and what tests ask it.
#ifndef PERCALE_TESTS_CUDA_EMULATOR_EMULATOR_H_
#define PERCALE_TESTS_CUDA_EMULATOR_EMULATOR_H_

#include <cstdint>
#include <functional>
#include <string>

#include "devices/cuda/driver/cuda_abi.h"

namespace percale_emulator {

// Puts work on a stream; what it gives is empty, or what it does wrong. For libcublasLt.
percale::cuda::abi::Result enqueue(percale::cuda::abi::Stream stream, std::function<std::string()> work);
// Where such work can reach device memory; null where the bytes are not all in one block.
void* reach_bytes(uint64_t address, uint64_t bytes);
// Something that a correct program does not do: told on stderr and counted.
void note_problem(const std::string& what);

// What libnvrtc gives as a GPU's code: this, and behind it the bytes of a library for the host.
inline constexpr char kCompiledMark[8] = {'h', 'o', 's', 't', 'c', 'o', 'd', 'e'};
struct CompiledCode {
  char mark[8];
  uint64_t bytes;
};

}  // namespace percale_emulator

extern "C" {

// For tests: how many problems there were since the last time.
__attribute__((visibility("default"))) uint64_t percale_emulator_problems(void);
// Anew, as PERCALE_CUDA_EMULATOR says it: "sticky_launch=3". Null: no faults.
__attribute__((visibility("default"))) void percale_emulator_configure(const char* text);
// Calls since then: launches, copies between host and device, allocations.
__attribute__((visibility("default"))) uint64_t percale_emulator_launches(void);
__attribute__((visibility("default"))) uint64_t percale_emulator_copies(void);
__attribute__((visibility("default"))) uint64_t percale_emulator_allocations(void);
}

#endif  // PERCALE_TESTS_CUDA_EMULATOR_EMULATOR_H_
