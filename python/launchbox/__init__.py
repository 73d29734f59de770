# SPDX-License-Identifier: Apache-2.0
"""launchbox for Python: launch configurations of CUDA kernels, calculated and measured.

Each function is a call of the command-line tool `launchbox`, which this package brings with it. What is wrong is raised
as `launchbox.Error`. What they answer are records, `launchbox.types`: the tool's JSON with attributes.
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
