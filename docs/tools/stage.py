"""Gathers everything that MkDocs and Doxygen read: stage.py ROOT OUT PERCALE

Copies the pages of docs/ to OUT/pages, adds the generated pages of the reference and the list of
the decisions, and writes OUT/mkdocs.yml, and OUT/c.doxy and OUT/cpp.doxy for Doxygen.
"""
import os
import shutil
import sys

import reference

FOLDERS = ("assets", "start", "guides", "how", "reference", "decisions")


def title_of(path):
    with open(path, encoding="utf-8") as file:
        return file.readline().lstrip("# ").strip()


def copy_pages(docs, pages):
    shutil.rmtree(pages, ignore_errors=True)
    os.makedirs(pages)
    shutil.copy(os.path.join(docs, "index.md"), pages)
    for folder in FOLDERS:
        if os.path.isdir(os.path.join(docs, folder)):
            shutil.copytree(os.path.join(docs, folder), os.path.join(pages, folder))


def decisions(pages):
    """{topic: [(title, file)]} of all decisions, by title. A topic is a folder of decisions."""
    folder = os.path.join(pages, "decisions")
    topics = sorted(name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name)))
    return {topic: sorted((title_of(os.path.join(folder, topic, name)), f"{topic}/{name}")
                          for name in os.listdir(os.path.join(folder, topic))) for topic in topics}


def decisions_nav(pages):
    lines = ["  - Decisions:", "      - decisions/index.md"]
    for topic, found in decisions(pages).items():
        lines.append(f"      - {heading(topic)}:")
        lines += [f"          - {quoted(title)}: decisions/{name}" for title, name in found]
    return "\n".join(lines) + "\n"


def decisions_list(pages):
    parts = [f"## {heading(topic)}\n\n" + "\n".join(f"* [{title}]({name})" for title, name in found)
             for topic, found in decisions(pages).items()]
    return "\n\n".join(parts)


def heading(topic):
    return topic.upper() if topic == "cuda" else topic.capitalize()


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main(root, out, percale):
    root, out = os.path.abspath(root), os.path.abspath(out)
    docs, pages = os.path.join(root, "docs"), os.path.join(out, "pages")
    copy_pages(docs, pages)
    reference.write_pages(root, os.path.join(pages, "reference"), percale)
    reference.fill(os.path.join(pages, "decisions", "index.md"), "<!-- decisions -->",
                   decisions_list(pages))
    with open(os.path.join(docs, "mkdocs.yml"), encoding="utf-8") as file:
        text = file.read().replace("SOURCE", quoted(root))
    with open(os.path.join(out, "mkdocs.yml"), "w", encoding="utf-8") as file:
        file.write(text + decisions_nav(pages))
    for name in ("c.doxy", "cpp.doxy"):
        text = ""
        for part in ("common.doxy", name):
            with open(os.path.join(docs, "doxygen", part), encoding="utf-8") as file:
                text += file.read()
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write(text.replace("@ROOT@", root).replace("@OUT@", os.path.join(pages, "reference")))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
