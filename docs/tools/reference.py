"""Writes the pages of the reference that are made from tables of the program and from the C
headers: ops, options, keys of a SPEC, commands, error codes. stage.py calls it."""
import glob
import os
import re
import subprocess

from key_tables import HEAD, ask_json, cell, default_of, key_table, marked, row, table, values_of

ENVIRONMENT = dict(os.environ, COLUMNS="100", NO_COLOR="1")
GENERATED = "<!-- Made by docs/tools/reference.py from the program's own tables. -->\n"
TOPICS = {
    "engine": "Options of an engine", "session": "Options of a session", "trainer": "Options of a trainer",
    "export": "Options of an export",
}
SPEC_TOPICS = {
    "spec": "Keys", "layers": "Layers", "losses": "Losses", "metrics": "Metrics", "optimizers": "Optimizers",
    "schedules": "Schedules",
}


def ask_text(percale, *words):
    """Returns the text that the command `percale WORDS` prints."""
    return subprocess.run([percale, *words], env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout


def options_page(percale):
    text = "# Options\n" + GENERATED + """
Every option has a key and a value, both text. In C, `percale_options_set(options, key, value)` sets one; the program takes
`--option KEY=VALUE`; the bindings have their own types for options. An unknown key or a value out of range is
INVALID_ARGUMENT, and the message lists the known keys. `percale list engine` prints the same tables.

"""
    for topic, title in TOPICS.items():
        text += f"## {title}\n\n{key_table(ask_json(percale, 'list', topic))}\n"
    return text


def key_rows(keys, prefix=""):
    for key in keys:
        yield row(key, prefix + key["name"])
        yield from key_rows(key.get("keys", ()), f"{prefix}{key['name']}.")


def spec_page(percale):
    text = "# Keys of a SPEC\n" + GENERATED + """
A SPEC is a training job in JSON. [SPEC.md](SPEC.md) explains the keys by example; this page lists all of them.
`percale list spec` prints the same.

"""
    for topic, title in SPEC_TOPICS.items():
        entries = ask_json(percale, "list", topic)
        text += f"## {title}\n\n"
        if topic == "spec":
            text += table(HEAD, key_rows(entries)) + "\n"
            continue
        for entry in entries:
            text += f"### {entry['name']}\n\n{marked(entry['doc'])}\n\n"
            keys = entry.get("keys", entry.get("attributes", ()))
            if keys:
                text += table(HEAD, key_rows(keys)) + "\n"
    return text


def program_page(percale):
    text = "# The program\n" + GENERATED + "\n`percale COMMAND --help` prints the same.\n\n"
    text += "```text\n" + ask_text(percale, "help") + "```\n\n"
    for line in ask_text(percale, "help").splitlines():
        if line.startswith("  "):
            command = line.split()[0]
            text += f"## percale {command}\n\n```text\n{ask_text(percale, 'help', command)}```\n\n"
    return text


def operand_rows(op):
    for direction in ("inputs", "outputs"):
        for operand in op[direction]:
            notes = [word for word in ("optional", "variadic") if operand.get(word)]
            yield direction[:-1], f"`{operand['name']}`", operand.get("group", ""), " ".join(operand.get("types", ())), ", ".join(notes)


def ops_page(percale):
    ops = ask_json(percale, "ops")
    text = "# Ops\n" + GENERATED + f"""
{len(ops)} ops. Those without a domain follow ONNX; `percale:` is Percale's own domain. "Since" is the version since which the op has its
present meaning. `percale ops NAME` prints the same for one op.

"""
    for op in ops:
        name = f"{op['domain']}:{op['name']}" if op["domain"] else op["name"]
        text += f"## {name}\n\n{cell(op['doc'])}\n\nSince {op['since']}. Gradient: {op['gradient']}. "
        without = "none, other ops compute it" if op["composite"] else "none, the session executes it"
        text += f"Kernels: {', '.join(op['devices']) or without}.\n\n"
        rows = list(operand_rows(op))
        if rows:
            text += table(("", "name", "group", "types", ""), rows) + "\n"
        if op["attributes"]:
            text += table(("attribute", "meaning", "values", "default"),
                          [(f"`{a['name']}`", a.get("doc", ""), values_of(a), default_of(a)) for a in op["attributes"]]) + "\n"
    return text


def copied_page(root, path, title=None):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    return text if title is None else f"# {title}\n" + text.split("\n", 1)[1]


def error_codes(root):
    """The table of the codes, from the comments of the enum in the C headers."""
    headers = ""
    for path in sorted(glob.glob(os.path.join(root, "c_api", "include", "**", "*.h"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            headers += file.read()
    codes = re.search(r"enum[^{};]*\{([^{}]*?PERCALE_UNAUTHENTICATED[^{}]*?)\}", headers, re.S)
    if not codes:
        raise SystemExit("c_api/include: no header has an enum with PERCALE_UNAUTHENTICATED, from which the table of codes is made")
    rows = re.findall(r"PERCALE_(\w+) = (\d+),?\s*/\*\*< (.*?) \*/", codes.group(1), re.S)
    return GENERATED + "\n" + table(("number", "code", "meaning"), [(number, f"`{name}`", " ".join(text.split())) for name, number, text in rows]) + "\n"


def fill(page, mark, text):
    """Puts what is generated where a page has the mark."""
    with open(page, encoding="utf-8") as file:
        before = file.read()
    if mark not in before:
        raise SystemExit(f"{page}: no {mark}, where generated text belongs; put it back")
    with open(page, "w", encoding="utf-8") as file:
        file.write(before.replace(mark, text))


def write_pages(root, folder, percale):
    fill(os.path.join(folder, "errors.md"), "<!-- codes -->", error_codes(root))
    pages = {
        "options.md": options_page(percale), "spec-keys.md": spec_page(percale), "program.md": program_page(percale),
        "ops.md": ops_page(percale), "SPEC.md": copied_page(root, "c_api/SPEC.md", "Training jobs (SPEC)"),
        "file-format.md": copied_page(root, "core/graph_io/schema/README.md", "The .percale file"),
    }
    for name, text in pages.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
