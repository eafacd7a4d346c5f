"""Tables of options and keys in Markdown, from what `percale list TOPIC --json` prints."""
import json
import re
import subprocess

HEAD = ("key", "values", "default", "meaning")
JSON_START = re.compile(r'[\[{]+"')
QUOTED = re.compile(r"(?<!\w)'([^' ]+)'(?!\w)")


def ask_json(percale, *words):
    """Returns the value that the command `percale WORDS --json` prints."""
    return json.loads(subprocess.run([percale, *words, "--json"], check=True, capture_output=True, text=True).stdout)


def json_end(text, begin):
    """Returns the end of the JSON value that begins at `begin`."""
    depth, quoted = 0, False
    for at in range(begin, len(text)):
        if text[at] == '"':
            quoted = not quoted
        elif not quoted and text[at] in "[{":
            depth += 1
        elif not quoted and text[at] in "]}":
            depth -= 1
            if depth == 0:
                return at + 1
    return len(text)


def marked(text):
    """Returns the text with JSON and 'quoted' names as code."""
    found = JSON_START.search(text)
    if not found:
        return QUOTED.sub(r"`\1`", text)
    end = json_end(text, found.start())
    return QUOTED.sub(r"`\1`", text[:found.start()]) + f"`{text[found.start():end]}`" + marked(text[end:])


def cell(text):
    """Returns the text with the characters escaped that would end a cell or begin a tag."""
    return str(text).replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(cell, row)) + " |" for row in rows]) + "\n"


def number(value):
    """Returns a whole number as an int. The program prints the bounds of options as floats."""
    return int(value) if float(value).is_integer() else value


def values_of(entry):
    """Returns the type of an option or a key, with its range."""
    if "choices" in entry:
        return ", ".join(f"`{choice}`" for choice in entry["choices"].split("|"))
    text = entry.get("type") or entry.get("kind", "")  # the attributes of layers call it "kind"
    low, high = (number(entry[name]) if name in entry else None for name in ("min", "max"))
    if low is not None:
        return f"{text}, {low} to {high}" if high is not None else f"{text}, at least {low}"
    return f"{text}, at most {high}" if high is not None else text


def default_of(entry):
    """Returns the default: a literal value for an option, words or a value for a key."""
    if entry.get("required"):
        return "required"
    value = entry.get("default", "")
    if "key" in entry:
        return f"`{value}`" if value else ""
    return marked(value) if isinstance(value, str) else json.dumps(value)


def row(entry, name=None):
    """Returns the cells below HEAD."""
    return f"`{name or entry.get('key') or entry['name']}`", values_of(entry), default_of(entry), marked(entry.get("doc", ""))


def key_table(entries):
    return table(HEAD, map(row, entries))
