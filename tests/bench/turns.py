"""Shared by the benchmark programs: workers that take turns, whole processes, tables, the machine.
"""
import os
import platform
import re
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SETTLE = 0.05  # Seconds before each turn, until the spinning threads of the previous worker sleep.


class Worker:
    """A process that speaks the protocol of percale_worker.c. `folder`: its current folder."""

    def __init__(self, command, folder=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, cwd=folder)

    def answer(self, workload, milliseconds):
        """Sends a workload and returns the line of the answer."""
        try:
            self.process.stdin.write(f"{workload} {milliseconds}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self.process.stdout.readline().strip() or f"error: {workload}: the process ended with {self.process.wait()}"

    def ask(self, workload, milliseconds):
        """Returns nanoseconds per iteration (wall, CPU), or the error."""
        answer = self.answer(workload, milliseconds)
        return answer if answer.startswith("error") else tuple(map(float, answer.split()))

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()


def take_turns(workers, workload, rounds, milliseconds, cpu=False):
    """Returns the nanoseconds per iteration of each worker in each round, by wall clock or CPU
    time. A worker that answers with an error is not asked again."""
    walls = {}
    asked = dict(workers)
    for _ in range(rounds):
        for who, worker in list(asked.items()):
            time.sleep(SETTLE)
            answer = worker.ask(workload, milliseconds)
            if isinstance(answer, str):
                if "no workload" not in answer:
                    print(f"{who}: {answer}", file=sys.stderr)
                del asked[who]
            else:
                walls.setdefault(who, []).append(answer[1 if cpu else 0])
    return walls


def from_start(command, workload, milliseconds=0, runs=1, folder=None):
    """Returns the least seconds from the start of a process to its answer, its peak megabytes until
    then, and the least answer (wall) in nanoseconds; None for a workload that the worker does not
    have."""
    seconds, peak, answers = [], 0, []
    for _ in range(runs):
        begin = time.perf_counter()
        worker = Worker(command, folder)
        answer = worker.ask(workload, milliseconds)
        seconds.append(time.perf_counter() - begin)
        # Only its own peak: wait4() may report its parent's
        with open(f"/proc/{worker.process.pid}/status") as file:
            peak = max(peak, int(re.search(r"VmHWM:\s+([0-9]+) kB", file.read()).group(1)) / 1024)
        worker.close()
        if not isinstance(answer, str):
            answers.append(answer[0])
        elif "no workload" not in answer:
            raise RuntimeError(f"{command}: {answer}")
    return min(seconds), peak, min(answers, default=None)


def free_ports(count):
    """Returns the first of `count` ports that follow each other and are free."""
    while True:
        with socket.socket() as first:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
        try:
            for i in range(count):
                with socket.socket() as other:
                    other.bind(("127.0.0.1", port + i))
            return port
        except OSError:
            continue


def show_time(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def markdown(header, rows):
    return "\n".join(["| " + " | ".join(r) + " |" for r in [header, ["---"] * len(header)] + rows])


DEVICES = "## Several devices"  # the second part of RESULTS.md


def write_part(path, text, second):
    """Replaces one of the two parts of a file. The second begins with the heading DEVICES."""
    parts = ["", ""]
    if os.path.exists(path):
        with open(path) as file:
            first, found, rest = file.read().partition(DEVICES)
        parts = [first, found + rest]
    parts[1 if second else 0] = text
    with open(path, "w") as file:
        file.write("\n\n".join(p.strip() for p in parts if p.strip()) + "\n")


def machine(build):
    """Returns a description of the machine, and the FMA peak of one thread in operations per
    nanosecond."""
    load = os.getloadavg()[0]
    kernels = subprocess.run([os.path.join(build, "tests", "bench", "kernels"), "auto", "0"], capture_output=True, text=True,
                             check=True).stdout
    roof = float(re.search(r"roof of one thread ([0-9.]+) GFLOP/s", kernels).group(1))
    name = platform.machine()
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    return (f"{name}, {os.cpu_count()} cores; fp32 FMA roof of one thread, measured: {roof} GFLOP/s; "
            f"load before: {load:.2f}"), roof


def percale_version(build):
    program = os.path.join(build, "bindings", "cli", "percale")
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
