"""Makes a locale with a decimal comma and runs a program under it: comma_locale.py FOLDER
PROGRAM [ARGUMENT...]
The program gets the locale's name as its last argument. Exit code 77 if the locale cannot be
made."""
import os
import subprocess
import sys

NAME = "de_DE.UTF-8"
SKIPPED = 77


def main(folder, *command):
    places = os.path.join(folder, "locales")
    os.makedirs(places, exist_ok=True)
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(places, NAME)], capture_output=True, text=True)
    if made.returncode != 0:
        print(made.stderr, "localedef makes no de_DE.UTF-8; the Debian package 'locales' brings its sources", sep="\n")
        return SKIPPED
    return subprocess.run([*command, NAME], env={**os.environ, "LOCPATH": places}).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
