#!/usr/bin/env python3
"""Asks every verb about the kernels of sources, and ends with 1 if two of them disagree.

    tests/cli/verbs_agree.py TOOL [--arch sm_80,sm_90] [--least N] SOURCE... [-- FLAGS OF NVCC]

advise, bounds, inspect, check and suggest see the same kernel. Compares its figures, its resident blocks, the bound to
write and whether another block size is allowed; and no finding of a verb that compiles a kernel once may name a bound.
--least: the minimum number of answers; --changes: the minimum number of them with a bound to write.
"""

import argparse
import json
import subprocess
import sys
import tempfile

FIGURES = ("registers", "spill_store_bytes", "spill_load_bytes", "shared_spill_store_bytes",
           "shared_spill_load_bytes", "static_shared_bytes")
# These need some launch bound to work at all.
NEED_A_BOUND = {"setmaxnreg_ignored", "launch_exceeds_bound"}


class Asked:
    def __init__(self, tool, flags):
        self.tool, self.flags = tool, flags
        self.compared = self.changes = self.fixes = 0
        self.wrong = []

    def ask(self, verb, source, architectures, *more):
        words = [self.tool, verb, source, "--arch", architectures, "--format", "json", *more]
        if self.flags:
            words += ["--", *self.flags]
        done = subprocess.run(words, capture_output=True, text=True)
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            sys.exit(f"verbs_agree: {' '.join(words)}: {done.stderr.strip()[:400]}")

    def compare(self, source, architectures):
        advice = self.ask("advise", source, architectures)
        bounds = by_kernel(self.ask("bounds", source, architectures)["kernels"])
        seen = by_kernel(self.ask("inspect", source, architectures)["kernels"])
        sizes = {one["kernel"]["name"]: one for one in self.ask("suggest", source, architectures)["results"]}
        for kernel in advice["kernels"]:
            for one in kernel["architectures"]:
                key = (kernel["name"], one["architecture"])
                self.compare_kernel(f"{source}: {kernel['short_name']} on {key[1]}", one, seen.get(key), bounds.get(key))
            ranked = sizes.get(kernel["short_name"], {}).get("candidates")
            if kernel["block_size"] == "fixed" and ranked:
                self.wrong.append(f"{source}: {kernel['short_name']}: advise says that the block size is fixed, "
                                  f"suggest ranks {len(ranked)}")
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as budget:
            budget.write('[[rule]]\nkernel = "*"\nmax_spill_bytes = 0\nmax_registers = 32\n')
            budget.flush()
            answers = [self.ask("inspect", source, architectures),
                       self.ask("check", source, architectures, "--budget", budget.name)]
        for finding in findings_in(answers):
            self.fixes += 1
            if finding.get("id") in NEED_A_BOUND:
                continue
            for bound in ("__launch_bounds__", "__maxnreg__"):
                if bound in finding["fix"]:
                    self.wrong.append(f"{source}: a finding names a bound: {finding['fix']}")

    def compare_kernel(self, what, one, seen, bounds):
        if seen is None or bounds is None:
            self.wrong.append(f"{what}: {'inspect' if seen is None else 'bounds'} does not show it")
            return
        self.compared += 1
        for figure in FIGURES:
            if one[figure] != seen[figure]:
                self.wrong.append(f"{what}: {figure}: advise {one[figure]}, inspect {seen[figure]}")
        shown = seen["occupancy"]
        if shown and shown["shape"]["threads"] == one["threads"] and not one["obstacle"]:
            if shown["resident_blocks"] != one["resident_blocks"]:
                self.wrong.append(f"{what}: advise {one['resident_blocks']} blocks, inspect {shown['resident_blocks']}")
        if one["verdict"] == "unknown":
            return  # it reports less
        said = [each for each in bounds["recommendations"] if each["threads"] == one["threads"]]
        if not said:
            self.wrong.append(f"{what}: bounds has no answer for {one['threads']} threads")
            return
        self.changes += one["verdict"] == "write"
        if said[0]["verdict"] != one["verdict"] or (one["write"] and said[0]["attribute"] != one["write"]):
            self.wrong.append(f"{what}: advise {one['verdict']} {one['write']}, "
                              f"bounds {said[0]['verdict']} {said[0]['attribute']}")


def by_kernel(kernels):
    return {(kernel["name"], kernel["architecture"]): kernel for kernel in kernels}


def findings_in(value):
    if isinstance(value, dict):
        if isinstance(value.get("fix"), str):
            yield value
        for member in value.values():
            yield from findings_in(member)
    elif isinstance(value, list):
        for member in value:
            yield from findings_in(member)


def main():
    words = sys.argv[1:]
    flags = []
    if "--" in words:
        flags = words[words.index("--") + 1:]
        words = words[:words.index("--")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("sources", nargs="+", metavar="SOURCE")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--least", type=int, default=1, metavar="N")
    parser.add_argument("--changes", type=int, default=0, metavar="N")
    options = parser.parse_args(words)
    asked = Asked(options.tool, flags)
    for source in options.sources:
        before = asked.compared
        asked.compare(source, options.arch)
        print(f"{source}: {asked.compared - before} answers compared", flush=True)
    for line in asked.wrong:
        print("disagree: " + line)
    print(f"{asked.compared} answers, {asked.changes} with a bound to write, {asked.fixes} findings: "
          f"{len(asked.wrong)} disagree")
    if asked.compared < options.least or asked.changes < options.changes:
        sys.exit(f"verbs_agree: too little was compared: {asked.compared} answers, {asked.changes} bounds")
    return 1 if asked.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
