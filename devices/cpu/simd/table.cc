#include "devices/cpu/simd/simd.h"

namespace percale::simd {

namespace {

constexpr SimdTable table_of(Isa isa) {
  return {isa, {isa}, {isa}, {isa}, {isa}, {isa}, {isa}, {isa}, {isa}, {isa}, {isa}, {isa}, {isa}, {isa}};
}

constexpr SimdTable kTables[kIsaCount] = {table_of(Isa::kSse4), table_of(Isa::kAvx2), table_of(Isa::kAvx512),
                                          table_of(Isa::kNeon)};

}  // namespace

const SimdTable* simd_table(Isa isa) { return isa == Isa::kNone ? nullptr : &kTables[static_cast<int>(isa)]; }

}  // namespace percale::simd
