# SPDX-License-Identifier: Apache-2.0
"""The verbs of the tool as functions: inputs and options in, its JSON as records out."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Literal, Optional, Sequence, Type, TypeVar, Union, overload

from . import _images, tool
from .frames import rows_of
from .records import Report
from .tool import Error
from .types import (REPORTS, Advice, Bounds, Check, Compilers, Comparison, Convergence, Devices, Diff, Kernels,
                    Launches, Map, RegisterLimits, Results, Size, StackReserve, Suggestions, Summary)

#: A file or folder by its name.
Path = Union[str, "os.PathLike[str]", "os.PathLike[bytes]"]

#: The values of an option: True for one without a value; a list for one that takes several.
Option = Union[None, bool, int, float, Path, Sequence[Union[str, int, float]]]

Answered = TypeVar("Answered", bound=Report)

# Options that take a list as one word, "sm_80,sm_90"; all others are repeated for each value.
_JOINED = {"arch", "min-blocks", "threads", "gpcs", "map", "by", "grid", "strategy", "predict"}
# Verbs whose first operand is not a file with kernels, so that objects and bytes make no sense.
_WITHOUT_IMAGES = {"advise", "results", "devices", "capture", "emit", "tune", "bench-search", "report"}


def call(verb: str, *sources: Any, nvcc_flags: Sequence[str] = (), **options: Any) -> Report:
    """Any verb of the tool that prints JSON: `launchbox.call("occupancy", "a.so", threads=256)`.

    Parameters
    ----------
    verb
        As on the command line: "inspect", "bench-search". `launchbox VERB --help` lists its options.
    sources
        Inputs: paths, and for verbs that read kernels also bytes and kernel objects (see `inspect`).
    nvcc_flags
        Flags for nvcc, one word each, as after `--` on the command line.
    options
        The tool's options with _ for -: dynamic_shared="4*threads" is --dynamic-shared=4*threads. True gives an option
        without its value, None and False leave it out. A sequence gives several values.

    Returns
    -------
    The record of `launchbox.types` for the tool's output: its attributes are the members of the JSON, which the schemas
    describe. If some inputs could not be read, it has the others, `complete` is False and `messages` has the reasons. A
    failed check (exit status 1) does not raise an exception.

    Raises
    ------
    launchbox.Error
        Nothing could be read, an option is wrong (the message suggests the most similar), or something needed is
        missing.
    """
    words, given = [verb], None
    if not verb or verb.startswith("-"):
        raise Error(f"unknown command {verb!r}", "see launchbox --help")
    if isinstance(nvcc_flags, str):
        raise Error("nvcc_flags is one text", 'give a list of words, such as ["-O3", "-Iinclude"]')
    form = [] if options.get("write_baseline") else ["--format=json"]  # writes a file and prints nothing
    words += [*form, *option_words(options)]
    paths, images = _images.split(sources)
    if sources and not paths and not images:
        raise Error(f"there is nothing to {verb}: the list is empty", f"give {_images.TAKEN}")
    if images:
        if verb in _WITHOUT_IMAGES:
            raise Error(f"{verb} reads files, and no bytes or kernel objects", "write them to a file")
        given = _images.as_input(images)
        paths.append("-")
    done = tool.answer([*words, *paths, *(["--", *map(_text, nvcc_flags)] if nvcc_flags else [])],
                       input=given)
    report = report_of(done, written=not form)
    inputs = report._json.get("inputs")
    missing = _images.left_out(images, [each.get("file", "") for each in inputs]) if isinstance(inputs, list) else []
    return type(report)(report._json, [*report.messages, *missing], 2) if missing else report


def option_words(options: Dict[str, Option]) -> List[str]:
    """Keyword arguments as words of the command line."""
    words: List[str] = []
    for keyword, value in options.items():
        name = keyword.rstrip("_").replace("_", "-")
        if name == "format":
            raise Error("the answer is made of JSON, so format cannot be chosen",
                        "run the command launchbox for others")
        if value is None or value is False:
            continue
        if value is True:
            words.append("--" + name)
            continue
        one = isinstance(value, (str, bytes, os.PathLike)) or not hasattr(value, "__iter__")
        several: Any = value
        values = [value] if one else list(several)
        texts = [_text(each) for each in values]
        if not texts or "" in texts:  # the tool would take the next word instead
            raise Error(f"{keyword} is empty", "leave it out, or give it a value")
        if name in _JOINED:
            texts = [",".join(texts)]
        words += [f"--{name}={text}" for text in texts]
    return words


def report_of(done: tool.Answer, written: bool = False) -> Report:
    """The tool's output as the record of its schema, or an empty report if it wrote a file instead."""
    if not done.output.strip() or written and done.status == 0:
        if done.status in (0, 1):
            return Report({}, done.messages, done.status)
        raise done.error()
    try:
        members = tool.parse(done.output)
        schema = members["schema"]
    except (ValueError, TypeError, KeyError):
        raise Error("launchbox printed something other than its JSON: " +
                    ascii(done.output[:60].decode(errors="replace"))) from None
    kind: Optional[Type[Report]] = REPORTS.get(schema)
    if kind is None:
        raise Error(f"the tool {tool.path()} is launchbox {tool.version()}, which answers with {schema}; this package "
                    "does not know that", "install both from one wheel, or unset LAUNCHBOX_TOOL")
    report = kind(members, done.messages, done.status)
    if not report.complete and not _has_something(report):
        raise done.error()
    return report


