# SPDX-License-Identifier: Apache-2.0
# Conan 2. Packages the headers of the checkout that contains this file.
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load


class Launchbox(ConanFile):
    name = "launchbox"
    description = "Launch configurations for CUDA kernels, calculated and measured: the C++ headers"
    license = "Apache-2.0"
    topics = ("cuda", "gpu", "occupancy", "launch-bounds", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def set_version(self):
        lists = load(self, os.path.join(self.recipe_folder, "..", "..", "CMakeLists.txt"))
        self.version = re.search(r"project\(launchbox VERSION ([0-9.]+)", lists).group(1)

    def export_sources(self):
        checkout = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*"):
            copy(self, pattern, checkout, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["LAUNCHBOX_TOOL"] = False
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install(component="headers")
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        # The CMake package that launchbox installs itself, with launchbox_check.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "launchbox")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
