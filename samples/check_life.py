"""Runs the program of samples/life in one language. It must print its five lines, which say that a
model was trained, resumed, served and fine-tuned, and that an op of a plug-in ran.

    check_life.py BUILD SOURCE c|cpp|go|java|python|rust|program PLUGIN

PLUGIN is libpercale_square.so. Exit code 77 and the reason if a tool or the plug-in for ONNX files
is missing.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check  # noqa: E402

FOLDER = os.path.join("samples", "life")
NUMBER = r"\d+\.\d{4}"
EXPECTED = rf"""trained: loss {NUMBER} -> {NUMBER}
resumed: same digest
served: 6 answers, at most {NUMBER} off
tuned: loss {NUMBER} -> {NUMBER}
plug-in: 1, -2, 3 squared are 1, ?4, ?9
"""


def go(build, source):
    """Builds the program in the module of samples/go, which knows where the binding is."""
    binding = check.checker(source, "go", "run_tests.py")
    tool, why = binding.find_go()
    if not tool:
        print(why)
        sys.exit(check.SKIP)
    env = binding.environment(build)
    program = os.path.join(build, "go", FOLDER, "life")
    os.makedirs(os.path.dirname(program), exist_ok=True)
    path = os.path.join(source, FOLDER, "life.go")
    subprocess.run([tool, "build", "-o", program, path], cwd=os.path.join(source, "samples", "go"), env=env, check=True)
    return [program], env


def program(build, source):
    """Returns the script that uses the program `percale`."""
    path = os.path.join(build, "bindings", "cli") + os.pathsep + os.environ["PATH"]
    return ["sh", os.path.join(source, FOLDER, "life.sh")], dict(os.environ, PATH=path, NO_COLOR="1")


def command_of(build, source, language):
    """Returns (command, environment)."""
    if language in ("go", "program"):
        return {"go": go, "program": program}[language](build, source)
    if language in ("java", "python"):
        command, env = {"java": check.java, "python": check.python}[language](build, source, FOLDER)
    else:
        command, env = {"c": check.c, "cpp": check.cpp, "rust": check.rust}[language](build, source)
    return command("Life"), env


def main(build, source, language, plugin):
    if not os.path.exists(os.path.join(build, "percale", "libpercale_onnx.so")):
        print("the plug-in for ONNX files is not built; `sh subprojects/setup` brings what it needs")
        return check.SKIP
    build, source, plugin = os.path.abspath(build), os.path.abspath(source), os.path.abspath(plugin)
    command, env = command_of(build, source, language)
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(command + [plugin], cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
    print(result.stdout)
    if result.returncode != 0:
        check.fail(f"exit code {result.returncode}")
    if not re.fullmatch(EXPECTED, result.stdout):
        check.fail("not the five lines")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
