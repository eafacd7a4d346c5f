"""The platforms of a release. Each is one row of PLATFORMS."""
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Platform:
    """A system and a processor that binaries are made for."""
    name: str
    # A target of subprojects/cross, for which zig compiles.
    cross: str
    # The platform part of the wheel's tag. {glibc} becomes the oldest glibc that has all symbols.
    wheel: str = ""
    # The folder of the natives in Java's jar, and in the module for Go; empty for none there.
    java: str = ""
    go: str = ""
    # With a static library, which only the linker of ELF can make whole.
    static: bool = False
    # The architecture of Debian's packages; empty for none.
    debian: str = ""
    # The folder of the shared library, and the names in it. A plug-in's name replaces {}.
    folder: str = "lib"
    library: str = "libpercale.so.0"
    plugin: str = "libpercale_{}.so"
    jni: str = "libpercale_jni.so"
    # More arguments of the linker.
    link_args: tuple = ()
    # Plug-ins that every build for the platform has.
    plugins: tuple = ("onnx",)

    def without(self, plugins):
        """Returns the platform without some of its plug-ins."""
        return replace(self, plugins=tuple(name for name in self.plugins if name not in plugins))


MACOS = {"library": "libpercale.0.dylib", "plugin": "libpercale_{}.dylib", "jni": "libpercale_jni.dylib"}
# -s: else the linker puts a digest of debug information, which names folders, into the binaries.
WINDOWS = {"folder": "bin", "library": "percale.dll", "plugin": "percale_{}.dll", "jni": "percale_jni.dll", "link_args": ("-s",)}
# Go opens the library through glibc, so it has none for musl.
PLATFORMS = (
    Platform("linux-x86_64", "x86_64-linux-gnu", wheel="manylinux_{glibc}_x86_64", java="linux-x86_64", go="linux_amd64", static=True,
             debian="amd64", plugins=("onnx", "onednn")),
    Platform("linux-aarch64", "aarch64-linux-gnu", wheel="manylinux_{glibc}_aarch64", java="linux-aarch64", go="linux_arm64", static=True,
             debian="arm64"),
    Platform("linux-musl-x86_64", "x86_64-linux-musl", wheel="musllinux_1_2_x86_64", java="linux-musl-x86_64", static=True),
    Platform("linux-musl-aarch64", "aarch64-linux-musl", wheel="musllinux_1_2_aarch64", java="linux-musl-aarch64", static=True),
    Platform("macos-aarch64", "aarch64-macos", wheel="macosx_11_0_arm64", java="macos-aarch64", go="darwin_arm64", **MACOS),
    Platform("macos-x86_64", "x86_64-macos", wheel="macosx_11_0_x86_64", java="macos-x86_64", go="darwin_amd64", **MACOS),
    Platform("windows-x86_64", "x86_64-windows-gnu", wheel="win_amd64", java="windows-x86_64", go="windows_amd64", **WINDOWS),
)


def named(names):
    """Returns the platforms of these names, or all for none. Exits with a message for another name.
    """
    known = {platform.name: platform for platform in PLATFORMS}
    for name in names:
        if name not in known:
            raise SystemExit(f"release: there is no platform '{name}'; wanted one of {', '.join(known)}")
    return [known[name] for name in names] if names else list(PLATFORMS)
