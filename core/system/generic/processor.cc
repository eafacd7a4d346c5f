// For architectures of which nothing is known.
#include "core/system/processor.h"

#include <thread>

namespace percale::os {

void pause_processor() { std::this_thread::yield(); }

uint32_t set_float_mode() { return 0; }
void restore_float_mode(uint32_t) {}

std::string processor_name() { return {}; }

Crc32c crc32c_instructions() { return nullptr; }

}  // namespace percale::os
