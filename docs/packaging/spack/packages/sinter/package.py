# spack repo add docs/packaging/spack; spack dev-build --source-path . sinter@0.1.0
from spack.package import *


class Sinter(CMakePackage):
    """NumPy in C++ with one kernel where others launch twenty."""

    license("Apache-2.0")

    # Of a source tree: there is no archive of a release yet, and so no checksum.
    version("0.1.0")

    variant("shared", default=True, description="Build a shared library")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("boost@1.70:", type="build")
    depends_on("eigen@3.4:", type="build")
    depends_on("tbb")
    depends_on("xxhash")
    depends_on("zlib-api")

    conflicts("%gcc@:11", msg="Sinter is C++20")
    conflicts("%clang@:13", msg="Sinter is C++20")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("SINTER_BUILD_TESTS", False),
            self.define("SINTER_BUILD_SAMPLES", False),
            self.define("SINTER_BUILD_BENCH", False),
        ]
