"""Writes the list of exports for the linker from symbols.txt. For a name that ends with ".def" it
is a module definition file, which linkers for Windows take. Otherwise it is a version script: one
node per minor version, each based on the one before.
"""
import sys


def read_symbols(path):
    """Yields (symbol, version) of each line that is not blank or a comment."""
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) != 2 or not words[0].startswith("percale_"):
                sys.exit(f"{path}:{number}: expected 'percale_NAME MAJOR.MINOR', got: {line.strip()}")
            yield words[0], words[1]


def main(source, target):
    nodes = {}
    for symbol, version in read_symbols(source):
        nodes.setdefault(tuple(int(part) for part in version.split(".")), []).append(symbol)
    previous = ""
    with open(target, "w", encoding="utf-8") as out:
        if target.endswith(".def"):
            symbols = sorted(symbol for node in nodes.values() for symbol in node)
            out.writelines(["EXPORTS\n", *(f"  {symbol}\n" for symbol in symbols)])
            return
        for version in sorted(nodes):
            name = "PERCALE_" + ".".join(str(part) for part in version)
            out.write(name + " {\n  global:\n")
            out.writelines(f"    {symbol};\n" for symbol in sorted(nodes[version]))
            out.write(("}" + previous if previous else "  local:\n    *;\n}") + ";\n")
            previous = " " + name


if __name__ == "__main__":
    main(*sys.argv[1:])
