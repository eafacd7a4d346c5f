"""An MPI with the standard ABI, of the system or of the cache."""
import glob
import os
import shutil
import subprocess

import program

WITHOUT = "no MPI has the standard ABI; `sh subprojects/setup --tests` brings MPICH 5"


def find_mpi():
    """Returns the launcher and the folder of its libmpi_abi.so.1, or (None, None)."""
    cache = os.environ.get("PERCALE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "percale")
    for launcher in (shutil.which("mpiexec"), os.path.join(cache, "python-packages", "bin", "mpiexec")):
        for library in glob.glob(os.path.join(os.path.dirname(os.path.dirname(launcher or "")), "lib*", "libmpi_abi.so.1")):
            if os.access(launcher, os.X_OK):
                return launcher, os.path.dirname(library)
    return None, None


def in_group(*commands, code=0):
    """Runs groups of processes, each described as (number, arguments), as one MPI job."""
    launcher, library = find_mpi()
    words = []
    for number, arguments in commands:
        words += [":"] * bool(words) + ["-n", str(number), program.PATH, "train", *arguments, "--collective", "mpi"]
    environment = dict(os.environ, LD_LIBRARY_PATH=library)
    result = subprocess.run([launcher, *words], capture_output=True, text=True, timeout=120, check=False, env=environment)
    if (result.returncode == 0) != (code == 0):
        raise AssertionError(f"{words}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result
