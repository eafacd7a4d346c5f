"""Uses a plug-in written in Rust from Go and from Java. It must build without a registry, not link
to Percale, and train, and its kernel must be used. Its errors must arrive as the language's own
errors.

    check_plugin.py BUILD SOURCE

Exit code 77 and the reason without Cargo, or without both Go and Java.
"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check  # noqa: E402


def build_plugin(build, source):
    binding = check.checker(source, "rust")
    binding.need_cargo()
    env = dict(binding.environment(build), CARGO_TARGET_DIR=os.path.join(build, "rust", "plugin"))
    manifest = os.path.join(source, "samples", "plugin", "rust", "Cargo.toml")
    check.run(["cargo", "build", "--release", "--offline", "--locked", "--manifest-path", manifest], env)
    for tool, command in (("fmt", ["--check"]), ("clippy", ["--offline", "--locked", "--", "-D", "warnings"])):
        if subprocess.run(["cargo", tool, "--version"], capture_output=True).returncode == 0:
            check.run(["cargo", tool, "--manifest-path", manifest] + command, env)
    return os.path.join(env["CARGO_TARGET_DIR"], "release", "libpercale_bump.so")


def check_symbols(plugin):
    """Checks that it binds to no copy of the library and names none to the loader."""
    if not shutil.which("nm") or not shutil.which("readelf"):
        return
    def told(*command):
        return subprocess.run([*command, plugin], check=True, capture_output=True, text=True).stdout

    names = [line.split()[-2:] for line in told("nm", "-D").splitlines()]
    defined = [name for kind, name in names if name.startswith("percale_") and kind == "T"]
    undefined = [name for kind, name in names if name.startswith("percale_") and kind in "Uw"]
    if defined != ["percale_plugin_init"] or undefined or "libpercale.so" in told("readelf", "-d"):
        check.fail(f"the plug-in exports {defined} and looks for {undefined} of Percale")


def check_use(language, command, env, plugin):
    said = check.run(command + [plugin], env)
    found = re.search(r"refused: .*Bump.*'gamma' must be one number, not \[3\].*"
                      r"dx off by (\S+) at most, dgamma by (\S+) of itself\ngamma (\S+), wanted 2", said, re.S)
    if not found:
        check.fail(f"{language} does not come through")
    dx, dgamma, gamma = (float(word) for word in found.groups())
    if not dx < 1e-6 or not dgamma < 1e-5 or not abs(gamma - 2) < 1e-3:
        check.fail(f"{language}: gradients or what is learnt by them are off")


def available(language, build, source):
    """Returns (command, environment) of the program in that language; None if a tool is missing."""
    try:
        command, env = {"go": check.go, "java": check.java}[language](build, source)
        return command("CustomOp"), env
    except SystemExit as end:
        if end.code != check.SKIP:
            raise
        return None


def main(build, source):
    plugin = build_plugin(build, source)
    check_symbols(plugin)
    used = 0
    for language in ["go", "java"]:
        program = available(language, build, source)
        if program is not None:
            check_use(language, *program, plugin)
            used += 1
    if used == 0:
        return check.SKIP
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"failed: {error}")
