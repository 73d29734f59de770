# SPDX-License-Identifier: Apache-2.0
"""Common parts of the scripts that compile and run benchmarks: compiling programs on all cores, and describing the
machine in a record."""
import concurrent.futures
import datetime
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Program:
    """A benchmark for some macros. `first` are folders of headers that come before all others."""

    def __init__(self, source, made, macros, first=()):
        self.source, self.made, self.macros, self.first = ROOT / source, made, macros, first

    def is_newer_than_sources(self):
        sources = [self.source, *(ROOT / "bench").glob("*.cuh"), *(ROOT / "include").rglob("*.*"),
                   ROOT / "tests/include/algorithms/sort_inputs.hpp"]
        return self.made.exists() and self.made.stat().st_mtime > max(each.stat().st_mtime for each in sources)

    def compile(self, nvcc, arch):
        """The error, or None."""
        if self.is_newer_than_sources():
            return None
        folders = [*self.first, ROOT / "include", ROOT / "tests"]
        command = [nvcc, "-std=c++20", "-O3", f"-arch={arch}", *(f"-I{folder}" for folder in folders),
                   *(f"-D{name}={value}" for name, value in self.macros.items()), str(self.source), "-o", str(self.made)]
        done = subprocess.run(command, capture_output=True, text=True)
        return None if done.returncode == 0 else f"{' '.join(command)}\n{done.stderr[-3000:]}"


def add_options(parser, folder_of_programs):
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--arch", default="native")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--nvcc", default=os.environ.get("NVCC", "nvcc"))
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / folder_of_programs)


def compile_all(options, programs):
    """Whether all were compiled."""
    options.build.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        problems = [each for each in pool.map(lambda one: one.compile(options.nvcc, options.arch), programs) if each]
    print(f"{len(programs)} programs compiled in {time.monotonic() - begin:.0f} s", file=sys.stderr)
    for each in problems:
        print(f"did not compile: {each}", file=sys.stderr)
    return not problems


def said_by(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.strip().splitlines()
    except (OSError, subprocess.TimeoutExpired):
        return []


def where_and_when(nvcc):
    """The first fields of a record."""
    gpu = (said_by(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]) or ["unknown, unknown"])
    device, _, driver = gpu[0].partition(", ")
    toolkit = next((line.split("release ")[1].split(",")[0] for line in said_by([nvcc, "--version"])
                    if "release " in line), "unknown")
    commit = os.environ.get("LAUNCHBOX_COMMIT") or \
        (said_by(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]) or ["unknown"])[0]
    return {"schema": "launchbox.record/1", "device": device, "driver": driver, "toolkit": toolkit,
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(), "commit": commit}
