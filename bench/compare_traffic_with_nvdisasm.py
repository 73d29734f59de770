#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`inspect --lines=memory` against counts from nvdisasm's text, for every kernel of libraries.

    bench/compare_traffic_with_nvdisasm.py [--tool build/release/launchbox] [--nvdisasm nvdisasm] [--cuobjdump cuobjdump]
                                           [--architectures 75,90] [-o RECORD.json] library or cubin...

cuobjdump takes the cubins out of a library; each is disassembled, and instructions, loads, stores, atomics and copies
by space, their bytes, barriers and griddepcontrol are counted by rules that this script implements independently.
Padding at the end of a kernel (NOP, a branch to itself) counts on neither side. Names that launchbox does not know are
listed.

Exit status: 0 no difference, 1 some, or nothing was compared, 2 a program or a file is missing or fails.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

LABEL = re.compile(r"^(\.L_\S+):")
SECTION = re.compile(r"^\.text\.(\S+):")
INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\S+\s+)?([A-Z][\w.]*)(.*)")
SPACES = {"": "generic", "G": "global", "S": "shared", "L": "local"}
ACCESSES = {"LD": "load", "ST": "store", "ATOM": "atomic", "RED": "atomic"}
# Opcodes whose names do not follow from space and direction.
OTHERS = {"LDSM": ("shared", "load"), "STSM": ("shared", "store"), "STAS": ("shared", "store"),
          "RED": ("global", "atomic"), "REDAS": ("shared", "atomic"), "LDGSTS": ("global", "copy"),
          "LDGMC": ("global", "load"), "LDTM": ("tensor", "load"), "STTM": ("tensor", "store"), "LDT": ("tensor", "load"), "UTCCP": ("tensor", "copy"),
          "UTMAPF": ("global", "load"), "UBLKPF": ("global", "load"),
          "SULD": ("texture", "load"), "SUST": ("texture", "store"), "SURED": ("texture", "atomic"),
          "SUATOM": ("texture", "atomic")}
WITHOUT_WIDTH = ("UTM", "UBLK", "T", "SU", "LDT", "STT", "UTC")


def memory_of(name):
    """(space, access, bytes) of an instruction, or None."""
    base, *suffixes = name.split(".")
    if base in OTHERS:
        space, access = OTHERS[base]
    elif made := re.fullmatch(r"(LD|ST|ATOM|RED)([GSL]?)", base):
        space, access = SPACES[made[2]], ACCESSES[made[1]]
    elif base.startswith(("UTMA", "UBLK")) and base not in ("UTMACMDFLUSH", "UTMACCTL"):
        space, access = "global", "copy"
    elif base in ("TEX", "TLD", "TLD4", "TMML", "TXD", "TXQ"):
        space, access = "texture", "load"
    else:
        return None
    if base.startswith(WITHOUT_WIDTH):
        return space, access, 0
    if base in ("LDSM", "STSM"):
        return space, access, 4 * max([int(s.lstrip("x")) for s in suffixes if s in ("2", "4", "x2", "x4")], default=1)
    bits = 32
    for suffix in suffixes:
        if number := re.fullmatch(r"[FUS]?(8|16|64|128|256)", suffix):
            bits = int(number[1])
        if suffix == "ENL2":
            bits = 256
    return space, access, bits // 8


def counts_of(nvdisasm, cubin):
    """By kernel: a counter of everything that is compared."""
    text = subprocess.run([nvdisasm, "-c", str(cubin)], capture_output=True, text=True, errors="replace", check=True).stdout
    code, labels, waiting, current = {}, {}, [], None
    for line in text.splitlines():
        if section := SECTION.match(line):
            current = code.setdefault(section[1], [])
        elif label := LABEL.match(line):
            waiting.append(label[1])
        elif current is not None and (one := INSTRUCTION.match(line)):
            at = int(one[1], 16)
            labels.update((name, at) for name in waiting)
            waiting = []
            current.append((at, one[2], one[3]))
    result = {}
    for kernel, instructions in code.items():
        def fills(one):
            target = re.search(r"`\((\.L_\w+)\)", one[2])
            return one[1] == "BRA" and target and labels.get(target[1]) == one[0]

        while instructions and (instructions[-1][1] == "NOP" or fills(instructions[-1])):
            instructions.pop()
        counts = result.setdefault(kernel, collections.Counter())
        for one in instructions:
            if fills(one):
                continue
            counts["instructions"] += 1
            counts["barriers"] += one[1].split(".")[0] == "BAR"
            counts["waits"] |= one[1] == "ACQBULK"
            counts["lets next begin"] |= one[1] == "PREEXIT"
            if memory := memory_of(one[1]):
                counts[memory] += 1
    return {kernel: +counts for kernel, counts in result.items()}