def _has_something(report: Report) -> bool:
    """Whether any input could be read."""
    inputs = report._json.get("inputs")
    read = [each for each in inputs or [] if not isinstance(each, dict) or each.get("kernels") != 0]
    return bool(read) or bool(rows_of(report))


def _text(value: Any) -> str:
    if isinstance(value, (bytes, os.PathLike)):
        return os.fsdecode(value)
    if hasattr(value, "is_integer") and value.is_integer():
        return str(int(value))
    return str(value)


@overload
def inspect(*sources: Any, summary: Literal[True], arch: Option = None, kernel: Option = None, nvcc: Option = None,
            build: Option = None, jobs: Option = None, no_cache: bool = False, before_linking: bool = False,
            nvcc_flags: Sequence[str] = ()) -> Summary: ...
@overload
def inspect(*sources: Any, size: Literal[True], arch: Option = None, kernel: Option = None, nvcc: Option = None,
            build: Option = None, jobs: Option = None, no_cache: bool = False, before_linking: bool = False,
            nvcc_flags: Sequence[str] = ()) -> Size: ...
@overload
def inspect(*sources: Any, stack_reserve: Literal[True], threads: Option = None, dynamic_shared: Option = None,
            arch: Option = None, kernel: Option = None, nvcc: Option = None, build: Option = None, jobs: Option = None,
            no_cache: bool = False, before_linking: bool = False, nvcc_flags: Sequence[str] = ()) -> StackReserve: ...
@overload
def inspect(*sources: Any, diff: Path, threads: Option = None, dynamic_shared: Option = None, top: Option = None,
            arch: Option = None, kernel: Option = None, nvcc: Option = None, build: Option = None, jobs: Option = None,
            no_cache: bool = False, before_linking: bool = False, nvcc_flags: Sequence[str] = ()) -> Diff: ...
@overload
def inspect(*sources: Any, flags: Sequence[str], arch: Option = None, kernel: Option = None, nvcc: Option = None,
            build: Option = None, jobs: Option = None, no_cache: bool = False, before_linking: bool = False,
            nvcc_flags: Sequence[str] = ()) -> Compilers: ...
@overload
def inspect(*sources: Any, threads: Option = None, dynamic_shared: Option = None, spilling: bool = False,
            sort: Option = None, top: Option = None, lines: Option = None, source_root: Option = None,
            arch: Option = None, kernel: Option = None, nvcc: Option = None, build: Option = None, jobs: Option = None,
            no_cache: bool = False, before_linking: bool = False, nvcc_flags: Sequence[str] = ()) -> Kernels: ...
def inspect(*sources: Any, **options: Any) -> Report:
    """What the compiler produced for every kernel: registers, spills, shared memory, findings.

    Parameters
    ----------
    sources
        Any of: paths (programs, libraries, objects, cubins, PTX, CUDA sources, logs of ptxas -v, folders, packages);
        bytes of such files; kernels of Triton (what a launch returns, or the function, for all that was compiled from
        it), of PyTorch's inductor (CachingAutotuner, or the module that torch.compile wrote), CuPy (RawKernel,
        RawModule), Numba (after a launch) and cuda.core (ObjectCode); lists of these. For kernels of Triton, threads
        and dynamic shared memory are known, so that `occupancy` is available.
    options
        Those of `launchbox inspect`: arch="sm_90", kernel="gemm*", threads=256, dynamic_shared="48K" (bytes, or an
        expression of threads), spilling=True, top=10, lines="spills" (see docs/lines.md), summary=True, size=True,
        stack_reserve=True, diff="new.so".

    Returns
    -------
    launchbox.types.Kernels, whose `kernels` has one record per kernel and architecture: `demangled`, `registers` (per
    thread), `spill_store_bytes`, `spill_load_bytes`, `static_shared_bytes`, `occupancy` (None if the block size is
    unknown), `diagnoses`, ... None means unknown. With summary=True and similar options, the report of that option.

    Raises
    ------
    launchbox.Error
        None of the sources could be read. If some could, the report has them, and `complete` is False.

    Examples
    --------
    >>> report = inspect("tests/data/logs/basic_sm_90.log", kernel="named_barrier", threads=256)
    >>> [(each.short_name, each.registers, each.occupancy.resident_blocks) for each in report.kernels]
    [('named_barrier', 10, 8)]
    """
    return call("inspect", *sources, **options)


