"""Every message of a cluster is in an input that the fuzz targets start from.

    check_remote_seeds.py MAKE_REMOTE.cc SCHEMA.fbs...
"""
import re
import sys


def main(source, *schemas):
    with open(source, encoding="utf-8") as file:
        used = set(re.findall(r"wire::(\w+?)T?\b", file.read()))
    missing = []
    for schema in schemas:
        with open(schema, encoding="utf-8") as file:
            text = file.read()
        names = [name for union in re.findall(r"union \w+ \{([^}]*)\}", text) for name in re.findall(r"\w+", union)]
        missing += [f"{schema}: {name}" for name in names if name not in used]
    for name in missing:
        print(f"{name} is in no input of {source}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
