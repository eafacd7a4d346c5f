"""Installs artefacts of a release in bare roots: of Debian 12 and 13, and of musl alone, for arm64
by QEMU. Runs the quick start of each language, uninstalls, and checks that nothing is left. Needs
root, debootstrap and a network.

    check.py DIST [SUITE-ARCHITECTURE[/TEST]...]

DIST is the folder that subprojects/release writes. bookworm-arm64/go runs one test in one root.
"""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import time

import go_programs
import programs
import root as roots
import rust_programs
import wheels
from wheels import SOURCE, platforms

ROOTS = ("bookworm-amd64", "trixie-amd64", "bookworm-arm64", "musl-amd64", "musl-arm64")


def only(dist, pattern):
    """Returns the only artefact with such a name."""
    found = sorted(dist.glob(pattern))
    if len(found) != 1:
        sys.exit(f"{dist} has {len(found)} files {pattern}, wanted 1; run subprojects/release")
    return found[0]


def some_digits(path, count):
    """Returns a file of digits with the first `count` of its entries."""
    data = path.read_bytes()
    header = 4 + 4 * data[3]
    size = math.prod(int.from_bytes(data[at:at + 4], "big") for at in range(8, header, 4))
    return data[:4] + count.to_bytes(4, "big") + data[8:header + count * size]


# The numbers of digits that training needs for an accuracy of 0.9. An emulator, in which training
# takes minutes, gets no more.
FOR_MLP, FOR_LENET = 30_000, 10_000


def give(root, *files, digits=FOR_MLP):
    """Copies files into the folder in which the commands of a test run, with the data of the quick
    start."""
    for path in files:
        shutil.copy(path, root.work)
    (root.work / "samples" / "mnist").mkdir(parents=True, exist_ok=True)
    shutil.copy(SOURCE / "samples" / "mnist" / "lenet.json", root.work / "samples" / "mnist")
    (root.work / "data").mkdir(exist_ok=True)
    if root.architecture in roots.EMULATED:
        for path in programs.DIGITS.glob("*-ubyte"):
            (root.work / "data" / path.name).write_bytes(some_digits(path, digits if path.name.startswith("train") else digits // 6))
    else:
        root.mount(["--bind", programs.DIGITS], root.work / "data")


def wheel(root, dist):
    path = only(dist, f"*manylinux*_{root.machine}.whl")
    give(root, path, programs.EXAMPLES / "readme" / "digits.py", pathlib.Path(__file__).parent / "first_inference.py", digits=FOR_LENET)
    version = root.run("python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'").strip()
    tags = [f"--platform=manylinux{policy}_{root.machine}" for policy in ("2014", "_2_17", "_2_28")]
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--only-binary=:all:", "--python-version", version, *tags,
                    "numpy", "cffi", "-d", root.work / "wheels"], check=True)
    root.run("python3 -m venv env && env/bin/pip install -q --no-index wheels/*.whl")
    start = time.monotonic()
    root.run(f"env/bin/pip install -q --no-index {path.name} && env/bin/python first_inference.py")
    seconds = time.monotonic() - start
    print(f"wheel: {path.stat().st_size / 1e6:.1f} MB; installed, imported, first inference in {seconds:.2f} s")
    programs.learned(root.run("env/bin/python digits.py", PERCALE_DATA="/work/data"), root.architecture)
    root.run("env/bin/pip uninstall -q -y percale")
    if "percale" in root.run("find env -name '*percale*'"):
        sys.exit("pip leaves files of the wheel")


def debian(root, dist):
    debs = [only(dist, f"{name}_*_{root.architecture}.deb") for name in ("libpercale0", "libpercale-dev", "percale")]
    give(root, *debs, programs.EXAMPLES / "readme" / "digits.c")
    root.run("apt-get install -q -y --no-install-recommends ./*.deb")
    if "onnx" not in root.run("percale info"):
        sys.exit("the program does not find the plug-ins")
    root.run("cc digits.c $(pkg-config --cflags --libs percale) -o digits")
    programs.learned(root.run("./digits", PERCALE_DATA="/work/data"), root.architecture)
    root.run("apt-get purge -q -y percale libpercale-dev libpercale0 && apt-get autoremove -q -y --purge")


def archive(root, dist):
    path = only(dist, f"percale-*-linux-{root.machine}.tar.gz")
    give(root, path, programs.EXAMPLES / "readme" / "digits.c")
    prefix = f"/work/{path.name[:-len('.tar.gz')]}"
    root.run(f"tar xzf {path.name} && {prefix}/bin/percale info | grep onnx")
    flags = f"$(PKG_CONFIG_PATH={prefix}/lib/pkgconfig pkg-config --cflags --libs"
    for ending in f"{flags} percale) -Wl,-rpath,{prefix}/lib", f"{flags} --static percale | sed s/-lpercale/-l:libpercale.a/)":
        root.run(f"cc digits.c {ending} -o digits")
        programs.learned(root.run("./digits", PERCALE_DATA="/work/data"), root.architecture)


def musl(root, dist):
    """The root has no compiler, so that the programs come from this machine: one that needs the
    library, and one that needs nothing."""
    row, = platforms.named([f"linux-musl-{root.machine}"])
    path = only(dist, f"percale-*-{row.name}.tar.gz")
    give(root, path)
    folder = path.name[:-len(".tar.gz")]
    root.run(f"tar xzf {path.name} && {folder}/bin/percale info | grep onnx")
    libraries = root.work / folder / "lib"
    for words in ([*wheels.compiler(row), "-L", libraries, "-lpercale", f"-Wl,-rpath,/work/{folder}/lib"],
                  ["zig", "cc", "-target", row.cross, "-O2", "-static", libraries / "libpercale.a"]):
        subprocess.run([*words, "-I", libraries.parent / "include", programs.EXAMPLES / "readme" / "digits.c", "-o", root.work / "digits"], check=True)
        programs.learned(root.run("./digits", PERCALE_DATA="/work/data"), root.architecture)


