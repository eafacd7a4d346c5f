"""Makes the artefacts of a release; called by subprojects/release."""
import argparse
import os
import subprocess
import sys

import archives
import debian
import go_module
import java
import library
import platforms
import python
import rust
import sbom
import source_tree
import work as works


def source_archive(work):
    path = work.dist / f"percale-{work.version}-source.tar.gz"
    # Links to what `setup --cross` has fetched are no part of the source.
    files = {name: work.source / name for name in source_tree.names_in(work.source)}
    archives.tar_gz(path, files, f"percale-{work.version}", work.epoch)
    return [path]


def platform_archives(work, platform):
    """Archives of the prefix, with and without debug information."""
    name = f"percale-{work.version}-{platform.name}"
    cmake = {"CMakeLists.txt": work.source / "subprojects" / "packaging" / "cmake" / "CMakeLists.txt"}
    paths = []
    for folder, suffix, more in (("stage", "", cmake), ("debug", "-debug", {})):
        # Binaries for Windows and macOS have no debug information.
        if files := {**archives.files_of(work.folder / platform.name / folder), **more}:
            paths.append(work.dist / f"{name}{suffix}.tar.gz")
            archives.tar_gz(paths[-1], files, name, work.epoch)
    return paths


# The steps of a release that depend on no platform, and those of each platform.
COMMON = {"source archive": source_archive, "sdist": python.sdist, "Java classes": java.classes}
OF_PLATFORM = {"library": library.build_library, "archives": platform_archives, "SBOM": sbom.sbom, "wheel": python.wheel,
               "Java natives": java.natives, "Debian packages": debian.packages}


def arguments():
    parser = argparse.ArgumentParser(prog="sh subprojects/release", description="Makes the artefacts of a release, into dist/.")
    parser.add_argument("version", help="that of meson.build")
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help="all if none is named")
    parser.add_argument("--without", action="append", default=[], choices=library.PLUGINS, metavar="PLUGIN", help="leaves a plug-in out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="compiles so many files at once")
    return parser.parse_intermixed_args()


def check_languages():
    """Ends with a message at once if a compiler for the last steps is missing."""
    for binding, check in (("java", "find_jdk"), ("rust", "need_cargo")):
        command = [sys.executable, "-B", "-c", f"import check; check.{check}()"]
        done = subprocess.run(command, cwd=works.ROOT / "bindings" / binding, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            works.fail(done.stdout.strip())


def set_up(chosen):
    """Installs what the chosen platforms need beside the tools of every release."""
    subprojects = works.ROOT / "subprojects"
    commands = [["setup", "--cross"]] + [["onednn_build", "--target", platform.cross] for platform in chosen if "onednn" in platform.plugins]
    for command, *arguments in commands:
        if subprocess.run(["sh", subprojects / command, *arguments]).returncode:
            works.fail(f"`sh subprojects/{command} {' '.join(arguments)}` failed")


def main():
    asked = arguments()
    every = [platform.without(asked.without) for platform in platforms.named([])]
    chosen = [platform.without(asked.without) for platform in platforms.named(asked.platforms)]
    check_languages()
    set_up(chosen)
    work = works.Work(works.ROOT, asked.version, works.git("rev-parse", "HEAD"), int(works.git("log", "-1", "--format=%ct")), asked.jobs)
    if f"version: '{asked.version}'" not in works.git("show", "HEAD:meson.build"):
        works.fail(f"meson.build of the commit has another version than {asked.version}; give its version, or change and commit it")
    if works.git("status", "--porcelain", "--untracked-files=no"):
        works.say("uncommitted changes are not part of the release")
    work.step("source", works.extract_source)
    for platform in chosen:
        for name, function in OF_PLATFORM.items():
            work.step(f"{platform.name} {name}", function, platform, of=platform)
    for name, function in COMMON.items():
        work.step(name, function)
    # Also the platforms that earlier calls have built.
    built = [platform for platform in every if work.has_run(f"{platform.name} library", of=platform)]
    work.step("Go module", go_module.module, built, of=built)
    work.step("crates", rust.crates, built)
    works.write_checksums(work)


if __name__ == "__main__":
    main()
