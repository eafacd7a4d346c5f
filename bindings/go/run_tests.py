"""Runs the tests of the Go module against the library of a build folder.

    run_tests.py BUILD [--checked | --without-cgo]

Prints the number of passed tests in the format that tests/count.py reads. Exits with code 77, and
prints the reason, if Go is missing. With --checked the tests run with the race detector, with
GOEXPERIMENT=cgocheck2, and with a garbage collector that runs all the time and overwrites freed
memory. With --without-cgo they run on the sources that a release makes for builds without a C
compiler. Otherwise gofmt and go vet run first. Nothing is written into the source tree.
"""
import json
import os
import pathlib
import re
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
    results, printed = {}, []
    for line in run.stdout.splitlines():
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            printed.append(line)
            continue
        if event["Action"] in ("output", "build-output"):
            printed.append(event["Output"].rstrip("\n"))
        if event["Action"] in ("pass", "fail", "skip") and "/" not in event.get("Test", "/"):
            results[event["Test"]] = event["Action"]
    if run.returncode != 0:
        print("\n".join(printed), run.stderr, sep="\n")
        results["go test"] = "fail"
    return results


def command(go_or_gofmt, args, env, wants_silence=False):
    run = subprocess.run([go_or_gofmt, *args], cwd=HERE, env=env, capture_output=True, text=True)
    failed = run.returncode != 0 or wants_silence and bool(run.stdout.strip())
    if failed:
        print(" ".join([go_or_gofmt, *args]), run.stdout, run.stderr, sep="\n")
    return "fail" if failed else "pass"


def tests_without_cgo(go, build):
    """Returns the results of the tests with a library that is opened at run time, or None if purego
    is not here and cannot be fetched."""
    folder = pathlib.Path(build).resolve() / "go" / "without-cgo"
    shutil.rmtree(folder, ignore_errors=True)
    sys.path.insert(0, str(HERE.parent.parent / "subprojects" / "packaging"))
    import go_module

    go_module.go_sources(HERE.parent.parent, folder)
    (folder / "embed_none.go").write_text(go_module.embed_nothing([]))
    for path in (*HERE.glob("*_test.go"), *go_module.LOADER.glob("*_test.go")):
        shutil.copy(path, folder)
    env = dict(os.environ, GOFLAGS="-mod=mod -buildvcs=false", GOTOOLCHAIN="local", GOWORK="off", CGO_ENABLED="0",
               PERCALE_LIBRARY=str(folder.parent.parent / "libpercale.so.0"))
    if subprocess.run([go, "mod", "download"], cwd=folder, env=env, capture_output=True).returncode != 0:
        return None
    # purego allocates once per call, so the test that counts allocations is that of cgo.
    return tests(go, env, ["-skip", "^TestPreparedCallReadsAndWritesGoSlices$"], folder)


def main(build, mode):
    go, why = find_go()
    if not go:
        print(why)
        return 77
    env = environment(build)
    results = {}
    if mode == "--without-cgo":
        results = tests_without_cgo(go, build)
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
    sys.exit(main(sys.argv[1], (sys.argv[2:] or [""])[0]))
