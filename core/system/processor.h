// Instructions that are particular to an architecture. Vector kernels are in devices/cpu/simd.
#ifndef PERCALE_CORE_SYSTEM_PROCESSOR_H_
#define PERCALE_CORE_SYSTEM_PROCESSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace percale::os {

// Tells the processor that the thread polls.
void pause_processor();

// Sets the thread to round to nearest, keep denormals and mask all traps. Returns what
// restore_float_mode() sets again. Both do nothing where the architecture has no such register.
uint32_t set_float_mode();
void restore_float_mode(uint32_t saved);

// The processor's own name; empty if it does not tell.
std::string processor_name();

// The CRC-32C of bytes after `crc`, without the inversions at both ends, by instructions of the
// processor. Null if it has none.
using Crc32c = uint32_t (*)(const unsigned char* data, size_t bytes, uint32_t crc);
Crc32c crc32c_instructions();

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_PROCESSOR_H_
