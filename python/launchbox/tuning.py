# SPDX-License-Identifier: Apache-2.0
"""`launchbox.tune`: tunes candidates that Python launches; the tool searches, times and stores them.

The tool does the search, the statistics, the final race, the store and the limits. This module writes its spec, and
sends the functions to the processes that it starts (`_worker`).
"""
from __future__ import annotations

import inspect
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from . import _gpu, _payload
from ._spec import Spec, Values, by_name, toml
from ._tune_call import run_tool
from .tool import Error

_LIBRARIES = ("torch", "triton", "cupy", "numba", "warp", "numpy", "jax")
_START = "import os,sys;sys.path.insert(0,os.environ['LAUNCHBOX_PYTHON']);from launchbox._worker import main;main()"


@dataclass(frozen=True)
class Candidate:
    """The result of one assignment of the parameters on one workload."""

    parameters: Dict[str, Any]
    workload: Dict[str, Any]
    status: str  #: "measured", "launch_error", "wrong_result", "hang", ...
    reason: Optional[str]  #: one line, if it was not measured
    median_ms: Optional[float]
    verified: bool  #: its outputs were checked after every timed launch
    samples: int
    rank: Optional[int]


@dataclass(frozen=True)
class Tuning:
    """The best candidate and all others: those of the first workload and GPU model, if there are several; `best` has
    all."""

    parameters: Dict[str, Any]  #: the winner, or else the baseline, or else the fastest: see `verdict`
    median_ms: Optional[float]
    verified: bool
    verdict: str  #: how certain the winner is, in a sentence
    has_winner: bool  #: noise leaves no doubt about the winner
    candidates: List[Candidate] = field(repr=False)
    best: List[Dict[str, Any]] = field(repr=False)  #: as in the tool's JSON: for each run and workload
    database: str = ""

    @property
    def failed(self) -> List[Candidate]:
        """Those that could not be measured, with their reasons."""
        return [each for each in self.candidates if each.status != "measured"]

    def __str__(self) -> str:
        values = " ".join(f"{name}={value}" for name, value in self.parameters.items())
        said = "" if self.verified else ", not verified: nothing checked the outputs"
        return f"{values}: {self.median_ms:.6g} ms{said}" if self.median_ms is not None else values + said


