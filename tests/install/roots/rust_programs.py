"""Checks the crates of a release on other platforms: rust_programs.py DIST

In a root of Debian 13, whose package rust-src has the source of Rust's library, Cargo compiles that
library and the sample of the first steps for Windows. By Wine, it must learn. For the others,
`cargo check` must pass. Needs root, debootstrap and a network.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import programs
import root as roots
from wheels import platforms, works

FIRST = programs.EXAMPLES / "first"
TARGET = "x86_64-pc-windows-gnu"
CHECKED = ("aarch64-unknown-linux-gnu", "aarch64-unknown-linux-musl", "x86_64-unknown-linux-musl", "aarch64-apple-darwin",
           "x86_64-apple-darwin")
PACKAGES = ("rustc", "cargo", "rust-src", "gcc-mingw-w64-x86-64-posix", "ca-certificates")
# Rust's library as Debian has it is for this system alone.
STD = "-Z build-std=std,panic_abort"


def make_host(work, dist, row):
    """Unpacks the crates and the archive of a platform into a folder, and writes the package `host`
    beside them, which is the sample. Returns the name of the archive's folder, and the folder of
    the package."""
    names = []
    for pattern in (f"percale-[0-9]*-{row.name}.tar.gz", "percale-sys-[0-9]*.crate", "percale-[0-9]*.crate"):
        path, = dist.glob(pattern)
        subprocess.run(["tar", "xzf", path, "-C", work], check=True)
        names.append(re.sub(r"\.tar\.gz$|\.crate$", "", path.name))
    archived, sources, binding = names
    host = work / "host"
    (host / "src").mkdir(parents=True)
    shutil.copy(FIRST / "digits.json", work)
    shutil.copy(FIRST / "train.rs", host / "src" / "main.rs")
    (host / "Cargo.toml").write_text(f"""[package]
name = "host"
edition = "2021"
[dependencies]
percale = {{ path = "../{binding}" }}
[patch.crates-io]
percale-sys = {{ path = "../{sources}" }}
""")
    return archived, host


def build(root, dist, row, folder):
    """Compiles the sample for Windows, and copies it beside the library. Checks it for the others.
    """
    # A proxy of the network may have a name and a certificate of its own.
    shutil.copy("/etc/hosts", root.top / "etc")
    root.mount(["--bind", "/etc/ssl/certs"], root.top / "etc" / "ssl" / "certs")
    archived, host = make_host(root.work, dist, row)
    # Two small objects belong to Rust's library, and Cargo does not compile them.
    objects = "".join(f"rustc --target {TARGET} --emit obj -o {name}.o /usr/lib/rustlib/src/rust/library/rtstartup/{name}.rs && "
                      for name in ("rsbegin", "rsend"))
    env = {"RUSTC_BOOTSTRAP": "1", "PERCALE_LIB_DIR": f"/work/{archived}/lib"}
    root.run(f"cd host && {objects}cargo build --quiet --release {STD} --target {TARGET}", **env)
    for target in CHECKED:
        root.run(f"cd host && cargo check --quiet {STD} --target {target}", **env)
        print(f"| {target} | checked |", flush=True)
    shutil.copytree(root.work / archived / "bin", folder, dirs_exist_ok=True)
    shutil.copy(host / "target" / TARGET / "release" / "host.exe", folder)
    shutil.copy(FIRST / "digits.json", folder)


def main(dist):
    row, = platforms.named(["windows-x86_64"])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with roots.Root([roots.base("trixie", "amd64"), roots.tools("trixie", "amd64", PACKAGES)], "amd64") as root:
            build(root, pathlib.Path(dist).resolve(), row, folder)
        programs.learned(works.run(["wine", "host.exe"], cwd=folder, env=programs.environment(folder, wine=True)), row.name)
    print(f"| {TARGET} | run by wine |")


if __name__ == "__main__":
    main(sys.argv[1])
