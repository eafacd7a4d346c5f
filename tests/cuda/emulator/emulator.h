// Declarations shared by the emulated libraries, and functions for tests.
#ifndef PERCALE_TESTS_CUDA_EMULATOR_EMULATOR_H_
#define PERCALE_TESTS_CUDA_EMULATOR_EMULATOR_H_

#include <cstdint>
#include <functional>
#include <string>

#include "devices/cuda/driver/cuda_abi.h"

namespace percale_emulator {

// Enqueues work on a stream. The work returns "" or a description of its error. Used by
// libcublasLt.
percale::cuda::abi::Result enqueue(percale::cuda::abi::Stream stream, std::function<std::string()> work);
// Returns the accessible address of device memory; null if the bytes are not all in one block.
void* reach_bytes(uint64_t address, uint64_t bytes);
// Reports on stderr, and counts, something that a correct program does not do.
void note_problem(const std::string& what);

// The form in which libnvrtc returns a GPU's code: this header, followed by the bytes of a library
// for the host.
inline constexpr char kCompiledMark[8] = {'h', 'o', 's', 't', 'c', 'o', 'd', 'e'};
struct CompiledCode {
  char mark[8];
  uint64_t bytes;
};

}  // namespace percale_emulator

extern "C" {

// For tests: the number of problems since the last call.
__attribute__((visibility("default"))) uint64_t percale_emulator_problems(void);
// Resets the options to a text as in PERCALE_CUDA_EMULATOR, such as "sticky_launch=3". Null: no
// faults.
__attribute__((visibility("default"))) void percale_emulator_configure(const char* text);
// Calls since then: launches, copies between host and device, allocations.
__attribute__((visibility("default"))) uint64_t percale_emulator_launches(void);
__attribute__((visibility("default"))) uint64_t percale_emulator_copies(void);
__attribute__((visibility("default"))) uint64_t percale_emulator_allocations(void);
}

#endif  // PERCALE_TESTS_CUDA_EMULATOR_EMULATOR_H_
