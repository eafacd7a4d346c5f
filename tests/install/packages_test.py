"""The artefacts of a release, made from a build folder: packages_test.py BUILD

subprojects/release makes them of its own builds; tests/install/roots installs those.
"""
import email.parser
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import unittest.mock
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "subprojects" / "packaging"), str(ROOT / "bindings" / "python"), str(ROOT / "bindings" / "java"),
                str(ROOT / "bindings" / "go")]

import archives  # noqa: E402
import debian  # noqa: E402
import go_module  # noqa: E402
import java  # noqa: E402
import library  # noqa: E402
import mach  # noqa: E402
import platforms  # noqa: E402
import python  # noqa: E402
import release  # noqa: E402
import rust  # noqa: E402
import sbom  # noqa: E402
import symbol_versions  # noqa: E402
import work as works  # noqa: E402

VERSION = works.version_of(ROOT)
EPOCH = 1700000000


class Release(works.Work):
    """A release in a folder of its own, of the binaries of the build folder."""

    def __init__(self, folder):
        row = platforms.PLATFORMS[0]
        absent = [name for name in row.plugins if not list(BUILD.glob(f"*/{name}/{row.plugin.format(name)}"))]
        self.platform = row.without(absent)
        super().__init__(pathlib.Path(folder), VERSION, "a commit", EPOCH)
        self.source = ROOT
        mine = self.folder / self.platform.name
        mine.mkdir(parents=True)
        (mine / "build").symlink_to(BUILD)
        works.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", mine / "installed"])
        prefix, = (path.parents[1] for path in (mine / "installed").rglob("libpercale.so.0"))
        # A build of the tests has no static library.
        (prefix / "lib" / "libpercale.a").write_bytes(b"!<arch>\n")
        others = [f"lib/percale/{self.platform.plugin.format(name)}" for name in library.PLUGINS if name not in self.platform.plugins]
        for name in (*others, "lib/percale/percale_remote_grpc.so", "bin/percale-worker"):
            (prefix / name).unlink(missing_ok=True)
        library.separate_tree(prefix, mine / "stage", mine / "debug", self.platform)
        self.stage = mine / "stage"

    def make(self):
        """Makes the artefacts that contain binaries. Returns {name: digest}."""
        for function in (release.platform_archives, sbom.sbom, python.wheel, java.natives):
            function(self, self.platform)
        python.sdist(self)
        go_module.module(self, [self.platform])
        return {path.relative_to(self.dist).as_posix(): works.digest_of(path) for path in self.dist.rglob("*") if path.is_file()}


