#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests of the Python package with pytest and the given tool.

    tests/python/run.py build/dev/launchbox [tests/python/tool_test.py...] [options of pytest...]
"""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent.parent / "python"

try:
    import pytest
except ImportError:
    print("skipped: needs pytest (Debian's package python3-pytest)")
    sys.exit(77)

if len(sys.argv) < 2:
    sys.exit(__doc__)
os.environ["LAUNCHBOX_TOOL"] = os.path.abspath(sys.argv[1])
os.environ["PYTHONPATH"] = str(PACKAGE)
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.path.insert(0, str(PACKAGE))
files = sys.argv[2:] or [str(HERE)]
status = pytest.main(["-q", "-rs", "-p", "no:cacheprovider", "-o", "python_files=*_test.py", *files])
# A run without tests fails.
sys.exit(int(status))
