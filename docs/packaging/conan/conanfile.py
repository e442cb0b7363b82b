"""Conan 2: `conan create docs/packaging/conan` in the root of the tree, whose sources it packs."""

import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

HERE = os.path.dirname(os.path.abspath(__file__))


class Sinter(ConanFile):
    name = "sinter"
    description = "NumPy in C++ with one kernel where others launch twenty"
    license = "Apache-2.0"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def set_version(self):
        config = load(self, os.path.join(HERE, "..", "..", "..", "include", "sinter", "detail", "config.hpp"))
        self.version = config.split('define SINTER_VERSION "')[1].split('"')[0]

    def export_sources(self):
        root = os.path.join(HERE, "..", "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "codegen/*", "docs/*", "include/*",
                        "runtime/*", "samples/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def requirements(self):
        self.requires("boost/[>=1.70]", headers=True, libs=False, visible=False)
        self.requires("eigen/[>=3.4]", visible=False)
        self.requires("onetbb/[>=2021]")
        self.requires("xxhash/[>=0.8]")
        self.requires("zlib/[>=1.2]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "SAMPLES", "BENCH"):
            toolchain.cache_variables["SINTER_BUILD_" + part] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))  # Conan writes its own
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "sinter")
        self.cpp_info.set_property("cmake_target_name", "sinter::sinter")
        self.cpp_info.libs = ["sinter"]
        self.cpp_info.system_libs = ["dl", "pthread"]
