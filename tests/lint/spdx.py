#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every compiled or included file names its licence in its first lines.

    spdx.py REPOSITORY [--fix]
"""

import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources
import repository

LINE = "SPDX-License-Identifier: Apache-2.0"
FIRST_LINES = 5


def says_it(text):
    return any(LINE in line for line in text.splitlines()[:FIRST_LINES])


def add_it(root, path):
    """On the second line if the first describes the file, else on the first."""
    text = repository.read(root, path)
    lines = text.splitlines(keepends=True)
    opening = 0
    while opening < len(lines) and opening < FIRST_LINES - 1 and lines[opening].startswith("//"):
        opening += 1
    with open(os.path.join(root, path), "w", encoding="utf-8") as file:
        file.write("".join(lines[:opening]) + f"// {LINE}\n" + "".join(lines[opening:]))


def main():
    root = os.path.abspath(sys.argv[1])
    files = repository.code_of(root, ("src/", "include/"))
    missing = [path for path in files if not says_it(repository.read(root, path))]
    if "--fix" in sys.argv[2:]:
        for path in missing:
            add_it(root, path)
        missing = []
    repository.finish("spdx", [f"{path}:1: no line '// {LINE}' among the first {FIRST_LINES}" for path in missing],
                      len(files), "tests/lint/spdx.py . --fix adds it")


main()
