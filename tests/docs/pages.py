"""The pages of docs/, their fenced blocks, and the comparison of a block with what was printed."""
import glob
import os
import re
import textwrap

FENCE = re.compile(r"^( *)```+ *([\w+#-]*)([^\n]*)\n(.*?)^\1```+ *$", re.M | re.S)
TITLE = re.compile(r'title="([^"]*)"')
NOTE = re.compile(r"<!-- *(varies|not run): *(.*?) *-->\s*\Z")
NUMBER = r"[-+]?\d[\d.]*(?:e[-+]?\d+)?"
EXAMPLES = "docs/examples/"


class Block:
    """A fenced block, with its title and the note in the comment right above it."""

    def __init__(self, page, text, match):
        self.where = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
        self.language, self.body = match.group(2).lower(), textwrap.dedent(match.group(4))
        title = TITLE.search(match.group(3))
        self.title = title.group(1) if title else ""
        note = NOTE.search(text[:match.start()])
        self.varies = re.split(r", *", note.group(2)) if note and note.group(1) == "varies" else []
        self.not_run = note.group(2) if note and note.group(1) == "not run" else ""

    def is_part_of(self, printed):
        """True if lines of `printed` that follow each other are those of the block."""
        return re.search(rf"^\s*{self.pattern()}\s*$", printed, re.M | re.S) is not None

    def pattern(self):
        """Returns the regular expression for the text of the block."""
        stands_for = {"...": ".*?"} | {words: r"[^\n]*?" for words in self.varies if words != "numbers"}
        kinds = [r"\s+", *map(re.escape, stands_for), *([NUMBER] if "numbers" in self.varies else [])]
        parts = re.split(f"({'|'.join(kinds)})", self.body.strip())
        return "".join(re.escape(part) if index % 2 == 0 else r"\s+" if part.isspace() else stands_for.get(part, NUMBER)
                       for index, part in enumerate(parts))


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def pages(source):
    """Yields (path, text) of every page that is written by hand."""
    for path in sorted(glob.glob(os.path.join(source, "docs", "**", "*.md"), recursive=True)):
        yield os.path.relpath(path, source), read(path)


def blocks(page, text):
    """Returns the fenced blocks of a page."""
    return [Block(page, text, match) for match in FENCE.finditer(text)]


def prose(text):
    """Returns the text of a page without its fenced blocks."""
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)


def without_progress(printed):
    """Returns what a program printed, without lines that a carriage return replaces."""
    return re.sub(r"[^\n]*\r", "", printed)


def outputs(source):
    """Returns {NAME: blocks} for the programs of docs/examples that print what a page shows."""
    found = {}
    for page, text in pages(source):
        for block in blocks(page, text):
            if block.language == "text" and block.title.startswith(EXAMPLES):
                found.setdefault(block.title[len(EXAMPLES):], []).append(block)
    return found
