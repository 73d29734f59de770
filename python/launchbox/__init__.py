# SPDX-License-Identifier: Apache-2.0
"""launchbox for Python: launch configurations of CUDA kernels, calculated and measured.

Each function is a call of the command-line tool `launchbox`, which this package brings with it. What is wrong is raised
as `launchbox.Error`.
"""
from .tool import Error, version
from .tuning import Candidate, Tuning, tune

__all__ = ["Candidate", "Error", "Tuning", "tune", "version"]
