"""Checks the Conan recipe of a release: conan_program.py DIST

Conan compiles the package from the source archive, and CMake builds the README's program in C with
it. The program must learn. Needs a C++ compiler and the index of Python's packages. Compiling takes
about ten minutes on two cores, and less than one when ccache has the objects.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv

import programs
from wheels import works

CONAN = "conan==2.34.0"
PROJECT = """cmake_minimum_required(VERSION 3.16)
project(digits C)
find_package(percale REQUIRED)
add_executable(digits digits.c)
target_link_libraries(digits percale::percale)
"""


def main(dist):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path, = pathlib.Path(dist).glob("percale-*-source.tar.gz")
        programs.unpack(path, folder)
        version = path.name.removeprefix("percale-").removesuffix("-source.tar.gz")
        recipe = folder / f"percale-{version}" / "subprojects" / "packaging" / "conan"
        venv.create(folder / "tools", with_pip=True)
        # ccache finds its objects whatever the name of the temporary folder is.
        env = {**os.environ, "PATH": f"{folder / 'tools' / 'bin'}:{os.environ['PATH']}", "CONAN_HOME": str(folder / "conan"),
               "CCACHE_BASEDIR": name}

        def run(*command):
            # The output is shown, because the compilation takes long.
            subprocess.run([str(word) for word in command], cwd=folder, env=env, check=True)

        run("pip", "install", "--quiet", "--disable-pip-version-check", CONAN)
        run("conan", "profile", "detect")
        run("conan", "create", recipe)
        run("conan", "install", f"--requires=percale/{version}", "-g", "CMakeDeps", "-g", "CMakeToolchain", "--output-folder=made")
        shutil.copy(programs.EXAMPLES / "readme" / "digits.c", folder)
        (folder / "CMakeLists.txt").write_text(PROJECT)
        run("cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_TOOLCHAIN_FILE=made/conan_toolchain.cmake",
            "-DCMAKE_BUILD_TYPE=Release")
        run("ninja", "-C", "build")
        said = works.run([folder / "build" / "digits"], cwd=folder, env=programs.environment(folder))
    programs.learned(said, "Conan")
    print("| Conan's package | run here |")


if __name__ == "__main__":
    main(sys.argv[1])
