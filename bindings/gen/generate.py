"""Writes the generated files of the bindings, or checks that they are up to date.

    python3 bindings/gen/generate.py
        writes the raw layers, from the headers of c_api
    python3 bindings/gen/generate.py --percale build/bindings/cli/percale
        also writes the op wrappers and the tables of options, from the program
    ... --check
        writes nothing; exit code 1 if a file differs

Each emit_NAME.py here has some of these functions, which return
{path from the project's root: text}:

- `raw(header)`: takes the model of percale_header.py.
- `plugin(header)`: takes the model of plugin_header.py.
- `ops(schemas)`: takes the list that `percale ops --json` prints.
- `options(described)`: takes the options that `percale list` prints.
"""
import argparse
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "docs" / "tools")]
sys.dont_write_bytecode = True

import percale_header  # noqa: E402
import plugin_header  # noqa: E402
from key_tables import ask_json  # noqa: E402


def wanted(program, languages):
    """Returns {path: text} of all generated files. Without `program`, op wrappers and options are
    left out.
    """
    header = percale_header.parse_file(percale_header.FOLDER / "percale.h")
    plugins = plugin_header.parse_file(percale_header.FOLDER / "percale_plugin.h", header)
    schemas = described = None
    if program:
        schemas = ask_json(program, "ops")
        listed = [entry for topic in ask_json(program, "list") for entry in ask_json(program, "list", topic)]
        # entries with a kind are options
        described = [entry for entry in listed if "kind" in entry]
    files = {}
    for path in sorted(HERE.glob("emit_*.py")):
        if languages and path.stem.removeprefix("emit_") not in languages:
            continue
        emitter = importlib.import_module(path.stem)
        if hasattr(emitter, "raw"):
            files.update(emitter.raw(header))
        if hasattr(emitter, "plugin"):
            files.update(emitter.plugin(plugins))
        if schemas is not None and hasattr(emitter, "ops"):
            files.update(emitter.ops(schemas))
        if described is not None and hasattr(emitter, "options"):
            files.update(emitter.options(described))
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--percale", help="the built program, to ask for the schemas of the ops and for the options")
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    parser.add_argument("languages", nargs="*", help="all, unless some are named")
    args = parser.parse_args()
    differs = []
    files = wanted(args.percale, args.languages)
    for name, text in sorted(files.items()):
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        differs.append(name)
        if not args.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if args.check and differs:
        print("these files differ from the output of bindings/gen: " + ", ".join(differs))
        print("to update them: python3 bindings/gen/generate.py --percale BUILD/bindings/cli/percale")
        return 1
    print(f"{len(files)} files agree" if args.check else f"{len(differs)} of {len(files)} files written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
