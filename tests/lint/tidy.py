#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy with the checks of .clang-tidy on the files that differ from origin/main or, without an origin/main,
from the previous commit.

    tidy.py REPOSITORY [--all] [FILE...]

--all, or LAUNCHBOX_EXHAUSTIVE in the environment: every file. The compile commands are those of the preset tidy, which is
configured and never built: one per file, without a precompiled header.
"""

import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources
import repository

VERSION = 14
NEWEST_LIBRARY = 12  # of libstdc++, whose <chrono>, <ranges> and <string> clang 14 cannot read from 13 on
LIBRARIES = "/usr/include/c++"


def changed_files(root):
    """(what they are compared with, paths): files committed since then, and changes in the working tree."""
    base = (repository.run("git", "merge-base", "HEAD", "origin/main", cwd=root)
            or repository.run("git", "rev-parse", "--verify", "--quiet", "HEAD~1", cwd=root) or "").strip()
    if not base:
        return None, []
    changed = repository.run("git", "diff", "--name-only", "-z", "--relative", base, cwd=root) or ""
    new = repository.run("git", "ls-files", "-z", "--others", "--exclude-standard", cwd=root) or ""
    return base[:12], sorted({path for path in (changed + new).split("\0") if path})


def is_code(path):
    return path.endswith((".cpp", ".hpp")) and path.startswith(repository.OURS) and not path.startswith(repository.DATA)


def sources_concerned(paths, known):
    """The changed sources, and for a changed header the source with its name beside it, which includes it."""
    wanted = set()
    for path in paths:
        source = re.sub(r"\.hpp$", ".cpp", path)
        if source in known:
            wanted.add(source)
    return sorted(wanted)


def compile_commands(root, build):
    """Configures the preset and returns the sources that it compiles, from the root."""
    compiler = shutil.which(f"clang++-{VERSION}") or shutil.which("clang++")
    done = subprocess.run(["cmake", "--preset", "tidy", *([f"-DCMAKE_CXX_COMPILER={compiler}"] if compiler else [])],
                          capture_output=True, text=True, cwd=root)
    if done.returncode != 0:
        sys.exit("cmake --preset tidy failed:\n" + done.stderr.strip()[-2000:])
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        return {os.path.relpath(entry["file"], root) for entry in json.load(file)}


def library_arguments(libraries=LIBRARIES):
    """Options that make clang-tidy use a C++ library that it can read, if its default, the newest, is too new."""
    installed = {int(name) for name in os.listdir(libraries) if name.isdigit()} if os.path.isdir(libraries) else set()
    if max(installed, default=0) <= NEWEST_LIBRARY:
        return []
    if NEWEST_LIBRARY not in installed:
        print(f"skipped: clang-tidy {VERSION} cannot read libstdc++ {max(installed)}; ./setup --tests installs "
              f"libstdc++-{NEWEST_LIBRARY}-dev beside it where the distribution has it")
        sys.exit(repository.SKIPPED)
    above, name = os.path.split(libraries)
    folders = [f"{libraries}/{NEWEST_LIBRARY}", *sorted(glob.glob(f"{above}/*-linux-gnu/{name}/{NEWEST_LIBRARY}")),
               f"{libraries}/{NEWEST_LIBRARY}/backward"]
    return [f"--extra-arg={word}" for word in ["-nostdinc++", *(f"-isystem{folder}" for folder in folders)]]


def faults_of(program, root, build, path):
    """Each finding once, without the explanations that --quiet does not suppress."""
    done = subprocess.run([*program, "-p", build, "--quiet", path], capture_output=True, text=True, cwd=root)
    found = re.findall(r"^(\S+?:\d+:\d+: (?:warning|error): .*)$", done.stdout + done.stderr, re.M)
    if done.returncode != 0 and not found:
        found = [f"{path}:1: clang-tidy failed: {done.stderr.strip()[-300:]}"]
    # Ubuntu's libstdc++ 12 has one more function that clang 14 cannot read; nobody here calls it.
    return [fault.removeprefix(root + "/") for fault in found if not fault.startswith(LIBRARIES + "/")]


def main():
    words = sys.argv[2:]
    root = os.path.realpath(sys.argv[1])
    program = [repository.find_tool("clang-tidy", VERSION), *library_arguments()]
    everything = "--all" in words or "LAUNCHBOX_EXHAUSTIVE" in os.environ
    named = everything or bool(words)
    if not named:
        base, words = changed_files(root)
        if base and not any(is_code(path) for path in words):
            print(f"tidy: no source differs from {base}")
            return
    build = os.path.join(root, "build", "tidy")
    known = {path for path in compile_commands(root, build) if is_code(path)}
    files = sorted(known) if everything else sources_concerned(words, known)
    if words and not files and not named:
        print("tidy: what differs are headers without a source of their name")
        return
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = dict.fromkeys(fault for found in pool.map(lambda path: faults_of(program, root, build, path), files)
                               for fault in found)
    repository.finish("tidy", list(faults), len(files))


if __name__ == "__main__":
    main()
