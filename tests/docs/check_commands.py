"""Runs the commands on the pages of docs/: check_commands.py BUILD SOURCE NULL_PLUGIN [PAGE...]

* Every line of a block in sh succeeds, run in the order of the page in a folder of the page's own.
  A block below a comment `<!-- not run: WHY -->` is left out.
* A block `text` whose title is a command shows what the command prints. Where the page has run the
  command above, its output is compared, else the command is run.
* Every command `percale ...` within a sentence exists, and so do its flags; in READMEs, too.

make_files() lists the files that the commands find. Without the plug-in for ONNX files, commands
that name such a file are left out. Exit code 77 and the reason where a compiler is absent.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from check_examples import make_folder, skip, write  # noqa: E402
from npy import npy_bytes  # noqa: E402
from pages import blocks, pages, prose, read, without_progress  # noqa: E402

INLINE = re.compile(r"(?<!`)`(percale (?:[^`\n]|\n(?!\n))+)`(?!`)")
BAD_JOB = """{
  "model": [
    {"layer": "Flatten"},
    {"layer": "Dense", "unit": 10}],
  "input_shape": [28, 28, 1], "loss": "mse", "optimizer": "adam"}
"""


def field(number, value):
    """A field of a protocol buffer: an integer or bytes."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


def onnx_with_unknown_op():
    """An ONNX model of one node, an op that only ONNX Runtime has."""
    value = [field(1, name) + field(2, field(1, field(1, 1) + field(2, field(1, field(1, 4))))) for name in (b"x", b"y")]
    node = field(1, b"x") + field(2, b"y") + field(4, b"QGemm") + field(7, b"com.microsoft")
    graph = field(1, node) + field(2, b"main") + field(11, value[0]) + field(12, value[1])
    return field(1, 8) + field(8, field(2, 17)) + field(8, field(1, b"com.microsoft") + field(2, 1)) + field(7, graph)


