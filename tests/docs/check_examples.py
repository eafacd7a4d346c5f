"""Compiles and runs the programs of docs/examples in one language.

    check_examples.py BUILD SOURCE c|cpp|go|java|python|rust [EXAMPLE...]

An example is FOLDER/NAME, such as first/train; without one all are run. They run in a folder of
their own, one after the other, on 600 made-up images in the format of MNIST. Each must print what
EXPECTED says, and what the pages show of its output. Exit code 77 and the reason where a tool is
absent.
"""
import concurrent.futures
import glob
import os
import random
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
import pages  # noqa: E402

SKIP = 77
ENDINGS = {"c": ".c", "cpp": ".cc", "go": ".go", "java": ".java", "python": ".py", "rust": ".rs"}
# The output of each example in every language, as a regular expression. The order is that of the
# runs: later ones use the files of earlier ones.
EXPECTED = {
    "readme/digits": r"accuracy\W+([\d.]+)",
    "first/train": r"epoch 1/2 +loss [\d.]+\nepoch 2/2 +loss [\d.]+\ntest .*accuracy\W+([\d.]+)",
    "first/predict": r"the label is (\d), the model says \1\b",
    "call/call": r"(?:request \d: first score -?[\d.]+\n){3}",
    "checkpoint/resume": r"the same bits: (?:1|True)",
    "devices/devices": r"the same bits: (?:1|[Tt]rue)",
    "errors/errors": r"NOT_FOUND: .*no-such-model",
    "finetune/tune": r"the body kept its bits: True",
    "inspect/values": r"an inner value: \(1, 128\)",
    "layers/own_loss": r"it learns: True",
    "layers/quadrants": r"accuracy (?:0\.9|1)",
    "onnx/run": r"dense_1: 2 x 10 scores",
    "profile/trace": r"spans are recorded: (?:1|True)",
    "stream/stream": r"it learns: (?:1|[Tt]rue)",
    "serve/serve": r"answered by version (?:20|21)\b",
    "samples/plugin": r"alpha (?:2\.0|1\.99)\d+, wanted 2",
}
NEEDS_ONNX = ("onnx/",)


def skip(why):
    print(why)
    sys.exit(SKIP)


def snake(name):
    """"LoadAndRun" as "load_and_run"."""
    return re.sub("(?<!^)([A-Z])", r"_\1", name).lower()


def find_examples(source, language, wanted):
    """{example: path} of a language, in the order of the runs."""
    folder = os.path.join(source, "docs", "examples")
    found = {}
    for path in glob.glob(os.path.join(folder, "*", "*" + ENDINGS[language])):
        topic, name = os.path.split(os.path.splitext(os.path.relpath(path, folder))[0])
        found[f"{topic}/{snake(name)}"] = path
    if language == "c":  # the pages on plug-ins show parts of it
        found["samples/plugin"] = os.path.join(source, "samples", "plugin", "use.c")
    unknown = sorted(set(found) - set(EXPECTED))
    if unknown:
        sys.exit(f"EXPECTED in {os.path.basename(__file__)} does not say what {', '.join(unknown)} must print")
    return {name: found[name] for name in EXPECTED if name in found and (not wanted or name in wanted)}


# ---- The folder in which the programs run.

def write_idx(path, rows, images):
    """Images of ten kinds, a bright bar at one of ten heights, or their labels."""
    random.seed(rows)
    labels = [random.randrange(10) for _ in range(rows)]
    if not images:
        return write(path, struct.pack(">II", 0x801, rows) + bytes(labels))
    body = bytearray()
    for label in labels:
        image = bytearray(random.randrange(60) for _ in range(28 * 28))
        begin = (4 + 2 * label) * 28
        image[begin:begin + 56] = bytes(random.randrange(180, 256) for _ in range(56))
        body += image
    return write(path, struct.pack(">IIII", 0x803, rows, 28, 28) + bytes(body))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def make_folder(source, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "samples", "mnist"))
    for kind, rows in (("train", 600), ("t10k", 200)):
        write_idx(os.path.join(folder, f"{kind}-images-idx3-ubyte"), rows, True)
        write_idx(os.path.join(folder, f"{kind}-labels-idx1-ubyte"), rows, False)
    shutil.copy(os.path.join(source, "samples", "mnist", "lenet.json"), os.path.join(folder, "samples", "mnist"))
    for path in glob.glob(os.path.join(source, "docs", "examples", "*", "*.json")):
        shutil.copy(path, folder)


