#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the words are those of NVIDIA and the field. words.txt lists forbidden ones, each with its replacement.

    words.py REPOSITORY [LIST]
"""

import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources
import repository

PAGES = ("README.md", "HACKING.md", "CONTRIBUTING.md")
# A word stands alone or between _ in a name; 'plane' is not 'lane'.
BORDERS = (r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])")


def rules_in(path):
    """(pattern, instead, folders) of each line 'WORDS | instead | folders'; WORDS is a regular expression."""
    rules = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.rstrip("\n").split(" | ")]
            if len(fields) not in (2, 3):
                sys.exit(f"{path}:{number}: expected 'WORDS | instead' or 'WORDS | instead | folders'")
            pattern = fields[0] if fields[0].startswith("=") else BORDERS[0] + f"(?:{fields[0]})" + BORDERS[1]
            folders = tuple(fields[2].split()) if len(fields) == 3 else ("",)
            rules.append((re.compile(pattern.removeprefix("="), re.IGNORECASE), fields[1], folders))
    return rules


def faults_in(text, path, rules):
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, instead, folders in rules:
            if path.startswith(folders):
                for match in pattern.finditer(line):
                    yield f"{path}:{number}: '{match.group(0).strip()}': {instead}"


def main():
    root = os.path.abspath(sys.argv[1])
    rules = rules_in(sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt"))
    files = [path for path in repository.files_of(root)
             if path in PAGES or (path.startswith(("src/", "include/")) and path.endswith((".cpp", ".hpp", ".cu", ".cuh")))
             or (path.startswith("docs/") and path.endswith(".md"))]
    faults = [fault for path in files for fault in faults_in(repository.read(root, path), path, rules)]
    repository.finish("words", faults, len(files) if rules else 0)


main()