def java(root, dist):
    jars = [path for path in sorted((dist / "maven").rglob("*.jar")) if not path.name.endswith("-sources.jar")]
    give(root, *jars, programs.EXAMPLES / "first" / "digits.json")
    classes = root.work / "classes"
    subprocess.run(["javac", "--release", "11", "-cp", os.pathsep.join(map(str, jars)), "-d", classes, programs.EXAMPLES / "first" / "Train.java"], check=True)
    programs.learned(root.run("java -Djava.io.tmpdir=/work -cp '/work/*:classes' Train", PERCALE_DATA="/work/data"), root.architecture)
    if list(root.work.glob("percale-*/")):
        sys.exit("Java leaves the files of its natives")


def go(root, dist):
    """Go alone: the root has no C compiler."""
    give(root, programs.EXAMPLES / "readme" / "digits.go", digits=FOR_LENET)
    shutil.copytree(dist / "go", root.work / "proxy")
    sdk = subprocess.run([go_programs.GO, "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip()
    for folder, name in (sdk, "sdk"), (go_programs.downloaded_modules(root.work), "modules"):
        (root.work / name).mkdir()
        root.mount(["--bind", folder], root.work / name)
    env = {"GOPROXY": "file:///work/proxy,file:///work/modules", "GOSUMDB": "off", "GOPATH": "/work/path", "GOCACHE": "/work/cache",
           "GOARCH": root.architecture, "XDG_CACHE_HOME": "/work/user", "GOTOOLCHAIN": "local", "PERCALE_DATA": "/work/data"}
    root.run(f"/work/sdk/bin/go mod init digits && /work/sdk/bin/go get {'@'.join(go_programs.module_of(dist))}", **env)
    programs.learned(root.run("/work/sdk/bin/go run digits.go", **env), root.architecture)


def rust(root, dist):
    """The compiler is this machine's. The library is that of the archive."""
    row, = platforms.named([f"linux-{root.machine}"])
    give(root)
    archived, host = rust_programs.make_host(root.work, dist, row)
    vendored = subprocess.run(["cargo", "vendor", "--quiet"], cwd=host, check=True, stdout=subprocess.PIPE, text=True).stdout
    (host / ".cargo").mkdir()
    (host / ".cargo" / "config.toml").write_text(vendored)
    (root.work / "sdk").mkdir()
    root.mount(["--bind", subprocess.run(["rustc", "--print", "sysroot"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()],
               root.work / "sdk")
    library = f"/work/{archived}/lib"
    env = {"PATH": "/work/sdk/bin:/usr/sbin:/usr/bin:/sbin:/bin", "PERCALE_LIB_DIR": library, "LD_LIBRARY_PATH": library, "PERCALE_DATA": "/work/data"}
    root.run("cd host && cargo build --quiet --offline --release", **env)
    programs.learned(root.run("host/target/release/host", **env), root.architecture)


# The tests, and Debian's packages that each needs.
ARTEFACTS = {wheel: ("python3", "python3-venv"), debian: ("gcc", "libc6-dev", "pkg-config"), archive: ("gcc", "libc6-dev", "pkg-config"),
             java: ("default-jre-headless",), go: ("ca-certificates",), rust: ("gcc", "libc6-dev")}
# Those of a root of musl, whose only program is BusyBox.
OF_MUSL = {musl: ()}
# Tests whose tools are this machine's, and do not run for another architecture.
HERE_ALONE = (rust,)


def tests_of(asked):
    """Returns the root that the words name, and its tests, or the one that they name."""
    name, _, chosen = asked.partition("/")
    tests = OF_MUSL if name.startswith("musl") else ARTEFACTS
    names = [test.__name__ for test in tests]
    if name not in ROOTS or chosen not in ("", *names):
        sys.exit(f"{asked} is no test; roots are {', '.join(ROOTS)}, and tests of such a root are {', '.join(names)}")
    return name, {test: packages for test, packages in tests.items() if chosen in ("", test.__name__)}


def main(dist, *asked):
    sums = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=dist, capture_output=True, text=True)
    if sums.returncode:
        sys.exit(f"the checksums of {dist} do not fit: {sums.stdout}{sums.stderr}")
    passed = {}
    for name, tests in [tests_of(words) for words in asked or ROOTS]:
        suite, architecture = name.split("-")
        for test, packages in tests.items():
            if test in HERE_ALONE and architecture in roots.EMULATED:
                print(f"{test.__name__} on {name}: not run, the compiler is this machine's")
                continue
            layers = [roots.base(suite, architecture), *([roots.tools(suite, architecture, packages)] if packages else [])]
            with roots.Root(layers, architecture) as root:
                test(root, pathlib.Path(dist).resolve())
                left = root.left()
            if left:
                sys.exit(f"{test.__name__} on {name} leaves {', '.join(left[:20])}")
            print(f"{test.__name__} on {name}: passed", flush=True)
            passed.setdefault(name, []).append(test.__name__)
    print(json.dumps(passed))


if __name__ == "__main__":
    main(*sys.argv[1:])
