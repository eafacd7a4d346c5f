"""Writes the tables of options in the README of each binding, between two marks."""
import pathlib

from key_tables import key_table  # of docs/tools, whose path generate.py adds

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
READMES = [f"bindings/{language}/README.md" for language in ("cpp", "go", "java", "python", "rust")]
BEGIN, END = "<!-- options: written by bindings/gen -->\n", "<!-- end of options -->\n"


def tables(described):
    """Returns a table for each kind of options, in the given order."""
    out = ""
    for kind in dict.fromkeys(option["kind"] for option in described):
        out += f"\n### Options of kind \"{kind}\"\n"
        out += key_table(option for option in described if option["kind"] == kind)
    return out + "\n"


def options(described):
    """Returns {path: text} of the READMEs with these options."""
    out = {}
    for name in READMES:
        text = (ROOT / name).read_text(encoding="utf-8")
        if text.count(BEGIN) != 1 or text.count(END) != 1:
            raise ValueError(f"{name}: wanted one line '{BEGIN.strip()}' and one '{END.strip()}' behind it")
        head, rest = text.split(BEGIN)
        out[name] = head + BEGIN + tables(described) + END + rest.split(END)[1]
    return out
