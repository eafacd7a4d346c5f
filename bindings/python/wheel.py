"""Writes a wheel with the library and its plug-ins, for any Python 3 on this kind of machine.

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

HERE = pathlib.Path(__file__).resolve().parent
METADATA = """Metadata-Version: 2.1
Name: percale
Version: {version}
Summary: Trains and serves deep-learning models inside any process
License: {license}
Requires-Python: >=3.9
Requires-Dist: cffi>=1.15
Requires-Dist: numpy>=1.23
Description-Content-Type: text/markdown

# Percale
Trains and serves deep-learning models inside your process. The wheel carries the library; it needs numpy and cffi.

```python
import percale as pc

engine = pc.Engine()
graph = pc.Graph.from_onnx(engine, "model.onnx")
session = pc.Session(engine, graph, pc.Variables.of(engine, graph))
y = session.run({{"x": images}}, "y").numpy()
```

`percale.keras` has the Keras API: models of layers, with fit, evaluate and predict. `percale.ops` has a function for each op. `help()`
shows their arguments. Results have the same bits on any number of threads.
"""


def tag():
    """Returns the tag of the wheel. manylinux names the oldest C library that works: that of this
    machine.
    """
    libc = re.search(r"([0-9]+)\.([0-9]+)", os.confstr("CS_GNU_LIBC_VERSION") or "")
    if libc:
        return f"py3-none-manylinux_{libc[1]}_{libc[2]}_{platform.machine()}"
    return f"py3-none-{sys.platform}_{platform.machine()}"


def contents(build):
    """Returns {name in the wheel: bytes}."""
    files = {}
    for path in sorted((HERE / "percale").rglob("*")):
        if path.suffix in (".py", ".pyi") or path.name == "py.typed":
            files[path.relative_to(HERE).as_posix()] = path.read_bytes()
    files["percale/lib/libpercale.so.0"] = (build / "libpercale.so.0").resolve().read_bytes()
    for plugin in ("bindings/onnx/libpercale_onnx.so", "devices/onednn/libpercale_onednn.so", "devices/remote/libpercale_remote.so",
                   "devices/remote/percale_remote_grpc.so"):
        if (build / plugin).exists():
            files[f"percale/lib/percale/{pathlib.Path(plugin).name}"] = (build / plugin).resolve().read_bytes()
    return files


def main():
    build, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    version = re.search(r"version:\s*'([^']+)'", (HERE.parent.parent / "meson.build").read_text())[1]
    license_text = (HERE.parent.parent / "LICENSE").read_text()
    info = f"percale-{version}.dist-info"
    files = contents(build)
    files[f"{info}/METADATA"] = METADATA.format(version=version, license=license_text.strip().splitlines()[0].strip()).encode()
    files[f"{info}/LICENSE"] = license_text.encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: percale\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()
    record = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}")
    files[f"{info}/RECORD"] = ("\n".join(record + [f"{info}/RECORD,,"]) + "\n").encode()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"percale-{version}-{tag()}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            # A fixed date makes the wheel reproducible.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith((".so", ".so.0")) else 0o644) << 16
            wheel.writestr(entry, data)
    print(path)


if __name__ == "__main__":
    main()
