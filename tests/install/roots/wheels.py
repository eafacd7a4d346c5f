"""Checks the wheels of a release without installing them: wheels.py DIST

The files of each wheel fit its RECORD. Its binaries are for the platform of the tag, and import
libraries that every such system has. Where this machine or an emulator can run them, a C program
opens the library and makes an engine. Prints a table of what was run and what was only inspected.
"""
import base64
import csv
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import sys
import tempfile
import zipfile
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "subprojects" / "packaging"))
import mach_signature  # noqa: E402
import platforms  # noqa: E402
import root as roots  # noqa: E402
import symbol_versions  # noqa: E402
import work as works  # noqa: E402


@dataclass(frozen=True)
class Kind:
    """Says what a wheel of a platform must hold, and what runs its library here."""
    platform: str  # as the bindings name it
    imports: str  # a pattern of the libraries that such a system has
    runner: tuple = ()  # what runs its programs here
    never: str = ""  # why no machine like this one runs them

    def why_not(self):
        """Returns why nothing runs its programs here, or ""."""
        if self.runner and not shutil.which(self.runner[0]):
            return f"{self.runner[0]} is not here"
        if "-L" in self.runner and not os.path.isdir(self.runner[-1]):
            return f"{self.runner[-1]} is not here; check.py makes the folders of musl"
        return self.never


GLIBC = symbol_versions.EVERYWHERE.pattern
MUSL = r"libc\.so|libpercale\.so\.0"
WINDOWS = r"(?i:kernel32|ntdll|advapi32|bcrypt|bcryptprimitives|api-ms-win-crt-[a-z]+-l1-1-0|percale)\.dll"
# A library for macOS lists its own name, too.
MACOS = r"/usr/lib/libSystem\.B\.dylib|@rpath/libpercale(_\w+)?(\.0)?\.dylib"
KINDS = {
    "linux-x86_64": Kind("Linux on x86-64 with glibc", GLIBC),
    "linux-aarch64": Kind("Linux on arm64 with glibc", GLIBC, ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")),
    "linux-musl-x86_64": Kind("Linux on x86-64 with musl", MUSL),
    "linux-musl-aarch64": Kind("Linux on arm64 with musl", MUSL, ("qemu-aarch64", "-L", str(roots.CACHE / "musl-arm64"))),
    "windows-x86_64": Kind("Windows on x86-64", WINDOWS, ("wine",)),
    "macos-aarch64": Kind("macOS on arm64", MACOS, never="nothing here runs macOS"),
    "macos-x86_64": Kind("macOS on x86-64", MACOS, never="nothing here runs macOS"),
}


def row_of(tag):
    """Returns the platform of a release whose wheels have this tag, or None."""
    return next((row for row in platforms.PLATFORMS if re.fullmatch(row.wheel.format(glibc=r"2_\d+"), tag)), None)


def platform_of(path):
    """Returns the platform of a binary as the Python binding names it."""
    file = SOURCE / "bindings" / "python" / "percale" / "_library" / "platform.py"
    spec = importlib.util.spec_from_file_location("library_platform", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.platform_of(path)


def check_record(folder):
    """Ends with a message if the files of an unpacked wheel are not those of its RECORD."""
    record, = folder.glob("*.dist-info/RECORD")
    rows = {name: digest for name, digest, _ in csv.reader(record.read_text().splitlines())}
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    if set(rows) != set(files):
        works.fail(f"RECORD and the files differ: {set(rows) ^ set(files)}")
    for name, digest in rows.items():
        found = base64.urlsafe_b64encode(hashlib.sha256(files[name].read_bytes()).digest()).rstrip(b"=").decode()
        if digest and digest != f"sha256={found}":
            works.fail(f"{name} has another digest than RECORD")


def needed(path):
    """Returns the libraries that a binary of any platform imports."""
    listed = works.run(["llvm-readobj", "--needed-libs", path])
    return re.search(r"NeededLibraries \[(.*?)\]", listed, re.S)[1].split()


def check_binary(path, kind):
    found = platform_of(path)
    # One that calls no function of C names no C library.
    if not kind.platform.startswith(found) or not found:
        works.fail(f"{path.name} is for {found or 'no platform'}, wanted {kind.platform}")
    strange = [name for name in needed(path) if not re.fullmatch(kind.imports, name)]
    if strange:
        works.fail(f"{path.name} imports {', '.join(strange)}, which not every {kind.platform.split()[0]} has")
    if kind.imports == MACOS:
        # Macs with an x86-64 processor run binaries without a signature.
        pages, wrong = mach_signature.wrong_pages(path)
        if wrong or not pages and "arm64" in kind.platform:
            works.fail(f"the signature of {path.name} does not fit {wrong} of {pages} pages")


def compiler(row):
    """Returns the words of the compiler for a platform. Without -O2, zig adds a sanitizer, which
    needs functions that musl 1.2.3 lacks. Without -dynamic, it links musl statically."""
    return ["zig", "cc", "-target", row.cross, "-O2", *(("-dynamic", "-pie", "-fPIE") if "musl" in row.name else ())]


def run_library(library, row, folder):
    """Opens the library in a C program. Returns what was done."""
    kind = KINDS[row.name]
    if kind.why_not():
        return f"inspected: {kind.why_not()}"
    program = folder / "open_library.exe"
    works.run([*compiler(row), "-I", SOURCE / "c_api" / "include", HERE / "open_library.c", "-o", program])
    version = works.run([*kind.runner, program, library.name], cwd=library.parent,
                        env={**os.environ, "LD_LIBRARY_PATH": str(library.parent), "WINEDEBUG": "-all"}).split()
    if version[-1] != works.version_of(SOURCE):
        works.fail(f"{library.name} says {version}")
    return f"run {'by ' + kind.runner[0] if kind.runner else 'here'}"


def check(path):
    """Returns (tag, what was done) of a wheel."""
    tag = path.name.split("-")[-1][:-len(".whl")]
    row = row_of(tag) or works.fail(f"no platform of platforms.py has wheels such as {path.name}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with zipfile.ZipFile(path) as packed:
            packed.extractall(folder / "wheel")
        check_record(folder / "wheel")
        libraries = folder / "wheel" / "percale" / "lib"
        binaries = sorted(file for file in libraries.rglob("*") if file.is_file())
        for binary in binaries:
            check_binary(binary, KINDS[row.name])
        library, = (file for file in binaries if file.parent == libraries)
        if "manylinux" in tag and symbol_versions.oldest_glibc(binaries) not in tag:
            works.fail(f"{path.name} imports symbols of glibc {symbol_versions.oldest_glibc(binaries)}")
        return tag, f"{path.stat().st_size / 1e6:.1f} MB", run_library(library, row, folder)


def main(dist):
    wheels = sorted(pathlib.Path(dist).glob("*.whl"))
    if not wheels:
        sys.exit(f"{dist} has no wheels; run subprojects/release")
    print("| wheel | size | library |\n|---|---|---|")
    for path in wheels:
        print(f"| {' | '.join(check(path))} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
