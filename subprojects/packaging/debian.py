"""The Debian packages of a platform, from the same objects as its other artefacts."""
import email.utils
import os
import pathlib
import shutil

import library
import symbol_versions
from work import empty, run

# The ending .invalid is reserved, so that the address is no one's.
MAINTAINER = os.environ.get("DEBEMAIL", "maintainers@percale.invalid")


def changelog(work):
    date = email.utils.formatdate(work.epoch)
    return (f"percale ({work.version}) unstable; urgency=medium\n\n  * Release {work.version}; CHANGELOG.md lists the changes.\n\n"
            f" -- Percale maintainers <{MAINTAINER}>  {date}\n")


def symbols(work):
    """Returns the symbols file: each symbol with the first version that has it."""
    listed = (work.source / "c_api" / "symbols.txt").read_text().splitlines()
    pairs = sorted(line.split() for line in listed if line.split("#")[0].split())
    nodes = sorted({version for _, version in pairs})
    lines = [f" PERCALE_{version}@PERCALE_{version} {version}.0" for version in nodes]
    lines += [f" {name}@PERCALE_{version} {version}.0" for name, version in pairs]
    return "\n".join(["libpercale.so.0 libpercale0 #MINVER#", *lines]) + "\n"


def glibc_of(installed):
    """Returns the version of libc6 that the binaries of a tree need. dpkg-shlibdeps would ask for
    the packages of this machine, which has none for other processors."""
    binaries = [path for path in installed.rglob("*") if path.is_file() and not path.is_symlink() and library.form(path) == "ELF"]
    return symbol_versions.oldest_glibc(binaries).replace("_", ".")


def packages(work, platform):
    """Writes the packages and returns their paths."""
    if not platform.debian:
        return []
    folder = work.folder / platform.name
    triplet = run(["dpkg-architecture", "-a", platform.debian, "-q", "DEB_HOST_MULTIARCH"]).strip()
    installed = folder / "debian-installed"
    library.install(work, platform, f"lib/{triplet}", installed)
    packed = pack(work, platform, installed, empty(folder / "debian"))
    run(["lintian", "--fail-on", "error,warning", *(folder / "debian").glob("*.changes")])
    return packed


def pack(work, platform, installed, folder):
    """Packs an installed tree. `folder` is for what dpkg-buildpackage writes."""
    tree = folder / f"percale-{work.version}"
    shutil.copytree(work.source / "subprojects" / "packaging" / "debian", tree / "debian")
    control = tree / "debian" / "control"
    control.write_text(control.read_text().replace("@EMAIL@", MAINTAINER))
    if not platform.static:
        listed = tree / "debian" / "libpercale-dev.install"
        listed.write_text("".join(line for line in listed.read_text().splitlines(True) if not line.endswith(".a\n")))
    (tree / "debian" / "changelog").write_text(changelog(work))
    (tree / "debian" / "libpercale0.symbols").write_text(symbols(work))
    # dpkg-deb gives newer files the time of the release, and leaves the times of older ones.
    for path in (*tree.rglob("*"), *installed.rglob("*")):
        os.utime(path, (work.epoch, work.epoch), follow_symlinks=False)
    run(["dpkg-buildpackage", "--build=binary", "--no-sign", "-d", f"--host-arch={platform.debian}"], cwd=tree,
        env={**os.environ, "INSTALLED": str(installed), "GLIBC": glibc_of(installed)})
    return [pathlib.Path(shutil.copy(path, work.dist)) for path in sorted(folder.glob("*.deb"))]