class Artefacts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if (ROOT / ".git").exists() and not shutil.which("git"):
            raise unittest.SkipTest("no git, which lists the files of a clone; install git")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.release = Release(pathlib.Path(cls.folder.name) / "one")
        cls.made = cls.release.make()
        cls.dist = cls.release.dist

    def only(self, pattern):
        path, = self.dist.rglob(pattern)
        return path

    def test_another_folder_gives_the_same_bytes(self):
        time.sleep(1)  # so that files have other times
        other = Release(pathlib.Path(self.folder.name) / "another" / "folder")
        self.assertEqual(other.make(), self.made)

    def test_debug_information_is_apart_and_linked(self):
        shipped = self.release.stage / "lib" / self.release.platform.library
        sections = works.run(["readelf", "--sections", "--wide", shipped])
        self.assertNotIn(".symtab", sections)
        self.assertIn(f"{shipped.resolve().name}.debug", works.run(["readelf", "-p", ".gnu_debuglink", shipped]))
        debug = self.release.stage.parent / "debug" / "lib" / ".debug" / f"{shipped.resolve().name}.debug"
        self.assertIn(".symtab", works.run(["readelf", "--sections", "--wide", debug]))

    def test_the_wheel_names_the_oldest_c_library_that_has_its_symbols(self):
        path = self.only("*.whl")
        with zipfile.ZipFile(path) as wheel:
            wheel.extractall(self.dist.parent / "wheel")
        binaries = [each for each in (self.dist.parent / "wheel").rglob("*.so*")]
        self.assertEqual(len(binaries), 1 + len(self.release.platform.plugins))
        self.assertIn(f"manylinux_{symbol_versions.oldest_glibc(binaries)}_x86_64", path.name)
        newest = max(symbol_versions.imported(each)["GLIBC"] for each in binaries)
        self.assertLessEqual(newest, tuple(map(int, symbol_versions.oldest_glibc(binaries).split("_"))))

    def test_a_library_that_not_every_system_has_is_an_error(self):
        foreign = BUILD / "devices" / "remote" / "percale_remote_grpc.so"
        if not foreign.exists():
            self.skipTest("the plug-in remote was not built")
        with self.assertRaisesRegex(SystemExit, "percale_remote_grpc.so needs .*grpc.*leave it out"):
            symbol_versions.oldest_glibc([foreign])

    def test_the_source_archive_leaves_out_links_to_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            work = works.Work(pathlib.Path(folder), VERSION, "a commit", EPOCH)
            (work.source / "subprojects").mkdir(parents=True)
            (work.source / "LICENSE").write_text("text")
            (work.source / "subprojects" / "fetched").symlink_to(ROOT / "docs")
            path, = release.source_archive(work)
            with tarfile.open(path) as packed:
                self.assertEqual(packed.getnames(), [f"percale-{VERSION}/LICENSE"])

    def test_the_sdist_has_what_a_build_needs(self):
        path = self.only(f"percale-{VERSION}.tar.gz")
        folder = self.dist.parent / "sdist"
        with tarfile.open(path) as packed:
            packed.extractall(folder)
        top = folder / f"percale-{VERSION}"
        self.assertIn('backend-path = ["bindings/python"]', (top / "pyproject.toml").read_text())
        about = email.parser.Parser().parsestr((top / "PKG-INFO").read_text())
        self.assertEqual((about["Name"], about["Version"]), ("percale", VERSION))
        self.assertEqual(about.get_all("Requires-Dist"), ["cffi>=1.15", "numpy>=1.23"])
        works.run(["meson", "setup", folder / "build", top, "-Dtests=false", "-Djni=disabled", "-Dcuda=disabled", "-Dremote=disabled"])

    def test_pip_compiles_in_the_folder_that_it_is_told(self):
        import build_backend

        ran = []
        with unittest.mock.patch.object(build_backend.subprocess, "run", lambda command, **more: ran.append(command)):
            name = build_backend.build_wheel(self.dist.parent, {"build-dir": str(BUILD)})
        self.assertEqual(ran, [["meson", "compile", "-C", BUILD]])
        with zipfile.ZipFile(self.dist.parent / name) as wheel:
            about = wheel.read(f"percale-{VERSION}.dist-info/METADATA").decode()
        info = build_backend.prepare_metadata_for_build_wheel(self.dist.parent)
        self.assertEqual((self.dist.parent / info / "METADATA").read_text(), about)

    def test_the_bill_of_materials_names_all_parts(self):
        bill = json.loads(self.only("*.spdx.json").read_text())
        names = {each["name"] for each in bill["packages"]}
        self.assertLessEqual({"percale", "zlib", "Eigen", "RapidJSON", "Highway", "FlatBuffers"}, names)
        self.assertIn("./lib/libpercale.a", {each["fileName"] for each in bill["files"]})

    def test_a_part_without_a_known_licence_is_an_error(self):
        licence = sbom.PARTS.pop("zlib")
        try:
            with self.assertRaisesRegex(SystemExit, "no row for zlib; add the licence"):
                sbom.sbom(self.release, self.release.platform)
        finally:
            sbom.PARTS["zlib"] = licence

    def test_the_module_for_go_embeds_the_library_and_links_the_static_one(self):
        with zipfile.ZipFile(self.only("*.zip")) as module:
            names = {name.partition("@")[2].partition("/")[2] for name in module.namelist()}
            link, = (module.read(name).decode() for name in module.namelist() if name.endswith("/link.go"))
        self.assertLessEqual({"go.mod", "load.go", "raw_c_load.go", "embed_linux_amd64.go", "include/percale.h",
                              "native/linux_amd64/libpercale.a", "native/linux_amd64/libpercale.so.0"}, names)
        self.assertIn("linux,amd64 LDFLAGS: ${SRCDIR}/native/linux_amd64/libpercale.a", link)

    def test_go_opens_the_library_at_run_time_where_there_is_no_static_one(self):
        import run_tests

        go, why = run_tests.find_go()
        if not go:
            self.skipTest(why)
        folder = self.dist.parent / "go-sources"
        rows = [row for row in platforms.PLATFORMS if row.go]
        go_module.go_sources(ROOT, folder)
        (folder / "link.go").write_text(go_module.link_source(rows))
        go_module.load_elsewhere(folder, rows)
        loads = {}
        for row in rows:
            for cgo in "0", "1":
                system, _, processor = row.go.partition("_")
                listed = works.run([go, "list", "-e", "-f", "{{.GoFiles}} {{.CgoFiles}} {{.CFiles}} {{.InvalidGoFiles}}", "."], cwd=folder,
                                   env={**os.environ, "GOOS": system, "GOARCH": processor, "CGO_ENABLED": cgo, "GOFLAGS": "-mod=mod"})
                words = listed.replace("[", " ").replace("]", " ").split()
                self.assertNotEqual("load.go" in words, "link.go" in words, listed)
                self.assertEqual("link.go" in words, "callbacks.c" in words, listed)
                loads[row.go, cgo] = "load.go" in words
        self.assertEqual(loads, {(row.go, cgo): cgo == "0" or not row.static for row in rows for cgo in "01"})

    def test_callbacks_of_go_return_one_word_as_windows_wants(self):
        folder = self.dist.parent / "go-callbacks"
        go_module.go_sources(ROOT, folder)
        results = re.findall(r"purego\.NewCallback\(func\(.*\) (\S+) \{ ", (folder / "raw_c_load.go").read_text())
        self.assertGreater(len(results), 5)
        self.assertEqual([result for result in results if result != "uintptr" and not result.startswith("*")], [])

    def test_java_takes_the_library_from_the_jar_of_natives(self):
        import check

        homes = [home for version, home in sorted(check.find_jdks()) if version >= check.OLDEST]
        if not homes or max(check.find_jdks())[0] < check.FOREIGN:
            self.skipTest(f"no JDK of {check.FOREIGN} or newer")
        folder = self.dist.parent / "java"
        for classes, command in zip((folder, folder / "META-INF" / "versions" / "22"),
                                    check.javac_commands(homes[-1], str(ROOT), str(folder))):
            works.run(command)
        program = folder / "Version.java"
        program.write_text("class Version { public static void main(String[] a) { System.out.println(org.percale.Percale.version()); } }")
        works.run([f"{homes[-1]}/bin/javac", "-cp", folder, "-d", folder, program])
        out = works.run([f"{homes[-1]}/bin/java", "--enable-native-access=ALL-UNNAMED", f"-Djava.io.tmpdir={self.dist.parent}",
                         "-cp", f"{folder}{os.pathsep}{self.only('*natives*.jar')}", "Version"])
        self.assertEqual(out.strip(), VERSION)
        self.assertEqual(list(self.dist.parent.glob("percale-*")), [], "Java leaves the files of its natives")

    def test_cmake_fetches_the_archive_of_binaries(self):
        if not shutil.which("cmake") or not shutil.which("ninja"):
            self.skipTest("no cmake or no ninja on PATH")
        host = self.dist.parent / "host"
        host.mkdir()
        shutil.copy(ROOT / "tests" / "install" / "host" / "host.c", host)
        (host / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.14)\nproject(host C)\ninclude(FetchContent)\n"
            f"FetchContent_Declare(percale URL {self.only('*linux-x86_64.tar.gz')})\nFetchContent_MakeAvailable(percale)\n"
            "add_executable(host host.c)\ntarget_link_libraries(host percale::percale)\n")
        works.run(["cmake", "-G", "Ninja", "-S", host, "-B", host / "build"])
        works.run(["cmake", "--build", host / "build"])
        self.assertIn(f"percale {VERSION}", works.run([host / "build" / "host"]))

    def test_debian_packages_are_alike_and_hold_each_file_once(self):
        if not shutil.which("dh") or not shutil.which("patchelf"):
            self.skipTest("no dh or no patchelf; `sh subprojects/setup --release` installs them")
        digests = []
        for name, age in (("first", 1), ("second", 2)):
            installed = self.dist.parent / name / "installed"
            shutil.copytree(self.release.stage, installed / "usr", symlinks=True)
            libraries = installed / "usr" / "lib" / "x86_64-linux-gnu"
            (installed / "usr" / "lib").rename(installed / "usr" / "moved")
            libraries.parent.mkdir()
            (installed / "usr" / "moved").rename(libraries)
            os.utime(libraries / "pkgconfig" / "percale.pc", (age, age))
            packed = debian.pack(self.release, self.release.platform, installed, works.empty(self.dist.parent / name / "packed"))
            digests.append({path.name: works.digest_of(path) for path in packed})
        self.assertEqual(digests[0], digests[1])
        self.assertLessEqual({f"{name}_{VERSION}_amd64.deb" for name in ("libpercale0", "libpercale-dev", "percale")}, set(digests[0]))
        for path in packed:
            path.unlink()