def ours_of(code):
    counts = collections.Counter({"instructions": code["instructions"], "barriers": code["barriers"],
                                  "waits": int(code["waits_for_grid"]), "lets next begin": int(code["lets_next_grid_begin"])})
    for use in code["memory"]:
        counts[use["space"], use["access"], use["bytes"] or 0] += use["instructions"]
    return +counts


def in_margin_of(counts):
    """Reads and writes as `--lines=source` counts them by opcodes: neither local memory, textures nor bulk copies."""
    sums = collections.Counter()
    for what, n in counts.items():
        if isinstance(what, tuple) and what[0] in ("global", "shared", "generic") and what[2] > 0:
            sums["reads"] += n * (what[1] != "store")
            sums["writes"] += n * (what[1] != "load")
    return sums


def cubins_of(cuobjdump, file, architectures, folder):
    if file.suffix == ".cubin":
        return [file]
    for architecture in architectures or [None]:
        only = ["-arch", f"sm_{architecture}"] if architecture else []
        subprocess.run([cuobjdump, "-xelf", "all", *only, str(file.resolve())], cwd=folder, capture_output=True, check=True)
    return sorted(pathlib.Path(folder).glob("*.cubin"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--tool", default="build/release/launchbox")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("--architectures", default="", help="architectures of libraries to compare; default: all")
    parser.add_argument("--every", type=int, default=1, help="only every Nth cubin of a library")
    parser.add_argument("-o", "--output", metavar="RECORD.json", help="also write the record")
    options = parser.parse_args()
    architectures = [a for a in options.architectures.split(",") if a]
    rows, names, differences = [], collections.Counter(), 0
    for file in options.files:
        row = collections.Counter()
        with tempfile.TemporaryDirectory() as folder:
            for cubin in cubins_of(options.cuobjdump, file, architectures, folder)[::options.every]:
                answer = subprocess.run([options.tool, "inspect", str(cubin), "--lines=memory", "--format", "json"],
                                        capture_output=True, text=True, check=True).stdout
                source = subprocess.run([options.tool, "inspect", str(cubin), "--lines=source", "--format", "json"],
                                        capture_output=True, text=True, check=True).stdout
                margins = {kernel["name"]: kernel["lines"] for kernel in json.loads(source)["kernels"]}
                theirs = counts_of(options.nvdisasm, cubin)
                row["cubins"] += 1
                for kernel in json.loads(answer)["kernels"]:
                    code = kernel["code"]
                    if code is None or "problem" in code or kernel["name"] not in theirs:
                        row["not shown"] += 1
                        continue
                    names.update(code["not_known"])
                    ours, own = ours_of(code), theirs[kernel["name"]]
                    row["kernels"] += 1
                    row["instructions"] += own["instructions"]
                    row["accesses"] += sum(n for what, n in own.items() if isinstance(what, tuple))
                    lines = margins[kernel["name"]]
                    if lines and "memory_reads" in lines["total"]:
                        row["with margins"] += 1
                        expected = in_margin_of(own)
                        ours["in margin"] = lines["total"]["memory_reads"], lines["total"]["memory_writes"]
                        own["in margin"] = expected["reads"], expected["writes"]
                    if ours != own:
                        row["differences"] += 1
                        if differences + row["differences"] <= 5:
                            print(f"{cubin.name} {kernel['name'][:80]}: ours, nvdisasm's "
                                  f"{ {what: (ours[what], own[what]) for what in ours | own if ours[what] != own[what]} }")
        differences += row["differences"]
        rows.append({"file": file.name, **row})
        print(f"{file.name}: " + ", ".join(f"{n:,} {what}" for what, n in row.items()), flush=True)
    if names:
        print("names that are not known: " + ", ".join(f"{name} ({n})" for name, n in names.most_common()))
    if options.output:
        record = {"schema": "launchbox.record/1", "date": time.strftime("%Y-%m-%d"),
                  "commit": subprocess.check_output(["git", "rev-parse", "HEAD"], text=True,
                                                    cwd=os.path.dirname(os.path.abspath(__file__))).strip(),
                  "command": "bench/compare_traffic_with_nvdisasm.py", "architectures": architectures, "every": options.every,
                  "files": rows, "not_known": dict(names)}
        pathlib.Path(options.output).write_text(json.dumps(record, indent=2) + "\n")
    return 1 if differences or not any(row.get("kernels") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
