"""Checks slurm/train.sbatch. Its lines #SBATCH have options of sbatch with suitable values. The
script runs with stand-ins for srun and scontrol. It starts a command that the program has, sets
variables that the library documents, puts the job back into the queue at the time limit, and fails
when srun fails.

    check_slurm.py BUILD SOURCE

No Slurm is needed, so this says nothing about a cluster. Exit code 77 and the reason without bash.
"""
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from cluster_files import Program, check_readme, finish, read  # noqa: E402

SKIP = 77
# The options of sbatch that the file may have, and their values; None: no value.
OPTIONS = {
    "job-name": r"[\w-]+", "nodes": r"\d+", "ntasks-per-node": r"\d+", "cpus-per-task": r"\d+", "mem": r"\d+[KMGT]",
    "time": r"(\d+-)?\d+:\d\d:\d\d", "requeue": None, "open-mode": r"append|truncate", "output": r"[\w.-]*%j[\w.-]*",
    "signal": r"(B:|R:)*[A-Z0-9]+@\d+",
}
NEEDED = {"nodes", "ntasks-per-node", "requeue", "open-mode", "signal"}
# Notes what the script does. The step runs until Slurm ends it, or fails with $STEP_FAILS.
SRUN = """#!/bin/sh
env >environment
echo $$ >step
printf '%s\\n' "$@" >arguments.new
mv arguments.new arguments
[ -z "$STEP_FAILS" ] || exit "$STEP_FAILS"
exec sleep 60
"""
SCONTROL = """#!/bin/sh
echo "$@" >scontrol.said
kill "$(cat step)"
"""


def check_options(path, text):
    wrong, found, started = [], set(), False
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path}:{number}"
        started = started or bool(line) and not line.startswith("#")
        if not line.startswith("#SBATCH"):
            continue
        option = re.fullmatch(r"#SBATCH --([\w-]+)(?:=(\S+))?", line)
        if started:
            wrong.append(f"{where}: sbatch reads no option below a command")
        if not option or option.group(1) not in OPTIONS:
            wrong.append(f"{where}: unknown option: {line}")
            continue
        name, value = option.groups()
        wanted = OPTIONS[name]
        if value is not None if wanted is None else not re.fullmatch(wanted, value or ""):
            wrong.append(f"{where}: --{name} is {value}, wanted {wanted or 'no value'}")
        if name in found:
            wrong.append(f"{where}: --{name} stands twice")
        found.add(name)
    return wrong + [f"{path}: there is no --{name}" for name in sorted(NEEDED - found)]


class Stage:
    """A folder with the stand-ins, in which the script runs."""

    def __init__(self, script, folder):
        self.script, self.folder = script, folder
        for name, text in (("srun", SRUN), ("scontrol", SCONTROL)):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)

    def start(self, fails=""):
        self.given = {"PATH": self.folder + os.pathsep + os.environ["PATH"], "HOME": self.folder, "SLURM_JOB_ID": "4711",
                      "SLURM_CPUS_PER_TASK": "4", "STEP_FAILS": fails}
        process = subprocess.Popen(["bash", self.script, "job.json", "results"], cwd=self.folder, env=self.given)
        self.wait_for("arguments")
        return process

    def path(self, name):
        return os.path.join(self.folder, name)

    def wait_for(self, name):
        for _ in range(1000):
            if os.path.exists(self.path(name)):
                return
            time.sleep(0.02)
        sys.exit(f"failed: the script makes no file {name}")

    def step(self):
        """Returns the command of the step, and the names of the variables that the script set."""
        words = read(self.path("arguments")).splitlines()
        names = {line.split("=")[0] for line in read(self.path("environment")).splitlines() if "=" in line}
        return words, names - set(self.given) - {"PWD", "OLDPWD", "SHLVL", "_"}


def check_run(path, script, program):
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(script, folder)
        process = stage.start()
        words, names = stage.step()
        process.send_signal(signal.SIGUSR1)
        process.wait(timeout=30)
        stage.wait_for("scontrol.said")
        said = read(stage.path("scontrol.said")).strip()
        has_folder = os.path.isdir(stage.path("results"))
    with tempfile.TemporaryDirectory() as folder:
        code = Stage(script, folder).start(fails="3").wait(timeout=30)
    wrong = program.check_variables(path, names)
    if "percale" in words:
        command = words[words.index("percale"):]
        wrong += program.check_command(path, command)
        wrong += [f"{path}: {shlex.join(command)}: there is no {flag}" for flag in ("--cluster env", "--resume results") if flag not in " ".join(command)]
    else:
        wrong.append(f"{path}: srun starts {shlex.join(words)}, not percale")
    if said != "requeue 4711":
        wrong.append(f"{path}: at the time limit it tells scontrol '{said}', wanted 'requeue 4711'")
    if not has_folder:
        wrong.append(f"{path}: --resume needs a folder, and the script makes none")
    if code != 3:
        wrong.append(f"{path}: the exit code is {code} when srun's is 3")
    return wrong


def main(build, source):
    if not shutil.which("bash"):
        print("no bash; install bash")
        return SKIP
    path = "samples/slurm/train.sbatch"
    script = os.path.join(source, path)
    syntax = subprocess.run(["bash", "-n", script], capture_output=True, text=True)
    if syntax.returncode != 0:
        return finish([syntax.stderr.strip()], "")
    program = Program(build, source)
    wrong = check_options(path, read(script)) + check_run(path, script, program) + check_readme(source, program, "slurm")
    return finish(wrong, "the file for sbatch is right")


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:])))
