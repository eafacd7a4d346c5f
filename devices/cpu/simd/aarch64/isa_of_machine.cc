#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

// NEON is a part of the architecture.
Isa isa_of_machine() { return Isa::kNeon; }

}  // namespace percale::simd
