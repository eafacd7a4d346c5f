"""Makes the artefacts of a release: release.py VERSION [PLATFORM...], called by subprojects/release."""
import sys

import archives
import library
import platforms
import work as works


def source_archive(work):
    path = work.dist / f"percale-{work.version}-source.tar.gz"
    archives.tar_gz(path, archives.files_of(work.source), f"percale-{work.version}", work.epoch)
    return [path]


def platform_archives(work, platform):
    """Archives of the prefix, with and without debug information."""
    name = f"percale-{work.version}-{platform.name}"
    paths = []
    for folder, suffix in (("stage", ""), ("debug", "-debug")):
        paths.append(work.dist / f"{name}{suffix}.tar.gz")
        archives.tar_gz(paths[-1], archives.files_of(work.folder / platform.name / folder), name, work.epoch)
    return paths


def make_platform(work, platform):
    """Makes the artefacts that contain binaries of one platform."""
    for what, function in (("library", library.build_library), ("archives", platform_archives)):
        work.step(f"{platform.name} {what}", function, platform)


def main(version, *names):
    chosen = platforms.named(names)
    work = works.Work(version)
    there = works.git("show", "HEAD:meson.build")
    if f"version: '{version}'" not in there:
        works.fail(f"meson.build of the commit has another version than {version}; give its version, or change and commit it")
    if works.git("status", "--porcelain", "--untracked-files=no"):
        works.say("uncommitted changes are not part of the release")
    work.folder.mkdir(exist_ok=True)
    work.step("source", works.extract_source)
    work.step("source archive", source_archive)
    for platform in chosen:
        make_platform(work, platform)
    works.write_checksums(work)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: sh subprojects/release VERSION [PLATFORM...]")
    main(*sys.argv[1:])
