# SPDX-License-Identifier: Apache-2.0
"""Conan 2 recipe of the sources that it lies in: conan create cmake/packages/conan --build=missing"""

from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Aclgrad(ConanFile):
    name = "aclgrad"
    version = "0.1.0"
    description = "Graph-mode autograd over Ascend aclnn-style two-phase gradient operators"
    license = "Apache-2.0"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "tools": [True, False]}
    default_options = {"shared": False, "tools": True}

    def export_sources(self):
        root = Path(self.recipe_folder).parents[2]
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "ops/*", "framework/*", "autograd/*",
                        "distributed/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def requirements(self):
        self.requires("fmt/[>=9.1]", transitive_headers=True)
        self.requires("highway/[>=1.0.3]")
        self.requires("nlohmann_json/[>=3.11]")
        self.requires("zlib/[>=1.2.11]")
        self.requires("libpng/[>=1.6]")
        if self.options.tools:
            self.requires("cli11/[>=2.1]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for what in ("TESTS", "EXAMPLES"):
            toolchain.cache_variables[f"ACLGRAD_BUILD_{what}"] = False
        toolchain.cache_variables["ACLGRAD_BUILD_TOOLS"] = bool(self.options.tools)
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_MPI"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")

    def package_info(self):
        # The package's own CMake files say what links with what.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append("lib/cmake/aclgrad")
