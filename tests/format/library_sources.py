"""The C++ sources of the library, for checks that compare them with each other."""
import glob
import os
import re

# A comment, or a literal of a text or a character.
COMMENT_OR_LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\\ ]{0,16})\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)


def read_sources(root, folders, endings):
    """Returns {path from `root`: text} of the files with these endings in and below the folders."""
    sources = {}
    for folder in folders:
        for ending in endings:
            for path in glob.glob(os.path.join(root, folder, "**", "*" + ending), recursive=True):
                with open(path, encoding="utf-8") as file:
                    sources[os.path.relpath(path, root)] = file.read()
    return sources
