# SPDX-License-Identifier: Apache-2.0
"""launchbox for Python: launch configurations of CUDA kernels, calculated and measured.

Each function calls the command-line tool `launchbox`, which this package contains, and returns a record of
`launchbox.types`: the tool's JSON with attributes. Errors are raised as `launchbox.Error`.
"""
from . import types
from .frames import frame
from .occupancies import occupancy
from .records import Record, Report
from .tool import Error, version
from .tuning import Candidate, Tuning, tune
from .verbs import advise, bounds, call, capture, check, devices, inspect, results, suggest

__all__ = ["Candidate", "Error", "Record", "Report", "Tuning", "advise", "bounds", "call", "capture", "check", "devices",
           "frame", "inspect", "occupancy", "results", "suggest", "tune", "types", "version"]
