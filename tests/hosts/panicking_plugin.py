"""Builds the panicking plug-in in Rust and runs a host with it.

    panicking_plugin.py PROGRAM BUILD SOURCE

Without Cargo, prints the reason and exits with code 77.
"""
import importlib.util
import os
import sys

sys.dont_write_bytecode = True


def main(program, build, source):
    spec = importlib.util.spec_from_file_location("check", os.path.join(source, "bindings", "rust", "check.py"))
    rust = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rust)
    rust.need_cargo()
    env = rust.environment(build)
    root, registry = rust.workspace(build, source, env)
    command = ["cargo", "build", "--release", "--offline", "-p", "percale-plugin", "--example", "panics"]
    if rust.run(command + (["--locked"] if registry else []), os.path.join(root, "bindings", "rust"), env).returncode != 0:
        return 1
    plugin = os.path.join(env["CARGO_TARGET_DIR"], "release", "examples", "libpanics.so")
    return rust.run([program, plugin], build, env).returncode


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), *sys.argv[2:]))
