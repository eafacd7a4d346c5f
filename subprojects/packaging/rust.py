"""The crates for Rust. percale-sys contains the source of the library, and compiles it where none
is installed."""
import os
import shutil

import source_tree
from work import empty, run

# The crates, and those of them that each needs.
CRATES = {"percale-sys": (), "percale": ("percale-sys",), "percale-plugin": ()}


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


def native_library(work, built):
    """Returns the environment in which the crates link the library of this machine, if that is
    built."""
    for platform in built:
        if platform.name == f"linux-{os.uname().machine}":
            return {"PERCALE_LIB_DIR": str(work.folder / platform.name / "stage" / platform.folder)}
    return {}


def crates(work, built):
    """Writes the crates. Cargo compiles each from its package: percale-sys with the source of the
    library in it, the others against the library that is there already."""
    folder, target = workspace(work), work.folder / "rust" / "target"
    for crate, needed in CRATES.items():
        command = ["cargo", "package", "--allow-dirty", "--target-dir", target, "--jobs", work.jobs, "--package", crate]
        # Cargo before 1.90 looks for a needed crate in the index alone.
        for other in needed:
            command += ["--config", f'patch.crates-io.{other}.path="{folder / other}"']
        more = {"PERCALE_BUILD": "1"} if crate == "percale-sys" else native_library(work, built)
        run(command, cwd=folder, env={**os.environ, **more})
    out = []
    for crate in CRATES:
        name = f"{crate}-{work.version}.crate"
        out.append(work.dist / name)
        shutil.copyfile(target / "package" / name, out[-1])
    return out
