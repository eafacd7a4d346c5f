"""Tests that the check of systems refuses their headers and macros outside their folders."""
import sys

import check_system

ACCEPTED = [
    ("core/file/file.cc", "#include <string>\n#include \"core/system/file.h\"\n"),
    ("core/system/linux/system.cc", "#include <sys/mman.h>\n"),
    ("bindings/cli/system/posix/system.cc", "#include <unistd.h>\n"),
    ("devices/cpu/simd/x86/isa_of_machine.cc", "#include <cpuid.h>\n"),
    ("core/a.cc", "#if PERCALE_ISAS & 8\n"),
    ("c_api/include/percale/types.h", "#if defined(_WIN32)\n"),
]
REFUSED = [
    ("core/file/file.cc", "#include <sys/mman.h>\n"),
    ("core/train/a.cc", "#include <unistd.h>\n"),
    ("bindings/cli/api.cc", "#include <windows.h>\n"),
    ("ops/a.cc", "#include <immintrin.h>\n"),
    ("core/a.cc", "#if defined(__linux__)\n"),
    ("core/a.h", "#ifdef _WIN32\n"),
    ("devices/cpu/a.cc", "#if defined(__x86_64__) || defined(__i386__)\n"),
]

failed = 0
for must_refuse, cases in ((False, ACCEPTED), (True, REFUSED)):
    for path, text in cases:
        found = check_system.violations(path, text)
        if bool(found) != must_refuse:
            print(f"{path}: {text}: found {found}")
            failed = 1
sys.exit(failed)
