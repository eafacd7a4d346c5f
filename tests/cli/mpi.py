"""Where an MPI with the standard ABI is: of the system, or of the cache."""
import glob
import os
import shutil

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
