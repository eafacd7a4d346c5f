"""Writes a wheel with the library and its plug-ins, for any Python 3 on one kind of machine.

    python3 bindings/python/wheel.py BUILD OUT     from a build folder; prints the path of the wheel
"""
import base64
import hashlib
import os
import pathlib
import platform
import re
import sys
import zipfile

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# The folder of the library in the wheel, and of the plug-ins below it.
LIBRARIES = "percale/lib"


def version():
    return re.search(r"version:\s*'([^']+)'", (ROOT / "meson.build").read_text())[1]


def metadata():
    """Returns the text of METADATA, which has the facts of pyproject.toml."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    fields = [("Metadata-Version", "2.4"), ("Name", project["name"]), ("Version", version()), ("Summary", project["description"]),
              ("License-Expression", project["license"]), ("License-File", "LICENSE")]
    fields += [("Classifier", text) for text in project["classifiers"]]
    fields += [("Requires-Python", project["requires-python"])]
    fields += [("Requires-Dist", text) for text in project["dependencies"]]
    fields += [("Description-Content-Type", "text/markdown")]
    return "".join(f"{name}: {text}\n" for name, text in fields) + "\n" + (HERE / project["readme"]).read_text()


def machine_platform():
    """Returns the platform tag of this machine. manylinux names its C library, because a build from
    source may need every symbol of it.
    """
    libc = re.search(r"([0-9]+)\.([0-9]+)", os.confstr("CS_GNU_LIBC_VERSION") or "")
    if libc:
        return f"manylinux_{libc[1]}_{libc[2]}_{platform.machine()}"
    return f"{sys.platform}_{platform.machine()}"


def libraries_of_build(build):
    """Returns {name in the wheel: path} of what was built in a build folder."""
    files = {f"{LIBRARIES}/libpercale.so.0": build / "libpercale.so.0"}
    for plugin in ("bindings/onnx/libpercale_onnx.so", "devices/onednn/libpercale_onednn.so", "devices/remote/libpercale_remote.so",
                   "devices/remote/percale_remote_grpc.so"):
        if (build / plugin).exists():
            files[f"{LIBRARIES}/percale/{pathlib.Path(plugin).name}"] = build / plugin
    return files


def info_folder():
    return f"percale-{version()}.dist-info"


def contents(libraries, tag):
    """Returns {name in the wheel: bytes}."""
    files, info = {}, info_folder()
    for path in sorted((HERE / "percale").rglob("*")):
        if path.suffix in (".py", ".pyi") or path.name == "py.typed":
            files[path.relative_to(HERE).as_posix()] = path.read_bytes()
    files.update((name, path.read_bytes()) for name, path in sorted(libraries.items()))
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: percale\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}")
    files[f"{info}/RECORD"] = ("\n".join(record + [f"{info}/RECORD,,"]) + "\n").encode()
    return files


def write(out, libraries, platform_tag):
    """Writes a wheel with {name in the wheel: path} of libraries into a folder. Returns its path.
    """
    tag = f"py3-none-{platform_tag}"
    path = out / f"percale-{version()}-{tag}.whl"
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in contents(libraries, tag).items():
            # A fixed date makes the wheel reproducible.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name in libraries else 0o644) << 16
            wheel.writestr(entry, data)
    return path


def main():
    print(write(pathlib.Path(sys.argv[2]), libraries_of_build(pathlib.Path(sys.argv[1])), machine_platform()))


if __name__ == "__main__":
    main()
