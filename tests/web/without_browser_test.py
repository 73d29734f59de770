#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where no browser is installed, the tests of the pages are skipped and do not fail:  without_browser_test.py SCRIPT..."""
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77

with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "selenium.py").write_text("raise ImportError('none here')\n")
    failed = False
    for script in sys.argv[1:]:
        ran = subprocess.run([sys.executable, "-B", script, "tool", "folder", "1"], capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": folder})
        if ran.returncode != SKIPPED or "skipped" not in ran.stdout:
            print(f"{script}: exit status {ran.returncode}\n{ran.stdout}{ran.stderr}")
            failed = True
sys.exit(failed or len(sys.argv) == 1)
