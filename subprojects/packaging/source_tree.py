"""The part of the source that building the library needs: for an sdist and a crate."""
import os
import pathlib
import shutil
import subprocess

# Parts that a build with -Dtests=false does not read.
NOT_NEEDED = (".ci/", "tests/", "docs/", "bindings/go/", "bindings/java/src/main/java", "bindings/rust/", "bindings/spark/",
              "bindings/python/tests/", "bindings/gen/")


def names_in(root):
    """Returns the names of the files of the source: those that git knows, or all in a folder that
    git does not know, such as an unpacked archive."""
    if (root / ".git").exists():
        if not shutil.which("git"):
            raise SystemExit(f"{root} is a clone, whose files git lists, and there is no git on PATH; install git")
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
        return [name for name in listed.split("\0") if name and (root / name).is_file()]
    return [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def files_for_building(root):
    """Returns {name: path} of the files that a build of the library needs, sorted."""
    return {name: pathlib.Path(root) / name for name in sorted(names_in(root)) if not name.startswith(NOT_NEEDED)}


def epoch():
    """Returns the time that archives of the source carry."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
