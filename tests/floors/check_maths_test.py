"""Tests that the check of elementary functions refuses those that numerics do not choose."""
import sys

import check_maths

ACCEPTED = [("ops/a.cc", "y = functions.exp(x) + std::sqrt(x) + std::fmod(x, y) + std::floor(x);"),
            ("ops/a.cc", "y = x;  // not std::exp(x)"),
            ("ops/a.cc", "y = hn::exp(x); fn.expf(x); std::expand(x);"),
            ("core/train/report/a.cc", "y = std::log10(x);"),
            ("core/maths/functions.cc", ".exp = {::exp, ::expf},")]
REFUSED = [("ops/a.cc", "y = std::exp(x);"), ("core/a.h", "return kernel<std::acosh>();"),
           ("devices/cpu/a.cc", "y = expf(x);"), ("ops/a.cc", "y = ::pow(x, y);"),
           ("ops/a.cc", '#include "core/maths/maths.h"'), ("ops/a.cc", "y = std::log1p(x) + std::atan2(x, y);")]

failed = 0
for must_refuse, cases in ((False, ACCEPTED), (True, REFUSED)):
    for path, text in cases:
        found = check_maths.violations(path, text)
        if bool(found) != must_refuse:
            print(f"{path}: {text}: found {found}")
            failed = 1
sys.exit(failed)
