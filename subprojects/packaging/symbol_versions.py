"""The oldest C library on which binaries for Linux load."""
import re

from work import fail, run

# (A version of the compiler's runtime, the glibc of the first manylinux policy that allows it), as
# in PEP 600 and its registry of policies.
RUNTIMES = {
    "GLIBCXX": (((3, 4, 19), 17), ((3, 4, 22), 24), ((3, 4, 24), 27), ((3, 4, 28), 31), ((3, 4, 29), 34), ((3, 4, 30), 35), ((3, 4, 33), 39)),
    "CXXABI": (((1, 3, 7), 17), ((1, 3, 10), 24), ((1, 3, 11), 27), ((1, 3, 12), 31), ((1, 3, 13), 34), ((1, 3, 15), 39)),
    "GCC": (((4, 8, 0), 17), ((7, 0, 0), 27), ((12, 0, 0), 35), ((14, 0, 0), 39)),
    "ZLIB": (((1, 2, 5, 2), 17), ((1, 2, 9), 27), ((1, 2, 12), 37)),
}
# Libraries that every system with this C library has.
EVERYWHERE = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libz|ld-linux[-\w]*)\.so\.\d+|libpercale\.so\.0")


def imported(path):
    """Returns {"GLIBC": the highest version that a binary imports, as a tuple of numbers, ...}."""
    highest = {}
    _, _, needs = run(["readelf", "--version-info", "--wide", path]).partition("Version needs section")
    for family, text in re.findall(r"Name: ([A-Z]+)_([\d.]+) ", needs):
        version = tuple(int(part) for part in text.split("."))
        highest[family] = max(highest.get(family, version), version)
    return highest


def foreign_libraries(path):
    """Returns the libraries that a binary needs and not every system has."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run(["readelf", "--dynamic", "--wide", path]))
    return [name for name in needed if not EVERYWHERE.fullmatch(name)]


def oldest_glibc(paths):
    """Returns the glibc that binaries need, such as "2_34" for a tag of a wheel."""
    minor = 17
    for path in paths:
        if foreign_libraries(path):
            fail(f"{path.name} needs {', '.join(foreign_libraries(path))}, which not every system has; leave it out")
        for family, version in imported(path).items():
            if family == "PERCALE":  # of the library itself
                continue
            if family == "GLIBC":
                minor = max(minor, version[1])
                continue
            found = [glibc for newest, glibc in RUNTIMES.get(family, ()) if version <= newest]
            if not found:
                fail(f"{path.name} imports {family}_{'.'.join(map(str, version))}, which no row of symbol_versions.RUNTIMES allows")
            minor = max(minor, found[0])
    return f"2_{minor}"
