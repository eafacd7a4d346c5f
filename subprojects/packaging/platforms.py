"""The platforms of a release. Each is one row of PLATFORMS."""
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Platform:
    """A system and a processor that binaries are made for."""
    name: str
    # A cross file of Meson, relative to the root of the project; empty for the machine's compiler.
    cross: str = ""
    # The platform part of the wheel's tag. {glibc} becomes the oldest glibc that has all symbols.
    wheel: str = ""
    # The folder of the natives in Java's jar, and of the archives in the module for Go.
    java: str = ""
    go: str = ""
    # The architecture of Debian's packages; empty for none.
    debian: str = ""
    # The folder of the shared library, and the names in it. A plug-in's name replaces {}.
    folder: str = "lib"
    library: str = "libpercale.so.0"
    plugin: str = "libpercale_{}.so"
    jni: str = "libpercale_jni.so"
    # Plug-ins that every build for the platform has.
    plugins: tuple = ("onnx", "onednn")
    # More options of Meson.
    options: tuple = ("-Djni=enabled",)

    def without(self, plugins):
        """Returns the platform without some of its plug-ins."""
        return replace(self, plugins=tuple(name for name in self.plugins if name not in plugins))


PLATFORMS = (
    Platform("linux-x86_64", wheel="manylinux_{glibc}_x86_64", java="linux-x86_64", go="linux_amd64", debian="amd64"),
)


def named(names):
    """Returns the platforms of these names, or all for none. Exits with a message for another name.
    """
    known = {platform.name: platform for platform in PLATFORMS}
    for name in names:
        if name not in known:
            raise SystemExit(f"release: there is no platform '{name}'; wanted one of {', '.join(known)}")
    return [known[name] for name in names] if names else list(PLATFORMS)
