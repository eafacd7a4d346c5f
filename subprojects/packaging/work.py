"""The folders of a release, and steps that run once per commit."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The folder of subprojects/common.
CACHE = pathlib.Path(os.environ.get("PERCALE_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "percale"))
SIGNATURE = "SHA256SUMS.asc"


def say(text):
    print(f"release: {text}", flush=True)


def fail(text):
    raise SystemExit(f"release: {text}")


def run(command, **more):
    """Runs a command. A failure ends the release with the end of its output."""
    command = [str(word) for word in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **more)
    if done.returncode:
        fail(f"this failed with exit code {done.returncode}: {' '.join(command)}\n{done.stdout[-4000:]}")
    return done.stdout


def git(*arguments):
    return run(["git", "-C", ROOT, *arguments]).strip()


def version_of(source):
    """Returns the version in meson.build of a source tree."""
    return re.search(r"version:\s*'([^']+)'", (source / "meson.build").read_text())[1]


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def empty(folder):
    """Returns the folder, emptied."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def copy_changed(origin, target):
    """Makes `target` like `origin`, and leaves files with the same bytes alone, so that Ninja does
    not compile them again."""
    wanted = {path.relative_to(origin) for path in origin.rglob("*") if not path.is_dir()}
    for path in [path for path in target.rglob("*") if not path.is_dir()]:
        if path.relative_to(target) not in wanted:
            path.unlink()
    for name in wanted:
        there = target / name
        if not there.is_file() or there.read_bytes() != (origin / name).read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(origin / name, there)
        shutil.copymode(origin / name, there)


class Work:
    """The release of one commit. `folder` keeps what was compiled, `dist` receives the artefacts,
    and `source` has the files of the commit."""

    def __init__(self, base, version, commit, epoch, jobs=1):
        self.version, self.commit, self.epoch, self.jobs = version, commit, epoch, jobs
        self.folder, self.dist = base / "build-release", base / "dist"
        self.source = self.folder / "source"
        # Tools that write dates take this one.
        os.environ.update(SOURCE_DATE_EPOCH=str(epoch), LC_ALL="C.UTF-8", TZ="UTC", CCACHE_BASEDIR=str(self.folder))
        for folder in (self.folder, self.dist):
            folder.mkdir(parents=True, exist_ok=True)

    def stamp(self, name):
        """Returns the file that says what a step has written, and for what."""
        return self.folder / "done" / f"{name.replace(' ', '-')}.json"

    def has_run(self, name, of=None):
        """Returns true if a step has run for this commit and the same settings `of` platforms, and
        all that it wrote is still there."""
        stamp = self.stamp(name)
        done = json.loads(stamp.read_text()) if stamp.exists() else {}
        return done.get("key") == f"{self.commit} {of}" and all((self.folder.parent / path).exists() for path in done["files"])

    def step(self, name, function, *arguments, of=None):
        """Runs function(self, *arguments), unless has_run(). The function returns the paths that it
        wrote."""
        if self.has_run(name, of):
            say(f"{name}: is there")
            return
        say(name)
        files = function(self, *arguments)
        self.stamp(name).parent.mkdir(parents=True, exist_ok=True)
        written = [str(path.relative_to(self.folder.parent)) for path in files]
        self.stamp(name).write_text(json.dumps({"key": f"{self.commit} {of}", "files": written}))


def extract_source(work):
    """Puts the files of the commit into work.source, and removes the artefacts of other commits."""
    empty(work.dist)
    with tempfile.TemporaryDirectory(dir=work.folder) as folder:
        packed, fresh = pathlib.Path(folder) / "source.tar", pathlib.Path(folder) / "source"
        git("archive", "--format=tar", "-o", packed, "HEAD")
        with tarfile.open(packed) as files:
            # Python 3.11.1 and older has no filter.
            files.extraction_filter = getattr(tarfile, "fully_trusted_filter", None)
            files.extractall(fresh)
        copy_changed(fresh, work.source)
    # Cross builds find there what `setup --cross` has fetched.
    for there in [*(ROOT / "subprojects").glob("cross/packages"), *(ROOT / "subprojects").glob("zlib-*")]:
        link = work.source / there.relative_to(ROOT)
        if not link.exists():
            link.symlink_to(there)
    return [work.source]


def write_checksums(work):
    """Writes SHA256SUMS, and its signature if PERCALE_SIGN is a command that signs a file."""
    sums, signature = work.dist / "SHA256SUMS", work.dist / SIGNATURE
    files = [path for path in sorted(work.dist.rglob("*")) if path.is_file() and path not in (sums, signature)]
    text = "".join(f"{digest_of(path)}  {path.relative_to(work.dist).as_posix()}\n" for path in files)
    if not sums.exists() or sums.read_text() != text:
        sums.write_text(text)
        signature.unlink(missing_ok=True)
    if os.environ.get("PERCALE_SIGN") and not signature.exists():
        signature.write_text(run([*os.environ["PERCALE_SIGN"].split(), sums]))
    say(f"{len(files)} files in {work.dist}"
        + ("" if signature.exists() else f", not signed: put a signature of SHA256SUMS into {SIGNATURE}, or set PERCALE_SIGN"))
