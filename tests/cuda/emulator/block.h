// Runs the threads of a block, one after the other as far as they do not wait for each other.
#ifndef PERCALE_TESTS_CUDA_EMULATOR_BLOCK_H_
#define PERCALE_TESTS_CUDA_EMULATOR_BLOCK_H_

#include <memory>
#include <string>

#include "tests/cuda/emulator/shim.h"

namespace percale_emulator {

using Kernel = void (*)(const void* arguments);

// Runs one grid. Empty, or what the kernel does wrong. One grid at a time in the process.
std::string run_grid(Kernel kernel, const void* arguments, EmulatedDim3 grid, EmulatedDim3 block,
                     unsigned shared_bytes);

// A kernel's own complaint, such as an address that is no memory: noted, and told by run_grid().
void complain(const std::string& what);

}  // namespace percale_emulator

#endif  // PERCALE_TESTS_CUDA_EMULATOR_BLOCK_H_
