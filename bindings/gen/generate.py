"""Writes the generated files of the bindings, or checks that they are what would be written.

    python3 bindings/gen/generate.py                                   the raw layers, from the headers of c_api
    python3 bindings/gen/generate.py --percale build/bindings/cli/percale   and what the program describes: op wrappers, options
    ... --check                                                        writes nothing; exit code 1 when a file differs

Each emit_NAME.py here offers some of `raw(header)` (the model of percale_header.py), `plugin(header)` (that of plugin_header.py),
`ops(schemas)` (the list that `percale ops --json` prints) and `options(described)` (those that `percale list` prints); each gives
{path from the project's root: text}.
"""
import argparse
import importlib
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import percale_header  # noqa: E402
import plugin_header  # noqa: E402


def ask(program, *words):
    """What the program answers as JSON."""
    return json.loads(subprocess.run([program, *words, "--json"], check=True, capture_output=True, text=True).stdout)


def wanted(program, languages):
    """{path: text} of all that is generated; what the program describes only when there is one to ask."""
    header = percale_header.parse_file(percale_header.FOLDER / "percale.h")
    plugins = plugin_header.parse_file(percale_header.FOLDER / "percale_plugin.h", header)
    schemas = described = None
    if program:
        schemas = ask(program, "ops")
        listed = [entry for topic in ask(program, "list") for entry in ask(program, "list", topic)]
        described = [entry for entry in listed if "kind" in entry]  # an option, of that kind
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
        print("not what bindings/gen would write: " + ", ".join(differs))
        print("to mend it: python3 bindings/gen/generate.py --percale BUILD/bindings/cli/percale")
        return 1
    print(f"{len(files)} files agree" if args.check else f"{len(differs)} of {len(files)} files written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
