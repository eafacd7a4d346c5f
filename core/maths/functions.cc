#include "core/maths/functions.h"

#include <math.h>

#include "core/maths/maths.h"

namespace percale::maths {

// The names of C, because std::exp of float is an inline function that calls ::expf.
const Functions kNative = {
    .exp = {::exp, ::expf},
    .expm1 = {::expm1, ::expm1f},
    .log = {::log, ::logf},
    .log1p = {::log1p, ::log1pf},
    .sin = {::sin, ::sinf},
    .cos = {::cos, ::cosf},
    .tanh = {::tanh, ::tanhf},
    .erf = {::erf, ::erff},
    .pow = {::pow, ::powf},
    .log10 = {::log10},
    .tan = {::tan},
    .asin = {::asin},
    .acos = {::acos},
    .atan = {::atan},
    .sinh = {::sinh},
    .cosh = {::cosh},
    .asinh = {::asinh},
    .acosh = {::acosh},
    .atanh = {::atanh},
};

const Functions kPortable = {
    .exp = {maths::exp, maths::exp},
    .expm1 = {maths::expm1, maths::expm1},
    .log = {maths::log, maths::log},
    .log1p = {maths::log1p, maths::log1p},
    .sin = {maths::sin, maths::sin},
    .cos = {maths::cos, maths::cos},
    .tanh = {maths::tanh, maths::tanh},
    .erf = {maths::erf, maths::erf},
    .pow = {maths::pow, maths::pow},
    .log10 = {maths::log10},
    .tan = {maths::tan},
    .asin = {maths::asin},
    .acos = {maths::acos},
    .atan = {maths::atan},
    .sinh = {maths::sinh},
    .cosh = {maths::cosh},
    .asinh = {maths::asinh},
    .acosh = {maths::acosh},
    .atanh = {maths::atanh},
};

}  // namespace percale::maths
