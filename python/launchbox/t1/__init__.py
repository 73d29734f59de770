# SPDX-License-Identifier: Apache-2.0
"""`python3 -m launchbox t1 FILE.json > spec.toml`: T1 problems of other tuners as specs of launchbox."""
from __future__ import annotations

import argparse
import os
import stat
from typing import BinaryIO, Sequence

from .._files import Parser, clean, print_bytes, replace, run_command, say
from ..tool import Error
from .problem import MAX_BYTES, SPECS, Note, Translation, translate

__all__ = ["Note", "Translation", "main", "translate"]

EXAMPLES = """\
examples:
  python3 -m launchbox t1 tests/data/t1/blur.json > blur.toml
  python3 -m launchbox t1 tests/data/t1/blur.json -o blur.toml
"""


def main(words: Sequence[str] | None = None) -> int:
    """Exit status: 0 done; 2 the input or the command line is wrong; 4 interrupted."""
    return run_command(_run, words)


def _run(words: Sequence[str] | None) -> int:
    parser = Parser(prog="python3 -m launchbox t1", epilog=EXAMPLES, allow_abbrev=False,
                     formatter_class=argparse.RawDescriptionHelpFormatter,
                     description="Write a T1 problem of another tuner as a spec; standard error lists what was not "
                                 "translated (docs/t1.md)")
    parser.add_argument("file", metavar="FILE", help="the T1 problem, JSON; - for standard input")
    parser.add_argument("-o", "--output", metavar="FILE", default="-",
                        help="write to this file instead of standard output (-)")
    parser.add_argument("--overwrite", action="store_true", help="also replace a file that has something else; never "
                                                                 "the input")
    options = parser.parse_args(words)
    made = translate(options.file, _read(options.file), _path_to_problem(options.file, options.output))
    try:
        spec = made.spec.encode()
    except UnicodeEncodeError:
        raise Error(f"{clean(options.file)}: its path has a name that is not UTF-8, as specs are",
                    "rename it, or write the spec beside it") from None
    for note in made.notes:
        say(f"{options.file}: {note.place}: {note.what}")
    if options.output != "-":
        replace(options.output, spec, [options.file], options.overwrite)
        return 0
    print_bytes(spec)
    return 0


def _read(file: str) -> bytes:
    try:
        with _opened(file) as source:
            text = source.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise Error(f"cannot open {file}: {getattr(error, 'strerror', None) or error}", "check the path") from None
    if len(text) > MAX_BYTES:
        raise Error(f"{file} is larger than 1 MiB", SPECS)
    return text


def _opened(file: str) -> BinaryIO:
    return open(0, "rb", closefd=False) if file == "-" else open(file, "rb")


def _path_to_problem(problem: str, output: str) -> str:
    """The path from the folder of the spec to that of the problem: "", or "kernels/".

    The spec is where -o or the shell's > puts it; through a pipe it is read in the current folder.
    """
    if output == "-":
        output = _file_behind_standard_output() or "spec.toml"
    there = os.path.dirname(os.path.abspath("problem.json" if problem == "-" else problem))
    here = os.path.dirname(os.path.abspath(output))
    path = os.path.relpath(there, here)
    if os.path.realpath(os.path.join(here, path)) != os.path.realpath(there):  # after a link .. leads elsewhere
        path = os.path.relpath(os.path.realpath(there), os.path.realpath(here))
    return "" if path == "." else path + "/"


def _file_behind_standard_output() -> str | None:
    try:
        path = os.readlink("/proc/self/fd/1")
        same = os.path.samestat(os.stat(path), os.fstat(1))
        return path if same and stat.S_ISREG(os.fstat(1).st_mode) else None
    except OSError:
        return None
