#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the Python package costs compared with the tool alone: one launch, a million launches, libraries.

    PYTHONPATH=python LAUNCHBOX_TOOL=build/release/launchbox bench/python_calls.py [--rounds 3] LIBRARY...

Prints wall time in seconds, the best of the rounds, and the processor time of Python itself.
"""
import argparse
import os
import random
import statistics
import subprocess
import time

import launchbox
from launchbox import tool


def best(work):
    """The wall time and this process's own processor time of the fastest call, and what it returned."""
    fastest = None
    for _ in range(OPTIONS.rounds):
        begin, own = time.perf_counter(), time.process_time()
        result = work()
        took = time.perf_counter() - begin, time.process_time() - own
        if fastest is None or took[0] < fastest[0]:
            fastest = (*took, result)
    return fastest


def show(what, wall, own=None, more=""):
    print(f"{what:58} {wall:8.3f} s" + (f", Python itself {own:.3f} s" if own is not None else "") + more, flush=True)


def discard(arguments):
    subprocess.run([tool.path(), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def main():
    times = []
    for _ in range(100):
        begin = time.perf_counter()
        launchbox.occupancy("sm_90", threads=256, registers=63)
        times.append(time.perf_counter() - begin)
    show("occupancy of one launch, median of 100", statistics.median(times))
    times = []
    for _ in range(100):
        begin = time.perf_counter()
        discard(["occupancy", "--arch=sm_90", "--threads=256", "--registers=63", "--format=json"])
        times.append(time.perf_counter() - begin)
    show("the same by the tool alone", statistics.median(times))

    source = random.Random(1)
    for count in (10_000, 1_000_000):
        columns = {"threads": [source.randint(1, 1024) for _ in range(count)],
                   "registers": [source.randint(16, 255) for _ in range(count)],
                   "shared": [source.randint(0, 48000) for _ in range(count)],
                   "dynamic_shared": [source.randint(0, 100000) for _ in range(count)]}
        wall, own, answer = best(lambda: launchbox.occupancy("sm_90", **columns))
        resident = sum(blocks > 0 for blocks in answer.columns.resident_blocks)
        show(f"occupancy of {count:,} launches, four columns as lists", wall, own, f"; {resident:,} can be launched")
        try:
            import numpy
        except ImportError:
            continue
        arrays = {name: numpy.array(values) for name, values in columns.items()}
        show(f"occupancy of {count:,} launches, as numpy arrays", *best(lambda: launchbox.occupancy("sm_90", **arrays))[:2])

    for file in OPTIONS.libraries:
        size = os.path.getsize(file) / 1e6
        alone = best(lambda: discard(["inspect", file, "--format=json"]))[0]
        wall, own, report = best(lambda: launchbox.inspect(file))
        show(f"inspect {os.path.basename(file)}, {size:,.0f} MB", wall, own,
             f"; {len(report.kernels):,} kernels; the tool alone {alone:.3f} s")
        wall, own, _ = best(lambda: [kernel.occupancy and kernel.occupancy.resident_blocks for kernel in report.kernels])
        show("    each kernel's occupancy out of the report", wall)
        try:
            show("    its DataFrame", best(report.to_frame)[0])
        except launchbox.Error:
            pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("libraries", nargs="*")
    OPTIONS = parser.parse_args()
    main()
