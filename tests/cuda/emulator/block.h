// Runs the threads of a block one after the other, each until it has to wait for others.
#ifndef PERCALE_TESTS_CUDA_EMULATOR_BLOCK_H_
#define PERCALE_TESTS_CUDA_EMULATOR_BLOCK_H_

#include <cstdint>
#include <memory>
#include <string>

#include "tests/cuda/emulator/shim.h"

namespace percale_emulator {

using Kernel = void (*)(const void* arguments);

// Sets the execution order of blocks, and of warps and lanes between barriers: 0 ascending, 1
// descending, else random with this value as the seed. A GPU guarantees no order, so results that
// depend on it show a race.
void set_order(uint64_t order);

// Runs one launch. Returns "", or a description of the kernel's error. Only one launch at a time
// per process.
std::string run_grid(Kernel kernel, const void* arguments, EmulatedDim3 grid, EmulatedDim3 block,
                     unsigned shared_bytes);

// Records an error of the kernel, such as an invalid address; run_grid() returns it.
void complain(const std::string& what);

}  // namespace percale_emulator

#endif  // PERCALE_TESTS_CUDA_EMULATOR_BLOCK_H_
