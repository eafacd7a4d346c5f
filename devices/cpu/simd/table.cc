#include "devices/cpu/simd/simd.h"

namespace percale::simd {

namespace {

template <MultiplyAdd kMultiplyAdd>
constexpr SimdTable table_of(Isa isa) {
  constexpr auto kM = kMultiplyAdd;
  return {isa,       kM,        {isa, kM}, {isa, kM}, {isa, kM}, {isa, kM}, {isa, kM}, {isa, kM},
          {isa, kM}, {isa, kM}, {isa, kM}, {isa, kM}, {isa, kM}, {isa, kM}, {isa, kM}};
}
template <MultiplyAdd kMultiplyAdd>
constexpr SimdTable kTables[kIsaCount] = {table_of<kMultiplyAdd>(Isa::kSse4), table_of<kMultiplyAdd>(Isa::kAvx2),
                                          table_of<kMultiplyAdd>(Isa::kAvx512), table_of<kMultiplyAdd>(Isa::kNeon)};

}  // namespace

const SimdTable* simd_table(Isa isa, MultiplyAdd multiply_add) {
  if (isa == Isa::kNone) return nullptr;
  const auto& tables =
      multiply_add == MultiplyAdd::kRoundedTwice ? kTables<MultiplyAdd::kRoundedTwice> : kTables<MultiplyAdd::kFused>;
  return &tables[static_cast<int>(isa)];
}

}  // namespace percale::simd
