# SPDX-License-Identifier: Apache-2.0
"""Writes tuned configurations as a file that Triton, vLLM or SGLang reads, and keeps the old ones where nothing
better was measured."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple, Union

from .._files import clean
from ..tool import Error
from ..verbs import results
from .reading import TRITON, Configs, Row, Value, config_of, facts_of, name_of

Parameters = Dict[str, Value]

#: A new configuration must be faster by 1 %, beyond noise, as `launchbox emit` requires of a row.
LEAST_GAIN = 1.01


@dataclass(frozen=True)
class Choice:
    """The configuration to write for one batch size, or for Triton's problem."""

    size: Optional[int]
    parameters: Parameters
    measured: bool  #: tuned, and faster than the old entry
    why: str  #: in a few words


@dataclass
class Written:
    """A file's content, its name, and the choices in it."""

    name: str
    text: str
    choices: List[Choice] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Measured:
    """The winner of one workload of a store, and all candidates there."""

    workload: Mapping[str, Any]
    winner: Optional[Mapping[str, Any]]  # of best[]
    candidates: List[Mapping[str, Any]]
    baseline: Optional[Parameters]


def from_store(database: Union[str, "os.PathLike[str]"], baseline: Optional[Configs] = None, *,
               name: Optional[str] = None, size: str = "M", gpu: Optional[str] = None) -> Written:
    """A file with the winners of a tune.

    `baseline`: the file that is in use, whose configurations stay unless a better one was measured; default: the
    baseline of the tune. `name`: of the new file; default: the baseline's, for the GPU of the store. `size`: the
    workload value that is the batch size. `gpu`: which GPU, if the store has several.

    A winner counts if its outputs were compared, and if it is faster than the old entry by 1 % and beyond noise.
    """
    measured, device = _measured(os.fspath(database), gpu)
    if baseline is not None and baseline.kind == TRITON:
        return _for_triton(baseline, measured)
    return _per_device(measured, device, baseline, name, size)


def file_device(gpu: str) -> str:
    """A GPU's name as it appears in file names."""
    return gpu.replace(" ", "_").replace("/", "_")


def _measured(database: str, gpu: Optional[str]) -> Tuple[List[_Measured], str]:
    report = results(database, **({"gpu": gpu} if gpu else {})).to_dict()
    environments = [report["environments"][run["environment"]] for run in report["runs"]]
    devices = sorted({each["gpu"] or "" for each in environments})
    if len(devices) > 1:
        raise Error(f"{clean(database)} has results of {', '.join(map(clean, devices))}, but a file is for one GPU",
                    "choose one with gpu= (--gpu)")
    if devices == [""]:
        raise Error(f"{clean(database)} has no results of a GPU", "tune on the GPU that the file is for")
    made = []
    for best in report["best"]:
        if best["run"] != _newest(report, best):
            continue
        same = [each for each in report["candidates"]
                if each["run"] == best["run"] and each["workload"] == best["workload"]]
        made.append(_Measured(best["workload"], best if best["parameters"] else None, same,
                              report["runs"][best["run"]]["baseline"]))
    return made, devices[0]


def _newest(report: Dict[str, Any], best: Dict[str, Any]) -> int:
    """The latest of the runs that measured this workload."""
    runs: List[int] = [each["run"] for each in report["best"] if each["workload"] == best["workload"]]
    return max(runs, key=lambda run: (report["runs"][run].get("call") or 0, report["runs"][run]["started"] or "", run))


def _chosen(size: Optional[int], measured: _Measured, there: Parameters) -> Choice:
    """The winner if it is certainly faster than `there`, otherwise `there`."""
    best = measured.winner

    def kept(why: str) -> Choice:
        return Choice(size, there, False, why)
    if best is None:
        return kept("nothing could be measured")
    if best["noise"] is not None:
        return kept("noise leaves no winner")
    winner = best["parameters"]
    if winner == there:
        return kept("nothing is faster beyond noise")
    own = _candidate(measured, winner)
    if own is None or not own["verified"]:
        return kept("the winner's outputs were not compared")
    old = _candidate(measured, there)
    if old is None or old["status"] != "measured":
        return kept("it was not measured beside the winner" if old is None else f"it failed ({old['status']})")
    if there == measured.baseline:  # the final race compared them directly
        gain, low = best["speed_up"], best["speed_up_low"]
    else:
        gain, low = old["median_ns"] / own["median_ns"], old["low_ns"] / own["high_ns"]
    if gain is None or low is None or gain < LEAST_GAIN or low <= 1:
        return kept("nothing is faster by 1 % and beyond noise")
    return Choice(size, winner, True, f"{gain:.3f} times as fast as the old entry")