class Calls(unittest.TestCase):
    """Several calls of a release, each for some platforms."""

    def call(self, folder, commit, *words):
        """Calls a release whose steps make nothing. Returns the names of the platforms that the
        module for Go gets, or None if the module was there."""
        modules = []

        def make_library(work, platform):
            (work.folder / platform.name).mkdir(exist_ok=True)
            return [work.folder / platform.name]

        def make_module(_, built):
            modules.append([platform.name for platform in built])
            return []

        answers = {"rev-parse": commit, "log": str(EPOCH), "show": f"version: '{VERSION}'", "status": ""}
        patch = unittest.mock.patch
        with patch.multiple(release, OF_PLATFORM={"library": make_library}, COMMON={}, check_languages=lambda: None, set_up=lambda _: None), \
                patch.multiple(works, ROOT=folder, git=lambda command, *_: answers[command], extract_source=lambda work: [work.dist]), \
                patch.object(go_module, "module", make_module), patch.object(rust, "crates", lambda work, built: []), \
                patch.object(sys, "argv", ["release", VERSION, *words]):
            release.main()
        return modules[0] if modules else None

    def test_the_module_for_go_has_the_platforms_of_all_calls_for_a_commit(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.assertEqual(self.call(folder, "a", "linux-aarch64"), ["linux-aarch64"])
            self.assertEqual(self.call(folder, "a", "linux-x86_64"), ["linux-x86_64", "linux-aarch64"])
            self.assertIsNone(self.call(folder, "a", "linux-aarch64"))
            # Other options and other commits make other libraries.
            self.assertEqual(self.call(folder, "a", "--without", "onednn", "macos-x86_64"), ["linux-aarch64", "macos-x86_64"])
            self.assertEqual(self.call(folder, "b", "macos-x86_64"), ["macos-x86_64"])


class Steps(unittest.TestCase):
    def test_a_step_runs_once_per_commit_and_settings(self):
        with tempfile.TemporaryDirectory() as folder:
            ran = []

            def make(work):
                ran.append(work.commit)
                (work.dist / "made").write_text(work.commit)
                return [work.dist / "made"]

            for commit, of in (("a", 1), ("a", 1), ("b", 1), ("b", 2)):
                works.Work(pathlib.Path(folder), VERSION, commit, EPOCH).step("make it", make, of=of)
            self.assertEqual(ran, ["a", "b", "b"])
            last = works.Work(pathlib.Path(folder), VERSION, "b", EPOCH)
            (last.dist / "made").unlink()
            last.step("make it", make, of=2)
            self.assertEqual(len(ran), 4)

    @unittest.skipUnless((ROOT / ".git").exists(), "only a clone has commits")
    def test_artefacts_of_another_commit_are_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            work = works.Work(pathlib.Path(folder), VERSION, "a", EPOCH)
            (work.dist / "of another commit").write_text("x")
            works.extract_source(work)
            self.assertEqual(list(work.dist.iterdir()), [])
            self.assertTrue((work.source / "meson.build").exists())

    def test_files_with_the_same_bytes_keep_their_times(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path, text in (("new/same", "1"), ("new/other", "2"), ("old/same", "1"), ("old/other", "1"), ("old/gone", "1")):
                (folder / path).parent.mkdir(exist_ok=True)
                (folder / path).write_text(text)
            os.utime(folder / "old" / "same", (1, 1))
            works.copy_changed(folder / "new", folder / "old")
            self.assertEqual({path.name: path.read_text() for path in (folder / "old").iterdir()}, {"same": "1", "other": "2"})
            self.assertEqual((folder / "old" / "same").stat().st_mtime, 1)

    def test_checksums_cover_all_files_and_a_signature_goes_with_them(self):
        with tempfile.TemporaryDirectory() as folder:
            work = works.Work(pathlib.Path(folder), VERSION, "a", EPOCH)
            (work.dist / "deep").mkdir()
            (work.dist / "deep" / "file").write_text("x")
            works.write_checksums(work)
            sums = (work.dist / "SHA256SUMS").read_text()
            self.assertEqual(sums, f"{works.digest_of(work.dist / 'deep' / 'file')}  deep/file\n")
            (work.dist / works.SIGNATURE).write_text("signed")
            works.write_checksums(work)
            self.assertTrue((work.dist / works.SIGNATURE).exists())
            (work.dist / "deep" / "file").write_text("y")
            works.write_checksums(work)
            self.assertFalse((work.dist / works.SIGNATURE).exists(), "a signature of other files")


class Mach(unittest.TestCase):
    def identified(self, uuid, contents, signature):
        """Returns a binary for macOS after it got a UUID of its contents, without its signature."""
        commands = struct.pack("<2I16s", mach.LC_UUID, 24, uuid) + struct.pack("<4I", mach.LC_CODE_SIGNATURE, 16, 72 + len(contents), 8)
        data = struct.pack("<8I", 0xFEEDFACF, 0, 0, 6, 2, len(commands), 0, 0) + commands + contents
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "library.dylib"
            path.write_bytes(data + signature)
            mach.identify_by_contents(path)
            return path.read_bytes()[:len(data)]

    def test_the_uuid_follows_from_the_contents(self):
        first = self.identified(b"a" * 16, b"code", b"signed a")
        self.assertEqual(first, self.identified(b"b" * 16, b"code", b"signed b"))
        self.assertNotEqual(first[40:56], self.identified(b"a" * 16, b"text", b"signed a")[40:56])
        self.assertEqual(first[72:], b"code")

    def test_entries_of_local_symbols_get_the_mark_of_local_pointers(self):
        # Symbols 0 and 1 are local, 2 and 3 are not.
        numbers = (0, 2, 2, 1, 3, 1, 0, 0, 0, 0, 0, 0, 32 + 80, 4, 0, 0, 0, 0)
        command = struct.pack("<2I18I", mach.LC_DYSYMTAB, 80, *numbers)
        entries = (1, 3, mach.INDIRECT_SYMBOL_LOCAL, 2)
        data = struct.pack("<8I", 0xFEEDFACF, 0, 0, 6, 1, len(command), 0, 0) + command + struct.pack("<4I", *entries)
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "library.dylib"
            path.write_bytes(data)
            mach.release_local_symbols(path)
            self.assertEqual([index for _, index in mach.indirect_symbols(path.read_bytes())[0]],
                             [mach.INDIRECT_SYMBOL_LOCAL, 3, mach.INDIRECT_SYMBOL_LOCAL, 2])


class Rows(unittest.TestCase):
    def test_an_unknown_platform_is_named_with_those_that_there_are(self):
        with self.assertRaisesRegex(SystemExit, "no platform 'linux-riscv64'; wanted one of linux-x86_64"):
            platforms.named(["linux-riscv64"])

    def test_the_port_for_vcpkg_has_the_version_of_the_project(self):
        port = json.loads((ROOT / "subprojects" / "packaging" / "vcpkg" / "vcpkg.json").read_text())
        self.assertEqual(port["version"], VERSION)

    def test_archives_keep_links_and_programs(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "program").write_text("x")
            (folder / "program").chmod(0o700)
            (folder / "link").symlink_to("program")
            archives.tar_gz(folder / "out.tar.gz", archives.files_of(folder), "top", EPOCH)
            with tarfile.open(folder / "out.tar.gz") as packed:
                entries = {entry.name: entry for entry in packed}
        self.assertEqual(list(entries), ["top/link", "top/program"])
        self.assertEqual((entries["top/link"].linkname, entries["top/program"].mode), ("program", 0o755))
        self.assertEqual({(entry.uid, entry.gid, entry.mtime) for entry in entries.values()}, {(0, 0, EPOCH)})


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"test cases: {result.testsRun} | {result.testsRun - failed - len(result.skipped)} passed | {failed} failed | "
          f"{len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)
