#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Regenerates the spaces in this folder, without a GPU:  make.py TOOLKIT FOLDER

Uses no part of launchbox. Python's eval makes the spaces of the T1 files, NVIDIA's compiler decides what does not
compile and how many registers the rest needs, and NVIDIA's cuda_occupancy.h, for an H100, what cannot be launched.
Times are invented: a formula, plus noise from a fixed seed. Writes the formats of Kernel Tuner's cache and of KTT, and
the counts to counts.json."""
import concurrent.futures
import gzip
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from random import Random

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, POINTS, HFS, VERTICES, SAMPLES = 1024, 1_000_000, 7, 64, 32
ARCHITECTURE, DEVICE = "sm_90", "made up, after an H100"

# Blocks of one multiprocessor, for lines of threads, registers and shared bytes.
LAUNCHES = r"""
#include <cuda_occupancy.h>
#include <cstdio>
int main()
{
    cudaOccDeviceProp device;
    device.computeMajor = 9;
    device.computeMinor = 0;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = 2048;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 49152;
    device.sharedMemPerMultiprocessor = 233472;
    device.sharedMemPerBlockOptin = 232448;
    device.reservedSharedMemPerBlock = 1024;
    device.numSms = 132;
    int threads = 0, registers = 0, shared = 0;
    while (std::scanf("%d %d %d", &threads, &registers, &shared) == 3) {
        cudaOccFuncAttributes function;
        function.maxThreadsPerBlock = 1024;
        function.numRegs = registers;
        function.sharedSizeBytes = shared;
        cudaOccDeviceState state;
        cudaOccResult result{};
        const bool answered = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, 0) == CUDA_OCC_SUCCESS;
        std::printf("%d\n", answered ? result.activeBlocksPerMultiprocessor : 0);
    }
}
"""


class Compiler:
    def __init__(self, toolkit):
        self.toolkit, self.folder = toolkit, tempfile.mkdtemp()
        with open(f"{self.folder}/launches.cpp", "w") as to:
            to.write(LAUNCHES)
        subprocess.run(["g++", "-std=c++17", f"-I{toolkit}/include", f"{self.folder}/launches.cpp", "-o", f"{self.folder}/launches"], check=True)

    def figures(self, defines):
        """Registers, shared and local bytes; None if it does not compile."""
        words = [f"{self.toolkit}/bin/nvcc", "-cubin", "-arch", ARCHITECTURE, "-std=c++17", "-Xptxas", "-v", "-o", "/dev/null",
                 f"{HERE}/kernels.cu"] + [f"-D{name}={value}" for name, value in defines]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            return None
        number = lambda pattern: int((re.search(pattern, done.stderr) or [0, 0])[1])
        return {"ConstantMemorySize": 0, "LocalMemorySize": number(r"(\d+) bytes smem"),
                "PrivateMemorySize": number(r"(\d+) bytes stack frame"), "RegistersCount": number(r"Used (\d+) registers")}

    def blocks(self, lines):
        asked = "".join(f"{threads} {registers} {shared}\n" for threads, registers, shared in lines)
        return [int(line) for line in subprocess.run([f"{self.folder}/launches"], input=asked, capture_output=True, text=True, check=True).stdout.split()]


def space_of(file):
    """The candidates of a T1 file, by Python's eval."""
    space = json.load(open(f"{HERE}/{file}"))["ConfigurationSpace"]
    names = [one["Name"] for one in space["TuningParameters"]]
    lists = [eval(one["Values"]) for one in space["TuningParameters"]]
    for values in itertools.product(*lists):
        candidate = dict(zip(names, values))
        if all(eval(one["Expression"], {}, dict(candidate)) for one in space["Conditions"]):
            yield candidate


