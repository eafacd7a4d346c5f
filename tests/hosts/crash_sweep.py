"""Injects faults into saves. At every system call of a save the process is killed, and every
call that writes, opens, syncs, renames, removes or closes fails as on a full disk. Afterwards
the old or the new state loads, never a mix of the two and never nothing. A save that reports
success has saved, and the next save succeeds.
Usage: crash_sweep.py PROGRAM FOLDER [--every N]   (every N-th fault only)"""
import collections
import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
# System calls that fail on a full or defective disk.
FALLIBLE = {"write", "pwrite64", "writev", "openat", "open", "fsync", "fdatasync", "rename", "renameat", "renameat2", "mkdir",
            "mkdirat", "close", "ftruncate", "fallocate", "unlink", "unlinkat", "rmdir", "mmap", "fstat", "newfstatat",
            "getdents64", "read", "lseek"}
CALL = re.compile(r"^(?:\d+ +)?([a-z_0-9]+)\(")


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, **options)


class Sweep:
    def __init__(self, program, folder, every):
        self.program, self.folder, self.every = program, os.path.join(folder, "crash-sweep"), every
        self.faults = collections.Counter()
        self.findings = []

    def call(self, what, how, place, strace=()):
        return run([*strace, self.program, what, how, place])

    def fresh(self, original, name):
        place = os.path.join(self.folder, name)
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(original, place)
        return place

    def calls_of_save(self, what, original):
        """Returns the names of a save's system calls in order, each with the number of earlier
        calls of that name."""
        log = os.path.join(self.folder, "log")
        place = self.fresh(original, "traced")
        done = self.call(what, "save", place, ("strace", "-f", "-o", log))
        if done.returncode != 0:
            return None, None, done.stderr
        before, inside, within = collections.Counter(), [], False
        for line in open(log, encoding="utf-8", errors="replace"):
            match = CALL.match(line)
            if "percale-save-ends" in line:
                break
            if match and within:
                inside.append(match.group(1))
            elif match:
                before[match.group(1)] += 1
            within = within or "percale-save-begins" in line
        return before, inside, done.stdout.strip()

    def fault(self, what, original, old, new, name, number, injection, kind):
        place = self.fresh(original, "faulty")
        label = f"{what}: {kind} at {name} number {number}"
        strace = ("strace", "-f", "-o", "/dev/null", "-e", f"trace={name}", "-e", f"inject={name}:{injection}:when={number}")
        saved = self.call(what, "save", place, strace)
        if kind == "killed" and saved.returncode == 0 or kind != "killed" and saved.returncode not in (0, 3):
            self.findings.append(f"{label}: the program ended with {saved.returncode}: {saved.stdout}{saved.stderr}")
            return
        self.faults[what, kind] += 1
        loaded = self.call(what, "check", place)
        digest = loaded.stdout.strip()
        if loaded.returncode != 0 or digest not in (old, new):
            self.findings.append(f"{label}: neither the old nor the new one loads: {loaded.stdout}{loaded.stderr}")
        elif kind != "killed" and saved.returncode == 0 and digest != new:
            self.findings.append(f"{label}: the save reported success, the old one loads")
        if kind != "killed" and name not in ("unlink", "unlinkat", "rmdir", "getdents64", "openat", "newfstatat"):
            left = [f for _, folders, files in os.walk(place) for f in folders + files if ".tmp" in f]
            if left:
                self.findings.append(f"{label}: it leaves {left}")
        again = self.call(what, "save", place)
        if again.returncode != 0 or again.stdout.strip() not in (old, new) and what == "graph":
            self.findings.append(f"{label}: the next save fails: {again.stdout}{again.stderr}")

    def sweep(self, what):
        original = os.path.join(self.folder, "original")
        shutil.rmtree(original, ignore_errors=True)
        os.makedirs(original)
        prepared = self.call(what, "prepare", original)
        if prepared.returncode != 0:
            self.findings.append(f"{what}: prepare: {prepared.stdout}{prepared.stderr}")
            return True
        old = prepared.stdout.strip()
        before, inside, new = self.calls_of_save(what, original)
        if before is None:
            print(f"strace cannot trace here: {new.strip().splitlines()[-1] if new.strip() else 'no reason given'}; "
                  "run it where ptrace is allowed")
            return False
        if not inside or new == old:
            self.findings.append(f"{what}: the save was not found among the system calls")
            return True
        seen = collections.Counter(before)
        cases = []
        for name in inside:
            seen[name] += 1
            cases.append((name, seen[name], "signal=KILL", "killed"))
            if name in FALLIBLE:
                cases.append((name, seen[name], "error=ENOSPC", "full disk"))
        for name, number, injection, kind in cases[:: self.every]:
            self.fault(what, original, old, new, name, number, injection, kind)
        print(f"{what}: {len(inside)} system calls, {self.faults[what, 'killed']} times killed,"
              f" {self.faults[what, 'full disk']} times a full disk")
        return True


def main():
    program, folder = sys.argv[1], sys.argv[2]
    every = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
    if shutil.which("strace") is None:
        print("no strace on PATH; install the Debian package strace")
        return SKIPPED
    sweep = Sweep(program, folder, every)
    os.makedirs(sweep.folder, exist_ok=True)
    for what in ("checkpoint", "replace", "graph"):
        if not sweep.sweep(what):
            return SKIPPED
    for finding in sweep.findings:
        print(finding)
    shutil.rmtree(sweep.folder, ignore_errors=True)
    return 1 if sweep.findings else 0


if __name__ == "__main__":
    sys.exit(main())
