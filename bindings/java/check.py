"""Runs the tests of the Java package and prints what they counted, in the line that tests/count.py reads.

    check.py BUILD SOURCE test|stress|lint

`test`: JUnit by Maven, under -Xcheck:jni. `stress`: the same in 64 MB, while the garbage collector hardly ever rests. `lint`: javac and javadoc without a warning; no Maven is needed. Exit code 77
and the reason where a tool is absent or the registry is out of reach. What is built goes into BUILD; the sources stay clean.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

SKIP = 77
OLDEST = 22  # the first with java.lang.foreign final


def skip(reason):
    print(reason)
    sys.exit(SKIP)


def version_of(home):
    """The major version of a JDK, 0 where there is none."""
    if not os.access(os.path.join(home, "bin", "javac"), os.X_OK):
        return 0
    said = subprocess.run([os.path.join(home, "bin", "javac"), "-version"], capture_output=True, text=True)
    found = re.search(r"javac (\d+)", said.stdout + said.stderr)
    return int(found.group(1)) if found else 0


def find_jdk():
    """The newest of JAVA_HOME, the JDK on PATH, and those of the system."""
    homes = [os.environ.get("JAVA_HOME") or ""]
    if shutil.which("javac"):
        homes.append(os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("javac")))))
    homes += sorted(glob.glob("/usr/lib/jvm/*") + glob.glob("/opt/*jdk*"))
    version, home = max((version_of(home), home) for home in homes)
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


def test(build, folder, target, env, vm="-Xmx256m"):
    if not shutil.which("mvn"):
        skip("no mvn on PATH; install the Debian package maven")
    reports = os.path.join(target, "surefire-reports")
    shutil.rmtree(reports, ignore_errors=True)
    command = ["mvn", "-B", "-q", f"-Dpercale.target={target}", f"-Dpercale.library={build}/libpercale.so.0",
               f"-Dpercale.vm={vm}", "test"]
    # What was fetched once is there without the registry.
    result = run(command[:1] + ["-o"] + command[1:], folder, env)
    if result.returncode and not os.path.isdir(reports):
        result = run(command, folder, env)
        if result.returncode and re.search("Could not (resolve|transfer)|could not be resolved", result.stdout):
            skip("Maven's registry is out of reach, and not all plug-ins are there")
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


def lint(_, folder, target, env):
    sources = sorted(glob.glob(os.path.join(folder, "src", "main", "java", "**", "*.java"), recursive=True))
    tools = os.path.join(env["JAVA_HOME"], "bin")
    # Restricted methods are what a binding is made of.
    commands = [[os.path.join(tools, "javac"), "--release", str(OLDEST), "-Xlint:all,-restricted", "-Werror", "-d",
                 os.path.join(target, "lint")] + sources,
                [os.path.join(tools, "javadoc"), "-quiet", "-Xdoclint:all", "-Werror", "--release", str(OLDEST), "-d",
                 os.path.join(target, "doc"), "--module-source-path",
                 "org.percale=" + os.path.join(folder, "src", "main", "java"), "--module", "org.percale"]]
    return max(run(command, folder, env).returncode for command in commands)


def main(build, source, what):
    env = dict(os.environ, JAVA_HOME=find_jdk())
    target = os.path.join(build, "java")
    os.makedirs(target, exist_ok=True)
    folder = os.path.join(source, "bindings", "java")
    return {"test": test, "stress": stress, "lint": lint}[what](build, folder, target, env)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