def tune(space: Union[Mapping[str, Iterable[Any]], str, "os.PathLike[str]"], *,
         run: Optional[Callable[..., Any]] = None,
         verify: Optional[Callable[..., Any]] = None,
         reference: Optional[Callable[..., Any]] = None,
         outputs: Optional[Callable[..., Any]] = None,
         reset: Optional[Callable[..., Any]] = None,
         setup: Optional[Callable[..., Any]] = None,
         stream: Optional[Callable[..., Any]] = None,
         compile: Optional[Callable[..., Any]] = None,
         quantities: Optional[Callable[..., Any]] = None,
         objective: Optional[str] = None,
         constraints: Union[str, Sequence[str]] = (),
         baseline: Optional[Mapping[str, Any]] = None,
         workloads: Sequence[Mapping[str, Any]] = (),
         rtol: float = 0, atol: float = 0,
         device: Optional[str] = None, gpus: Sequence[int] = (), workers: int = 1,
         compilers: Optional[int] = None,
         name: Optional[str] = None,
         database: Union[str, "os.PathLike[str]", None] = None,
         budget: Union[int, str, None] = None, strategy: Optional[str] = None, seed: Optional[int] = None,
         warm_start: Optional[str] = None,
         cache: str = "cold", measure: Optional[Mapping[str, Any]] = None,
         compile_seconds: float = 120, start_seconds: float = 300, check_seconds: float = 300,
         memory: Optional[int] = None, sources: Sequence[str] = (),
         log: Union[str, "os.PathLike[str]", None] = None, progress: bool = True) -> Tuning:
    """Finds the fastest candidate of `space` by measuring, and keeps all results in a database.

    `space`: the values of each parameter, by its name. Values may be numbers, strings, True and False, or any other
    objects, which the database lists by name. Or the path of a spec (docs/tune_spec.md), which replaces the other
    arguments.

    `run(**parameters)`: one launch of one candidate. It may return its outputs (arrays, or a tuple or dict of arrays),
    or a number, which is its time in milliseconds. Otherwise it is timed between two events of the GPU, or on the CPU
    with a clock.

    `setup()` runs once in each worker process; `run` and all others get its result as their first argument. `reset()`
    runs before each launch and is not timed: it restores data that launches change.

    A time counts only if the output of that launch was right. The outputs that `run` returns, or that `outputs()`
    gives, are overwritten before each timed launch. After it, `verify()` raises or returns False if something is
    wrong; or the outputs are compared with those of `reference()`, else with those of the baseline or of the first
    candidate: |x - right| <= atol + rtol * |right|.

    `compile(**parameters)` compiles a candidate for the library's cache, without a launch, as `kernel.warmup` of Triton
    does. It runs in other processes (`compilers` of them, else one per core, at most 16), while others are measured.

    `objective`: what to optimise instead of the time, such as "max tokens_per_s where p99_ms <= 20" or "time, p99_ms"
    (docs/objectives.md). `quantities()` returns the numbers that it names, for the last launch, as a dict; with a spec,
    they come from the spec's program or kernel.

    `verify`, `outputs`, `reset`, `compile`, `quantities` and `stream` may take parameters by name too. `stream()`
    returns the stream that `run` uses, if that is not the default stream.

    A candidate that raises, hangs, crashes or takes too much memory (`memory`, in bytes) loses only its own result;
    the reason is in the database. With the same `database` a later call continues. Ctrl-C raises KeyboardInterrupt and
    keeps finished results.

    The functions must be at the top level of a file that calls `tune` under `if __name__ == "__main__":`, as for
    `multiprocessing`. If cloudpickle is installed, any functions will do.
    """
    if _payload.inside_worker:
        raise _payload.CalledAgain("launchbox.tune is called by a file that its worker process imports: put the call "
                                   "below if __name__ == \"__main__\":")
    try:
        os.getcwd()
    except OSError as failure:
        raise Error(f"the current folder is gone: {failure.strerror}", "change to one that exists") from None
    options = _options(budget, strategy, seed, warm_start, objective, gpus)
    if isinstance(space, (str, os.PathLike)):
        given = [key for key, value in (("run", run), ("verify", verify), ("setup", setup)) if value is not None]
        if given:
            raise Error(f"{given[0]} cannot be combined with a spec: {os.fspath(space)} defines what is launched",
                        "leave it out, or give the parameters instead of a spec")
        named = ["--store", os.fspath(database)] if database is not None else []
        found = run_tool([os.fspath(space), *named, *options], None, {}, progress)
        return _tuning_of(found, {}, {})
    if run is None:
        raise Error("run is missing", "give a function that launches one candidate: run=...")
    functions = {key: value for key, value in (("run", run), ("verify", verify), ("reference", reference),
                                               ("outputs", outputs), ("reset", reset), ("setup", setup),
                                               ("stream", stream), ("compile", compile),
                                               ("quantities", quantities)) if value is not None}
    for key, value in functions.items():
        if not callable(value):
            raise Error(f"{key} is a {type(value).__name__}, which cannot be called", f"give a function: {key}=...")
    parameters = Values(space, "space")
    cases = Values(by_name(workloads), "workloads") if workloads else Values({}, "workloads")
    _check_arguments(run, functions, parameters, cases)
    chosen = device if device is not None else ("gpu" if _gpu.is_there() else "cpu")
    if chosen not in ("gpu", "cpu"):
        raise Error(f"device is {chosen!r}", "give \"gpu\" or \"cpu\"")
    limit = _default_memory(workers) if memory is None else int(memory)
    title = name or re.sub(r"[^A-Za-z0-9_.-]", "_", getattr(run, "__name__", "run")).strip("_.-") or "run"
    first = {key: cases.text(key, value) for key, value in dict(workloads[0]).items()} if workloads else {}
    packed, digest = _payload.packed(functions, {
        "parameters": parameters.originals, "workload": cases.originals, "device": chosen, "memory": limit,
        "first_workload": first})
    spec = Spec()
    spec.section("tunable", {"name": title})
    if baseline is not None:
        spec.line("baseline = { " + ", ".join(f"{toml(key)} = {toml(parameters.text(key, value))}"
                                              for key, value in baseline.items()) + " }", "baseline")
    spec.section("parameters", {})
    for key, values in parameters.texts.items():
        spec.line(f"{toml(key)} = [{', '.join(toml(value) for value in values)}]", f"space[{key!r}]")
    if constraints:
        spec.section("constraints", {})
        given_constraints = [constraints] if isinstance(constraints, str) else list(constraints)
        spec.line("all = [", "constraints")
        for number, constraint in enumerate(given_constraints):
            spec.line(f"  {toml(constraint)},", f"constraints[{number}]")
        spec.line("]", "constraints")
    for number, case in enumerate(workloads):
        spec.line("[[workload]]", f"workloads[{number}]")
        for key, value in case.items():
            spec.line(f"{toml(key)} = {toml(cases.text(key, value))}", f"workloads[{number}]")
    spec.section("callback", {
        "command": [sys.executable, *subprocess._args_from_interpreter_flags(), "-c", _START],  # type: ignore
        "device": "gpu" if chosen == "gpu" else "processor", "sources": _sources(functions, sources),
        "software": _software(digest), "start_seconds": start_seconds, "check_seconds": check_seconds})
    spec.line(f"first_seconds = {toml(compile_seconds)}", "compile_seconds")
    if limit:
        spec.line(f"memory_bytes = {limit}", "memory")
    if compile is not None:
        wanted = min(len(os.sched_getaffinity(0)), 16) if compilers is None else compilers
        spec.line(f"preparers = {toml(wanted)}", "compilers")
    elif compilers is not None:
        raise Error("compilers is given, and compile is not", "give the function that compiles a candidate: compile=")
    if chosen == "cpu":
        spec.line(f"count = {toml(workers)}", "workers")
    spec.section("verify", {})
    spec.line(f"absolute = {toml(atol)}", "atol")
    spec.line(f"relative = {toml(rtol)}", "rtol")
    spec.section("measure", {"cache": cache, **(measure or {})})
    store = os.fspath(database) if database is not None else title + ".db"
    with tempfile.TemporaryDirectory(prefix="launchbox_") as folder:
        path = os.path.join(folder, "functions")
        with open(path, "wb") as file:
            file.write(packed)
        environment = {_payload.VARIABLE: path,
                       _payload.FOLDER_VARIABLE: os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                       _payload.LOG_VARIABLE: _log_file(log)}
        try:
            found = run_tool(["-", "--store", store, *options], spec.text().encode(), environment, progress)
        except Error as failure:
            raise Error(spec.in_python(failure.what), failure.hint, failure.status) from None
    return _tuning_of(found, parameters.originals, cases.originals)


