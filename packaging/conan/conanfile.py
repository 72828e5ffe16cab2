"""Taper for Conan 2, from this tree:

    conan create packaging/conan --build=missing

OpenBLAS, oneDNN and zlib are the system's; Conan's system_requirements names and can install them."""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy
from conan.tools.system.package_manager import Apt

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class TaperConan(ConanFile):
    name = "taper"
    version = "0.1.0"
    license = "BSD-3-Clause"
    description = "Autograd and deep learning in C++, with LibTorch's interface"
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"cuda": [True, False]}
    default_options = {"cuda": False}

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "docs/*.md", "taper.h", "cmake/*", "framework/*", "ops/*", "nn/*", "optim/*", "data/*",
                        "testing/*", "extension/*", "utils/*", "distributed/*", "train/*", "func/*", "program/*", "compat/*"):
            copy(self, pattern, TREE, self.export_sources_folder)

    def system_requirements(self):
        Apt(self).install(["libopenblas-dev", "libdnnl-dev", "zlib1g-dev", "nlohmann-json3-dev", "libprotobuf-dev",
                           "protobuf-compiler", "libpng-dev", "libjpeg-dev", "python3"], check=True)

    def layout(self):
        self.folders.build = "build"

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TAPER_CUDA"] = "ON" if self.options.cuda else "OFF"
        toolchain.cache_variables["TAPER_BUILD_TESTS"] = False
        toolchain.cache_variables["TAPER_BUILD_EXAMPLES"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install(component="taper")

    def package_info(self):
        # Taper's own CMake package, which knows all targets, and its stand-in for LibTorch's.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/taper"]
