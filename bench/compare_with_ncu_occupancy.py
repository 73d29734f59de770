#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the occupancy model with Nsight Compute's calculator, its Python module ncu_occupancy.

    bench/compare_with_ncu_occupancy.py FOLDER [-o RECORD.json] [--questions N] [--seed N]

FOLDER holds ncu_occupancy.py (extras/python of Nsight Compute). For each compute capability that both know: their
limits, and the resident blocks of N random kernels (default 50,000): 1 to 1,024 threads, 1 to 255 registers, shared
memory up to a block's limit, each carveout, 0 to 16 barriers. Exit status 1: an answer differs.
"""
import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
CUDA_VERSION = "13.0"  # for the shared memory that the runtime reserves
CAPABILITIES = [30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 107, 110, 120, 121]


def questions_for(data, count, seed):
    """(threads, registers, shared bytes, carveout bytes, barriers), and the carveout in percent of the largest."""
    source = random.Random(seed)
    configurations = sorted(data["shared_mem_size_configs"])
    made = []
    for _ in range(count):
        carveout = source.choice(configurations)
        largest = min(carveout, data["max_shared_mem_per_block"])
        shared = source.choice([0, source.randint(0, largest), source.randint(0, largest // 8), source.randint(0, largest // 32)])
        threads = source.choice([source.randint(1, 1024), 32 * source.randint(1, 32)])
        made.append((threads, source.randint(1, 255), shared, carveout, source.randint(0, 16)))
    return made, {size: 100 * size // max(configurations) for size in configurations}


def theirs(task):
    folder, capability, count, seed = task
    sys.path.insert(0, folder)
    import ncu_occupancy as ncu
    major, minor = divmod(capability, 10)
    try:
        data = ncu.get_gpu_data(major, minor)
    except ValueError:
        return capability, None, [], []
    data["reserve"] = ncu.GetSharedMemoryRuntime(major, CUDA_VERSION)  # which the calculator adds itself
    calculator = ncu.OccupancyCalculator(major, minor)
    made, percent = questions_for(data, count, seed + capability)
    lines, answers = [], []
    for threads, registers, shared, carveout, barriers in made:
        try:
            found = calculator.get_resource_utilization(ncu.OccupancyParameters(
                carveout, threads, registers, shared, barriers))
            answers.append(found["allocated_blocks"])
        except ValueError:
            answers.append(None)
        lines.append(f"{capability} {threads} {registers} {shared} {percent[carveout]} {barriers}")
    return capability, data, lines, answers


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder")
    options.add_argument("-o", "--output")
    options.add_argument("--questions", type=int, default=50_000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder) / "answers")
        subprocess.check_call([os.environ.get("CXX", "c++"), "-std=c++20", "-O2", f"-I{REPOSITORY / 'include'}",
                               str(REPOSITORY / "bench/occupancy_answers.cpp"), "-o", program])
        with multiprocessing.Pool() as pool:
            results = pool.map(theirs, [(given.folder, c, given.questions, given.seed) for c in CAPABILITIES], chunksize=1)
        rows = []
        for capability, data, lines, answers in results:
            if data is None:
                rows.append({"compute_capability": capability / 10, "known": False})
                continue
            ours = subprocess.run([program], input="\n".join(lines) + "\n", text=True, capture_output=True, check=True)
            mine = ours.stdout.split()
            assert len(mine) == len(lines), "a question without an answer"
            differing = [(question, their, my) for question, their, my in zip(lines, answers, mine)
                         if their is not None and str(their) != my]
            rows.append({"compute_capability": capability / 10, "known": True,
                         "questions": sum(answer is not None for answer in answers),
                         "refused": sum(answer is None for answer in answers),
                         "differences": len(differing), "limits": data,
                         "kinds": collections.Counter(f"{their} instead of {my}" for _, their, my in differing).most_common(5),
                         "examples": differing[:12]})
            print(f"{capability / 10:5} {rows[-1]['questions']:8} questions {len(differing):8} differences", flush=True)
    if not any(row.get("questions") for row in rows):
        sys.exit("nothing was compared")
    record = {"schema": "launchbox.ncu_occupancy/1", "commit": os.environ.get("LAUNCHBOX_COMMIT", ""), "command":
              "bench/compare_with_ncu_occupancy.py", "seed": given.seed, "module": given.folder, "rows": rows}
    if given.output:
        pathlib.Path(given.output).write_text(json.dumps(record, indent=1) + "\n")
    sys.exit(any(row.get("differences") for row in rows))


if __name__ == "__main__":
    main()
