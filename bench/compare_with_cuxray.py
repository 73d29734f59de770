#!/usr/bin/env python3
"""Compares `launchbox inspect` with cuxray (a Python package): registers, stack and spill bytes of every
kernel of this repository's sources, as objects for several architectures, and the wall time of both.

    bench/compare_with_cuxray.py LAUNCHBOX CUXRAY NVCC [--json FILE]

cuxray runs cuobjdump and nvdisasm, which must be in PATH. It reports more than `inspect`: where in the source registers
are live and spills occur. Its cache is off; both run three times, alternating. Exit status 1: figures differ.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ARCHITECTURES = ["80", "90", "120"]
SOURCES = ["examples/merge.cu", "tests/data/kernels/spills.cu", "tests/data/kernels/basic.cu", "tests/data/sweep/blocks.cu",
           "tests/data/sweep/device_scan.cu"]
FIGURES = {"registers": lambda k: k["resources"]["regs"], "stack_frame_bytes": lambda k: k["resources"]["stack_frame"],
           "static_shared_bytes": lambda k: k["resources"]["smem_static"],
           "spill_store_bytes": lambda k: k["spills"]["store_bytes"],
           "spill_load_bytes": lambda k: k["spills"]["load_bytes"]}
ROUNDS = 3


def timed(words):
    begin = time.monotonic()
    ran = subprocess.run(words, capture_output=True, check=False)
    return time.monotonic() - begin, ran.stdout


def main():
    parser = argparse.ArgumentParser()
    for name in ("launchbox", "cuxray", "nvcc"):
        parser.add_argument(name)
    parser.add_argument("--json")
    given = parser.parse_args()
    files, different = [], []
    with tempfile.TemporaryDirectory() as folder:
        for source in SOURCES:
            made = os.path.join(folder, os.path.basename(source) + ".o")
            codes = [f"-gencode=arch=compute_{each},code=sm_{each}" for each in ARCHITECTURES]
            subprocess.run([given.nvcc, "-c", "-lineinfo", *codes, os.path.join(ROOT, source), "-o", made], check=True)
            ours_s, theirs_s = [], []
            for _ in range(ROUNDS):
                seconds, output = timed([given.launchbox, "inspect", made, "--format", "json"])
                ours_s.append(seconds)
                ours = {(k["architecture"], k["name"]): k for k in json.loads(output)["kernels"]}
                seconds, output = timed([given.cuxray, "report", made, "--json", "--no-cache"])
                theirs_s.append(seconds)
                report = json.loads(output)
                theirs = {(unit["arch"], k["name"]): k for unit in report["units"] for k in unit["kernels"]}
            for place in sorted(set(ours) & set(theirs)):
                for name, theirs_of in FIGURES.items():
                    if ours[place][name] != theirs_of(theirs[place]):
                        different.append({"source": source, "architecture": place[0], "kernel": place[1], "figure": name,
                                          "launchbox": ours[place][name], "cuxray": theirs_of(theirs[place])})
            files.append({"source": source, "kernels": len(set(ours) & set(theirs)),
                          "spilling": sum((k["spill_store_bytes"] or 0) > 0 for k in ours.values()),
                          "only_launchbox": len(set(ours) - set(theirs)), "only_cuxray": len(set(theirs) - set(ours)),
                          "launchbox_seconds": round(statistics.median(ours_s), 4),
                          "cuxray_seconds": round(statistics.median(theirs_s), 4),
                          "ratio": round(statistics.median(theirs_s) / statistics.median(ours_s), 1)})
            print(files[-1], flush=True)
    for each in different:
        print("differs:", each)
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        processor = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "")
    record = {"schema": "launchbox.record/1", "cpu": processor, "cores": os.cpu_count(),
              "date": datetime.date.today().isoformat(), "commit": os.environ.get("LAUNCHBOX_COMMIT", ""),
              "command": "bench/compare_with_cuxray.py LAUNCHBOX CUXRAY NVCC", "cuxray": report["cuxray_version"],
              "nvdisasm": report["toolchain"]["nvdisasm"]["version"], "architectures": ["sm_" + each for each in ARCHITECTURES],
              "figures": list(FIGURES), "kernels": sum(each["kernels"] for each in files), "different": different,
              "files": files}
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)
            file.write("\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
