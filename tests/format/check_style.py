"""Checks the style of comments and Markdown, and the size of folders: check_style.py ROOT

* A comment ends at column 100 at the latest, and so does a line of prose in Markdown (not a table
  row, code or a long link).
* No comment opens with a word that hides its subject ("What ...", "Whether ..."), and none uses
  a word that the project replaced by the field's own one.
* A folder holds at most 25 files.
"""
import io
import os
import re
import shutil
import subprocess
import sys
import tokenize

COLUMNS = 100
MOST_FILES = 25
OPENERS = re.compile(r"(What|Whether|Whoever|Of what|Who|Whose|Nobody|Somebody|How|Of)\b(?! to )")
# The word, and the one that takes its place.
WORDS = {
    r"somebody|nobody|whoever": "the noun that is meant",
    r"mend(?:s|ed|ing)?": "fix",
    r"floor-mates?|upper floors?|lower floors?|down the floors|the floors (?:above|below)": "layer",
    r"the house|rooms?(?= of its own)": "folder or module",
}
WORD = re.compile(r"\b(?:" + "|".join(f"({pattern})" for pattern in WORDS) + r")\b", re.I)
REPLACEMENTS = list(WORDS.values())
SKIPPED = ("tests/corpus/", "tests/bench/results/")
# Folders whose language makes them one unit, and folders of data.
LARGE_FOLDERS = re.compile(r"tests/corpus/|tests/ops/data$|bindings/go$|bindings/java/src/main/java/org/percale(/raw)?$|docs/decisions$")
C_FAMILY = {".h": "c", ".cc": "c", ".c": "c", ".hpp": "c", ".cu": "c", ".cuh": "c", ".inc": "c", ".go": "go", ".rs": "rust",
            ".java": "java", ".js": "go"}
STRINGS = {
    "c": r'R"([^()\\ ]{0,16})\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'',
    "go": r'`()[^`]*`|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'',
    "java": r'"""().*?"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'',
    "rust": r'b?r(#*)".*?"\1|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\\n]|\\[^\'\n]+|\\\')\'',
}
TOKEN = {language: re.compile(strings + r"|//[^\n]*|/\*.*?\*/", re.S) for language, strings in STRINGS.items()}


def c_comments(text, language):
    """(offset, comment) of each comment."""
    for match in TOKEN[language].finditer(text):
        if match.group().startswith(("//", "/*")):
            yield match.start(), match.group()


def python_comments(text):
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    previous = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        at = starts[token.start[0] - 1] + token.start[1]
        docstring = token.type == tokenize.STRING and previous in (None, tokenize.NEWLINE, tokenize.INDENT)
        if token.type == tokenize.COMMENT and not token.string.startswith("#!") or docstring:
            yield at, token.string
        if token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.ENCODING):
            previous = token.type


def script_comments(text):
    """Finds comments of shell scripts and Meson files that begin a line or follow two spaces."""
    for match in re.finditer(r"(?:^[ \t]*|  )#(?!!)[^\n]*", text, re.M):
        yield match.start() + match.group().index("#"), match.group()[match.group().index("#"):]


def comments(path, text):
    suffix = os.path.splitext(path)[1]
    if suffix in C_FAMILY:
        return c_comments(text, C_FAMILY[suffix])
    if suffix == ".py":
        return python_comments(text)
    return script_comments(text)


def in_words(comment):
    """The lines of a comment without its marks, as (line within the comment, text)."""
    for number, line in enumerate(comment.splitlines()):
        yield number, re.sub(r"^\s*(?:///?<?!?|/\*\*?<?|\*/?|#|[\"']{3})\s?|\s*(?:\*/|[\"']{3})$", "", line).strip()


def check_comment(path, text, at, comment):
    first = text.count("\n", 0, at) + 1
    lines = text.splitlines()
    for number, words in in_words(comment):
        where = f"{path}:{first + number}"
        if len(lines[first + number - 1]) > COLUMNS and not re.search(r"https?://\S+$", words):
            yield f"{where}: the comment ends behind column {COLUMNS}"
        if number == 0 and OPENERS.match(words):
            yield f"{where}: '{words.split()[0]} ...': name the subject first"
        found = WORD.search(words)
        if found:
            yield f"{where}: '{found.group()}': write {REPLACEMENTS[found.lastindex - 1]}"


def continues(text, at):
    """Returns True if the comment continues the comment on the line above."""
    begin = text.rfind("\n", 0, at) + 1
    above = text[text.rfind("\n", 0, max(begin - 1, 0)) + 1:max(begin - 1, 0)].strip()
    return text[begin:at].strip() == "" and above.startswith(("//", "#"))


def check_source(path, text):
    for at, comment in comments(path, text):
        for found in check_comment(path, text, at, comment):
            if "name the subject" not in found or not continues(text, at):
                yield found


def check_markdown(path, text):
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        if code or line.lstrip().startswith(("|", "<")):
            continue
        if len(line) > COLUMNS and not re.search(r"\]\([^)]*\)\S*$|https?://\S+$|^\[[^\]]+\]:", line):
            yield f"{path}:{number}: prose ends behind column {COLUMNS}"
        found = WORD.search(line)
        if found:
            yield f"{path}:{number}: '{found.group()}': write {REPLACEMENTS[found.lastindex - 1]}"


def check_folders(paths):
    count = {}
    for path in paths:
        folder = os.path.dirname(path)
        count[folder] = count.get(folder, 0) + 1
    for folder, files in sorted(count.items()):
        if files > MOST_FILES and not LARGE_FOLDERS.search(folder):
            yield f"{folder}: {files} files, at most {MOST_FILES}"


def check(path, text):
    if path.startswith(SKIPPED):
        return []
    if path.endswith(".md"):
        return list(check_markdown(path, text))
    is_source = os.path.splitext(path)[1] in (*C_FAMILY, ".py", ".build", ".sh") or text.startswith("#!")
    return list(check_source(path, text)) if is_source else []


def files_of(root):
    git = shutil.which("git")
    listed = git and subprocess.run([git, "-C", root, "ls-files", "-z"], capture_output=True, check=False)
    if not listed or listed.returncode != 0:
        print("no git, or no checkout; install git and run the test in a clone")
        sys.exit(77)
    return [path for path in listed.stdout.decode().split("\0") if path and os.path.isfile(os.path.join(root, path))]


def main(root):
    paths, found = files_of(root), []
    for path in paths:
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                found += check(path, file.read())
        except UnicodeDecodeError:
            continue  # not text
    found += check_folders(paths)
    print("\n".join(found) if found else f"{len(paths)} files keep to the style")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
