"""The wheel of a platform, and the sdist."""
import importlib
import sys

from symbol_versions import oldest_glibc


def from_binding(work, name):
    """Returns a module of the source's bindings/python."""
    sys.path.insert(0, str(work.source / "bindings" / "python"))
    return importlib.import_module(name)


def libraries(work, platform):
    """Returns the paths of the library and its plug-ins in the stage, the library first."""
    folder = work.folder / platform.name / "stage" / platform.folder
    return [folder / platform.library] + [folder / "percale" / platform.plugin.format(name) for name in platform.plugins]


def wheel(work, platform):
    library, *plugins = libraries(work, platform)
    tag = platform.wheel.format(glibc=oldest_glibc([library, *plugins]) if "{glibc}" in platform.wheel else "")
    module = from_binding(work, "wheel")
    files = {f"{module.LIBRARIES}/{platform.library}": library}
    files.update((f"{module.LIBRARIES}/percale/{path.name}", path) for path in plugins)
    return [module.write(work.dist, files, tag)]


def sdist(work):
    return [work.dist / from_binding(work, "build_backend").build_sdist(work.dist)]
