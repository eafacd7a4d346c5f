// The promises of an engine about the bits of its results.
#ifndef PERCALE_CORE_REGISTRY_NUMERICS_H_
#define PERCALE_CORE_REGISTRY_NUMERICS_H_

#include <string>

#include "core/maths/functions.h"

namespace percale {

struct Numerics {
  bool portable = false;         // the same bits on every CPU: no fused multiply-add
  bool batch_invariant = false;  // the bits of a row do not depend on the other rows of its batch

  bool operator==(const Numerics&) const = default;
  // True if only the library's own kernels for the CPU compute its ops, because the order of the
  // sums of others is unknown.
  bool own_kernels_only() const { return portable || batch_invariant; }
  // The elementary functions of kernels without vectors.
  const maths::Functions& functions() const { return portable ? maths::kPortable : maths::kNative; }
  // The options that are set, such as "numerics=portable batch_invariant=on".
  std::string text() const {
    std::string out = portable ? "numerics=portable" : "";
    if (batch_invariant) out += out.empty() ? "batch_invariant=on" : " batch_invariant=on";
    return out;
  }
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_NUMERICS_H_
