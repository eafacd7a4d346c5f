"""Checks that every public name of the C and C++ headers has a documentation comment.

    check_headers.py HEADER ... [--tables HEADER ...]

C (.h): `/** */` above a declaration, or `/**< */` behind it. C++ (.hpp): `///` above, or `///<`
behind. An overload directly below a documented declaration of the same name shares its comment. No
comment is required for declarations that are defaulted or deleted, destructors, moves, and names in
a namespace `detail`. In headers after --tables, members need none either, because a comment there
covers a group. If Doxygen is installed it reads the headers as well, and its warnings are failures.
"""
import re
import shutil
import subprocess
import sys
import tempfile

SCOPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:inline\s+|typedef\s+)?"
                   r"(namespace\b|class\b|struct\b|union\b|enum\b(?:\s+class\b)?|extern \"C\")\s*(?:\[\[\w+\]\]\s*)?(?:alignas\([^)]*\)\s*)?([\w:]*)", re.S)


def blank(match):
    """Replaces the match by as many line ends as it has."""
    return "\n" * match.group().count("\n")


class Reader:
    """Walks over the declarations of a file and lists those without a comment."""

    def __init__(self, path, members):
        self.path, self.members = path, members
        with open(path, encoding="utf-8") as file:
            text = file.read()
        # Removes preprocessor directives, with their continuation lines.
        self.macros = []
        text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", self.directive, text, flags=re.M)
        self.text, self.at, self.line = text, 0, 1
        self.missing, self.documented = [], 0

    def directive(self, match):
        found = re.match(r"[ \t]*#\s*define\s+(\w+)(?!\w)(?:\(.*?\))?[ \t]*(.*)", match.group())
        if found and found.group(2):
            self.macros.append(found.group(1))
        return blank(match)

    def next(self):
        """Returns the next token as (kind, text, line): a documentation comment, a punctuation mark
        or other text."""
        match = re.compile(r'\s+|///<?[^\n]*|//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|::|[{};:]|'
                           r'[^\s/"\'{};:]+|.', re.S).match(self.text, self.at)
        if match is None:
            return None, "", self.line
        token, line = match.group(), self.line
        self.at, self.line = match.end(), self.line + token.count("\n")
        if token.startswith(("///<", "/**<")):
            return "behind", token, line
        if token.startswith("///") or token.startswith("/**"):
            return "above", token, line
        if token.startswith(("//", "/*")):
            return "comment", token, line
        return ("mark" if token in "{};:" else "text"), token, line

    def skip_body(self):
        """Skips to the closing brace. Returns the first token after it that is not blank."""
        depth = 1
        while depth:
            kind, token, _ = self.next()
            if kind is None:
                break
            depth += (token == "{") - (token == "}") if kind == "mark" else 0
        return self.text[self.at:].lstrip()[:1]

    def read(self, scope="", public=True, in_enum=False):
        """Reads a scope up to its end."""
        text, doc, begun, shared = "", False, 0, None
        while True:
            kind, token, line = self.next()
            if kind is None or (token == "}" and kind == "mark"):
                if in_enum and text.strip():
                    self.note(scope, text, doc, begun, None, public)
                return
            if kind == "above":
                doc = doc or not text.strip()
            elif kind == "behind":
                if in_enum and text.strip():  # the last enumerator, which has no comma after it
                    self.note(scope, text, doc, begun, None, public)
                    text, doc, begun = "", False, 0
                self.forgive(line)
            elif in_enum and kind == "text" and token.endswith(","):
                # A comment behind an enumerator is on its line.
                self.note(scope, text + token[:-1], doc, begun or line, None, public)
                text, doc, begun = "", False, 0
            elif kind == "mark" and token == ":" and text.strip() in ("public", "private", "protected"):
                public, text, doc, shared, begun = text.strip() == "public", "", False, None, 0
            elif kind == "mark" and token == "{":
                found = SCOPE.match(text.strip())
                if found and "(" not in text.split(found.group(1), 1)[0] and not re.search(r"\)\s*$", text):
                    self.enter(found, text, scope, public, doc, begun)
                    text, doc, shared, begun = "", False, None, 0
                else:
                    behind = self.skip_body()
                    if behind in (",", "{") or text.count("(") > text.count(")"):
                        text += "{}"
                        continue
                    if behind != ";":
                        shared = self.note(scope, text, doc, begun, shared, public)
                        text, doc, begun = "", False, 0
            elif kind == "mark" and token == ";":
                if text.strip():
                    shared = self.note(scope, text, doc, begun, shared, public)
                text, doc, begun = "", False, 0
            elif kind in ("text", "mark"):
                if token.isspace():
                    if token.count("\n") > 1 and not text.strip():
                        # A blank line separates a comment from the next declaration
                        doc, shared = False, None
                elif not begun:
                    begun = line
                text += token

    def enter(self, found, text, scope, public, doc, begun):
        kind, name = found.group(1), found.group(2)
        if kind == "namespace" or kind.startswith("extern"):
            inner_public = public and not name.endswith("detail") and not (kind == "namespace" and not name)
            self.read(scope, inner_public)
            return
        if public and name:
            self.count(scope + name, doc, begun)
        self.read(scope + name + "::" if name else scope, public and kind != "class", kind.startswith("enum"))
        if text.strip().startswith("typedef"):
            while self.next()[1] not in (";", ""):
                pass  # the name is repeated

    def note(self, scope, text, doc, line, shared, public):
        """Counts a declaration. Returns its name if the next one may share its comment."""
        text = re.sub(r"\s+", " ", text).strip()
        name = self.name_of(text)
        if not public or not name or self.needs_none(text, scope, name):
            return shared if name and name == shared else None
        self.count(scope + name, doc or name == shared, line)
        return name

    @staticmethod
    def name_of(text):
        text = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", text)
        while (bare := re.sub(r"<[^<>]*>", "", text)) != text and "operator" not in text:
            text = bare
        text = re.sub(r"\brequires\s*(?:\([^()]*\)|!?[\w:]+)(?:\s*(?:&&|\|\|)\s*(?:\([^()]*\)|!?[\w:]+))*", "", text)
        found = re.search(r"operator\s*(\(\)|[^\s(]+|\s*bool)", text)
        if found:
            return "operator" + found.group(1)
        found = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", text)  # a pointer to a function
        if found:
            return found.group(1)
        found = re.match(r"(?:template\s*<.*?>\s*)?using\s+([\w:]+)", text)
        if found:
            return "" if "::" in found.group(1) else found.group(1)
        head = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", text))
        found = re.search(r"(~?\w+)\s*\(", head)
        if found and "=" not in head[:found.start()]:
            return found.group(1)
        found = re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)?(?:=.*|\{\})?$", head.split(" = ")[0].split("{}")[0])
        return found[-1] if found else ""

    @staticmethod
    def needs_none(text, scope, name):
        owner = scope.split("::")[-2] if scope.count("::") else ""
        return (text.endswith(("= default", "= delete")) or name.startswith("~") or
                (owner and re.match(rf"(?:explicit |constexpr )*{owner}\({owner}&&", text)) or
                (name == "operator=" and "&&" in text) or text.startswith(("static_assert", "friend")) or
                (owner and name == owner and re.search(rf"\b{owner}\(\s*\)", text)) or
                # A member that is defined outside its class, where its comment is.
                re.search(rf"\w(?:<[^<>]*>)?::{re.escape(name)}\s*\(", text) or
                # A declaration of a name that is defined elsewhere.
                re.match(r"(?:class|struct)\s+\w+$", text) is not None)

    def count(self, name, doc, line):
        if "::" in name and not self.members:
            return
        if doc:
            self.documented += 1
        else:
            self.missing.append((line, name))

    def forgive(self, line):
        """Declarations on a line with a trailing comment are documented."""
        kept = [(at, name) for at, name in self.missing if at != line]
        self.documented += len(self.missing) - len(kept)
        self.missing = kept


