#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many lines of each folder of src/ and include/ the tests reached, as gcov counts them.

    coverage.py BUILD [ROOT]    also writes BUILD/coverage.txt, which lists every file

A line of a header counts as reached if any program reached it; a source that no program ran has no reached lines.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys

FOLDERS = ("src/", "include/")


def gcov_of(build):
    """The gcov of the compiler that made the build; other versions cannot read its files."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", file.read(), re.M).group(1)
    folder, name = os.path.split(compiler)
    return os.path.join(folder, re.sub(r"(g|c)\+\+", "gcov", name))


def counts_of(gcov, notes):
    """(file, line, count) of one object file."""
    done = subprocess.run([gcov, "--json-format", "--stdout", os.path.basename(notes)], capture_output=True, text=True,
                          cwd=os.path.dirname(notes))
    counts = []
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            found = json.loads(line)
            for file in found["files"]:
                path = os.path.realpath(os.path.join(found["current_working_directory"], file["file"]))
                counts += [(path, entry["line_number"], entry["count"]) for entry in file["lines"]]
    return counts


def lines_by_file(root, build):
    """{path from the root: {line: whether it was reached}}"""
    notes = [os.path.join(folder, name) for folder, _, names in os.walk(build) for name in names if name.endswith(".gcno")]
    gcov = gcov_of(build)
    files = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for counts in pool.map(lambda note: counts_of(gcov, note), notes):
            for path, line, count in counts:
                path = os.path.relpath(path, root)
                if path.startswith(FOLDERS):
                    lines = files.setdefault(path, {})
                    lines[line] = lines.get(line, False) or count > 0
    return files


def table(lines_of):
    """Turns {name: lines} into rows with lines reached, total lines and per cent; the total is last."""
    rows = [(name, sum(lines), len(lines)) for name, lines in sorted(lines_of.items())]
    rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    width = max(len(row[0]) for row in rows)
    return "".join(f"{name:<{width}} {reached:>7} of {all_of:>7} lines {100 * reached / all_of:>6.1f} %\n"
                   for name, reached, all_of in rows)


def main():
    build = os.path.realpath(sys.argv[1])
    root = os.path.realpath(sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    files = lines_by_file(root, build)
    if not any(reached for lines in files.values() for reached in lines.values()):
        sys.exit(f"coverage: no line was reached; is {sys.argv[1]} built with --coverage, and did the tests run?")
    folders = {}
    for path, lines in files.items():
        folders.setdefault(os.path.dirname(path), []).extend(lines.values())
    summary = table(folders)
    with open(os.path.join(build, "coverage.txt"), "w", encoding="utf-8") as file:
        file.write(summary + "\n" + table({path: list(lines.values()) for path, lines in files.items()}))
    print(summary, end="")


main()
