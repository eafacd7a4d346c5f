"""Runs the tests of the crates and prints the totals in the format that tests/count.py reads.

    check.py BUILD SOURCE test|lint|miri

- `test` runs the tests and documentation tests: linked, loaded at run time, and with the optional
  crates if the registry has them.
- `lint` runs clippy, rustfmt and rustdoc, which must not warn.
- `miri` runs the crate's own tests, which do not call the library, in the interpreter that finds
  undefined behavior.

Exits with code 77, and prints the reason, if a tool is missing. Output goes to BUILD; the sources
stay unchanged.
"""
import os
import re
import shutil
import subprocess
import sys

SKIP = 77
# Instructions to install each tool.
REMEDY = {"cargo": "install Rust 1.77 or newer (Debian 12: cargo-web, Debian 13: cargo)",
          "pkg-config": "install the Debian package pkg-config",
          "clippy": "install the Debian package rust-clippy, or by rustup: rustup component add clippy",
          "fmt": "install the Debian package rustfmt, or by rustup: rustup component add rustfmt"}
RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", re.M)
# Removes an optional crate, and makes its feature empty.
OPTIONAL = [(re.compile(r"^(?:ndarray|half) = \{ version.*\n", re.M), ""), (re.compile(r'^(ndarray|half) = \["dep:.*', re.M), r"\1 = []")]


def skip(reason):
    print(reason)
    sys.exit(SKIP)


def environment(build):
    libraries = [build] + ([os.environ["LD_LIBRARY_PATH"]] if os.environ.get("LD_LIBRARY_PATH") else [])
    packages = [os.path.join(build, "meson-uninstalled")]
    packages += [os.environ["PKG_CONFIG_PATH"]] if os.environ.get("PKG_CONFIG_PATH") else []
    return dict(os.environ, CARGO_TARGET_DIR=os.path.join(build, "rust"), PKG_CONFIG_PATH=os.pathsep.join(packages),
                LD_LIBRARY_PATH=os.pathsep.join(libraries), RUST_BACKTRACE="0", CARGO_TERM_COLOR="never")


def run(command, folder, env):
    print("+", " ".join(command), flush=True)
    result = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(result.stdout, flush=True)
    return result


def workspace(build, source, env):
    """Returns (root of the sources, True if the optional crates are available).

    Cargo must resolve even optional crates that are not requested. Without a registry it therefore
    gets a copy of the sources that does not name them.
    """
    folders = [os.path.join("bindings", "rust"), os.path.join("samples", "rust"), os.path.join("tests", "languages", "rust")]
    if all(run(["cargo", "fetch", "--locked", "--quiet"], os.path.join(source, folder), env).returncode == 0 for folder in folders):
        return source, True
    root = os.path.join(build, "rust", "without-registry")
    shutil.rmtree(root, ignore_errors=True)
    for folder in folders:
        shutil.copytree(os.path.join(source, folder), os.path.join(root, folder))
        os.remove(os.path.join(root, folder, "Cargo.lock"))
    life = os.path.join("samples", "life")  # samples/rust builds its program
    shutil.copytree(os.path.join(source, life), os.path.join(root, life))
    manifest = os.path.join(root, folders[0], "percale", "Cargo.toml")
    with open(manifest, encoding="utf-8") as file:
        text = file.read()
    with open(manifest, "w", encoding="utf-8") as file:
        for pattern, instead in OPTIONAL:
            text = pattern.sub(instead, text)
        file.write(text)
    print("the registry is out of reach: the features ndarray and half are left out")
    return root, False


def need_cargo():
    for tool in ["cargo", "pkg-config"]:
        if not shutil.which(tool):
            skip(f"no {tool} on PATH; {REMEDY[tool]}")
    version = subprocess.run(["cargo", "--version"], capture_output=True, text=True)
    found = re.search(r"cargo (\d+)\.(\d+)", version.stdout)
    if not found or (int(found.group(1)), int(found.group(2))) < (1, 77):
        skip(f"cargo is {(version.stdout or version.stderr).strip()}, wanted 1.77; {REMEDY['cargo']}")


def test(folder, registry, env):
    counts, failed = [0, 0, 0], 0
    ways = [[], ["--features", "load"]] + ([["--features", "ndarray,half"]] if registry else [])
    for features in ways:
        more = ["--locked"] if registry else []
        result = run(["cargo", "test", "--workspace", "--offline", *more, *features], folder, env)
        for line in RESULT.findall(result.stdout):
            counts = [a + int(b) for a, b in zip(counts, line)]
        failed += result.returncode != 0
    passed, wrong, ignored = counts
    wrong = max(wrong, failed)
    print(f"[doctest] test cases: {passed + wrong} | {passed} passed | {wrong} failed | {ignored} skipped")
    return 1 if wrong or not passed else 0


def lint(folder, registry, env):
    more = ["--offline"] + (["--locked"] if registry else [])
    strict = dict(env, RUSTDOCFLAGS="-D warnings")
    commands = [["cargo", "fmt", "--all", "--check"],
                ["cargo", "clippy", "--workspace", "--all-targets", *more, "--", "-D", "warnings"],
                ["cargo", "clippy", "--workspace", "--all-targets", *more, "--features", "load", "--", "-D", "warnings"],
                ["cargo", "doc", "--workspace", "--no-deps", *more]]
    if registry:
        commands.append(["cargo", "clippy", "--workspace", "--all-targets", *more, "--features", "ndarray,half", "--",
                         "-D", "warnings"])
    programs = [os.path.join(folder, "..", "..", *path) for path in [("samples", "rust"), ("tests", "languages", "rust")]]
    of_programs = [["cargo", "fmt", "--check"], ["cargo", "clippy", *more, "--", "-D", "warnings"]]
    for where, command in [(folder, c) for c in commands] + [(path, c) for path in programs for c in of_programs]:
        if run(command, where, strict).returncode != 0:
            return 1
    return 0


def miri(folder, registry, env):
    for cargo in (["cargo"], ["cargo", "+nightly"]):
        if subprocess.run(cargo + ["miri", "--version"], cwd=folder, capture_output=True).returncode == 0:
            break
    else:
        skip("no cargo miri; it comes with a nightly toolchain of rustup: rustup +nightly component add miri rust-src")
    # Miri has its own target folder. It cannot download the parts that its setup needs, so they
    # must be installed.
    command = cargo + ["miri", "test", "-p", "percale", "--lib", "--features", "load", "--offline"] + (["--locked"] if registry else [])
    result = run(command, folder, dict(env, CARGO_TARGET_DIR=os.path.join(env["CARGO_TARGET_DIR"], "miri")))
    return result.returncode


def main(build, source, what):
    env = environment(build)
    need_cargo()
    if what == "lint":
        for tool in ["clippy", "fmt"]:
            if subprocess.run(["cargo", tool, "--version"], capture_output=True).returncode != 0:
                skip(f"no cargo-{tool}; {REMEDY[tool]}")
    root, registry = workspace(build, source, env)
    return {"test": test, "lint": lint, "miri": miri}[what](os.path.join(root, "bindings", "rust"), registry, env)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