def made(compiler, kernel, candidates, samples, defines_of):
    """(candidate, milliseconds or None, figures or None, seconds of the compiler, (grid, block)) of each."""
    wanted = [tuple(defines_of(candidate).items()) for candidate in candidates]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        modules = dict(zip(dict.fromkeys(wanted), pool.map(compiler.figures, dict.fromkeys(wanted))))
    shapes = []
    for candidate in candidates:
        c = {name.upper(): value for name, value in candidate.items()}
        block = (c["BLOCK_SIZE_X"], c.get("BLOCK_SIZE_Y", 1), 1)
        grid = ([-(-WIDTH // (block[i] * c[f"TILE_SIZE_{'XY'[i]}"])) for i in (0, 1)] + [1] if kernel == "convolution"
                else [-(-POINTS // (block[0] * c["TILE_SIZE"])), 1, 1])
        shapes.append((grid, block))
    questions = [(block[0] * block[1], modules[one]["RegistersCount"], modules[one]["LocalMemorySize"]) if modules[one] else (32, 32, 0)
                 for one, (_, block) in zip(wanted, shapes)]
    for candidate, one, shape, blocks, question in zip(candidates, wanted, shapes, compiler.blocks(questions), questions):
        figures, times = modules[one], None
        if figures and blocks:
            figures = {**figures, "MaxWorkGroupSize": max(size for size in range(32, 1025, 32)
                                                          if size * (-(-question[1] // 8) * 8) <= 65536)}
            times = noisy(kernel, candidate, blocks * question[0], samples)
        yield candidate, times, figures, 0.25, shape


def noisy(kernel, candidate, resident, samples):
    """Milliseconds that look measured: more resident threads and larger tiles are faster, up to a point; each candidate
    has its own offset, the first samples are slower, and there is some per cent of noise."""
    random = Random(f"{kernel} {candidate}")
    tile = candidate.get("tile_size") or candidate.get("tile_size_x", candidate.get("TILE_SIZE_X", 1)) * candidate.get(
        "tile_size_y", candidate.get("TILE_SIZE_Y", 1))
    mean = 0.02 * (1 + 600 / resident + 0.6 / tile + 0.02 * tile) * (1 + 0.3 * random.random())
    return [round(mean * (1 + 0.06 / (sample + 1)) * random.lognormvariate(0, 0.03), 6) for sample in range(samples)]


def kernel_tuner(file, kernel, rows):
    rows, cache, parameters = list(rows), {}, {}
    for candidate, times, figures, seconds, _ in rows:
        for name, value in candidate.items():
            parameters.setdefault(name, {})[value] = None
        entry = dict(candidate)
        entry["time"] = sum(times) / len(times) if times else "RuntimeFailedConfig" if figures else "CompilationFailedConfig"
        if times:
            entry["times"] = times
        entry.update(compile_time=round(seconds * 1e3, 3), verification_time=0, strategy_time=0, framework_time=0.5,
                     benchmark_time=round(sum(times or [0.1]), 6), timestamp="2026-11-25 12:00:00+00:00")
        cache[",".join(str(value) for value in candidate.values())] = entry
    write(file, {"device_name": DEVICE, "kernel_name": kernel, "problem_size": [WIDTH, WIDTH],
                 "tune_params_keys": list(parameters), "tune_params": {name: list(values) for name, values in parameters.items()},
                 "objective": "time", "cache": cache})
    return {"candidates": len(rows), "measured": sum(bool(row[1]) for row in rows),
            "compile_errors": sum(row[2] is None for row in rows),
            "best_mean_ns": min(sum(row[1]) / len(row[1]) for row in rows if row[1]) * 1e6,
            "compile_seconds": sum(entry["compile_time"] for entry in cache.values()) / 1e3}


def ktt(file, kernel, constants, rows):
    rows, results = list(rows), []
    for candidate, times, figures, seconds, (grid, block) in rows:
        microseconds = round(times[0] * 1e3, 3) if times else 0.0
        ran = {"CompilationData": figures, "Duration": microseconds, "GlobalSize": dict(zip("XYZ", grid)),
               "KernelFunction": kernel, "LocalSize": dict(zip("XYZ", block)), "Overhead": round(seconds * 1e6, 3)}
        results.append({
            "ComputationResults": [ran] if times else [],
            "Configuration": [{"Name": name.upper(), "Value": value, "ValueType": "UnsignedInt"}
                              for name, value in {**constants, **candidate}.items()],
            "DataMovementOverhead": 5.0, "ExtraDuration": 0.0, "KernelName": kernel, "SearcherOverhead": 1.0,
            "Status": "Ok" if times else "ComputationFailed", "TotalDuration": microseconds,
            "TotalOverhead": round(seconds * 1e6 + 6, 3), "ValidationOverhead": 0.0})
    write(file, {"Metadata": {"ComputeApi": "CUDA", "Device": DEVICE, "GlobalSizeType": "CUDA", "KttVersion": "2.1.0",
                              "Platform": "NVIDIA CUDA", "TimeUnit": "Microseconds",
                              "Timestamp": "2026-11-25 12:00:00 UTC"}, "Results": results})
    return {"candidates": len(rows), "measured": sum(bool(row[1]) for row in rows),
            "best_mean_ns": min(row[1][0] for row in rows if row[1]) * 1e6,
            "with_stack": sum(bool(row[1]) and row[2]["PrivateMemorySize"] > 0 for row in rows)}


def write(file, value):
    with gzip.GzipFile(file, "wb", mtime=0) as to:
        to.write(json.dumps(value, indent=0, sort_keys=False).encode())


def main(toolkit, folder):
    compiler = Compiler(toolkit)
    of_convolution = lambda c: {"CONVOLUTION": 1, "USE_SHMEM": 1, "PADDING": 0, "HFS": HFS, **{n.upper(): v for n, v in c.items()}}
    every = [dict(zip(("BLOCK_SIZE_X", "BLOCK_SIZE_Y", "TILE_SIZE_X", "TILE_SIZE_Y", "PADDING"), values))
             for values in itertools.product((8, 32, 64, 128), (1, 4, 8, 16), (1, 2, 8), (1, 2, 4, 8), (0, 1))]
    of_pnpoly = lambda c: {"VERTICES": VERTICES, **{n.upper(): v for n, v in c.items() if n != "block_size_x"}}
    counts = {"kt_convolution": kernel_tuner(f"{folder}/kt_convolution.json.gz", "convolution", made(
                  compiler, "convolution", list(space_of("t1_convolution.json")), SAMPLES, of_convolution)),
              "ktt_convolution": ktt(f"{folder}/ktt_convolution.json.gz", "convolution", {"HFS": HFS}, made(
                  compiler, "convolution", every, 1, of_convolution)),
              "ktt_pnpoly": ktt(f"{folder}/ktt_pnpoly.json.gz", "pnpoly", {"VERTICES": VERTICES}, made(
                  compiler, "pnpoly", list(space_of("t1_pnpoly.json")), 1, of_pnpoly))}
    with open(f"{folder}/counts.json", "w") as to:
        json.dump(counts, to, indent=2)
        to.write("\n")


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
