"""Measures the overhead of a prepared call over C in Go, Java and Rust, each with its language's
own tool: testing.B, JMH, criterion. Every tool also measures a loop in C (calls.c) that calls the
same graph, in the same process. Languages take turns, round by round.

    calls.py BUILD [--rounds N] [--seconds S] [--only go,java,rust] [--write FILE]

JMH and criterion are downloaded from the registries for this purpose. A language whose tools are
missing has a row that says so.
"""
import argparse
import glob
import importlib.util
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
GOALS = {"Go": 150, "Java": 60, "Rust": 5}  # ns more than C


class Missing(Exception):
    """The reason why a language cannot be measured."""


def checker(*path):
    """Returns the module of a binding that finds its tools."""
    path = os.path.join(ROOT, "bindings", *path)
    spec = importlib.util.spec_from_file_location(path.replace(os.sep, "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(command, folder, env):
    result = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise Missing(f"{' '.join(map(str, command[:4]))} ... failed: {result.stdout[-1500:]}")
    return result.stdout


def environment(build, **more):
    folders = [build, os.path.join(build, "tests", "bench")]
    return dict(os.environ, LD_LIBRARY_PATH=os.pathsep.join(folders), **more)


class Go:
    name, tool = "Go", "testing.B"

    def __init__(self, build, seconds):
        binding = checker("go", "run_tests.py")
        go, why = binding.find_go()
        if not go:
            raise Missing(why)
        libraries = os.path.join(build, "tests", "bench")
        env = environment(build)
        env = {**binding.environment(build), "LD_LIBRARY_PATH": env["LD_LIBRARY_PATH"], "CGO_LDFLAGS": f"-L{libraries} -L{build}"}
        self.env, self.seconds = env, seconds
        self.program = os.path.join(build, "go", "calls.test")
        run([go, "test", "-c", "-o", self.program, "."], os.path.join(HERE, "go"), env)
        self.version = run([go, "env", "GOVERSION"], HERE, env).strip()

    def round(self):
        said = run([self.program, "-test.run=^$", "-test.bench=.", f"-test.benchtime={self.seconds}s", "-test.cpu=1"], HERE, self.env)
        found = {name: float(ns) for name, ns in re.findall(r"^Benchmark(C|Go)\S*\s+\d+\s+(\S+) ns/op", said, re.M)}
        if not re.search(r"^BenchmarkGo\S*\s.*\s0 allocs/op", said, re.M):
            raise Missing(f"a run allocates:\n{said}")
        return found["C"], found["Go"]


class Java:
    name, tool = "Java", "JMH"

    def __init__(self, build, seconds):
        binding = checker("java", "check.py")
        try:
            jdk = binding.find_jdk()
        except SystemExit as end:
            raise Missing("no JDK that is new enough") from end
        if not shutil.which("mvn"):
            raise Missing("no mvn on PATH")
        env = environment(build, JAVA_HOME=jdk)
        target = os.path.join(build, "java", "calls")
        jars, classes = os.path.join(target, "jars"), os.path.join(target, "classes")
        shutil.rmtree(classes, ignore_errors=True)
        os.makedirs(classes)
        fetch = ["mvn", "-B", "-q", "dependency:copy-dependencies", f"-DoutputDirectory={jars}"]
        if not glob.glob(os.path.join(jars, "jmh-core-*.jar")):
            run(fetch, os.path.join(HERE, "java"), env)
        path = os.pathsep.join(sorted(glob.glob(os.path.join(jars, "*.jar"))))
        for command in binding.javac_commands(jdk, ROOT, classes):
            run(command, HERE, env)
        javac = [os.path.join(jdk, "bin", "javac"), "--release", str(binding.FOREIGN), "-nowarn", "-d", classes, "-cp", path + os.pathsep + classes]
        run(javac + ["-processorpath", path, "-proc:full", os.path.join(HERE, "java", "Calls.java")], HERE, env)
        self.env, self.result = env, os.path.join(target, "result.json")
        self.command = [os.path.join(jdk, "bin", "java"), "--enable-native-access=ALL-UNNAMED",
                        f"-Dpercale.library={build}/libpercale.so.0", f"-Dpercale.calls={build}/tests/bench/libpercale_calls.so", "-cp",
                        classes + os.pathsep + path, "org.openjdk.jmh.Main", "-f", "1", "-wi", "3", "-i", "5", "-w", f"{round(seconds * 1000)}ms",
                        "-r", f"{round(seconds * 1000)}ms", "-t", "1", "-rf", "json", "-rff", self.result]
        release = subprocess.run([os.path.join(jdk, "bin", "java"), "-version"], capture_output=True, text=True).stderr
        jmh = re.search(r"jmh-core-([0-9.]+)\.jar", path).group(1)
        self.version = f"JDK {re.search(r'version .([0-9.]+)', release).group(1)}, JMH {jmh}"

    def round(self):
        run(self.command, HERE, self.env)
        with open(self.result, encoding="utf-8") as file:
            scores = {row["benchmark"].rsplit(".", 1)[1]: row["primaryMetric"]["score"] for row in json.load(file)}
        return scores["c"], scores["java"]


class Rust:
    name, tool = "Rust", "criterion"

    def __init__(self, build, seconds):
        binding = checker("rust", "check.py")
        try:
            binding.need_cargo()
        except SystemExit as end:
            raise Missing("no Cargo that is new enough") from end
        self.target = os.path.join(build, "rust", "calls")
        libraries = os.path.join(build, "tests", "bench")
        self.env = {**binding.environment(build), **{"LD_LIBRARY_PATH": environment(build)["LD_LIBRARY_PATH"]},
                    "CARGO_TARGET_DIR": self.target, "PERCALE_CALLS_DIR": libraries}
        self.command = ["cargo", "bench", "--locked", "--bench", "calls", "--", "--warm-up-time", "0.5", "--measurement-time", str(seconds),
                        "--sample-size", "20", "--noplot"]
        run(["cargo", "bench", "--locked", "--no-run"], os.path.join(HERE, "rust"), self.env)
        with open(os.path.join(HERE, "rust", "Cargo.lock"), encoding="utf-8") as file:
            criterion = re.search(r'name = "criterion"\nversion = "([^"]+)"', file.read()).group(1)
        self.version = f"{run(['rustc', '--version'], HERE, self.env).split(' (')[0]}, criterion {criterion}"

    def round(self):
        run(self.command, os.path.join(HERE, "rust"), self.env)
        out = []
        for name in ("c", "rust"):
            with open(os.path.join(self.target, "criterion", name, "new", "estimates.json"), encoding="utf-8") as file:
                out.append(json.load(file)["median"]["point_estimate"])
        return tuple(out)


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return re.search(r"model name\s*: (.*)", file.read()).group(1)
    except (OSError, AttributeError):
        return platform.machine()


def table(in_c, rounds, versions, missing):
    lines = ["# A prepared call from other languages", "",
             "Written by `sh tests/bench/run --calls --write`. The call is y = x + x of one f32 on one thread; what is left is the way there and back.",
             "C is a loop in C in the same process; least of all rounds, and the median of what each round had more.", "",
             f"{processor()}; a program in C alone: {in_c:.1f} ns.", "",
             "| language | measured by | C, ns | language, ns | more, ns | more, median | wanted |", "|---|---|---|---|---|---|---|"]
    for name, goal in GOALS.items():
        if name in missing:
            lines.append(f"| {name} | {missing[name].splitlines()[0]} | | | | | at most {goal} |")
        if name in missing or name not in rounds:
            continue
        c, own = (min(column) for column in zip(*rounds[name]))
        median = statistics.median(b - a for a, b in rounds[name])
        lines.append(f"| {name} | {versions[name]} | {c:.1f} | {own:.1f} | {own - c:.1f} | {median:.1f} | at most {goal} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--only", default="go,java,rust")
    parser.add_argument("--write")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    tools, missing, rounds = [], {}, {}
    for kind in (Go, Java, Rust):
        if kind.__name__.lower() not in args.only.split(","):
            continue
        try:
            tools.append(kind(build, args.seconds))
        except Missing as why:
            missing[kind.name] = str(why)
            print(f"{kind.name}: {why}", file=sys.stderr)
    in_c = []
    for number in range(args.rounds):
        in_c.append(float(run([os.path.join(build, "tests", "bench", "calls_c")], HERE, environment(build))))
        for tool in list(tools):
            try:
                c, own = tool.round()
            except Missing as why:
                tools.remove(tool)
                missing[tool.name] = str(why)
                print(f"{tool.name}: {why}", file=sys.stderr)
                continue
            rounds.setdefault(tool.name, []).append((c, own))
            print(f"round {number + 1}: {tool.name} {own:.1f} ns, C {c:.1f} ns", flush=True)
    text = table(min(in_c), rounds, {tool.name: f"{tool.tool} ({tool.version})" for tool in tools}, missing)
    print(text)
    if args.write:
        with open(args.write, "w", encoding="utf-8") as file:
            file.write(text)
    return 0 if tools else 1


if __name__ == "__main__":
    sys.exit(main())
