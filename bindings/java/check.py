"""Runs the tests of the Java package and prints the totals in the format that tests/count.py reads.

    check.py BUILD SOURCE test|stress|lint|old_jdk

- `test` runs JUnit through Maven, with -Xcheck:jni.
- `stress` does the same in a heap of 64 MB, with frequent garbage collections.
- `lint` runs javac and javadoc, which must not warn. It does not need Maven.
- `old_jdk` checks the message for a JDK that is too old.

Exits with code 77, and prints the reason, if a tool is missing or the registry cannot be reached.
Output goes to BUILD; the sources stay unchanged.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

SKIP = 77
OLDEST = 22  # the first version in which java.lang.foreign is final


def skip(reason):
    print(reason)
    sys.exit(SKIP)


def version_of(home):
    """Returns the major version of a JDK, or 0 if there is none."""
    if not os.access(os.path.join(home, "bin", "javac"), os.X_OK):
        return 0
    said = subprocess.run([os.path.join(home, "bin", "javac"), "-version"], capture_output=True, text=True)
    found = re.search(r"javac (\d+)", said.stdout + said.stderr)
    return int(found.group(1)) if found else 0


def find_jdks():
    """Returns (version, home) of JAVA_HOME, the JDK on PATH, and those of the system. The version
    is 0 if there is no JDK.
    """
    homes = [os.environ.get("JAVA_HOME") or ""]
    if shutil.which("javac"):
        homes.append(os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("javac")))))
    homes += sorted(glob.glob("/usr/lib/jvm/*") + glob.glob("/opt/*jdk*"))
    return [(version_of(home), home) for home in homes]


def find_jdk():
    """Returns the home of the newest JDK. Skips the test if it is too old."""
    version, home = max(find_jdks())
    if version < OLDEST:
        skip(f"a JDK of {OLDEST} or newer is needed, "
             + (f"the newest here is {version}" if version else "and none is here")
             + "; install one (Debian 13: openjdk-25-jdk-headless) or set JAVA_HOME")
    return home


def run(command, folder, env):
    print("+", " ".join(command), flush=True)
    result = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(result.stdout, flush=True)
    return result


def maven(arguments, folder, env):
    if not shutil.which("mvn"):
        skip("no mvn on PATH; install the Debian package maven")
    unresolved = "Could not (resolve|transfer)|could not be resolved"
    # Plug-ins that are already downloaded do not need the registry, so Maven runs offline first.
    result = run(["mvn", "-B", "-q", "-o", *arguments], folder, env)
    if result.returncode and re.search(unresolved, result.stdout):
        result = run(["mvn", "-B", "-q", *arguments], folder, env)
        if result.returncode and re.search(unresolved, result.stdout):
            skip("Maven's registry is out of reach, and not all plug-ins are there; run this once with a network")
    return result


def test(build, folder, target, env, vm="-Xmx256m"):
    reports = os.path.join(target, "surefire-reports")
    shutil.rmtree(reports, ignore_errors=True)
    result = maven([f"-Dpercale.target={target}", f"-Dpercale.library={build}/libpercale.so.0", f"-Dpercale.vm={vm}", "test"],
                   folder, env)
    total = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for path in glob.glob(os.path.join(reports, "*.xml")):
        suite = xml.etree.ElementTree.parse(path).getroot()
        for key in total:
            total[key] += int(suite.get(key, "0"))
    failed = max(total["failures"] + total["errors"], 1 if result.returncode else 0)
    passed = max(total["tests"] - total["failures"] - total["errors"] - total["skipped"], 0)
    print(f"[doctest] test cases: {passed + failed} | {passed} passed | {failed} failed | {total['skipped']} skipped")
    return 1 if failed or not passed else 0


def stress(build, folder, target, env):
    return test(build, folder, target, env, "-Xmx64m -XX:+UseSerialGC -Dpercale.collect=true")


def old_jdk(_, folder, target, env):
    version, home = min((jdk for jdk in find_jdks() if jdk[0] > 8), default=(OLDEST, ""))
    if version >= OLDEST:
        skip(f"no JDK older than {OLDEST} is here to test the message for it; set JAVA_HOME to one of 9 to {OLDEST - 1}")
    result = maven([f"-Dpercale.target={target}/old", "validate"], folder, {**env, "JAVA_HOME": home})
    wanted = f"Percale needs a JDK of {OLDEST} or newer, this one is {version}"
    return 0 if result.returncode and wanted in result.stdout else 1


def lint(_, folder, target, env):
    sources = sorted(glob.glob(os.path.join(folder, "src", "main", "java", "**", "*.java"), recursive=True))
    tools = os.path.join(env["JAVA_HOME"], "bin")
    # A binding needs restricted methods.
    commands = [[os.path.join(tools, "javac"), "--release", str(OLDEST), "-Xlint:all,-restricted", "-Werror", "-d",
                 os.path.join(target, "lint")] + sources,
                [os.path.join(tools, "javadoc"), "-quiet", "-Xdoclint:all", "-Werror", "--release", str(OLDEST), "-d",
                 os.path.join(target, "doc"), "--module-source-path",
                 "org.percale=" + os.path.join(folder, "src", "main", "java"), "--module", "org.percale"]]
    return max(run(command, folder, env).returncode for command in commands)


def main(build, source, what):
    # An old JDK is refused whether there is a newer one or not.
    env = dict(os.environ) if what == "old_jdk" else dict(os.environ, JAVA_HOME=find_jdk())
    target = os.path.join(build, "java")
    os.makedirs(target, exist_ok=True)
    folder = os.path.join(source, "bindings", "java")
    return {"test": test, "stress": stress, "lint": lint, "old_jdk": old_jdk}[what](build, folder, target, env)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
