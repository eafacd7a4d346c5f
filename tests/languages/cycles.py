"""Loads a model, trains a step, runs and closes everything, repeatedly, in each language, and
measures the process from outside.

    cycles.py BUILD SOURCE [LANGUAGE ...]

After a warm-up of 1,000 cycles, the resident memory may grow by less than 1 % in 1,000 more (the
slope of a line through eleven points), and the numbers of threads and open files must not change. A
one-time effect of a runtime may fall into these cycles, but a leak grows in each 1,000, so only
three times in a row is a failure. README.md explains the warm-up. Ends with a table and the line
that tests/count.py reads. A language whose tools are missing is skipped, with the reason.
"""
import contextlib
import io
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples"))
import check  # noqa: E402  the tools of each language

CYCLES, POINTS, ROUNDS, AT_MOST = 1000, 10, 3, 0.01
FOLDER = os.path.join("tests", "languages")
# Java's own memory pools have a fixed size, so that growth comes from the cycles. Its second
# compiler takes up to 14 MB at once for a large method at any time, and returns them to malloc, not
# to the system.
JVM = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]


def compiled(language):
    return lambda build, source: (lambda name: [os.path.join(build, FOLDER, f"{name.lower()}_{language}")], dict(os.environ))


def in_folder(tools, language):
    return lambda build, source: tools(build, source, os.path.join(FOLDER, language))


def java(build, source):
    command, env = in_folder(check.java, "java")(build, source)
    return lambda name: command(name)[:1] + JVM + command(name)[1:], env


LANGUAGES = {"C": compiled("c"), "C++": compiled("cpp"), "Go": in_folder(check.go, "go"), "Java": java,
             "Rust": in_folder(check.rust, "rust"), "Python": in_folder(check.python, "python")}


class Absent(Exception):
    """The reason why there are no programs of a language; `result` is "skipped" or "failed"."""

    def __init__(self, result, why):
        super().__init__(why)
        self.result = result


def prepare(tools, build, source):
    """Builds a language's programs. Returns (function from a program's name to its command,
    environment)."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            return tools(build, source)
    except SystemExit as exit_:
        if exit_.code == check.SKIP:
            raise Absent("skipped", said.getvalue().strip().splitlines()[-1]) from None
        raise Absent("failed", f"{exit_.code} {said.getvalue()}") from None
    except (OSError, subprocess.CalledProcessError) as error:
        raise Absent("failed", f"{error} {said.getvalue()}") from None


class Program:
    """A program of a language that waits after each request."""

    def __init__(self, command, env):
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, cycles):
        """Runs this number of cycles and returns the result of the last one, as bits."""
        self.process.stdin.write(f"{cycles}\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline().strip()
        if not said:
            raise RuntimeError(f"it ended with exit code {self.process.wait()}")
        return said

    def footprint(self):
        """Returns (resident bytes, threads, files)."""
        folder = f"/proc/{self.process.pid}/"
        with open(folder + "status", encoding="ascii") as file:
            facts = dict(line.split(":", 1) for line in file)
        return int(facts["VmRSS"].split()[0]) << 10, int(facts["Threads"]), len(os.listdir(folder + "fd"))

    def end(self):
        self.process.stdin.close()
        if self.process.wait(60) != 0:
            raise RuntimeError(f"it ended with exit code {self.process.returncode}")


def slope(values):
    """Returns the growth from the first to the last value along the least-squares line."""
    middle = (len(values) - 1) / 2
    steps = [i - middle for i in range(len(values))]
    return sum(s * v for s, v in zip(steps, values)) / sum(s * s for s in steps) * (len(values) - 1)


def faults(points):
    """Returns (the problem with the points of 1,000 cycles, the growth of the memory)."""
    resident, threads, files = zip(*points)
    growth = slope(resident) / resident[0]
    wrong = [f"resident memory grows by {growth:.2%}"] if growth >= AT_MOST else []
    wrong += ["threads come and stay"] if threads[-1] > threads[0] else []
    wrong += ["files stay open"] if files[-1] != files[0] else []
    return wrong, growth


def measure(command, env):
    """Returns (results, [(resident bytes, threads, files)] before and after each tenth of the last
    1,000 cycles). These are the first 1,000 without a problem, or the third."""
    program = Program(command, env)
    try:
        # With pauses, as later: a runtime may start a thread for one that waits.
        said = {program.run(CYCLES // POINTS) for _ in range(POINTS)}
        points = [program.footprint()]
        for _ in range(ROUNDS):
            points = points[-1:]
            for _ in range(POINTS):
                said.add(program.run(CYCLES // POINTS))
                points.append(program.footprint())
            if os.environ.get("PERCALE_CYCLES_POINTS"):
                print([f"{resident / 1e6:.2f} MB, {threads}, {files}" for resident, threads, files in points], flush=True)
            if not faults(points)[0]:
                break
        program.end()
    finally:
        program.process.kill()
    if len(said) != 1:
        raise RuntimeError(f"cycles differ: {sorted(said)}")
    return said.pop(), points


def main(build, source, *wanted):
    build, source = os.path.abspath(build), os.path.abspath(source)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    table = [("language", "resident MB", "growth", "threads", "files", "")]
    seen = None
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.percale")
        subprocess.run([os.path.join(build, FOLDER, "cycles_c"), "--make", model], check=True)
        for name, tools in LANGUAGES.items():
            if wanted and name not in wanted:
                continue
            try:
                command, env = prepare(tools, build, source)
            except Absent as absent:
                counts[absent.result] += 1
                table.append((name, "", "", "", "", f"{absent.result}: {absent}"))
                continue
            try:
                bits, points = measure(command("Cycles") + [model], {**env, "PERCALE_LIBRARY": f"{build}/libpercale.so.0"})
            except RuntimeError as why:
                counts["failed"] += 1
                table.append((name, "", "", "", "", f"failed: {why}"))
                continue
            wrong, growth = faults(points)
            resident, threads, files = zip(*points)
            seen = seen or bits
            wrong += ["other numbers than the languages above"] if bits != seen else []
            counts["failed" if wrong else "passed"] += 1
            table.append((name, f"{resident[0] / 1e6:.2f} to {resident[-1] / 1e6:.2f}", f"{growth:+.2%}",
                          f"{threads[0]} to {threads[-1]}", f"{files[0]} to {files[-1]}", "failed: " + ", ".join(wrong) if wrong else ""))
    widths = [max(len(row[i]) for row in table) for i in range(5)] + [0]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print(f"test cases: {sum(counts.values())} | {counts['passed']} passed | {counts['failed']} failed | {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
