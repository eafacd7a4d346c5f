"""Checks that the library and the program call the operating system and the processor in
core/system and bindings/cli/system alone, and that no other file asks which of them it is compiled
for."""
import os
import re
import sys

FOLDERS = ("core", "c_api", "devices/cpu", "ops", "bindings/cli")
# Vector kernels have a folder per architecture. Public headers declare exports for each compiler.
ALLOWED = ("core/system/", "bindings/cli/system/", "devices/cpu/simd/x86/", "devices/cpu/simd/aarch64/",
           "c_api/include/percale/types.h")
HEADERS = re.compile(r'^\s*#\s*include\s*<(sys/\w+|unistd|fcntl|dlfcn|sched|pthread|signal|poll|dirent|malloc|io|process'
                     r'|windows|cpuid|\w*intrin|arm_\w+)\.h>', re.M)
MACROS = re.compile(r'^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b(_WIN32|_WIN64|__linux__|__APPLE__|__unix__|__GLIBC__|__MINGW\w*'
                    r'|_MSC_VER|__x86_64__|__i386__|__aarch64__|__arm__|HWY_ARCH_\w+)', re.M)


def violations(path, text):
    """Returns a line per include or question that belongs into a folder of a system."""
    if path.startswith(ALLOWED):
        return []
    found = []
    for match in HEADERS.finditer(text):
        found.append((match.start(1), f"includes {match[1]}.h"))
    for match in MACROS.finditer(text):
        found.append((match.start(1), f"asks for {match[1]}"))
    lines = [(text.count("\n", 0, at) + 1, what) for at, what in found]
    return [f"{path}:{line}: {what}; that belongs into core/system" for line, what in sorted(lines)]


def main(root):
    found, read = [], 0
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if not name.endswith((".cc", ".h")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    found += violations(os.path.relpath(path, root).replace(os.sep, "/"), file.read())
                read += 1
    print("\n".join(sorted(found)) if found else f"{read} files leave the system to core/system")
    return 1 if found or not read else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
