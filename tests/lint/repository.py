# SPDX-License-Identifier: Apache-2.0
"""Common parts of the lints: the files of a checkout, and a way to report.

A lint exits with 0 if it found nothing, 1 if it found something or had nothing to check, and 77, which ctest shows as
skipped, if its program is not installed.
"""

import os
import subprocess
import sys

SKIPPED = 77
OURS = ("src/", "include/", "tests/", "examples/", "algorithms/", "bench/")
# Inputs of tests: some are wrong on purpose, and tests refer to their lines and columns.
DATA = ("tests/data/", "tests/fuzz/corpus/")


def run(*command, cwd):
    """The output of a command, or None if it fails or does not exist."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def files_of(root):
    """Paths of all files from the root: those that git tracks or would add; without git all but build/ and .NAME."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=root)
    if listed is not None and os.path.exists(os.path.join(root, ".git")):
        return sorted({path for path in listed.split("\0") if path and os.path.isfile(os.path.join(root, path))})
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != "build" and not name.startswith(".")]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def code_of(root, folders=OURS, endings=(".cpp", ".hpp", ".cu", ".cuh")):
    return [path for path in files_of(root)
            if path.startswith(folders) and path.endswith(endings) and not path.startswith(DATA)]


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def version_of(program):
    """The major version of a tool of LLVM, or None."""
    said = run(program, "--version", cwd="/") or ""
    for word in said.split():
        if word[0].isdigit() and "." in word:
            return int(word.split(".")[0])
    return None


def find_tool(name, version):
    """The program of exactly this version: others produce another layout or other findings."""
    wanted = os.environ.get(name.upper().replace("-", "_"))
    for program in [wanted] if wanted else [f"{name}-{version}", name]:
        if version_of(program) == version:
            return program
    print(f"skipped: {name} {version} is not installed; ./setup --tests installs it where the distribution has it "
          f"(Debian 12, Ubuntu 22.04 and 24.04), and {name.upper().replace('-', '_')}=PROGRAM names another place")
    sys.exit(SKIPPED)


def finish(name, faults, looked_at, remedy=""):
    """Prints what was found and exits."""
    for fault in faults:
        print(fault)
    if not looked_at:
        print(f"{name}: there was nothing to look at; is this the root of the repository?")
        sys.exit(1)
    print(f"{name}: {len(faults)} found in {looked_at} files" + (f"; {remedy}" if faults and remedy else ""))
    sys.exit(1 if faults else 0)
