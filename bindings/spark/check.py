"""Tests the package for Spark in executors that are processes of their own: check.py BUILD SOURCE

The Spark is that of pyspark, which `sh subprojects/setup --engines` brings, on the oldest Java that
the package's own tests run on. Exits with code 77, and prints the reason, if something is missing.
"""
import glob
import importlib.util
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True


def module(source, *path):
    """Returns the module in a file of the project."""
    spec = importlib.util.spec_from_file_location(path[-2] + "_module", os.path.join(source, *path))
    out = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(out)
    return out


def find_spark(source):
    """Returns the Python that has pyspark, and the folder of the Spark distribution, or skips the
    test.
    """
    engines = module(source, "tests", "engines", "engine_tests.py")
    python = engines.python_with("pyspark")
    if python is None:
        print("no pyspark in the cache; `sh subprojects/setup --engines` brings it")
        sys.exit(engines.SKIP)
    said = subprocess.run([python, "-c", "import pyspark; print(pyspark.__path__[0])"], check=True, capture_output=True, text=True)
    return python, said.stdout.strip()


def write_networks(python, build, source, folder):
    """Writes each of jobs.NETWORKS to a folder: its SPEC, and the digest of `percale train`."""
    program = os.path.join(build, "bindings", "cli", "percale")
    subprocess.run([python, "-B", "-c", """import json, os, subprocess, sys
import jobs
for number, job in enumerate(jobs.NETWORKS):
    folder = os.path.join(sys.argv[2], str(number))
    os.makedirs(folder)
    spec = jobs.write(job, folder)
    told = subprocess.run([sys.argv[1], "train", spec, "--json"], check=True, capture_output=True, text=True).stdout
    with open(os.path.join(folder, "digest"), "w", encoding="utf-8") as file:
        file.write(json.loads(told)["digest"])
""", program, folder], check=True, env=dict(os.environ, PYTHONPATH=os.path.join(source, "tests", "groups")))


def jar(home, file, classes, compile_command):
    """Compiles sources to classes and makes a jar of them."""
    os.makedirs(classes, exist_ok=True)
    subprocess.run(compile_command, check=True)
    subprocess.run([os.path.join(home, "bin", "jar"), "--create", "--file", file, "-C", classes, "."], check=True)
    return file


def make_jars(java, home, source, spark, folder):
    """Returns the jars of the package, of the package for Spark and of the tests."""
    classes = {name: os.path.join(folder, name) for name in ("percale", "percale-spark", "tests")}
    here = os.path.join(source, "bindings", "spark", "src")
    own = glob.glob(os.path.join(here, "main", "java", "**", "*.java"), recursive=True)
    tests = [*glob.glob(os.path.join(here, "test", "java", "**", "*.java"), recursive=True), os.path.join(source, "samples", "spark", "Train.java")]
    path = os.pathsep.join([*classes.values(), os.path.join(spark, "jars", "*")])
    # Jars of Spark name others that are not there, and annotations that no processor knows.
    lint = "-Xlint:all,-classfile,-path,-processing,-serial"
    javac = [os.path.join(home, "bin", "javac"), "--release", str(java.TESTED), lint, "-Werror", "-cp", path, "-d"]
    commands = {"percale": [*java.javac(home, classes["percale"], java.OLDEST), *java.sources_in(source, "java")],
                "percale-spark": [*javac, classes["percale-spark"], *own], "tests": [*javac, classes["tests"], *tests]}
    return [jar(home, classes[name] + ".jar", classes[name], commands[name]) for name in classes]


def main(build, source):
    java = module(source, "bindings", "java", "check.py")
    python, spark = find_spark(source)
    library, home = java.jni_library(build), java.find_older_jdk()
    with tempfile.TemporaryDirectory() as folder:
        write_networks(python, build, source, os.path.join(folder, "networks"))
        package, own, tests = make_jars(java, home, source, spark, folder)
        names = {"PERCALE_LIBRARY": os.path.join(build, "libpercale.so.0"), "PERCALE_JNI": library}
        settings = {"spark.ui.enabled": "false", "spark.local.dir": folder,
                    # A stage may begin as soon as an executor has taken the place of a lost one.
                    "spark.scheduler.barrier.maxConcurrentTasksCheck.interval": "1s",
                    **{f"spark.executorEnv.{name}": value for name, value in names.items()}}
        command = [os.path.join(spark, "bin", "spark-submit"), "--master", "local-cluster[2,2,1024]", "--jars", f"{package},{own}",
                   *(part for name, value in settings.items() for part in ("--conf", f"{name}={value}")),
                   "--class", "org.percale.spark.SparkTest", tests, folder]
        env = dict(os.environ, **names, SPARK_HOME=spark, JAVA_HOME=home)
        return subprocess.run(command, cwd=folder, env=env).returncode


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:])))
