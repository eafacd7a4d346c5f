"""Bare roots of Debian. Each test gets a layer of its own above one, which shows what it leaves."""
import atexit
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

CACHE = pathlib.Path(os.environ.get("PERCALE_CACHE") or pathlib.Path.home() / ".cache" / "percale") / "roots"
BINFMT = pathlib.Path("/proc/sys/fs/binfmt_misc")
# By Debian's name: the machine's name, the first 20 bytes of its programs, and a mask of the bits
# that count.
EMULATED = {"arm64": ("aarch64", b"\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\xb7\0",
                      b"\xff\xff\xff\xff\xff\xff\xff\0\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff")}
# Package managers keep these of packages that they have removed, or any program may write them.
NOT_LEFT = ("var/lib/dpkg", "var/lib/apt", "var/cache", "var/log", "etc/ld.so.cache", "tmp", "run", "dev", "proc", "work")


def mirror():
    """Returns the address of Debian's packages that this machine's apt uses."""
    found = subprocess.run("cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null | "
                           "sed -n 's/^URIs: *\\([^ ]*\\).*/\\1/p; s/^deb  *\\(\\[[^]]*\\] *\\)\\{0,1\\}\\([^ ]*\\).*/\\2/p' | grep -v security",
                           shell=True, capture_output=True, text=True).stdout.split()
    return found[0]


def emulate(architecture):
    """Lets this machine start programs of another architecture, also below another root, until
    this process ends."""
    machine, magic, mask = EMULATED[architecture]
    if not (BINFMT / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT], check=True)
    rule = BINFMT / f"percale-{machine}"
    if not rule.exists():
        def quoted(data):
            return "".join(f"\\x{byte:02x}" for byte in data)

        # F: the emulator is opened now, so that it need not be in the other root.
        text = f":percale-{machine}:M::{quoted(magic)}:{quoted(mask)}:{shutil.which(f'qemu-{machine}-static')}:F"
        (BINFMT / "register").write_text(text)
        atexit.register(rule.write_text, "-1")


def minimal_debian(fresh, suite, architecture):
    subprocess.run(["debootstrap", f"--arch={architecture}", "--variant=minbase", suite, fresh, mirror()], check=True, stdout=subprocess.DEVNULL)
    shutil.copy("/etc/resolv.conf", fresh / "etc")


def minimal_musl(fresh, architecture):
    """Fills a folder with musl and BusyBox of Debian's packages, and nothing else."""
    with Root([base("trixie", architecture)], architecture) as root:
        root.run("apt-get update -q && apt-get install -q -y --download-only musl busybox-static && "
                 "for deb in /var/cache/apt/archives/*.deb; do dpkg -x $deb unpacked; done && "
                 "mkdir -p unpacked/bin unpacked/dev unpacked/proc && chroot unpacked /usr/bin/busybox --install -s /bin")
        subprocess.run(["cp", "-a", f"{root.work}/unpacked/.", fresh], check=True)


def base(suite, architecture):
    """Returns the folder of a minimal Debian, or of musl and BusyBox for the suite "musl". It is
    made once."""
    if architecture in EMULATED:
        emulate(architecture)
    folder = CACHE / f"{suite}-{architecture}"
    if not folder.exists():
        fresh = CACHE / f"{suite}-{architecture}.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        if suite == "musl":
            minimal_musl(fresh, architecture)
        else:
            minimal_debian(fresh, suite, architecture)
        fresh.rename(folder)
    return folder


def tools(suite, architecture, packages):
    """Returns the layer with Debian's own packages that a test needs, made once."""
    folder = CACHE / f"{suite}-{architecture}+{'+'.join(packages)}"
    if packages and not folder.exists():
        with Root([base(suite, architecture)], architecture) as root:
            root.run(f"apt-get update -q && apt-get install -q -y --no-install-recommends {' '.join(packages)}")
            root.unmount()
            # A removed file is a device there, which only cp copies.
            subprocess.run(["cp", "-a", root.upper, folder], check=True)
    return folder


class Root:
    """A layer above folders, the lowest first, with programs of an architecture of Debian. The
    folder `work` of the root is `self.work`."""

    def __init__(self, folders, architecture):
        self.folders, self.architecture = folders, architecture
        self.machine = EMULATED[architecture][0] if architecture in EMULATED else os.uname().machine
        self.mounted = contextlib.ExitStack()

    def __enter__(self):
        self.temporary = pathlib.Path(tempfile.mkdtemp(prefix="percale-root-"))
        self.upper, self.top = self.temporary / "upper", self.temporary / "root"
        self.work = self.top / "work"
        for folder in (self.upper, self.top, self.temporary / "overlay"):
            folder.mkdir()
        lower = ":".join(str(folder) for folder in reversed(self.folders))
        try:
            self.mount(["-t", "overlay", "overlay", "-o", f"lowerdir={lower},upperdir={self.upper},workdir={self.temporary / 'overlay'}"],
                       self.top)
            self.mount(["-t", "proc", "proc"], self.top / "proc")
            self.mount(["--bind", "/dev"], self.top / "dev")
            self.work.mkdir(exist_ok=True)
        except BaseException:
            self.unmount()
            raise
        return self

    def mount(self, arguments, target):
        subprocess.run(["mount", *arguments, target], check=True)
        self.mounted.callback(subprocess.run, ["umount", target], check=True)

    def unmount(self):
        self.mounted.close()

    def __exit__(self, *unused):
        self.unmount()
        shutil.rmtree(self.temporary)

    def run(self, command, **environment):
        """Runs a line of the shell in /work of the root and returns its output."""
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/work", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8",
               **{name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}, **environment}
        done = subprocess.run(["chroot", self.top, "sh", "-c", f"cd /work && {command}"], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise SystemExit(f"this failed with exit code {done.returncode}: {command}\n{done.stdout[-3000:]}")
        return done.stdout

    def left(self):
        """Returns the files that differ from the folders below, apart from those of NOT_LEFT."""
        names = [path.relative_to(self.upper).as_posix() for path in self.upper.rglob("*") if not path.is_dir()]
        return sorted(name for name in names if not name.startswith(NOT_LEFT))
