#!/usr/bin/env python3
"""Plants regressions, and changes that are not regressions, in kernels of this repository, and runs `launchbox check`
on each with the baseline from before the change.

    planted.py TOOL REPOSITORY NVCC [--jobs N] [-o RECORD]

For a regression, check must name the kernel and the kind, and no other kernel; for the other changes it must report
nothing. Exit status: 0 all as expected, 1 not.
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCES = {
    "examples/merge.cu": ["merge_tiles", "merge_tiles_greedy"],
    "examples/transpose.cu": ["transpose"],
    "examples/simple_occupancy.cu": ["square"],
    "tests/data/kernels/bounds.cu": ["one_bound", "two_bounds"],
    "tests/data/sweep/functions.cu": ["tight", "loose"],
    "tests/data/sweep/kernels.cu": ["wide", "bounded"],
}

# Values are read in one order and used in the opposite order, so all are live at once.
PRESSURE = """
    unsigned planted[{0}], planted_sum = 0;
#pragma unroll
    for (int i = 0; i < {0}; ++i) asm volatile("mov.u32 %0, %%clock;" : "=r"(planted[i]));
#pragma unroll
    for (int i = {0} - 1; i >= 0; --i) planted_sum = planted_sum * 31 + planted[i];
    if (planted_sum == 12345) asm volatile("trap;");
"""
STACK = """
    volatile int planted[{0}];
    planted[threadIdx.x & 31] = 1;
    if (planted[(threadIdx.x * 7) & 31] == 3) asm volatile("trap;");
"""
SHARED = """
    __shared__ volatile char planted[{0}];
    planted[threadIdx.x] = 1;
    if (planted[threadIdx.x ^ 1] == 3) asm volatile("trap;");