def advise(source: Path, *, arch: Option = None, kernel: Option = None, threads: Option = None,
           nvcc_flags: Sequence[str] = (), **options: Any) -> Advice:
    """What to change in each kernel of a CUDA source: its figures, its launches, the launch bound to write.

    Needs nvcc. Options are those of `launchbox advise`: arch="sm_80,sm_90", threads=[128, 256] (per block),
    dynamic_shared=11264 (bytes), nvcc_flags=["-Iinclude"].
    """
    return _as(Advice, call("advise", source, arch=arch, kernel=kernel, threads=threads, nvcc_flags=nvcc_flags,
                            **options))


@overload
def results(*stores: Path, compare: Literal[True], fail_slower: Option = None, workload: Option = None,
            gpu: Option = None, run: Option = None, top: Option = None) -> Comparison: ...
@overload
def results(*stores: Path, convergence: Literal[True], workload: Option = None, gpu: Option = None, run: Option = None,
            top: Option = None) -> Convergence: ...
@overload
def results(*stores: Path, map: Option, by: Option = None, unit: Option = None, workload: Option = None,
            gpu: Option = None, run: Option = None, top: Option = None) -> Map: ...
@overload
def results(*stores: Path, samples: bool = False, failures: bool = False, workload: Option = None, gpu: Option = None,
            run: Option = None, top: Option = None) -> Results: ...
def results(*stores: Path, **options: Any) -> Report:
    """What `launchbox tune` measured: `best`, `candidates` with `median_ns` (nanoseconds), why others failed.

    Parameters
    ----------
    stores
        Files of `launchbox tune` (.db), JSON of this verb, or results of Kernel Tuner, KTT and T4.
    options
        Those of `launchbox results`: workload="n=1e8", gpu="H100", run=2, samples=True; compare=True,
        convergence=True or map="threads,items" return other reports.

    Examples
    --------
    >>> report = results("tests/data/results/example.json")
    >>> report.best[0].parameters
    {'threads': 128, 'items': 17}
    """
    return call("results", *stores, **options)


def check(*sources: Any, budget: Optional[Path] = None, baseline: Optional[Path] = None, **options: Any) -> Check:
    """Checks kernels against a budget and an earlier build: `passed`, and `findings` with what became worse.

    A failed check (`passed` is False) does not raise an exception. Sources are as for `inspect`.
    """
    return _as(Check, call("check", *sources, budget=budget, baseline=baseline, **options))


@overload
def bounds(source: Path, *, arch: Option = None, kernel: Option = None, threads: Option = None,
           min_blocks: Option = None, nvcc_flags: Sequence[str] = (), **options: Any) -> Bounds: ...
@overload
def bounds(*, arch: Option = None, threads: Option = None, min_blocks: Option = None) -> RegisterLimits: ...
def bounds(*sources: Path, **options: Any) -> Report:
    """The `__launch_bounds__` to write, by compiling a CUDA source with each (needs nvcc); without a source the
    registers that each bound leaves: `bounds(arch="sm_90", threads=128, min_blocks=7)`."""
    return call("bounds", *sources, **options)


def suggest(*sources: Any, **options: Any) -> Suggestions:
    """The block sizes that keep the most threads resident.

    For figures (`suggest(arch="sm_90", registers=40, dynamic_shared="4*threads")`) or the kernels of `sources`.

    Examples
    --------
    >>> suggest(arch="sm_90", registers=40).results[0].candidates[0].threads
    256
    """
    return _as(Suggestions, call("suggest", *sources, **options))


def devices(*, arch: Option = None, here: bool = False) -> Devices:
    """The GPUs of this machine (`gpus`; empty without one) and the limits of each compute capability, or those of
    arch="sm_90,T4" only. here=True raises an Error if there is no GPU."""
    return _as(Devices, call("devices", arch=arch, here=here))


def capture(*command: Path, **options: Any) -> Launches:
    """Runs a program and lists the kernels that it launches: shapes, times (nanoseconds), occupancy, findings.

    The program's output stays on standard output. Needs a GPU. Options are those of `launchbox capture`:
    follow_children=True, all=True.
    """
    import tempfile
    if not command:
        raise Error("capture needs a program", 'such as launchbox.capture("./app", "input.bin")')
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "launches.json")
        words = ["capture", *option_words(options), "--format=json", "--output=" + file, "--"]
        done = tool.answer([*words, *(os.fsdecode(os.fspath(each)) for each in command)], shown=True)
        if not os.path.exists(file):
            raise done.error()
        with open(file, "rb") as written:
            report = report_of(tool.Answer(written.read(), done.messages, 0))
    return _as(Launches, report)


def _as(kind: Type[Answered], report: Report) -> Answered:
    if not isinstance(report, kind):
        what = "nothing" if type(report) is Report else type(report).__name__
        raise Error(f"with these options the answer is {what}, not {kind.__name__}", "use launchbox.call(...) for them")
    return report
