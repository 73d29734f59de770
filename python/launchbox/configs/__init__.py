# SPDX-License-Identifier: Apache-2.0
"""Configurations of Triton, vLLM and SGLang, read from their files and written for them (docs/configs.md)."""
from __future__ import annotations

import argparse
import json
import os
from typing import List, Optional, Sequence

from .._files import Parser, clean, print_bytes, replace, run_command, say
from ..tool import Error
from .reading import Configs, Row, read
from .writing import Choice, Written, from_store

__all__ = ["Choice", "Configs", "Row", "Written", "from_store", "main", "read"]

EXAMPLES = """\
examples:
  python3 -m launchbox configs 'tests/data/configs/E=8,N=1024,device_name=NVIDIA_H100.json'
  python3 -m launchbox configs tests/data/configs/scale_kernel.autotune.json --t4 --gpu "NVIDIA H100" > scale.json
"""


def main(words: Optional[Sequence[str]] = None) -> int:
    """Exit status: 0 done; 2 a file or the command line is wrong; 3 the tool is missing; 4 interrupted."""
    return run_command(_run, words)


def _run(words: Optional[Sequence[str]]) -> int:
    parser = Parser(prog="python3 -m launchbox configs", epilog=EXAMPLES, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter,
                    description="Read configurations that Triton, vLLM and SGLang keep in files, and write such files "
                                "from a store of launchbox tune (docs/configs.md)")
    parser.add_argument("files", metavar="FILE", nargs="+",
                        help="*.autotune.json of Triton; E=...,N=...,device_name=....json and N=...,K=... of vLLM and "
                             "SGLang; folders with such files")
    parser.add_argument("--t4", action="store_true", help="write Triton's file as T4 results, which launchbox reads")
    parser.add_argument("--from", dest="store", metavar="STORE",
                        help="write FILE anew from the winners in this store; what was not measured stays")
    parser.add_argument("--size-name", metavar="NAME", default="M",
                        help="the workload's value that is the batch size (default: M)")
    parser.add_argument("--gpu", metavar="NAME", help="with --t4: the GPU that the times are of; with --from: only its "
                                                      "results")
    parser.add_argument("-o", "--output", metavar="FILE", default="-",
                        help="instead of standard output (-); a folder gets the file under its own name")
    parser.add_argument("--overwrite", action="store_true", help="also replace a file that has something else")
    options = parser.parse_args(words)
    if options.store is not None or options.t4:
        if options.store is not None and options.t4:
            raise Error("--from and --t4 exclude each other", "leave one out")
        if len(options.files) != 1:
            raise Error(f"{len(options.files)} files are given, but only one can be written", "name one")
        if options.store is not None:
            return _write_from_store(options)
        return _write(options, json.dumps(read(options.files[0]).t4(options.gpu), indent=1) + "\n", "results.json")
    if options.output != "-":
        raise Error("-o needs --from or --t4", "leave it out to see what the files hold")
    return _show(options.files)


def _show(paths: Sequence[str]) -> int:
    lines, refused, names = [], 0, _files(paths)
    for name in names:
        try:
            made = read(name)
        except Error as error:
            say(error.what, error.hint if len(names) == 1 else "")
            refused += 1
            continue
        what = ", ".join(f"{key}={value}" for key, value in made.facts.items())
        rows = f"{len(made.rows)} configuration" + ("" if len(made.rows) == 1 else "s")
        lines.append(f"{clean(name)}: {made.kind}, {rows}")
        if len(names) == 1:
            lines.append(f"  for {clean(what)}")
        for note in made.notes:
            say(f"{name}: {note}")
        for other, value in made.others.items():
            if len(names) == 1:
                lines.append(f"  {clean(other)}: {clean(str(value))}")
        if len(names) == 1:
            for row in made.rows:
                size = "" if row.size is None else f"{row.size}: "
                time = "  failed" if row.failed else "" if row.median_ms is None else f"  {row.median_ms:.6g} ms"
                lines.append("  " + size + clean(" ".join(f"{k}={v}" for k, v in row.parameters.items())) + time)
    if len(names) > 1:
        lines.append(f"{len(names) - refused} of {len(names)} files read")
    print_bytes("".join(line + "\n" for line in lines).encode(errors="surrogateescape"))
    return 2 if refused else 0


def _files(paths: Sequence[str]) -> List[str]:
    names: List[str] = []
    for path in paths:
        if not os.path.isdir(path):
            names.append(path)
            continue
        found = sorted(os.path.join(folder, name) for folder, _, inside in os.walk(path) for name in inside
                       if name.endswith(".json"))
        if not found:
            raise Error(f"{clean(path)} has no file that ends in .json", "name a folder of configurations")
        names += found
    return names


def _write_from_store(options: argparse.Namespace) -> int:
    given = options.files[0]
    baseline = read(given) if os.path.exists(given) else None  # a missing one will be written
    name = None if baseline is not None else os.path.basename(given)
    if baseline is None and options.output == "-":
        options.output = given
    made = from_store(options.store, baseline, name=name, size=options.size_name, gpu=options.gpu)
    for note in made.notes:
        say(note)
    for choice in made.choices:
        size = "" if choice.size is None else f"{options.size_name}={choice.size}: "
        say(f"{size}{'tuned' if choice.measured else 'kept'}, {choice.why}")
    return _write(options, made.text, made.name)


def _write(options: argparse.Namespace, text: str, name: str) -> int:
    if options.output == "-":
        print_bytes(text.encode())
        return 0
    path = os.path.join(options.output, name) if os.path.isdir(options.output) else options.output
    # With --overwrite the output may be the file that is in use.
    inputs = [] if options.store is not None and options.overwrite else options.files
    replace(path, text.encode(), [each for each in inputs if os.path.exists(each)], options.overwrite)
    return 0
