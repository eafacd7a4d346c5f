"""The bill of materials of a platform, in SPDX 2.3."""
import json
import time
import uuid

from archives import files_of
from work import digest_of, fail

# By the name that Meson knows a dependency by: the name, the licence, how the binaries use it, and
# the plug-in that it is part of; None for the library.
PARTS = {
    "zlib": ("zlib", "Zlib", "STATIC_LINK", None),
    "libc++": ("LLVM's libc++, libc++abi and libunwind", "Apache-2.0 WITH LLVM-exception", "STATIC_LINK", None),
    "eigen3": ("Eigen", "MPL-2.0", "STATIC_LINK", None),
    "RapidJSON": ("RapidJSON", "MIT", "STATIC_LINK", None),
    "libhwy": ("Highway", "Apache-2.0 OR BSD-3-Clause", "STATIC_LINK", None),
    "flatbuffers": ("FlatBuffers", "Apache-2.0", "STATIC_LINK", None),
    "protozero": ("protozero", "BSD-2-Clause", "STATIC_LINK", "onnx"),
    "dnnl": ("oneDNN", "Apache-2.0", "STATIC_LINK", "onednn"),
    "grpc++": ("gRPC", "Apache-2.0", "DYNAMIC_LINK", "remote"),
    "openssl": ("OpenSSL", "Apache-2.0", "DYNAMIC_LINK", "remote"),
}
# Meson reports these, and no binary contains them.
NO_PART = ("threads", "jni", "jni-headers", "dl")


def dependencies(work, platform):
    """Returns {name: version} of the third-party code in the binaries."""
    build = work.folder / platform.name / "build"
    found = json.loads((build / "meson-info" / "intro-dependencies.json").read_text())
    versions = {each["name"]: each["version"] for each in found if each["name"] not in NO_PART}
    # Meson does not report what is headers of the system, and what the compiler brings.
    versions.setdefault("protozero", "unknown")
    compiler = json.loads((build / "meson-info" / "intro-compilers.json").read_text())["host"]["cpp"]
    if "zig" in compiler["exelist"]:
        versions["libc++"] = compiler["version"]
    unknown = sorted(set(versions) - set(PARTS))
    if unknown:
        fail(f"sbom.PARTS has no row for {', '.join(unknown)}; add the licence")
    return {name: version for name, version in versions.items() if PARTS[name][3] in (None, *platform.plugins)}


def package(identity, name, version, licence):
    out = {"SPDXID": identity, "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
           "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION"}
    if version != "unknown":
        out["versionInfo"] = version
    return out


def document(work, platform):
    name = f"percale-{work.version}-{platform.name}"
    packages = [package("SPDXRef-percale", "percale", work.version, "Apache-2.0")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-percale")]
    for each, version in sorted(dependencies(work, platform).items()):
        title, licence, link, _ = PARTS[each]
        packages.append(package(f"SPDXRef-{each}", title, version, licence))
        relations.append(("SPDXRef-percale", link, f"SPDXRef-{each}"))
    files = []
    for number, (path, source) in enumerate(files_of(work.folder / platform.name / "stage").items()):
        if not source.is_symlink():
            files.append({"SPDXID": f"SPDXRef-file-{number}", "fileName": f"./{path}", "licenseConcluded": "NOASSERTION",
                          "copyrightText": "NOASSERTION", "checksums": [{"algorithm": "SHA256", "checksumValue": digest_of(source)}]})
            relations.append(("SPDXRef-percale", "CONTAINS", files[-1]["SPDXID"]))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{name} {work.commit}')}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(work.epoch)),
                         "creators": [f"Tool: percale-release-{work.version}"]},
        "packages": packages, "files": files,
        "relationships": [{"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": other} for of, kind, other in relations],
    }


def sbom(work, platform):
    path = work.dist / f"percale-{work.version}-{platform.name}.spdx.json"
    path.write_text(json.dumps(document(work, platform), indent=1) + "\n")
    return [path]
