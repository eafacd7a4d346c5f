"""Trains MNIST in six languages with one SPEC, and so with one seed. Compares bit for bit the loss
of every step, as each language's callback receives it, and the digests of the weights, also with
`percale train`.

    same_bits.py BUILD SOURCE [--quick | SPEC.json]

The SPEC is mnist/lenet.json; --quick uses a small net that learns within a second. A language whose
tools are missing is skipped, with the reason. Prints a table and the line `N passed, N failed, N
skipped`. Exit code 1 if any failed, 77 if the data is missing.
"""
import contextlib
import csv
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import check

LANGUAGES = {"C": check.c, "C++": check.cpp, "Go": check.go, "Java": check.java, "Rust": check.rust, "Python": check.python}


class Failed(Exception):
    """The reason why a language has no trace."""


class Skipped(Exception):
    """Names the tool that is missing."""


def run(command, env):
    result = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise Failed(f"{command[0]}: exit code {result.returncode}: {result.stdout.strip()[-400:]}")
    digest = re.search("sha256:[0-9a-f]{64}", result.stdout)
    if not digest:
        raise Failed(f"{command[0]} says no digest")
    return digest.group()


def program(build, spec, folder, env):
    """Returns (losses with nine digits, digest) of `percale train`."""
    history = os.path.join(folder, "history.csv")
    command = [os.path.join(build, "bindings", "cli", "percale"), "train", spec, "--history", history, "--digest"]
    digest = run(command, env)
    with open(history, encoding="ascii", newline="") as file:
        return [row["loss"] for row in csv.DictReader(file)], digest


def of_language(tools, build, source, spec, folder, env):
    """Returns (the bits of each loss, digest) of a language's own program."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            command, own = tools(build, source)
    except SystemExit as exit_:
        if exit_.code == check.SKIP:
            raise Skipped(said.getvalue().strip().splitlines()[-1]) from None
        raise Failed(f"{exit_.code}\n{said.getvalue()}") from None
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failed(f"{error}\n{said.getvalue()}") from None
    losses = os.path.join(folder, "losses")
    if os.path.exists(losses):
        os.remove(losses)
    digest = run(command("Mnist") + [spec, os.path.join(folder, "model.percale"), "--losses", losses], {**own, **env})
    with open(losses, encoding="ascii") as file:
        rows = [line.split() for line in file]
    if [int(step) for step, _ in rows] != list(range(1, len(rows) + 1)):
        raise Failed("its trace does not have each step once, in order")
    return [bits for _, bits in rows], digest


def value(bits):
    return struct.unpack(">d", bytes.fromhex(bits))[0]


def differs(losses, digest, wanted, nine_digits, wanted_digest):
    """Returns the first difference, or "". `wanted` is the first language's trace, or None."""
    if wanted is not None and losses != wanted:
        step = next((i for i, (a, b) in enumerate(zip(losses, wanted)) if a != b), min(len(losses), len(wanted)))
        return f"another loss in step {step + 1}"
    if [f"{value(bits):.9g}" for bits in losses] != nine_digits:
        return "other losses than `percale train`"
    return "" if digest == wanted_digest else "another digest than `percale train`"


def main(build, source, spec=None):
    build, source = os.path.abspath(build), os.path.abspath(source)
    env = dict(os.environ, PERCALE_DATA=check.find_data())
    data = {"PERCALE_DATA": env["PERCALE_DATA"]}
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    table = [("language", "steps", "first loss", "last loss", "digest", "")]
    with tempfile.TemporaryDirectory() as folder:
        if spec == "--quick":
            spec = os.path.join(folder, "small.json")
            with open(spec, "w", encoding="utf-8") as file:
                json.dump(check.SMALL, file)
        spec = os.path.abspath(spec or os.path.join(source, "samples", "mnist", "lenet.json"))
        nine_digits, wanted_digest = program(build, spec, folder, env)
        table.append(("percale train", len(nine_digits), nine_digits[0], nine_digits[-1], wanted_digest[7:19], ""))
        first = None
        for name, tools in LANGUAGES.items():
            print(name, flush=True)
            try:
                losses, digest = of_language(tools, build, source, spec, folder, data)
            except Skipped as reason:
                counts["skipped"] += 1
                table.append((name, "", "", "", "", f"skipped: {reason}"))
                continue
            except Failed as why:
                counts["failed"] += 1
                table.append((name, "", "", "", "", f"failed: {why}"))
                continue
            wrong = differs(losses, digest, first, nine_digits, wanted_digest)
            first = losses if first is None else first
            counts["failed" if wrong else "passed"] += 1
            table.append((name, len(losses), value(losses[0]).hex(), value(losses[-1]).hex(), digest[7:19],
                          f"failed: {wrong}" if wrong else "the same bits"))
    widths = [max(len(str(row[i])) for row in table) for i in range(5)] + [0]
    for row in table:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
    # The line that tests/count.py adds up.
    print(f"test cases: {sum(counts.values())} | {counts['passed']} passed | {counts['failed']} failed | {counts['skipped']} skipped")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