def _check_arguments(run: Callable[..., Any], functions: Mapping[str, Any], parameters: Values,
                     cases: Values) -> None:
    """Checks that `run` takes the parameters, before any process is started."""
    if not parameters.texts:
        raise Error("space has no parameter", "give the values of each: {\"block\": [128, 256]}")
    try:
        signature = inspect.signature(run)
    except (TypeError, ValueError):
        return
    first = [None] if "setup" in functions else []
    keywords = [*parameters.texts, *([] if "setup" in functions else cases.texts)]
    try:
        signature.bind(*first, **{key: None for key in keywords})
    except TypeError as failure:
        before = "what setup returns, " if first else ""
        raise Error(f"run{signature} cannot be called with {before}{', '.join(keywords)}: {failure}",
                    "its keywords are the names in space") from None


def _sources(functions: Mapping[str, Callable[..., Any]], more: Sequence[str]) -> List[str]:
    """The files of the functions: results measured with other versions of them do not count."""
    files = [os.fspath(each) for each in ([more] if isinstance(more, (str, os.PathLike)) else more)]
    for function in functions.values():
        function = inspect.unwrap(getattr(function, "func", function))
        try:
            file = inspect.getsourcefile(function)
        except TypeError:
            continue
        if file is not None and os.path.isfile(file):
            files.append(file)
    here = os.getcwd()

    def shown(file: str) -> str:
        path = os.path.abspath(file)
        return os.path.relpath(path, here) if path.startswith(here + os.sep) else path
    return list(dict.fromkeys(shown(file) for file in files))