# ---- A command for each example.

def must(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{result.stdout}")
    return result.stdout


def compiled(examples, compile_one):
    """{example: [program]}, compiled on all processors."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(examples, pool.map(lambda item: [compile_one(*item)], examples.items())))


def native(compiler, flags, build, examples, out):
    tool = shutil.which(compiler)
    if not tool or not shutil.which("pkg-config"):
        skip(f"no {compiler} or no pkg-config on PATH; `sh subprojects/setup` brings both")
    env = dict(os.environ, PKG_CONFIG_PATH=os.path.join(build, "meson-uninstalled"), PKG_CONFIG_ALLOW_SYSTEM_CFLAGS="1")
    library = must(["pkg-config", "--cflags", "--libs", "percale"], env=env).split()

    def compile_one(name, path):
        program = os.path.join(out, name.replace("/", "_"))
        must([tool, *flags, path, "-o", program, *library, f"-Wl,-rpath,{build}", "-pthread", "-lm"])
        return program

    return compiled(examples, compile_one), dict(os.environ)


def c(build, source, examples, out):
    flags = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror"]
    commands, env = native("cc", flags, build, examples, out)
    if "samples/plugin" in commands:
        plugin = os.path.join(out, "libpercale_sample.so")
        must(["cc", *flags, "-O2", "-shared", "-fPIC", os.path.join(source, "samples", "plugin", "plugin.c"),
              f"-I{source}/c_api/include", "-o", plugin, "-lm"])
        commands["samples/plugin"] += [plugin, "snake.percale"]
    return commands, env


def cpp(build, source, examples, out):
    inner = f"-I{source}/bindings/cpp"
    return native("c++", ["-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", inner], build, examples, out)


def go(build, source, examples, out):
    binding = checker(source, "go", "run_tests.py")
    tool, why = binding.find_go()
    if not tool:
        skip(why)
    env = binding.environment(build)
    gofmt = shutil.which("gofmt") or os.path.join(os.path.dirname(tool), "gofmt")
    unformatted = must([gofmt, "-l", *examples.values()])
    if unformatted:
        sys.exit(f"failed: gofmt would change\n{unformatted}")
    write(os.path.join(out, "go.mod"), f"module examples\ngo 1.24\nrequire percale.alt/go/percale v0.1.0\n"
          f"replace percale.alt/go/percale => {source}/bindings/go\n".encode())
    for name, path in examples.items():
        os.makedirs(os.path.join(out, name.replace("/", "_")))
        shutil.copy(path, os.path.join(out, name.replace("/", "_"), "main.go"))
    must([tool, "vet", "./..."], cwd=out, env=env)
    must([tool, "build", "-o", os.path.join(out, "bin") + os.sep, "./..."], cwd=out, env=env)
    return {name: [os.path.join(out, "bin", name.replace("/", "_"))] for name in examples}, env


def java(build, source, examples, out):
    binding = checker(source, "java")
    home = binding.find_jdk()
    for command in binding.javac_commands(home, source, out):
        must(command)
    must([*binding.javac(home, out), *examples.values()])
    run = [os.path.join(home, "bin", "java"), "--enable-native-access=ALL-UNNAMED", f"-Dpercale.library={build}/libpercale.so.0", "-cp", out]
    return {name: [*run, os.path.splitext(os.path.basename(path))[0]] for name, path in examples.items()}, dict(os.environ)


def python(build, source, examples, out):
    binding = checker(source, "python", "tests/check.py")
    interpreter, why = binding.find_python()
    if not interpreter:
        skip(why)
    package = os.path.join(source, "bindings", "python")
    env = dict(os.environ, PYTHONPATH=package, PYTHONDONTWRITEBYTECODE="1", PERCALE_LIBRARY=os.path.join(build, "libpercale.so.0"))
    return {name: [interpreter, path] for name, path in examples.items()}, env


def rust(build, source, examples, out):
    binding = checker(source, "rust")
    env = binding.environment(build)
    binding.need_cargo()
    crate = os.path.join(out, "crate")
    shutil.copytree(os.path.join(source, "bindings", "rust"), crate, ignore=shutil.ignore_patterns("target"))
    manifest = os.path.join(crate, "percale", "Cargo.toml")
    # Without the optional crates no registry is needed.
    with open(manifest, encoding="utf-8") as file:
        text = file.read()
    for pattern, instead in binding.OPTIONAL:
        text = pattern.sub(instead, text)
    write(manifest, text.encode())
    os.remove(os.path.join(crate, "Cargo.lock"))
    programs = os.path.join(out, "programs")
    os.makedirs(os.path.join(programs, "src", "bin"))
    write(os.path.join(programs, "Cargo.toml"), b'[package]\nname = "examples"\nversion = "0.1.0"\nedition = "2021"\n\n'
          b'[dependencies]\npercale = { path = "../crate/percale" }\n\n[workspace]\n')
    for name, path in examples.items():
        shutil.copy(path, os.path.join(programs, "src", "bin", name.replace("/", "_") + ".rs"))
    if subprocess.run(["cargo", "fmt", "--version"], capture_output=True).returncode == 0:
        shutil.copy(os.path.join(source, "bindings", "rust", "rustfmt.toml"), programs)
        must(["cargo", "fmt", "--check", "--manifest-path", os.path.join(programs, "Cargo.toml")], env=env)
    env["CARGO_TARGET_DIR"] = os.path.join(build, "rust", "examples")
    must(["cargo", "build", "--offline", "--quiet", "--manifest-path", os.path.join(programs, "Cargo.toml")],
         env=dict(env, RUSTFLAGS="-D warnings"))
    return {name: [os.path.join(env["CARGO_TARGET_DIR"], "debug", name.replace("/", "_"))] for name in examples}, env


def checker(source, language, name="check.py"):
    """The module that runs the tests of a binding; samples/check.py knows how to find it."""
    sys.path.insert(0, os.path.join(source, "samples"))
    import check
    return check.checker(source, language, name)


def prepare(name, build, folder, env):
    """Makes what an example reads. False, with a line, where it cannot be made."""
    if name.startswith(NEEDS_ONNX) and not os.path.exists(os.path.join(folder, "digits.onnx")):
        program = [os.path.join(build, "bindings", "cli", "percale"), "export", "digits.percale", "digits.onnx"]
        result = subprocess.run(program, cwd=folder, env=env, capture_output=True, text=True)
        if result.returncode != 0:
            print(f"{name} is left out: {result.stderr.strip()}")
            return False
    return True


def main(build, source, language, *wanted):
    build, source = os.path.abspath(build), os.path.abspath(source)
    examples = find_examples(source, language, wanted)
    out = os.path.join(build, "docs-examples", language)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    commands, env = globals()[language](build, source, examples, out)
    folder = os.path.join(out, "run")
    make_folder(source, folder)
    env["PERCALE_DATA"] = folder
    shown, failed = pages.outputs(source), 0
    for name, command in commands.items():
        if not prepare(name, build, folder, env):
            continue
        result = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
        said = pages.without_progress(result.stdout)
        wrong = [f"exit code {result.returncode}"] if result.returncode != 0 else []
        if not re.search(EXPECTED[name], said):
            wrong.append(f"EXPECTED has {EXPECTED[name]!r}")
        wrong += [f"{block.where} shows\n{block.body}" for block in shown.get(name, ()) if not block.is_part_of(said)]
        print(f"{'FAILED' if wrong else 'ok'} {name}")
        if wrong:
            failed += 1
            print("\n".join(wrong) + f"\nit says\n{said}{result.stderr}")
    print(f"[doctest] test cases: {len(commands)} | {len(commands) - failed} passed | {failed} failed | 0 skipped")
    return 1 if failed or not commands else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