"""


def head_of(kernel):
    return re.compile(r"(__global__ void)((?:(?!__global__)[^;{])*?)(\b" + kernel + r"\()")


def with_bounds(text, kernel, bounds):
    """The kernel with these launch bounds instead of its own; "" for none."""
    attribute = f" __launch_bounds__({bounds}) " if bounds else " "
    changed, number = head_of(kernel).subn(lambda found: found[1] + attribute + found[3], text, count=1)
    assert number == 1, kernel
    return changed


def with_body(text, kernel, lines):
    """The kernel with these lines first in its body."""
    found = head_of(kernel).search(text)
    at = text.index("{", found.end()) + 1
    return text[:at] + lines + text[at:]


def regressions():
    """(kind, source, kernel, change of before, change of after, architectures before, after, one of these checks)"""
    def same(text, _):
        return text

    def bound(bounds):
        return lambda text, kernel: with_bounds(text, kernel, bounds)

    def planted(bounds, lines):
        return lambda text, kernel: with_body(with_bounds(text, kernel, bounds), kernel, lines)

    pairs = [(["sm_80", "sm_90"], ["sm_90"]), (["sm_90", "sm_120"], ["sm_90"]), (["sm_80", "sm_120"], ["sm_120"]),
             (["sm_75", "sm_86"], ["sm_75"]), (["sm_80", "sm_90"], ["sm_80"])]
    number = 0
    for source, kernels in SOURCES.items():
        for kernel in kernels:
            one = ["sm_90"] if number % 2 else ["sm_80"]
            yield "spill", source, kernel, bound("256, 4"), planted("256, 4", PRESSURE.format(100)), one, one, \
                {"baseline_spill_bytes"}
            yield "registers", source, kernel, bound("256"), planted("256", PRESSURE.format(100)), one, one, \
                {"baseline_registers"}
            yield "stack", source, kernel, bound("256"), planted("256", STACK.format(32 + number)), one, one, \
                {"baseline_stack_bytes"}
            yield "lost bound", source, kernel, bound("256"), bound(""), one, one, {"baseline_launch_bounds"}
            yield "lost min_blocks", source, kernel, bound("512, 3"), bound("512"), one, one, {"baseline_launch_bounds"}
            # 16 warps per block: the 64 warp slots of the SM hold four blocks.
            yield "ignored bound", source, kernel, bound("512, 3"), bound("512, 9"), one, one, \
                {"baseline_launch_bounds"}
            if kernel not in ("merge_tiles", "merge_tiles_greedy", "wide"):  # which have 23 KB, or 4 blocks by registers
                yield "occupancy", source, kernel, bound("256"), planted("256", SHARED.format(44000)), one, one, \
                    {"baseline_resident_threads"}
        before, after = pairs[number % len(pairs)]
        yield "architecture", source, "", same, same, before, after, {"baseline_architecture"}
        number += 1


def functions_swapped(text):
    """Moves the last kernel definition before the first one, if both are separate definitions."""
    kernels = list(re.finditer(r'^(?:template <[^\n]*>\n)?(?:extern "C" )?__global__ [^;{]*\n\{\n.*?^\}\n', text, re.MULTILINE | re.DOTALL))
    if len(kernels) < 2:
        return text + "\n__device__ int planted_unused(int a) { return a + 1; }\n"
    first, last = kernels[0], kernels[-1]
    return (text[:first.start()] + last[0] + "\n" + first[0] + text[first.end():last.start()] + text[last.end():])


def others():
    """(kind, source, change, flags, name of the file)"""
    def commented(text):
        return "// One more line.\n/* and\n   more */\n" + re.sub(r"\{\n", "{  // here\n", text)

    def renamed(text):
        for word in ("i", "x", "tile", "sum", "value", "n", "count", "values", "v", "r"):
            text = re.sub(r"(?<![\w.:#<>\"'])" + word + r"(?=\s*(?:=[^=]|;|\+\+|<[^<]))(?![\w(])", word, text)
        return re.sub(r"\bplanted_\w+\b", "other", text.replace("threadIdx.x", "(threadIdx.x)"))

    def moved(text):
        return "\n" * 40 + text.replace("\n}\n", "\n\n\n}\n\n\n")

    def unused(text):
        return text + "\nstatic __device__ __inline__ float planted_unused(float a) { return a * 2; }\nstruct planted {};\n"

    def spaced(text):
        return re.sub(r"^    ", "\t", text, flags=re.MULTILINE).replace("{\n", "{\r\n")

    def aliased(text):
        return "using planted_int = int;\n#define PLANTED 1\n" + text

    for source in SOURCES:
        name = os.path.basename(source)
        for kind, change, flags, file in [
                ("compiled again", str, [], name), ("comments", commented, [], name), ("locals", renamed, [], name),
                ("lines moved", moved, [], name), ("order of functions", functions_swapped, [], name),
                ("-lineinfo", str, ["-lineinfo"], name), ("unused functions", unused, [], name),
                ("layout", spaced, [], name), ("aliases and macros", aliased, [], name),
                ("file renamed", str, [], "renamed_" + name)]:
            yield kind, source, change, flags, file


class Trial:
    def __init__(self, tool, repository, nvcc, folder):
        self.tool, self.repository, self.nvcc, self.folder = tool, repository, nvcc, folder

    def compiled(self, where, name, source, text, architectures, flags=()):
        folder = os.path.join(self.folder, where)
        os.makedirs(folder, exist_ok=True)
        file, made = os.path.join(folder, name), os.path.join(folder, "kernels.fatbin")
        with open(file, "w", encoding="utf-8", newline="") as written:
            written.write(text)
        codes = [word for each in architectures for word in
                 ("-gencode", f"arch={each.replace('sm', 'compute')},code={each}")]
        ran = subprocess.run([self.nvcc, "-fatbin", "-w", "-std=c++20", *codes, *flags,
                              "-I", os.path.join(self.repository, "include"),
                              "-I", os.path.dirname(os.path.join(self.repository, source)), file, "-o", made],
                             capture_output=True, text=True, check=False)
        if ran.returncode:
            raise RuntimeError(f"{name}: {ran.stderr[:2000]}")
        return made

    def checked(self, where, before, after):
        baseline = os.path.join(self.folder, where, "kept.baseline")
        subprocess.run([self.tool, "check", before, "--baseline", baseline, "--write-baseline"], check=True,
                       capture_output=True)
        ran = subprocess.run([self.tool, "check", after, "--baseline", baseline, "--format", "json"],
                             capture_output=True, text=True, check=False)
        return ran.returncode, json.loads(ran.stdout)

    def text_of(self, source):
        with open(os.path.join(self.repository, source), encoding="utf-8") as file:
            return file.read()

    def regression(self, number, kind, source, kernel, first, second, before, after, checks):
        text, where, name = self.text_of(source), f"planted{number}", os.path.basename(source)
        a = self.compiled(where + "/before", name, source, first(text, kernel), before)
        b = self.compiled(where + "/after", name, source, second(text, kernel), after)
        status, found = self.checked(where, a, b)
        worse = [each for each in found["changes"] if each["change"] in ("worse", "unknown")]
        named = {each["check"] for each in found["findings"] if each["fails"]}
        if any(each["fails"] for each in found["gone_kernels"]):
            named.add("baseline_architecture")
        right = all(re.search(r"\b" + kernel + r"\b", each["identity"]) for each in worse)
        good = status == 1 and worse and right and checks <= named
        shown = "; ".join(f"{each['short_name']} {each['architecture']}: " + ", ".join(
            f"{figure['shown_before']} -> {figure['shown_after']}" for figure in each["figures"]
            if figure["shown_after"]) for each in worse[:1])
        return bool(good), f"{kind}: {source} {kernel}: {', '.join(sorted(named)) or 'nothing'}: {shown}"

    def other(self, number, kind, source, change, flags, name):
        text, where = self.text_of(source), f"other{number}"
        a = self.compiled(where + "/before", os.path.basename(source), source, text, ["sm_90"])
        b = self.compiled(where + "/after", name, source, change(text), ["sm_90"], flags)
        status, found = self.checked(where, a, b)
        return status == 0 and not found["changes"], f"{kind}: {source}: {found['summary']}"


def main():
    parser = argparse.ArgumentParser()
    for word in ("tool", "repository", "nvcc"):
        parser.add_argument(word)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-o", dest="record")
    options = parser.parse_args()
    lines, wrong = [], []
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        trial = Trial(os.path.abspath(options.tool), os.path.abspath(options.repository), options.nvcc, folder)
        waiting = [("regression", each[0], pool.submit(trial.regression, number, *each))
                   for number, each in enumerate(regressions())]
        waiting += [("no regression", each[0], pool.submit(trial.other, number, *each))
                    for number, each in enumerate(others())]
        for what, kind, one in waiting:
            try:
                good, line = one.result()
            except (RuntimeError, ValueError, AssertionError, subprocess.CalledProcessError) as failure:
                good, line = False, f"{kind}: {failure}"
            counts[what, kind, good] += 1
            lines.append(("" if good else "WRONG ") + line)
            if not good:
                wrong.append(line)
                print("WRONG", line, flush=True)
    totals = collections.Counter()
    summary = []
    for (what, kind, good), number in sorted(counts.items()):
        totals[what, good] += number
        summary.append(f"{what}: {kind}: {number} {'right' if good else 'WRONG'}")
    summary.append(f"regressions found and named: {totals['regression', True]} of "
                   f"{totals['regression', True] + totals['regression', False]}; false alarms: "
                   f"{totals['no regression', False]} of "
                   f"{totals['no regression', True] + totals['no regression', False]}")
    print("\n".join(summary))
    if options.record:
        version = subprocess.run([options.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
        release = re.search(r"V[\d.]+", version)[0]
        with open(options.record, "w", encoding="utf-8") as file:
            file.write(f"# tests/ci/planted.py, {datetime.date.today()}, nvcc {release}, without a GPU\n"
                       + "\n".join(summary) + "\n\n" + "\n".join(lines) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
