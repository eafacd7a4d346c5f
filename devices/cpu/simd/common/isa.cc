#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

Isa detect_isa() { return capped(isa_of_machine(), kHighestIsa); }

std::optional<Isa> parse_isa_cap(std::string_view text) {
  if (text == "auto" || text == "neon") return Isa::kNeon;
  if (text == "avx512") return Isa::kAvx512;
  if (text == "avx2") return Isa::kAvx2;
  if (text == "sse4") return Isa::kSse4;
  return std::nullopt;
}

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::kSse4: return "sse4";
    case Isa::kAvx2: return "avx2";
    case Isa::kAvx512: return "avx512";
    case Isa::kNeon: return "neon";
    case Isa::kNone: break;
  }
  return "none";
}

}  // namespace percale::simd
