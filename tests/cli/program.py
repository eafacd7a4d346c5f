"""The program under test, whose path is the first argument of every test here."""
import os
import pty
import subprocess
import sys
import unittest

PATH = ""


def percale(*arguments, code=0):
    """Checks the exit code and returns the program's output."""
    result = subprocess.run([PATH, *arguments], capture_output=True, text=True, timeout=120, check=False)
    if result.returncode != code:
        raise AssertionError(f"percale {' '.join(arguments)}: exit code {result.returncode}, wanted {code}\n"
                             f"{result.stdout}{result.stderr}")
    return result


def on_terminal(*arguments, code=0):
    """Checks the exit code and returns what the program prints on a terminal, as bytes."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([PATH, *arguments], stdout=theirs, stderr=theirs)
    os.close(theirs)
    printed = b""
    try:
        while part := os.read(ours, 65536):
            printed += part
    except OSError:  # the program has ended, and its side of the terminal with it
        pass
    os.close(ours)
    if process.wait(timeout=120) != code:
        raise AssertionError(f"percale {' '.join(arguments)}: exit code {process.returncode}, wanted {code}\n{printed!r}")
    return printed


def main():
    """Takes the path from the command line and runs the test cases of the script."""
    global PATH
    PATH = os.path.abspath(sys.argv.pop(1))
    unittest.main(module="__main__")
