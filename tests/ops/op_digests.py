"""Compares the results of ops with numerics=portable with recorded ones, on each instruction set.

    op_digests.py PROGRAM            compares what `op_digests` prints with the recorded digests
    op_digests.py PROGRAM --record   writes them to op_digests.json; all instruction sets must agree

The recorded digests are the same for all processors, operating systems and C libraries.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from emulator import command  # noqa: E402

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "op_digests.json")
SKIPPED = 77


def main(program, *flags):
    printed = json.loads(subprocess.run(command(program), capture_output=True, text=True, check=True).stdout)
    if not printed:
        print("this machine has no vector kernels, so numerics cannot be portable")
        return SKIPPED
    if "--record" in flags:
        wanted = next(iter(printed.values()))
    else:
        with open(RECORDED, encoding="ascii") as file:
            wanted = json.load(file)
    differ = [f"{op} on {isa}: digest {digests.get(op, 'none')}, wanted {wanted.get(op, 'none')}"
              for isa, digests in printed.items() for op in sorted(digests.keys() | wanted.keys())
              if digests.get(op) != wanted.get(op)]
    print("\n".join([*differ, f"{len(wanted)} ops compared on {', '.join(printed)}, {len(differ)} differ"]))
    if differ:
        return 1
    if "--record" in flags:
        with open(RECORDED, "w", encoding="ascii") as out:
            json.dump(wanted, out, indent=1, sort_keys=True)
            out.write("\n")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--record"]):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
