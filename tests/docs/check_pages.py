"""Checks what the pages of docs/ show: check_pages.py SOURCE PERCALE

* A block in C, C++, Go, Java, Rust or Python is a part of a file that a test compiles and runs
  (`--8<--`), and that part exists.
* A block of JSON that is a training job passes `percale check`, whether it stands in the page or in
  a file. So do the whole jobs of c_api/SPEC.md, which shows parts of jobs as well.
* A block of what is printed (`text`) has a title that says what prints it: a command, which
  check_commands.py runs, or a program of docs/examples, which check_examples.py runs.
* The programs of README.md are those of docs/examples/readme.
* The program of c_api/SERVING.md is a part of docs/examples/serve/serve.c.
* Functions and types `percale_...` are those of the C headers, and paths of the source tree exist,
  also those that READMEs and other Markdown outside docs/ name or link.
* Links lead to pages and pictures of docs/: the site has no other files of the source tree.
* docs/how/architecture.svg is what docs/tools/architecture.py draws.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap

sys.dont_write_bytecode = True
from pages import EXAMPLES, blocks, pages, prose, read  # noqa: E402

LANGUAGES = {"c", "cc", "cpp", "c++", "cxx", "go", "java", "rust", "rs", "python", "py"}
# Folders of tested programs: check_examples.py runs the examples, other tests run the rest.
TESTED = ("docs/examples/", "samples/", "devices/null/", "tests/install/host/", "bindings/")
SNIPPET = re.compile(r'--8<-- "([^":]+)(?::([\w-]+|\d*:\d*))?"')
PATH = re.compile(r"(?:bindings|c_api|core|devices|docs|ops|samples|subprojects|tests)/[\w./*-]+")
LINK = re.compile(r"\]\(([^)#\s]+\.(?:md|svg|png))(?:#[^)]*)?\)")
# Pages of docs/, and what builds and set-up unpack.
NOT_OURS = re.compile(r"docs/|build|dist/|subprojects/(?!cross/|packaging/|packagefiles/)\w[^/]*/|subprojects/cross/packages/")
# The pages that docs/build makes.
MADE = ("reference/",)
MARKER = re.compile(r".*--8<-- \[(?:start|end):[\w-]+\].*\n?")


def section(text, name):
    """The lines between the two marks of a part, or None."""
    found = re.search(rf"^[^\n]*--8<-- \[start:{re.escape(name)}\][^\n]*\n(.*?)^[^\n]*--8<-- \[end:{re.escape(name)}\]", text, re.M | re.S)
    return MARKER.sub("", found.group(1)) if found else None


def included(source, path, name):
    """The text that a snippet stands for, or None."""
    if not os.path.isfile(os.path.join(source, path)):
        return None
    text = read(source, path)
    if not name:
        return text
    if ":" in name:
        first, last = (int(part) if part else None for part in name.split(":"))
        return "".join(text.splitlines(True)[(first or 1) - 1:last])
    return section(text, name)


def check_blocks(source, page, text):
    """Returns the mistakes in the blocks of a page, and the jobs in JSON that it shows."""
    wrong, jobs = [], []
    for block in blocks(page, text):
        body = block.body
        snippets = [SNIPPET.fullmatch(row.strip()) for row in body.splitlines() if row.strip()]
        if block.language in LANGUAGES and (not snippets or not all(snippets)):
            wrong.append(f"{block.where}: the {block.language} block is not taken from a file (--8<--)")
        for found in SNIPPET.finditer(body):
            part = included(source, *found.groups())
            if part is None or not part.strip():
                wrong.append(f"{block.where}: there is no {found.group()}")
            elif block.language in LANGUAGES and not found.group(1).startswith(TESTED):
                wrong.append(f"{block.where}: no test runs {found.group(1)}")
            elif block.language == "json":
                body = body.replace(found.group(), part)
        if block.language == "json":
            jobs.append((block.where, body))
        if block.language == "text" and not is_printed(source, block.title):
            wrong.append(f'{block.where}: the title does not say what prints the block (title="percale COMMAND" or title="docs/examples/TOPIC/NAME")')
    return wrong, jobs


def is_printed(source, title):
    """True if a test runs what the title of a block names."""
    return title.startswith("percale ") or title.startswith(EXAMPLES) and bool(glob.glob(os.path.join(source, title + ".*")))


def check_names(source, page, text, headers):
    """Returns the names of the C API within sentences that do not exist."""
    wrong = []
    for code in re.findall(r"`([^`\n]+)`", prose(text)):
        wrong += [f"{page}: `{code}`: the C headers have no {name}" for name in re.findall(r"(?<![\w/])percale_[a-z]\w*", code)
                  if not re.search(rf"\b{name}\b", headers) and not re.search(rf"{name}\.(?:h|hpp|so)\b", code)]
    return wrong


def check_paths(folders, page, text):
    """Returns the paths within sentences that exist in none of the folders."""
    return [f"{page}: there is no {code}" for code in re.findall(r"`([^`\n]+)`", prose(text)) if PATH.fullmatch(code)
            and not any(glob.glob(os.path.join(folder, code + end)) for folder in folders for end in ("", ".*"))]


def readmes(source):
    """Returns the pages outside docs/. Build folders are too large to be read."""
    pages = []
    for folder, folders, files in os.walk(source):
        paths = {name: os.path.relpath(os.path.join(folder, name), source) for name in folders + files}
        folders[:] = [name for name in folders if not name.startswith(".") and not NOT_OURS.match(paths[name] + "/")]
        pages += [paths[name] for name in files if name.endswith(".md")]
    return sorted(pages)


def check_readmes(source):
    """Returns the paths and links of the READMEs in the source tree that lead nowhere."""
    wrong = []
    for page in readmes(source):
        path = os.path.join(source, page)
        text = read(path)
        wrong += check_paths((source, os.path.dirname(path)), page, text)
        wrong += [f"{page}: the link {link} leads nowhere" for link in LINK.findall(prose(text))
                  if ":" not in link and not os.path.exists(os.path.join(os.path.dirname(path), link))]
    return wrong


def check_links(source, page, text):
    wrong, docs = [], os.path.normpath(os.path.join(source, "docs"))
    for link in LINK.findall(prose(text)):
        target = os.path.normpath(os.path.join(os.path.dirname(os.path.join(source, page)), link))
        if not target.startswith(docs + os.sep) or not (os.path.exists(target) or os.path.relpath(target, docs).startswith(MADE)):
            wrong.append(f"{page}: the link {link} leads to no page of docs/; name the file as text")
    return wrong


def check_jobs(percale, jobs):
    wrong = []
    for where, text in jobs:
        try:
            job = json.loads(text)
        except json.JSONDecodeError as error:
            wrong.append(f"{where}: {error}")
            continue
        if "model" not in job or isinstance(job["model"], str):
            continue  # no job, or one whose model is a file
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "job.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            result = subprocess.run([percale, "check", path], capture_output=True, text=True)
            if result.returncode != 0:
                wrong.append(f"{where}: {result.stdout.strip() or result.stderr.strip()}")
    return wrong


def check_readme(source):
    """The programs of README.md that are not those of docs/examples/readme."""
    readme = read(source, "README.md")
    shown = {block.body.strip() for block in blocks("README.md", readme)}
    return [f"README.md does not show {os.path.relpath(path, source)}"
            for path in sorted(glob.glob(os.path.join(source, "docs", "examples", "readme", "digits.*"))) if read(path).strip() not in shown]


def check_serving(source):
    shown = [block.body.strip() for block in blocks("c_api/SERVING.md", read(source, "c_api", "SERVING.md")) if block.language == "c"]
    part = textwrap.dedent(section(read(source, "docs", "examples", "serve", "serve.c"), "serve"))
    return [] if shown == [part.strip()] else ["c_api/SERVING.md does not show docs/examples/serve/serve.c:serve"]


def check_picture(source):
    drawn = subprocess.run([sys.executable, "-B", os.path.join(source, "docs", "tools", "architecture.py"), source],
                           capture_output=True, text=True, check=True).stdout
    return [] if drawn == read(source, "docs", "how", "architecture.svg") else [
        "docs/how/architecture.svg is old: python3 docs/tools/architecture.py . > docs/how/architecture.svg"]


def main(source, percale):
    wrong, jobs, count = [], [], 0
    headers = "".join(read(path) for path in glob.glob(os.path.join(source, "c_api", "include", "**", "*.h"), recursive=True))
    for page, text in pages(source):
        more, found = check_blocks(source, page, text)
        wrong += more + check_names(source, page, text, headers) + check_paths((source,), page, text) + check_links(source, page, text)
        jobs += found
        count += 1
    jobs += [(block.where, block.body) for block in blocks("c_api/SPEC.md", read(source, "c_api", "SPEC.md"))
             if block.language == "json" and block.body.startswith("{") and "..." not in block.body]
    wrong += check_jobs(percale, jobs) + check_readme(source) + check_serving(source) + check_picture(source) + check_readmes(source)
    print("\n".join(wrong) if wrong else f"{count} pages are right; {len(jobs)} blocks of JSON among them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