class Workspace:
    """A folder with the files that commands on pages name, and their environment."""

    def __init__(self, build, source, null_plugin, root):
        self.build, self.source, self.start = build, source, os.path.join(root, "start")
        self.program = os.path.join(root, "percale", "bin", "percale")
        self.env = dict(os.environ, HOME=root, PATH=os.path.dirname(self.program) + os.pathsep + os.environ["PATH"], NO_COLOR="1",
                        PERCALE_DATA=self.start, PKG_CONFIG_PATH=os.path.join(build, "meson-uninstalled"), LD_LIBRARY_PATH=build,
                        CPATH=os.path.join(source, "bindings", "cpp"))
        os.makedirs(os.path.dirname(self.program))
        os.symlink(os.path.join(build, "bindings", "cli", "percale"), self.program)
        make_folder(source, self.start)
        info = self.run("percale info", self.start)[1]
        self.onnx, self.onednn = (re.search(rf"^plug-in +{name} ", info, re.M) is not None for name in ("onnx", "onednn"))
        self.make_files(null_plugin)

    def show(self, line, folder):
        """Runs a command of a page. The pages show the library's own kernels."""
        if self.onednn and re.match("percale (info|kernels|plan) ", line + " "):
            line = f"{plain(line)} --option onednn=off"
        return self.run(line, folder)

    def run(self, line, folder):
        """Returns the exit code and the output."""
        result = subprocess.run(["sh", "-c", line], cwd=folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        return result.returncode, without_progress(result.stdout)

    def must(self, line):
        code, said = self.run(line, self.start)
        if code != 0:
            sys.exit(f"failed: {line}\n{said}")

    def make_files(self, null_plugin):
        sample = os.path.join(self.source, "samples", "plugin")
        for name, path in {"job.json": "docs/examples/first/digits.json", "host.c": "docs/examples/first/train.c",
                           "host.cc": "docs/examples/first/train.cc", "square.cc": "samples/plugin/cpp/square.cc"}.items():
            shutil.copy(os.path.join(self.source, path), os.path.join(self.start, name))
        write(os.path.join(self.start, "bad.json"), BAD_JOB.encode())
        write(os.path.join(self.start, "x.npy"), npy_bytes("<f4", [1, 28, 28], bytes(4 * 28 * 28)))
        self.must("percale train digits.json --out first && cp first/model.percale digits.percale && mv first/model.percale . && rm -r first")
        if self.onnx:
            self.must("percale export model.percale model.onnx")
            write(os.path.join(self.start, "quantised.onnx"), onnx_with_unknown_op())
        shutil.copy(null_plugin, self.start)
        flags = "$(pkg-config --cflags --libs percale) -lm"
        self.must(f"cc -shared -fPIC '{sample}/plugin.c' {flags} -o libpercale_sample.so")
        self.must(f"cc '{sample}/use.c' {flags} -o use && ./use ./libpercale_sample.so snake.percale && rm use")


def lines_of(block):
    """The commands of a block in sh, without comments. A backslash joins lines."""
    lines = block.body.replace("\\\n", " ").splitlines()
    return [line for line in lines if shlex.split(line, comments=True)]


def plain(line):
    return shlex.join(shlex.split(line, comments=True))


def check_page(workspace, page, text, folder):
    """Returns the mistakes of a page and how many commands it has."""
    wrong, said, count = [], {}, 0
    for block in blocks(page, text):
        is_command = block.language == "text" and block.title.startswith("percale ")
        if block.not_run or not is_command and block.language != "sh":
            continue
        for line in [block.title] if is_command else lines_of(block):
            if ".onnx" in line and not workspace.onnx:
                print(f"{block.where}: left out without the plug-in for ONNX files: {line}")
                continue
            if count == 0:
                shutil.copytree(workspace.start, folder)
            count += 1
            code = 0
            if not is_command or plain(line) not in said:
                code, said[plain(line)] = workspace.show(line, folder)
            if code != 0 and not is_command:
                wrong.append(f"{block.where}: {line}\n  exit code {code}: {said[plain(line)]}")
            if is_command and not block.is_part_of(said[plain(line)]):
                wrong.append(f"{block.where}: {line}\n  prints\n{said[plain(line)]}\n  and the page shows\n{block.body}")
    return wrong, count


def help_of(workspace, command):
    code, text = workspace.run(f"percale help {shlex.quote(command)}", workspace.start)
    return set(re.findall(r"^  (--[\w-]+)", text, re.M)) | {"--help"} if code == 0 else None


def check_sentences(workspace, page, text, known):
    """Returns the commands within sentences that do not exist."""
    wrong = []
    for found in INLINE.finditer(prose(text)):
        words = found.group(1).split()
        if words[1] in ("COMMAND", "...", "help") or words[1].startswith("--"):
            continue
        if words[1] not in known:
            known[words[1]] = help_of(workspace, words[1])
        if known[words[1]] is None:
            wrong.append(f"{page}: `{' '.join(words)}`: there is no command {words[1]}")
            continue
        wrong += [f"{page}: `{' '.join(words)}`: there is no flag {word}" for word in words[2:]
                  if word.startswith("--") and word.split("=")[0] not in known[words[1]]]
    return wrong


def readmes(source):
    for pattern in ("*.md", "c_api/*.md", "bindings/*/README.md", "samples/README.md"):
        for path in sorted(glob.glob(os.path.join(source, pattern))):
            yield os.path.relpath(path, source), read(path)


def main(build, source, null_plugin, *wanted):
    build, source = os.path.abspath(build), os.path.abspath(source)
    for tool in ("cc", "c++", "pkg-config"):
        if not shutil.which(tool):
            skip(f"no {tool} on PATH; `sh subprojects/setup` brings the compilers and pkg-config")
    root = os.path.join(build, "docs-commands")
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    workspace = Workspace(build, source, os.path.abspath(null_plugin), root)
    wrong, known, commands = [], {}, 0
    for page, text in pages(source):
        if not wanted or page in wanted:
            more, count = check_page(workspace, page, text, os.path.join(root, page.replace("/", "_")))
            wrong += more + check_sentences(workspace, page, text, known)
            commands += count
    for page, text in readmes(source):
        wrong += check_sentences(workspace, page, text, known)
    print("\n".join(wrong) if wrong else f"{commands} commands do what the pages say")
    return 1 if wrong or not commands else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