def _candidate(measured: _Measured, parameters: Parameters) -> Optional[Mapping[str, Any]]:
    return next((each for each in measured.candidates if each["parameters"] == parameters), None)


def _same_names(winner: Mapping[str, Value], there: Mapping[str, Value], path: str) -> None:
    missing = [key for key in there if key not in winner]
    if missing:
        raise Error(f"the tune has no {missing[0]}, which the rows of {clean(path)} have",
                    "add it to the parameters of the tune, be it with one value")


def _per_device(measured: List[_Measured], device: str, baseline: Optional[Configs], name: Optional[str],
                size: str) -> Written:
    notes = []
    if name is None:
        if baseline is None:
            raise Error("the file has no name", "name it, as E=8,N=7168,device_name=NVIDIA_H200.json, or give the "
                                                "file that is in use as baseline")
        facts = {**baseline.facts, "device_name": file_device(device)}
        name = name_of(facts, ", " in os.path.basename(baseline.path))
    else:
        name = os.path.basename(name)
        facts = facts_of(name)
        if not _is_device(facts["device_name"], device):
            raise Error(f"{clean(name)} is for {clean(facts['device_name'])}, and was measured on {clean(device)}",
                        f"write device_name={clean(file_device(device))}, or tune on that GPU")
    if baseline is not None and not _is_device(baseline.facts["device_name"], device):
        notes.append(f"the baseline {baseline.path} is for {baseline.facts['device_name']}, and this file for {device}")
    choices: Dict[int, Choice] = {}
    seen: Set[int] = set()
    if baseline is not None:
        for row in baseline.rows:
            if row.size is not None:
                choices[row.size] = Choice(row.size, row.parameters, False, "not measured")
    for each in measured:
        value = each.workload.get(size)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise Error(f"a workload has {clean(repr(value)) if value is not None else 'no value'} for {size}, the "
                        "batch size", "name the value that is with size= (--size-name)")
        if value in seen:
            raise Error(f"the store has two workloads with {size}={value}, and a file has one row for each",
                        "tune with one workload for each batch size")
        seen.add(value)
        for key, fact in facts.items():
            if key in each.workload and each.workload[key] != fact:
                raise Error(f"the store was measured with {key}={each.workload[key]}, and {clean(name)} is for "
                            f"{key}={fact}", "name the file for what was measured")
        there = baseline.at(value).parameters if baseline is not None else each.baseline
        if there is None:
            raise Error(f"there is no configuration to keep for {size}={value} if no better one was measured",
                        "give the file that is in use as baseline, or tune with a baseline")
        if each.winner is not None:
            _same_names(each.winner["parameters"], there, baseline.path if baseline is not None else name)
        choices[value] = _chosen(value, each, there)
    rows = [choices[key] for key in sorted(choices)]
    content: Dict[str, Any] = dict(baseline.others) if baseline is not None else {}
    content.update({str(row.size): row.parameters for row in rows})
    return Written(name, json.dumps(content, indent=4) + "\n", rows, notes)


def _is_device(written: str, gpu: str) -> bool:
    # vLLM treats every GPU of the H200 family as an NVIDIA_H200.
    own = file_device(gpu)
    return written == own or written == "NVIDIA_H200" and "H200" in own.split("_")


def _for_triton(baseline: Configs, measured: List[_Measured]) -> Written:
    if len(measured) != 1:
        raise Error(f"the store has {len(measured)} workloads, and {clean(baseline.path)} is for one problem",
                    "tune with the workload of that problem alone")
    there = baseline.best
    if there is None:
        raise Error(f"{clean(baseline.path)} has no configuration that ran", "let Triton tune first")
    only = measured[0]
    if only.winner is not None:
        _same_names(only.winner["parameters"], there.parameters, baseline.path)
    choice = _chosen(None, only, there.parameters)
    rows = [row for row in baseline.rows if not row.failed]
    if choice.measured:  # Triton takes the fastest, so all times must come from one measurement
        rows = [_timed(each) for each in only.candidates if each["status"] == "measured" and each["verified"]]
        own = next(row for row in rows if row.parameters == choice.parameters)
        rows = [own] + [row for row in rows if row is not own and (row.median_ms or 0) > (own.median_ms or 0)]
    content = {"key": baseline.facts["key"], **baseline.others, "configs_timings":
               [[config_of(row.parameters, baseline.members), [row.median_ms, row.low_ms, row.high_ms]] for row in rows]}
    return Written(os.path.basename(baseline.path), json.dumps(content), [choice])


def _timed(candidate: Mapping[str, Any]) -> Row:
    return Row(None, candidate["parameters"], *(candidate[key] / 1e6 for key in ("median_ns", "low_ns", "high_ns")))
