"""Java's artefacts as a repository for Maven: the jar of classes, and a jar of natives per
platform."""
import os
import shutil
import sys

from archives import zip_of
from python import libraries
from work import empty, run

GROUP, ARTIFACT = "percale", "percale"


def repository(work):
    """Returns the folder of the version in dist/maven, with the layout of Maven's repositories."""
    folder = work.dist / "maven" / GROUP / ARTIFACT / work.version
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def jdk(work):
    """Returns the home of the JDK that the tests of the binding use, which compiles for Java 11."""
    sys.path.insert(0, str(work.source / "bindings" / "java"))
    import check

    return check.find_jdk()


def classes(work):
    """The jar that every platform shares, its sources, and the POM."""
    binding, target = work.source / "bindings" / "java", empty(work.folder / "java")
    run(["mvn", "-B", "-q", "-f", binding, f"-Dpercale.target={target}", f"-Dproject.build.outputTimestamp={work.epoch}",
         "-DskipTests", "-Dmaven.test.skip=true", "package"], env={**os.environ, "JAVA_HOME": jdk(work)})
    name, out = f"{ARTIFACT}-{work.version}", repository(work)
    jar, pom, sources = out / f"{name}.jar", out / f"{name}.pom", out / f"{name}-sources.jar"
    shutil.copyfile(target / f"{name}.jar", jar)
    shutil.copyfile(binding / "pom.xml", pom)
    root = binding / "src" / "main" / "java"
    zip_of(sources, {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*.java"))}, work.epoch)
    return [jar, pom, sources]


def natives(work, platform):
    """The jar from which the classes take the library. Its resource "files" lists the files, the
    library first."""
    library, *plugins = libraries(work, platform)
    files = {library.name: library, **{f"percale/{path.name}": path for path in plugins}}
    jni = library.parent / platform.jni
    if jni.exists():
        files[jni.name] = jni
    folder = f"org/percale/natives/{platform.java}"
    module = "org.percale.natives." + platform.java.replace("-", ".")
    contents = {"META-INF/MANIFEST.MF": f"Manifest-Version: 1.0\r\nAutomatic-Module-Name: {module}\r\n\r\n".encode(),
                f"{folder}/files": ("\n".join(files) + "\n").encode(),
                **{f"{folder}/{name}": path for name, path in files.items()}}
    path = repository(work) / f"{ARTIFACT}-{work.version}-natives-{platform.name}.jar"
    zip_of(path, contents, work.epoch)
    return [path]
