#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

Isa isa_of_machine() { return Isa::kNone; }

}  // namespace percale::simd
