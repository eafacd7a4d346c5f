"""Runs the tests of the Java package and prints the totals in the format that tests/count.py reads.

    check.py BUILD SOURCE test|jni|stress|lint|old_jdk

- `test` runs JUnit through Maven, with -Xcheck:jni, on the newest JDK.
- `jni` does the same on an older Java, which needs the JNI library of BUILD.
- `stress` does as `test` in a heap of 64 MB, with frequent garbage collections.
- `lint` runs javac and javadoc, which must not warn. It does not need Maven.
- `old_jdk` checks the message for a JDK that is too old to build the package.

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
OLDEST = 11  # the oldest version that runs the package
TESTED = 17  # the oldest version that runs the tests
FOREIGN = 22  # the first version in which java.lang.foreign is final


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
    """Returns the home of the newest JDK. Skips the test if it cannot build the package."""
    version, home = max(find_jdks())
    if version < FOREIGN:
        skip(f"a JDK of {FOREIGN} or newer is needed, "
             + (f"the newest here is {version}" if version else "and none is here")
             + "; install one (Debian 13: openjdk-25-jdk-headless) or set JAVA_HOME")
    return home


def find_older_jdk():
    """Returns the home of the oldest JDK that runs the tests through JNI, or skips the test."""
    found = sorted(jdk for jdk in find_jdks() if TESTED <= jdk[0] < FOREIGN)
    if not found:
        skip(f"no JDK of {TESTED} to {FOREIGN - 1} is here to test the JNI layer; install one (Debian 12: openjdk-17-jdk-headless)")
    return found[0][1]


def javac(home, classes, release=FOREIGN, package=None):
    """Returns the start of a command that compiles sources. `package` has the classes of the
    package; without it the sources join those of `classes`, as parts of the same module."""
    os.makedirs(classes, exist_ok=True)
    # A binding needs restricted methods, which older compilers do not know.
    lint = "-Xlint:all,-restricted" if release >= FOREIGN else "-Xlint:all"
    return [os.path.join(home, "bin", "javac"), "--release", str(release), lint, "-Werror", "-d", classes, "-cp", package or classes]


def sources_in(source, folder):
    return sorted(glob.glob(os.path.join(source, "bindings", "java", "src", "main", folder, "**", "*.java"), recursive=True))


def javac_commands(home, source, classes):
    """Returns the commands that compile the package for Java of FOREIGN or newer."""
    return [[*javac(home, classes, OLDEST), *sources_in(source, "java")], [*javac(home, classes), *sources_in(source, "java22")]]


def run(command, folder, env):
    print("+", " ".join(command), flush=True)
    result = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(result.stdout, flush=True)
    return result


def maven(arguments, folder, env):
    if not shutil.which("mvn"):
        skip("no mvn on PATH; install the Debian package maven")
    unresolved = "Could not (resolve|transfer)|could not be resolved|Cannot access \\S+ .* in offline mode"
    # Plug-ins that are already downloaded do not need the registry, so Maven runs offline first.
    result = run(["mvn", "-B", "-q", "-o", *arguments], folder, env)
    if result.returncode and re.search(unresolved, result.stdout):
        result = run(["mvn", "-B", "-q", *arguments], folder, env)
        if result.returncode and re.search(unresolved, result.stdout):
            skip("Maven's registry is out of reach, and not all plug-ins are there; run this once with a network")
    return result


def test(build, folder, target, env, settings=()):
    reports = os.path.join(target, "surefire-reports")
    shutil.rmtree(reports, ignore_errors=True)
    result = maven([f"-Dpercale.target={target}", f"-Dpercale.library={build}/libpercale.so.0", *settings, "test"], folder, env)
    total = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for path in glob.glob(os.path.join(reports, "*.xml")):
        suite = xml.etree.ElementTree.parse(path).getroot()
        for key in total:
            total[key] += int(suite.get(key, "0"))
    failed = max(total["failures"] + total["errors"], 1 if result.returncode else 0)
    passed = max(total["tests"] - total["failures"] - total["errors"] - total["skipped"], 0)
    print(f"[doctest] test cases: {passed + failed} | {passed} passed | {failed} failed | {total['skipped']} skipped")
    return 1 if failed or not passed else 0


def jni_library(build):
    """Returns the path of the JNI library, or skips the test."""
    library = os.path.join(build, "bindings", "java", "src", "main", "jni", "libpercale_jni.so")
    if not os.path.exists(library):
        skip(f"{library} is not built: set-up found no jni.h; put the javac of a JDK on PATH and set up the build folder again")
    return library


def jni(build, folder, target, env):
    library = jni_library(build)
    java = os.path.join(find_older_jdk(), "bin", "java")
    return test(build, folder, target, env, [f"-Dpercale.java={java}", f"-Dpercale.jni={library}"])


def stress(build, folder, target, env):
    return test(build, folder, target, env, ["-Dpercale.vm=-Xmx64m -XX:+UseSerialGC -Dpercale.collect=true"])


def old_jdk(_, folder, target, env):
    version, home = min((jdk for jdk in find_jdks() if jdk[0] > 8), default=(FOREIGN, ""))
    if version >= FOREIGN:
        skip(f"no JDK older than {FOREIGN} is here to test the message for it; set JAVA_HOME to one of 9 to {FOREIGN - 1}")
    result = maven([f"-Dpercale.target={target}/old", "validate"], folder, {**env, "JAVA_HOME": home})
    wanted = f"Percale is built with a JDK of {FOREIGN} or newer, this one is {version}"
    return 0 if result.returncode and wanted in result.stdout else 1


def lint(_, folder, target, env):
    home, source = env["JAVA_HOME"], os.path.dirname(os.path.dirname(folder))
    classes = os.path.join(target, "lint")
    shutil.rmtree(classes, ignore_errors=True)
    document = [os.path.join(home, "bin", "javadoc"), "-quiet", "-Xdoclint:all", "-Werror", "--release", str(OLDEST), "-d",
                os.path.join(target, "doc"), "--module-source-path", "org.percale=" + os.path.join(folder, "src", "main", "java"),
                "--module", "org.percale"]
    return max(run(command, folder, env).returncode for command in [*javac_commands(home, source, classes), document])


def main(build, source, what):
    # An old JDK is refused whether there is a newer one or not.
    env = dict(os.environ) if what == "old_jdk" else dict(os.environ, JAVA_HOME=find_jdk())
    target = os.path.join(build, "java")
    os.makedirs(target, exist_ok=True)
    folder = os.path.join(source, "bindings", "java")
    return {"test": test, "jni": jni, "stress": stress, "lint": lint, "old_jdk": old_jdk}[what](build, folder, target, env)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