def doxygen(headers):
    """Returns Doxygen's warnings; "" if there are none or no Doxygen."""
    tool = shutil.which("doxygen")
    if not tool:
        print("no doxygen on PATH: the comments are checked without it")
        return ""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"INPUT": " ".join(headers), "OUTPUT_DIRECTORY": folder, "QUIET": "YES", "GENERATE_LATEX": "NO",
                    "WARN_IF_UNDOCUMENTED": "NO", "MACRO_EXPANSION": "YES", "PREDEFINED": "PERCALE_API= PERCALE_NODISCARD=",
                    "EXCLUDE_SYMBOLS": "*detail*"}
        done = subprocess.run([tool, "-"], input="\n".join(f"{k} = {v}" for k, v in settings.items()), capture_output=True, text=True)
        return done.stderr if done.returncode or "warning:" in done.stderr else ""


def main(headers):
    failed = documented = 0
    tables = headers[headers.index("--tables") + 1:] if "--tables" in headers else []
    headers = [path for path in headers if path != "--tables"]
    for path in headers:
        reader = Reader(path, path not in tables)
        reader.read()
        documented += reader.documented
        for line, name in reader.missing:
            print(f"{path}:{line}: {name} has no comment")
            failed += 1
    warnings = doxygen(headers)
    if warnings:
        print(warnings)
        failed += 1
    print(f"{documented} names are documented, {failed} are not")
    return 1 if failed or documented < 100 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
