"""Runs the tests of the Go module against the library of a build folder.

    run_tests.py BUILD [--checked | --without-cgo SYSTEM PROCESSOR LIBRARY]

Prints the number of passed tests in the format that tests/count.py reads. Exits with code 77, and
prints the reason, if Go is missing. With --checked the tests run with the race detector, with
GOEXPERIMENT=cgocheck2, and with a garbage collector that runs all the time and overwrites freed
memory. With --without-cgo they run on the sources that a release makes for builds without a C
compiler, and open LIBRARY at run time. SYSTEM and PROCESSOR are Meson's names of its platform. In a
cross build, the emulator runs the tests. Without an option, gofmt and go vet run first. Nothing is
written into the source tree.
"""
import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
WANTED = (1, 24)


def find_go():
    """Returns (path, None), or (None, reason)."""
    go = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    if not go:
        return None, "no go on PATH; `sh subprojects/setup --tests` brings Go 1.24"
    version = subprocess.run([go, "env", "GOVERSION"], cwd="/", capture_output=True, text=True, check=True).stdout.strip()
    found = re.match(r"go(\d+)\.(\d+)", version)
    if not found or tuple(map(int, found.groups())) < WANTED:
        return None, f"go is {version}, wanted 1.24 or newer; `sh subprojects/setup --tests` brings Go 1.24"
    if not shutil.which("pkg-config"):
        return None, "no pkg-config on PATH; install the Debian package pkg-config"
    return go, None


def environment(build):
    build = pathlib.Path(build).resolve()
    out = dict(os.environ, GOFLAGS="-mod=readonly -buildvcs=false", GOTOOLCHAIN="local", GOWORK="off", GOPROXY="off",
               GOCACHE=str(build / "go" / "cache"), GOPATH=str(build / "go" / "path"), CGO_ENABLED="1",
               CGO_CFLAGS=f"-O2 -I{HERE.parent.parent / 'c_api'}", LD_LIBRARY_PATH=str(build),
               PKG_CONFIG_PATH=str(build / "meson-uninstalled"))
    for name in ("CGO_LDFLAGS", "GOEXPERIMENT", "CC", "CXX"):
        out.pop(name, None)
    return out


def tests(go, env, args, folder=HERE):
    """Returns {name: "pass", "fail" or "skip"} of `go test`. Prints its output if it fails."""
    run = subprocess.run([go, "test", "-json", "-count=1", *args, "./..."], cwd=folder, env=env, capture_output=True, text=True)
    results, printed, output, excused = {}, [], collections.defaultdict(list), False
    for line in run.stdout.splitlines():
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            printed.append(line)
            continue
        if event["Action"] in ("output", "build-output"):
            printed.append(event["Output"].rstrip("\n"))
            output[event.get("Test")].append(printed[-1])
        if event["Action"] in ("pass", "fail", "skip") and "/" not in event.get("Test", "/"):
            results[event["Test"]] = event["Action"]
            if event["Action"] == "fail" and is_cleanup_of_wine(output[event["Test"]]):
                results[event["Test"]], excused = "pass", True
    if run.returncode != 0 and ("fail" in results.values() or not excused):
        print("\n".join(printed), run.stderr, sep="\n")
        results["go test"] = "fail"
    return results


def command(go_or_gofmt, args, env, wants_silence=False):
    run = subprocess.run([go_or_gofmt, *args], cwd=HERE, env=env, capture_output=True, text=True)
    failed = run.returncode != 0 or wants_silence and bool(run.stdout.strip())
    if failed:
        print(" ".join([go_or_gofmt, *args]), run.stdout, run.stderr, sep="\n")
    return "fail" if failed else "pass"


def is_cleanup_of_wine(output):
    """True for the output of a test that passed, and whose folder Wine 8 could not remove, because
    it lacks a call of Windows 10."""
    lines = [line for line in output if not re.match(r"(=== |--- FAIL)", line)]
    return bool(lines) and all(re.search(r"TempDir RemoveAll cleanup: .* Invalid function\.$", line) for line in lines)


def tests_without_cgo(go, build, system, processor, library):
    """Returns the results of the tests with a library that is opened at run time, or None if purego
    is not here and cannot be fetched."""
    folder = pathlib.Path(build).resolve() / "go" / "without-cgo"
    shutil.rmtree(folder, ignore_errors=True)
    root = HERE.parent.parent
    sys.path[:0] = [str(root / "subprojects" / "packaging"), str(root / "tests" / "support")]
    import emulator
    import go_module

    go_module.go_sources(root, folder)
    (folder / "embed_none.go").write_text(go_module.embed_nothing([]))
    for path in (*HERE.glob("*_test.go"), *go_module.LOADER.glob("*_test.go")):
        shutil.copy(path, folder)
    env = dict(os.environ, GOFLAGS="-mod=mod -buildvcs=false", GOTOOLCHAIN="local", GOWORK="off", CGO_ENABLED="0",
               GOOS=system, GOARCH={"x86_64": "amd64", "aarch64": "arm64"}.get(processor, processor), PERCALE_LIBRARY=os.path.abspath(library))
    if subprocess.run([go, "mod", "download"], cwd=folder, env=env, capture_output=True).returncode != 0:
        return None
    # purego allocates once per call, so the test that counts allocations is that of cgo.
    skipped, args = ["TestPreparedCallReadsAndWritesGoSlices"], []
    if words := emulator.words():
        args = ["-exec", shlex.join(words)]
        skipped.append("TestContextCancelsARunInsideAKernel")  # it must end within a second
        if system == "windows":
            env |= emulator.wine_environment(folder.parent / "wine")
    return tests(go, env, [*args, "-skip", f"^({'|'.join(skipped)})$"], folder)


def main(build, mode="", *target):
    go, why = find_go()
    if not go:
        print(why)
        return 77
    env = environment(build)
    results = {}
    if mode == "--without-cgo":
        results = tests_without_cgo(go, build, *target)
        if results is None:
            print(f"{sys.argv[0]}: the module purego is not here; run this once with a network")
            return 77
    elif mode == "--checked":
        for name, args, more in (("race", ["-race"], {}), ("cgocheck2", [], {"GOEXPERIMENT": "cgocheck2"}),
                                 ("collector", [], {"GOGC": "1", "GODEBUG": "clobberfree=1"})):
            results.update({f"{name} {k}": v for k, v in tests(go, dict(env, **more), args).items()})
    else:
        gofmt = pathlib.Path(go).resolve().with_name("gofmt")
        results["gofmt"] = command(str(gofmt), ["-l", "."], env, wants_silence=True)
        results["vet"] = command(go, ["vet", "./..."], env)
        results.update(tests(go, env, []))
    count = {action: sum(v == action for v in results.values()) for action in ("pass", "fail", "skip")}
    print("test cases: {} | {} passed | {} failed | {} skipped".format(len(results), *count.values()))
    return 1 if count["fail"] or not count["pass"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
