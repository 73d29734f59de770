#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `inspect --lines` with nvdisasm: the line of every instruction with the calls through which it was inlined
(--print-line-info-inline), and the peak of live registers with its own counts (--life-range-mode count).

    compare_with_nvdisasm.py TOOL NVDISASM cubin...

nvdisasm prints a line only where the innermost one changes, so chains of calls are compared as a set: each chain that
it prints must be among ours. Innermost lines are compared instruction by instruction.

Exit status: 0 no difference, 1 some, 2 wrong usage.
"""

import collections
import json
import os
import re
import subprocess
import sys

LINE = re.compile(r'\s*//## File "([^"]*)", line (\d+)(?: inlined at "([^"]*)", line (\d+))?')
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/")
LABEL = re.compile(r"\.text\.(\S+):")
COUNTS = re.compile(r"\s*/\*[0-9a-f]{4,}\*/.*// \|\s*(\d*)\s*\|")


def output(command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=True).stdout


def chains_of(nvdisasm, cubin):
    """Instructions of each kernel by the chain of lines that was printed last."""
    found, current, chain, fresh = {}, None, (), []
    for text in output([nvdisasm, "-gi", cubin]).splitlines():
        if label := LABEL.match(text):
            current, chain, fresh = found.setdefault(label[1], collections.Counter()), (), []
        elif current is None:
            continue
        elif line := LINE.match(text):
            fresh.append(line)
        elif INSTRUCTION.match(text):
            if fresh:
                frames = []
                for line in fresh:  # the first chain printed is that of the last row at this address
                    frames.append((line[1], int(line[2])))
                    if line[3] is None:
                        break
                chain, fresh = tuple(frames), []
            current[chain] += 1
    return found


def peaks_of(nvdisasm, cubin):
    peaks, current = {}, None
    for text in output([nvdisasm, "-c", "-plr", "-lrm", "count", cubin]).splitlines():
        if label := LABEL.match(text):
            current = label[1]
        if current and (counts := COUNTS.match(text)):
            peaks[current] = max(peaks.get(current, 0), int(counts[1] or 0))
    return peaks


def innermost(chains):
    sums = collections.Counter()
    for chain, instructions in chains.items():
        sums[chain[0] if chain else None] += instructions
    return sums


def main():
    if len(sys.argv) < 4:
        print(__doc__)
        return 2
    tool, nvdisasm, cubins = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.environ["PATH"] = os.path.dirname(os.path.abspath(nvdisasm)) + ":" + os.environ["PATH"]
    kernels = chains = instructions = peaks = differences = 0
    for cubin in cubins:
        theirs, their_peaks = chains_of(nvdisasm, cubin), peaks_of(nvdisasm, cubin)
        for kernel in json.loads(output([tool, "inspect", cubin, "--lines=source", "--format", "json"]))["kernels"]:
            kernels += 1
            name, problems = kernel["name"], []
            if kernel["lines"]["told"]:
                ours = collections.Counter()
                for line in kernel["lines"]["lines"]:
                    ours[tuple((frame["file"], frame["line"]) for frame in line["frames"])] += line["instructions"]
                chains += len(theirs[name])
                instructions += sum(ours.values())
                if innermost(ours) != innermost(theirs[name]):
                    problems.append("lines")
                if not set(theirs[name]) <= set(ours):
                    problems.append("calls")
            pressure = kernel.get("register_pressure", {})
            if "live_registers" in pressure and (pressure["exact"] or pressure["decoded_by"] == "nvdisasm"):
                peaks += 1
                if pressure["live_registers"] != their_peaks[name]:
                    problems.append(f"peak {pressure['live_registers']} instead of {their_peaks[name]}")
                if not pressure["live_registers"] <= pressure["highest_register"] + 1 <= kernel["registers"]:
                    problems.append("more live registers than there are")
            if kernel["spill_store_bytes"] != kernel["lines"]["total"]["spill_store_bytes"]:
                problems.append("spills")
            if problems:
                differences += 1
                print(f"{cubin}: {name}: {', '.join(problems)}")
    print(f"{kernels} kernels, {instructions} instructions with lines, {chains} chains of calls, {peaks} peaks: "
          f"{differences} kernels differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
