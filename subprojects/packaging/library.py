"""Compiles the library for a platform, and separates the debug information from what is shipped."""
import fnmatch
import os
import shutil

import mach
import static
from work import CACHE, empty, fail, run

# The plug-ins that Meson has options for.
PLUGINS = ("onnx", "onednn", "cuda", "remote")
# Line numbers suffice for a stack trace, and compile fast. zig's linkers for the systems without a
# static library keep debug information out of the binaries, so nothing could ship it.
DEBUG, NO_DEBUG = "-g1", "-g0"
# The folder of libraries in all artefacts but Debian's packages.
LIBDIR = "lib"


def tool(name):
    """Returns a program for binaries: LLVM's for all platforms, else the one of this machine."""
    return f"llvm-{name}" if shutil.which(f"llvm-{name}") else name


def meson_options(work, platform, libdir):
    """Returns the arguments of `meson setup`. The same text replaces the folders of every build."""
    arguments = [DEBUG if platform.static else NO_DEBUG, f"-ffile-prefix-map={work.source}=percale-{work.version}",
                 f"-ffile-prefix-map={build_folder(work, platform)}=build"]
    # An archive is unpacked anywhere, a package for a system is not.
    words = ["--prefix=/usr", f"--libdir={libdir}", "-Dtests=false"]
    words += [f"-D{name}={'true' if chosen else 'false'}"
              for name, chosen in (("pkgconfig.relocatable", libdir == LIBDIR), ("static", platform.static))]
    words += [f"-D{language}_args={' '.join(arguments)}" for language in ("c", "cpp")]
    words += [f"-D{language}_link_args={' '.join(platform.link_args)}" for language in ("c", "cpp") if platform.link_args]
    words += [f"-D{name}={'enabled' if name in platform.plugins else 'disabled'}" for name in PLUGINS]
    if "onednn" in platform.plugins:
        words.append(f"-Dpkg_config_path={CACHE / 'tools' / f'onednn-{platform.cross}' / 'lib' / 'pkgconfig'}")
    return words + ["-Djni=enabled", *(f"--cross-file={path}" for path in cross_files(work, platform))]


def cross_files(work, platform):
    return [work.source / "subprojects" / "cross" / f"{name}.ini" for name in ("zig", platform.cross)]


def build_folder(work, platform):
    return work.folder / platform.name / "build"


def install(work, platform, libdir, target):
    """Compiles the library and installs it below `target`. Another libdir compiles nothing again.
    """
    build, options = build_folder(work, platform), meson_options(work, platform, libdir)
    asked, wanted = build.parent / "options", "\n".join(options)
    # Meson reads the files of the target once.
    read, cross = build.parent / "cross", "".join(path.read_text() for path in cross_files(work, platform))
    if not (build / "build.ninja").exists() or not read.exists() or read.read_text() != cross:
        run(["meson", "setup", empty(build), work.source, *options])
        read.write_text(cross)
    elif not asked.exists() or asked.read_text() != wanted:
        run(["meson", "setup", "--reconfigure", build, work.source, *options])
    asked.write_text(wanted)
    # Binaries for Windows have a date. They are not linked again for every commit, so it is none.
    run(["meson", "compile", "-C", build, "-j", work.jobs], env={**os.environ, "SOURCE_DATE_EPOCH": "0"})
    run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", empty(target)])
    if platform.static:
        static.complete(platform, target / "usr" / libdir / "libpercale.a", build)


def build_library(work, platform):
    """Makes the folders `stage` and `debug` of the platform. Both have the tree of the prefix; the
    second has the debug information of the first."""
    folder = work.folder / platform.name
    staged, debug, target = empty(folder / "stage"), empty(folder / "debug"), folder / "installed"
    install(work, platform, LIBDIR, target)
    separate_tree(target / "usr", staged, debug, platform)
    return [staged, debug]


def check_runtime(path):
    """Ends with a message if a binary contains functions that the C library of the system has. The
    runtime of zig has slow copies, and one function of it brings all of them along."""
    copies = {"memcpy", "exp", "log"} & set(run([tool("nm"), "--defined-only", "--format=just-symbols", path]).split())
    if copies:
        fail(f"{path.name} contains {', '.join(sorted(copies))} of zig's runtime. The linker takes the runtime for one function, such as "
             "a division of 128 bits; write the code without it")


def separate_tree(installed, staged, debug, platform):
    """Copies an installed tree to `staged`, without debug information, which goes to `debug`."""
    # Plug-ins are opened at run time, so that their import libraries are left out.
    shutil.copytree(installed, staged, symlinks=True, dirs_exist_ok=True,
                    ignore=lambda folder, names: fnmatch.filter(names, "*_*.dll.a"))
    for path in sorted(path for path in staged.rglob("*") if path.is_file() and not path.is_symlink()):
        if path.name.endswith(".dll.a"):
            continue  # an import library has no code
        if path.suffix == ".a":
            check_runtime(path)
            run([tool("strip"), "--strip-debug", "--enable-deterministic-archives", path])
        elif form(path) == "Mach-O":
            mach.release_local_symbols(path)
            run([tool("strip"), "-x", path])  # the names of what is not exported
            mach.identify_by_contents(path)
            mach.find_by_rpath(path, staged, platform)
        elif form(path) == "ELF":
            # The program's own speed does not matter, and libc++'s files need such a division.
            if ".so" in path.name:
                check_runtime(path)
            separate(path, debug / path.relative_to(staged).parent / ".debug" / f"{path.name}.debug")


def form(path):
    """Returns the name of the form of a binary, "" for other files. Those for Windows are linked
    without debug information."""
    with path.open("rb") as file:
        return {b"\x7fELF": "ELF", b"\xcf\xfa\xed\xfe": "Mach-O"}.get(file.read(4), "")


def separate(path, debug):
    """Moves debug information to a file that debuggers find from the folder of the binary."""
    debug.parent.mkdir(parents=True, exist_ok=True)
    run([tool("objcopy"), "--only-keep-debug", "--compress-debug-sections", path, debug])
    run([tool("strip"), "--strip-unneeded", path])
    run([tool("objcopy"), f"--add-gnu-debuglink={debug}", path])
    os.chmod(debug, 0o644)
