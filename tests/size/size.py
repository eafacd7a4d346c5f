"""Prints the size of a stripped library, and what it consists of.

    size.py LIBRARY                 sections and total
    size.py LIBRARY --limit MB      exit code 1 if the total is above the limit
    size.py LIBRARY --objects DIR   also code and data per folder of the sources, before linking;
                                    DIR is the build folder

MB are 10^6 bytes.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

# Sections of an object by what they hold.
KINDS = (("code", (".text",)), ("constants", (".rodata", ".data")),
         ("exceptions", (".eh_frame", ".gcc_except_table")), ("relocations", (".rela",)))


def sections(path):
    """The loaded sections of a file: name and size."""
    text = subprocess.run(["size", "-A", "-d", path], capture_output=True, text=True, check=True).stdout
    found = (line.split() for line in text.splitlines())
    return [(words[0], int(words[1])) for words in found if len(words) == 3 and words[0].startswith(".")]


def by_kind(path):
    out = collections.Counter()
    for name, size in sections(path):
        for kind, prefixes in KINDS:
            if name.startswith(prefixes):
                out[kind] += size
    return out


def stripped_size(library):
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "stripped")
        subprocess.run(["strip", "-o", copy, library], check=True)
        return os.path.getsize(copy)


def folder_of(name):
    """The folder of the sources of an object: "core_train_1.cc.o" of a unit is of core/train."""
    name = re.sub(r"^meson-generated_.*core_unity_(percale|cold)_", "", name)
    parts = name.split("_")
    if parts[0] == "core" and len(parts) > 2 and parts[1] in ("train", "graph"):
        return "/".join(parts[:2] + [p for p in parts[2:3] if not p[0].isdigit() and "." not in p])
    return "/".join(parts[:2] if parts[0] != "devices" else parts[:3])


def print_folders(build):
    folders = collections.defaultdict(collections.Counter)
    for archive in ("percale_core", "percale_cold", "percale_simd"):
        objects = os.path.join(build, f"lib{archive}.a.p")
        for name in sorted(os.listdir(objects)):
            if name.endswith(".o"):
                folders[folder_of(name)] += by_kind(os.path.join(objects, name))
    print(f"{'folder':28}" + "".join(f"{kind:>13}" for kind, _ in KINDS[:3]))
    for folder, sizes in sorted(folders.items(), key=lambda item: -item[1].total()):
        print(f"{folder:28}" + "".join(f"{sizes[kind]:13,}" for kind, _ in KINDS[:3]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--limit", type=float, metavar="MB")
    parser.add_argument("--objects", metavar="DIR")
    given = parser.parse_args()
    if given.objects:
        print_folders(given.objects)
    for kind, size in by_kind(given.library).items():
        print(f"{kind:12} {size / 1e6:6.2f} MB")
    total = stripped_size(given.library) / 1e6
    print(f"{'stripped':12} {total:6.2f} MB")
    if given.limit and total > given.limit:
        print(f"{os.path.basename(given.library)} is larger than {given.limit} MB. `size.py LIBRARY --objects BUILD` shows "
              "which folder has grown; docs/decisions/project/library-size.md says what keeps it small.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