def _log_file(log: Any) -> str:
    """Creates the log file now, so that an impossible name is reported here."""
    if log is None:
        return ""
    path = str(os.path.abspath(os.fspath(log)))
    try:
        with open(path, "a", encoding="utf-8"):
            return path
    except OSError as failure:
        raise Error(f"{path} cannot be written: {failure.strerror}", "name another file: log=...") from None


def _software(digest: str) -> str:
    """What times depend on besides the sources."""
    found = [f"{platform.python_implementation()} {platform.python_version()}"]
    for library in _LIBRARIES:
        version = getattr(sys.modules.get(library), "__version__", None)
        if isinstance(version, str):
            found.append(f"{library} {version}")
    if digest:
        found.append(f"functions {digest}")
    return ", ".join(found)


def _default_memory(workers: int) -> int:
    """Three quarters of the machine's or the container's memory, divided among the workers."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 0
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(file, encoding="ascii") as text:
                total = min(total, int(text.read()))
        except (OSError, ValueError):
            continue
    return max(total * 3 // 4 // max(workers, 1) if isinstance(workers, int) else total, 1 << 28)


def _options(budget: Any, strategy: Any, seed: Any, warm_start: Any, objective: Any,
             gpus: Sequence[int]) -> List[str]:
    options: List[str] = []
    for key, value in (("--budget", budget), ("--strategy", strategy), ("--seed", seed), ("--warm-start", warm_start),
                       ("--objective", objective)):
        if value is not None:
            options += [key, str(value)]
    if gpus:
        options += ["--gpu", ",".join(str(gpu) for gpu in gpus)]
    return options


def _tuning_of(found: Any, parameters: Dict[str, Dict[Any, Any]], workloads: Dict[str, Dict[Any, Any]]) -> Tuning:
    def own(values: Optional[Dict[str, Any]], known: Dict[str, Dict[Any, Any]]) -> Dict[str, Any]:
        return {key: known.get(key, {}).get(value, value) for key, value in (values or {}).items()}
    candidates = [Candidate(own(each["parameters"], parameters), own(each["workload"], workloads), each["status"],
                            each["reason"], _milliseconds(each["median_ns"]), each["verified"], each["samples"] or 0,
                            each["rank"]) for each in found["candidates"]]
    first = found["best"][0]
    of_first = [each for each in found["candidates"]
                if each["run"] == first["run"] and each["workload"] == first["workload"]]
    chosen = _chosen(first, of_first)
    overall = found.get("overall") or []
    has_winner = first["parameters"] is not None
    return Tuning(own(chosen["parameters"], parameters), _milliseconds(chosen["median_ns"]), chosen["verified"],
                  first["verdict"], has_winner, candidates, overall or found["best"],
                  found["runs"][first["run"]]["file"])


def _chosen(best: Any, candidates: List[Any]) -> Any:
    if best["parameters"] is not None:
        winner: Dict[str, Any] = next((each for each in candidates if each["parameters"] == best["parameters"]), {})
        return {**winner, "parameters": best["parameters"], "median_ns": best["median_ns"] or winner.get("median_ns"),
                "verified": winner.get("verified", False)}
    measured = [each for each in candidates if each["status"] == "measured"]
    baseline = [each for each in measured if each["is_baseline"]]
    return min(baseline or measured, key=lambda each: each["rank"] or math.inf)


def _milliseconds(nanoseconds: Optional[float]) -> Optional[float]:
    return None if nanoseconds is None else nanoseconds / 1e6
