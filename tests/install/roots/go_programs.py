"""Checks the module for Go of a release on each of its platforms: go_programs.py DIST

Go alone compiles the quick start for the platform. Where this machine or an emulator can run the
program, it must learn. Prints a table of what was run and what was only linked.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import programs
import wheels
from wheels import SOURCE, platforms, works

import go_module  # wheels has put its folder on the path

GO = shutil.which("go") or "/usr/local/go/bin/go"


def module_of(dist):
    """Returns (path, version) of the module."""
    listed, = (dist / "go").glob("*/*/*/@v/list")
    return listed.parent.parent.relative_to(dist / "go").as_posix(), listed.read_text().strip()


def downloaded_modules(folder):
    """Returns the folder of this machine's downloaded modules, a proxy that has purego."""
    subprocess.run([GO, "mod", "download", go_module.PUREGO.replace(" ", "@")], check=True, cwd=folder)
    cache = subprocess.run([GO, "env", "GOMODCACHE"], capture_output=True, text=True, check=True).stdout.strip()
    return pathlib.Path(cache) / "cache" / "download"


def build(dist, folder):
    """Makes a module with the quick start. Returns the environment in which Go compiles it."""
    proxies = (dist / "go", downloaded_modules(folder))
    env = {**os.environ, "GOPROXY": ",".join(f"file://{path}" for path in proxies), "GOSUMDB": "off", "GOTOOLCHAIN": "local",
           "GOFLAGS": "-modcacherw", "GOPATH": str(folder / "path"), "CGO_ENABLED": "0"}
    shutil.copy(programs.EXAMPLES / "readme" / "digits.go", folder)
    (folder / "samples" / "mnist").mkdir(parents=True)
    shutil.copy(SOURCE / "samples" / "mnist" / "lenet.json", folder / "samples" / "mnist")
    for words in (["mod", "init", "digits"], ["get", "@".join(module_of(dist))]):
        works.run([GO, *words], cwd=folder, env=env)
    return env


def run_program(row, folder, env):
    """Compiles and runs the quick start. Returns what was done."""
    kind = wheels.KINDS[row.name]
    system, processor = row.go.split("_")
    program = folder / "digits.exe"
    works.run([GO, "build", "-o", program, "digits.go"], cwd=folder, env={**env, "GOOS": system, "GOARCH": processor})
    # The quick start takes minutes under QEMU, and check.py gives it fewer digits.
    by_qemu = kind.runner[:1] == ("qemu-aarch64",)
    if why := "check.py runs it" if by_qemu else kind.why_not():
        return f"linked: {why}"
    said = works.run([*kind.runner, program], cwd=folder, env=programs.environment(folder, wine=system == "windows"))
    programs.learned(said, row.name)
    return f"run {'by ' + kind.runner[0] if kind.runner else 'here'}"


def main(dist):
    with tempfile.TemporaryDirectory() as name:
        folder, dist = pathlib.Path(name), pathlib.Path(dist).resolve()
        env = build(dist, folder)
        for row in platforms.PLATFORMS:
            if row.go and list((folder / "path").rglob(f"native/{row.go}")):
                print(f"| {row.go} | {run_program(row, folder, env)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
