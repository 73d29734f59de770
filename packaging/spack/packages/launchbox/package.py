# SPDX-License-Identifier: Apache-2.0
import os

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Launchbox(CMakePackage):
    """Launch configurations for CUDA kernels, calculated and measured: the C++ headers."""

    # The checkout that contains this recipe.
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

    license("Apache-2.0")

    version("0.1.0", branch="main")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")

    def cmake_args(self):
        return [self.define("LAUNCHBOX_TOOL", False)]
