"""Fails if a plug-in exports anything but percale_plugin_init, or has an undefined percale_*
symbol, which could bind to another copy of the library than the one that opened it."""
import subprocess
import sys


def symbols(path, which):
    text = subprocess.run(["nm", "-D", which, path], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines()}


def main(path):
    borrowed = sorted(s for s in symbols(path, "--undefined-only") if s.startswith("percale"))
    exported = symbols(path, "--defined-only")
    problems = [f"undefined: {s}" for s in borrowed]
    problems += [f"exported: {s}" for s in sorted(exported - {"percale_plugin_init"})]
    if "percale_plugin_init" not in exported:
        problems.append("percale_plugin_init is not exported")
    print("\n".join(problems) if problems else f"{path} keeps to itself")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
