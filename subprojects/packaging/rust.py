"""The crates for Rust. percale-sys contains the source of the library, and compiles it where none
is installed."""
import os
import shutil

import source_tree
from work import empty, run

# In the order in which one needs the other.
CRATES = ("percale-sys", "percale", "percale-plugin")


def workspace(work):
    """Returns a copy of the binding whose percale-sys has the source of the library."""
    folder = empty(work.folder / "rust") / "rust"
    shutil.copytree(work.source / "bindings" / "rust", folder)
    for name, path in source_tree.files_for_building(work.source).items():
        there = folder / "percale-sys" / "source" / name
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, there)
    for crate in CRATES:
        shutil.copyfile(work.source / "bindings" / "rust" / "README.md", folder / crate / "README.md")
    return folder


def crates(work):
    """Writes the crates. Cargo builds percale from the package of percale-sys, and thereby compiles
    the packaged source of the library."""
    folder = workspace(work)
    target = work.folder / "rust" / "target"
    run(["cargo", "package", "--allow-dirty", "--target-dir", target], cwd=folder,
        env={**os.environ, "PERCALE_BUILD": "1", "NUM_JOBS": str(work.jobs)})
    out = []
    for crate in CRATES:
        name = f"{crate}-{work.version}.crate"
        out.append(work.dist / name)
        shutil.copyfile(target / "package" / name, out[-1])
    return out
