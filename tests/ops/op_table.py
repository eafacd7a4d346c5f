"""Compares the table at the end of ops/README.md with the registry, or writes it.

    python op_table.py PERCALE ops/README.md [--write]
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from emulator import command  # noqa: E402

START = "## The ops, as the registry knows them\n"
GRADIENTS = {"yes": "yes", "zero": "zero: piecewise constant", "none": "none: asking is an error"}


def table(program):
    ops = json.loads(subprocess.run([*command(program), "ops", "--json"], capture_output=True, text=True, check=True).stdout)
    lines = [f"{len(ops)} ops; `percale ops NAME` tells more of each. Made by `tests/ops/op_table.py`.\n",
             "| op | since | inputs | outputs | gradient |", "|---|---|---|---|---|"]
    for op in ops:
        name = f"{op['domain']}:{op['name']}" if op["domain"] else op["name"]
        inputs, outputs = (", ".join(v["name"] for v in op[key]) for key in ("inputs", "outputs"))
        lines.append(f"| {name} | {op['since']} | {inputs} | {outputs} | {GRADIENTS[op['gradient']]} |")
    return "\n".join(lines) + "\n"


def main(program, path, *flags):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    wanted = text[:text.index(START)] + START + table(program) if START in text else text + "\n" + START + table(program)
    if "--write" in flags:
        with open(path, "w", encoding="utf-8") as file:
            file.write(wanted)
        return 0
    if text == wanted:
        return 0
    print(f"the table of {path} is not what the registry says: python tests/ops/op_table.py PERCALE ops/README.md --write")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
