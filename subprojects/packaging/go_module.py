"""The module for Go, as a folder that GOPROXY may name. It carries the library of each platform:
the shared one, and where there is one, the static one for cgo."""
import json
import re
import shutil
import sys
import time

from archives import zip_of
from work import ROOT, empty, run

# The sources that open the library at run time.
LOADER = ROOT / "subprojects" / "packaging" / "go"
PUREGO = "github.com/ebitengine/purego v0.9.1"
# Libraries of the system that the static library needs.
NEEDS = "-lm -ldl -lpthread"


def module_path(work):
    return re.search(r"^module (\S+)", (work.source / "bindings" / "go" / "go.mod").read_text(), re.M)[1]


def link_source(platforms):
    """Returns link.go, by which cgo links the static library of the module."""
    lines = [f"// #cgo {platform.go.replace('_', ',')} LDFLAGS: ${{SRCDIR}}/native/{platform.go}/libpercale.a {NEEDS}"
             for platform in platforms if platform.static]
    return "\n".join(["//go:build !percale_path", "", "package percale", "", "// #cgo CFLAGS: -I${SRCDIR}/include", *lines, 'import "C"', ""])


def embed_source(platform):
    """Returns the file that carries the library into programs of a platform."""
    return f"""//go:build !cgo

package percale

import "embed"

//go:embed native/{platform.go}/{platform.library} native/{platform.go}/percale
var natives embed.FS

const (
	nativesFolder = "native/{platform.go}"
	libraryName   = "{platform.library}"
)
"""


def embed_nothing(platforms):
    """Returns the file for the platforms that the module has no library for."""
    others = "".join(f" && !({platform.go.replace('_', ' && ')})" for platform in platforms)
    return f"""//go:build !cgo{others}

package percale

import "embed"

var natives embed.FS

const (
	nativesFolder = ""
	libraryName   = ""
)
"""


def go_sources(source, folder):
    """Copies the sources of the binding, and adds those that open the library at run time."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((source / "bindings" / "go").rglob("*")):
        name = path.relative_to(source / "bindings" / "go")
        if path.is_file() and path.suffix in (".go", ".c", ".mod", ".md") and not path.name.endswith("_test.go"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)
    for path in sorted(LOADER.glob("*.go")):
        if not path.name.endswith("_test.go"):
            shutil.copyfile(path, folder / path.name)
    run([sys.executable, "-B", source / "bindings" / "gen" / "go_load.py", source / "bindings" / "go", folder])
    mod = (folder / "go.mod").read_text()
    (folder / "go.mod").write_text(f"{mod}\nrequire {PUREGO}\n")


def load_elsewhere(folder, platforms):
    """Makes the sources that open the library at run time serve the platforms without a static
    library, with and without a C compiler. Those that cgo compiles then serve the others alone."""
    static = [f"({platform.go.replace('_', ' && ')})" for platform in platforms if platform.static]
    linked = " || ".join([*static, "percale_path"])
    for path in [*folder.rglob("*.go"), *folder.rglob("*.c")]:
        text = path.read_text()
        found = re.search(r"^//go:build (.*)$", text, re.M)
        if found and "!cgo" in found[1]:
            text = text.replace(found[0], found[0].replace("!cgo", f"(!cgo || !({linked}))"), 1)
        elif path.suffix == ".c" or 'import "C"' in text:
            text = text.replace(found[0], f"//go:build ({found[1]}) && ({linked})", 1) if found else f"//go:build {linked}\n\n{text}"
        path.write_text(text)


def natives(work, platform, folder):
    """Copies the libraries of a platform, without their links."""
    stage = work.folder / platform.name / "stage"
    native = empty(folder / "native" / platform.go)
    (native / "percale").mkdir()
    if platform.static:
        shutil.copyfile(stage / platform.folder / "libpercale.a", native / "libpercale.a")
    shutil.copyfile(stage / platform.folder / platform.library, native / platform.library)
    for name in platform.plugins:
        shutil.copy(stage / platform.folder / "percale" / platform.plugin.format(name), native / "percale")
    (folder / f"embed_{platform.go}.go").write_text(embed_source(platform))


def module(work, built):
    """Writes the version of the module with the platforms that are built."""
    platforms = [platform for platform in built if platform.go]
    folder = empty(work.folder / "go")
    go_sources(work.source, folder)
    for platform in platforms:
        natives(work, platform, folder)
    (folder / "link.go").write_text(link_source(platforms))
    (folder / "embed_none.go").write_text(embed_nothing(platforms))
    load_elsewhere(folder, platforms)
    shutil.copytree(work.source / "c_api" / "include", folder / "include")
    shutil.copyfile(work.source / "LICENSE", folder / "LICENSE")
    path, version = module_path(work), f"v{work.version}"
    out = work.dist / "go" / path / "@v"
    out.mkdir(parents=True, exist_ok=True)
    files = {f"{path}@{version}/{source.relative_to(folder).as_posix()}": source
             for source in sorted(folder.rglob("*")) if source.is_file()}
    zip_of(out / f"{version}.zip", files, work.epoch)
    shutil.copyfile(folder / "go.mod", out / f"{version}.mod")
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(work.epoch))
    (out / f"{version}.info").write_text(json.dumps({"Version": version, "Time": date}))
    (out / "list").write_text(f"{version}\n")
    return [out / f"{version}.zip", out / f"{version}.mod", out / f"{version}.info", out / "list"]
