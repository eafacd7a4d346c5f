#include "ops/all_ops.h"

#include "devices/cpu/simd/simd.h"

namespace percale {
namespace {

#define PERCALE_REGISTER(family) register_##family,
constexpr RegisterFamily kFamilies[] = {PERCALE_FAMILIES(PERCALE_REGISTER)};
#undef PERCALE_REGISTER

}  // namespace

Status register_all_ops(Registry& registry, const simd::SimdTable* simd) {
  for (RegisterFamily family : kFamilies) PERCALE_RETURN_IF_ERROR(family(registry, simd));
  return registry.check_built_ops();
}

Status register_all_ops(Registry& registry, std::string_view isa, Numerics numerics) {
  const auto cap = simd::parse_isa_cap(isa);
  if (!cap) return invalid_argument("isa: '", isa, "' is no instruction set that CPU kernels may use");
  const simd::Isa allowed = simd::capped(simd::detect_isa(), *cap);
  const simd::Isa chosen = numerics.portable ? simd::portable_isa(allowed) : allowed;
  if (numerics.portable && chosen == simd::Isa::kNone) {
    return failed_precondition("numerics: 'portable' needs vector kernels, but this build has none for this machine; ",
                               "use 'native' here");
  }
  registry.set_isa(simd::isa_name(chosen));
  registry.set_numerics(numerics);
  using enum simd::MultiplyAdd;
  return register_all_ops(registry, simd::simd_table(chosen, numerics.portable ? kRoundedTwice : kFused));
}

}  // namespace percale
