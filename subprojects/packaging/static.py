"""The static library of a platform, made so that its users need the C library alone."""
import pathlib
import re
import tempfile

from work import fail, run

# The archives of zig's C++ library. Its runtime, libcompiler_rt.a, is left out. It has slow copies
# of memcpy() and exp(), and every compiler has a runtime of its own.
RUNTIME = ("libc++abi.a", "libc++.a", "libunwind.a")


def target_of(platform):
    """Returns the words by which zig compiles for a platform."""
    cross = pathlib.Path(__file__).resolve().parents[1] / "cross" / f"{platform.cross}.ini"
    return ["zig", "c++", "-target", re.search(r"^target = '(.+)'", cross.read_text(), re.M)[1]]


def runtime(platform):
    """Returns the archives of zig's C++ library, as the linker of a shared library gets them."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "a.cc"), pathlib.Path(folder, "a.so")
        source.write_text("#include <string>\nstd::string f() { throw 1; }\n")
        said = run([*target_of(platform), "-v", "-shared", "-fPIC", "-O2", source, "-o", program])
    found = [next((word for word in said.split() if pathlib.Path(word).name == name), "") for name in RUNTIME]
    if not all(found):
        fail(f"zig names no {', '.join(name for name, path in zip(RUNTIME, found) if not path)} for {platform.name}")
    return found


def complete(platform, archive, build):
    """Replaces an archive by one object, which contains the C++ library and zlib. Only the C API
    stays visible, so that a program may have a C++ library of its own."""
    whole = archive.with_name("percale.o")
    run(["zig", "ld.lld", "-r", "--force-group-allocation", "-o", whole, "--whole-archive", archive, "--no-whole-archive",
         "--start-group", *build.glob("subprojects/zlib*/libz.a"), *runtime(platform), "--end-group"])
    run(["llvm-objcopy", "--wildcard", "--keep-global-symbol=percale_*", whole])
    archive.unlink()
    run(["llvm-ar", "rcsD", archive, whole])
    whole.unlink()
