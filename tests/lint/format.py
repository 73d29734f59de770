#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that all C++ and CUDA code follows .clang-format. Uses one version of clang-format, since versions differ.

    format.py REPOSITORY [--fix]
"""

import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources
import repository

VERSION = 16
BATCH = 100  # files in one call


def main():
    root = os.path.abspath(sys.argv[1])
    program = repository.find_tool("clang-format", VERSION)
    files = repository.code_of(root)
    mode = ["-i"] if "--fix" in sys.argv[2:] else ["--dry-run", "-Werror", "--ferror-limit=1"]
    faults = {}
    for at in range(0, len(files), BATCH):
        done = subprocess.run([program, "--style=file", *mode, *files[at:at + BATCH]], capture_output=True, text=True, cwd=root)
        found = re.findall(r"^(.+?):(\d+):\d+: error: ", done.stderr, re.M)
        for path, line in found:
            faults.setdefault(path, f"{path}:{line}: not laid out as .clang-format says")
        if done.returncode != 0 and not found:
            sys.exit(f"{program} failed: {done.stderr.strip()[-500:]}")
    repository.finish("format", list(faults.values()), len(files), "tests/lint/format.py . --fix lays them out")


main()
