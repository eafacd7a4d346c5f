"""Conan's recipe. From the root of a source archive: conan create subprojects/packaging/conan

Meson compiles the library with the system's third-party code, or with the sources of
subprojects/*.wrap.
"""
import os
import re

from conan import ConanFile
from conan.tools.files import copy, load

ROOT = os.path.join("..", "..", "..")
PLUGINS = ("onnx", "onednn", "cuda", "remote", "jni")


class Percale(ConanFile):
    name = "percale"
    description = "Trains and serves deep-learning models inside any host process"
    license = "Apache-2.0"
    topics = ("deep-learning", "inference", "training", "onnx")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"onnx": [True, False]}
    default_options = {"onnx": True}

    def set_version(self):
        self.version = re.search(r"version:\s*'([^']+)'", load(self, os.path.join(self.recipe_folder, ROOT, "meson.build")))[1]

    def export_sources(self):
        copy(self, "*", os.path.join(self.recipe_folder, ROOT), self.export_sources_folder,
             excludes=["build*", "dist*", ".git*", "tests/*", "docs/*"])

    def layout(self):
        self.folders.build = "build"  # Meson refuses the folder of the sources

    def build(self):
        enabled = ["onnx"] if self.options.onnx else []
        plugins = " ".join(f"-D{name}={'enabled' if name in enabled else 'disabled'}" for name in PLUGINS)
        self.run(f'meson setup "{self.build_folder}" "{self.source_folder}" --prefix=/ --libdir=lib -Dtests=false {plugins}')
        self.run(f'meson compile -C "{self.build_folder}"')

    def package(self):
        self.run(f'meson install -C "{self.build_folder}" --no-rebuild --destdir "{self.package_folder}"')
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["percale"]
        self.cpp_info.set_property("cmake_file_name", "percale")
        self.cpp_info.set_property("cmake_target_name", "percale::percale")
        self.cpp_info.set_property("pkg_config_name", "percale")
