"""Builds the wheel from source, for pip and other front ends (PEP 517).

`pip install ./bindings/python`, or an sdist, compiles the library with Meson. The sdist has the
files that this needs, in the folders that they have here. Settings:

    --config-settings build-dir=FOLDER       keeps the build folder, so that a second build is short
    --config-settings setup-args="-Disas=avx2"   more arguments of `meson setup`
"""
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "subprojects" / "packaging")]

import archives  # noqa: E402
import source_tree  # noqa: E402
import wheel as wheels  # noqa: E402

ROOT = wheels.ROOT
TOOLS = {"meson": "meson>=1.6", "ninja": "ninja"}


def get_requires_for_build_wheel(config_settings=None):
    """Tools of the machine are used if they are there."""
    return [package for program, package in TOOLS.items() if not shutil.which(program)]


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = pathlib.Path(metadata_directory) / wheels.info_folder()
    info.mkdir(parents=True)
    (info / "METADATA").write_text(wheels.metadata())
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = config_settings or {}
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(settings.get("build-dir") or folder).resolve()
        if not (build / "build.ninja").exists():
            subprocess.run(["meson", "setup", build, ROOT, "-Dtests=false", "-Djni=disabled", "-Dcuda=disabled", "-Dremote=disabled",
                            *shlex.split(settings.get("setup-args", ""))], check=True)
        subprocess.run(["meson", "compile", "-C", build], check=True)
        return wheels.write(pathlib.Path(wheel_directory), wheels.libraries_of_build(build), wheels.machine_platform()).name


def build_sdist(sdist_directory, config_settings=None):
    files = source_tree.files_for_building(ROOT)
    here = HERE.relative_to(ROOT).as_posix()
    files["PKG-INFO"] = wheels.metadata().encode()
    # Front ends look for it in the top folder.
    project = (HERE / "pyproject.toml").read_text()
    files["pyproject.toml"] = project.replace('backend-path = ["."]', f'backend-path = ["{here}"]') \
        .replace('readme = "', f'readme = "{here}/').encode()
    path = pathlib.Path(sdist_directory) / f"percale-{wheels.version()}.tar.gz"
    archives.tar_gz(path, files, path.name[:-len(".tar.gz")], source_tree.epoch())
    return path.name
