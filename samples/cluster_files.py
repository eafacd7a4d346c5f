"""Checks of files that start a group on a cluster: commands, flags and variables are those of the
built program, and READMEs name files that exist."""
import glob
import os
import re
import shlex
import subprocess
import sys

# For the shell alone.
OWN = {"PATH"}
VARIABLE = re.compile(r"\b(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|RANK)\b")
FLAG = re.compile(r"^ +(--[\w-]+)", re.M)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class Program:
    """The built programs, and the variables that they and the headers name."""

    def __init__(self, build, source):
        self.build, self.flags = build, {}
        texts = re.findall(r"/\*.*?\*/", read(source, "c_api", "include", "percale", "cluster.h"), re.S)
        texts += [self.help("percale", command) for command in ("train", "info")]
        self.variables = set(VARIABLE.findall("\n".join(texts))) | OWN

    def find(self, name):
        for folder in (os.path.join("bindings", "cli"), "*", os.path.join("*", "*")):
            for path in glob.glob(os.path.join(self.build, folder, name)):
                if os.path.isfile(path) and os.access(path, os.X_OK):
                    return path
        return None

    def help(self, name, *command):
        """Returns the text of --help; "" if there is no such command."""
        path = self.find(name)
        result = subprocess.run([path or "false", *command, "--help"], capture_output=True, text=True)
        self.flags[(name, *command)] = set(FLAG.findall(result.stdout)) | {"--help"} if result.returncode == 0 else None
        return result.stdout

    def check_command(self, where, words):
        """Returns the mistakes of a command line of `percale` or `percale-worker`."""
        if words[0] == "percale-worker" and self.find(words[0]) is None:
            print(f"{where}: not checked, because this build has no percale-worker: {shlex.join(words)}")
            return []
        command = tuple(words[:2] if words[0] == "percale" else words[:1])
        if command not in self.flags:
            self.help(*command)
        known = self.flags[command]
        if known is None:
            return [f"{where}: there is no command {shlex.join(command)}"]
        return [f"{where}: {shlex.join(command)} has no flag {word}" for word in words if word.startswith("--") and word.split("=")[0] not in known]

    def check_variables(self, where, names):
        return [f"{where}: neither cluster.h nor `percale train --help` names the variable {name}" for name in sorted(set(names) - self.variables)]


def readme_lines(source, folder):
    """Yields (place, words) for each command in the README of a sample."""
    sys.path.insert(0, os.path.join(source, "tests", "docs"))
    from pages import blocks
    page = f"samples/{folder}/README.md"
    for block in blocks(page, read(source, page)):
        if block.language != "sh":
            raise SystemExit(f"{block.where}: a block of {block.language}; name the file instead of showing it")
        for line in block.body.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                yield block.where, words


def check_readme(source, program, folder):
    """Returns the mistakes in the commands of a README: files that are not there, unknown flags."""
    wrong = []
    for where, words in readme_lines(source, folder):
        wrong += [f"{where}: there is no {path}" for word in words for path in re.findall(r"(?:samples|subprojects)/[\w./-]+", word)
                  if not os.path.exists(os.path.join(source, path))]
        for name in ("percale", "percale-worker"):
            if name in words:
                wrong += program.check_command(where, words[words.index(name):])
    return wrong


def check_dockerfile(source, program, path):
    """Returns the mistakes of an image that is built as the project's README installs."""
    text = read(source, path).replace("\\\n", " ")
    wrong = program.check_variables(path, [name for line in re.findall(r"^ENV (.*)", text, re.M) for name in re.findall(r"(\w+)=", line)
                                           if name != "PERCALE_CACHE"])
    install = re.search(r"^sh subprojects/setup.*\n.*meson install -C \w+", read(source, "README.md"), re.M)
    said = " ".join(text.split())
    for command in re.split(r" && |\n", install.group() if install else ""):
        command = re.sub(r" --prefix=.*", "", command)
        if command not in said:
            wrong.append(f"{path}: the project's README installs by `{command}`")
    stages = set(re.findall(r"^FROM \S+ AS (\w+)", text, re.M))
    wrong += [f"{path}: there is no stage {name}" for name in re.findall(r"--from=(\w+)", text) if name not in stages]
    for line in re.findall(r"^RUN (.*)", text, re.M):
        wrong += [mistake for part in line.split("&&") if part.split()[0].startswith("percale")
                  for mistake in program.check_command(path, part.split())]
    return wrong


def finish(wrong, good):
    print("\n".join(wrong) if wrong else good)
    return 1 if wrong else 0
