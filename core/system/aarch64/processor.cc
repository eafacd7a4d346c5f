#include "core/system/processor.h"

namespace percale::os {

void pause_processor() { __asm__ volatile("isb" ::: "memory"); }

// FPCR of 0: rounds to nearest, keeps denormals, masks all traps.
uint32_t set_float_mode() {
  uint64_t saved = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
  __asm__ volatile("msr fpcr, %0" ::"r"(uint64_t{0}));
  return static_cast<uint32_t>(saved);
}

void restore_float_mode(uint32_t saved) { __asm__ volatile("msr fpcr, %0" ::"r"(uint64_t{saved})); }

// Programs cannot read the registers that identify the processor.
std::string processor_name() { return {}; }

// They are not part of the architecture's first version.
Crc32c crc32c_instructions() { return nullptr; }

}  // namespace percale::os
