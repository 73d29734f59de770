# SPDX-License-Identifier: Apache-2.0
"""Configurations that Triton, vLLM and SGLang keep in files, as rows."""
from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .._files import clean
from ..tool import Error

Value = Union[bool, int, float, str]
TRITON, PER_DEVICE = "triton autotune", "per device"
HINT = "give Triton's *.autotune.json, or a file of vLLM or SGLang such as E=8,N=7168,device_name=NVIDIA_H200.json"

_MAX_BYTES = 64 << 20
_MAX_INTEGER = 2 ** 63
_OUTSIDE = ("num_warps", "num_stages", "num_ctas", "maxnreg")  # of Triton's Config; the others are in its kwargs


@dataclass(frozen=True)
class Row:
    """One configuration of a file."""

    size: Optional[int]  #: the batch size M that it is for; None for Triton, where all are for one problem
    parameters: Dict[str, Value]
    median_ms: Optional[float] = None  #: None: the file has no times
    low_ms: Optional[float] = None  #: a fifth of the samples were faster
    high_ms: Optional[float] = None  #: a fifth of the samples were slower
    failed: bool = False  #: Triton could not run it


@dataclass
class Configs:
    """A file that could be read; `notes` says what was left out."""

    path: str
    kind: str  #: "triton autotune" or "per device"
    facts: Dict[str, Any]  #: what it is for: E, N, K, device_name, dtype, block_shape; Triton: kernel, key
    rows: List[Row]
    others: Dict[str, Value] = field(default_factory=dict)  #: members that are not rows: triton_version
    notes: List[str] = field(default_factory=list)
    members: List[str] = field(default_factory=list)  #: of Triton's Config, in this file

    @property
    def best(self) -> Optional[Row]:
        """The row that Triton uses: the fastest. None if there are no times."""
        timed = [row for row in self.rows if row.median_ms is not None]
        return min(timed, key=lambda row: (row.median_ms, row.low_ms, row.high_ms)) if timed else None

    def at(self, size: int) -> Row:
        """The row that vLLM and SGLang use for this batch size: the nearest, or the first of two equally near ones."""
        if self.kind == TRITON:
            raise Error(f"{self.path} has no batch sizes", "Triton keeps a file for each problem")
        return min(self.rows, key=lambda row: abs((row.size or 0) - size))

    def t4(self, gpu: Optional[str] = None) -> Dict[str, Any]:
        """As T4 results, which `launchbox results` and `--warm-start` read. Raises `launchbox.Error` if the file has
        no times."""
        if self.kind != TRITON:
            raise Error(f"{self.path} has no times: it lists the configuration that was chosen for each batch size",
                        "give it as the baseline of a tune: configs.read(path).at(M).parameters")
        own: Dict[str, Any] = {"kernel_name": self.facts["kernel"]}
        if gpu:
            own["device_name"] = gpu
        own["workload"] = {f"key{number}": _scalar(each) for number, each in enumerate(self.facts["key"])}
        if not own["workload"]:
            del own["workload"]
        return {"schema_version": "1.0.0",
                "metadata": {"timeunit": "milliseconds", "launchbox": own},
                "results": [_t4_result(row) for row in self.rows]}


def read(path: Union[str, "os.PathLike[str]"]) -> Configs:
    """The file's rows. Raises `launchbox.Error` if it has none, or does not have one of these formats."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise Error(f"cannot open {clean(name)}: {getattr(error, 'strerror', None) or error}",
                    "check the path") from None
    if len(content) > _MAX_BYTES:
        raise Error(f"{clean(name)} is larger than 64 MiB", HINT)
    notes: List[str] = []
    value = _parsed(name, content, notes)
    if not isinstance(value, dict):
        raise Error(f"{clean(name)} holds {_described(value)}, and no object of configurations", HINT)
    made = _triton(name, value, notes) if "configs_timings" in value else _per_device(name, value, notes)
    if not made.rows:
        raise Error(f"{clean(name)} has no configuration" + (f": {notes[0]}" if notes else ""), HINT)
    return made


def facts_of(name: str) -> Dict[str, Any]:
    """The facts in the name of a file per device, in the same order. Raises `launchbox.Error` if it names no device."""
    stem = os.path.basename(name)
    stem = stem[:-len(".json")] if stem.endswith(".json") else stem
    facts: Dict[str, Any] = {}
    down = stem.endswith("_down")
    for key, value in re.findall(r"(\w+)=(\[[^\]]*\]|[^,]*)(?:,|$)", stem[:-len("_down")] if down else stem):
        if key in facts:
            raise Error(f"{clean(name)}: its name has {key} twice", "rename it")
        facts[key] = _fact(value)
    if down:
        facts["down"] = True
    device = facts.get("device_name")
    if not isinstance(device, str) or not device:
        raise Error(f"{clean(name)}: its name has no device_name=, which says for which GPU it is", HINT)
    return facts


def name_of(facts: Mapping[str, Any], spaces: bool = False) -> str:
    """The file's name for these facts. `spaces`: write lists like SGLang, [128, 128]; vLLM writes [128,128]."""
    words = []
    for key, value in facts.items():
        if key == "down":
            continue
        text = str(value) if not isinstance(value, list) else f"[{(', ' if spaces else ',').join(map(str, value))}]"
        words.append(f"{key}={text}")
    return ",".join(words) + ("_down" if facts.get("down") else "") + ".json"


def config_of(parameters: Mapping[str, Value], members: Sequence[str]) -> Dict[str, Any]:
    """A Config as Triton stores it. `members`: those that this version of Triton knows, taken from its own file."""
    made: Dict[str, Any] = {"kwargs": {key: value for key, value in parameters.items() if key not in _OUTSIDE}}
    for key in members:
        value = parameters.get(key)
        made.setdefault(key, None if value == "none" else value)
    return made


def _parsed(name: str, content: bytes, notes: List[str]) -> Any:
    def members(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
        made: Dict[str, Any] = {}
        for key, value in pairs:
            if key in made:
                notes.append(f"{key!r} is there twice: the last one counts, as for its other readers")
            made[key] = value
        return made
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=members)
    except UnicodeDecodeError:
        raise Error(f"{clean(name)} is not UTF-8 text", HINT) from None
    except json.JSONDecodeError as error:
        cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        raise Error(f"{clean(name)}, line {error.lineno}, column {error.colno}: " +
                    (f"the file ends here, in the middle ({error.msg})" if cut else f"not valid JSON: {error.msg}"),
                    "write or copy it again") from None
    except (RecursionError, ValueError) as error:  # nested too deeply; a number with thousands of digits
        raise Error(f"{clean(name)} cannot be read as JSON: {clean(str(error))[:100]}", HINT) from None


def _per_device(name: str, value: Dict[str, Any], notes: List[str]) -> Configs:
    made = Configs(name, PER_DEVICE, facts_of(name), [], {}, notes)
    sizes: Dict[int, str] = {}
    for key, entry in value.items():
        if not re.fullmatch(r"[0-9]{1,18}", key):
            if isinstance(entry, (dict, list)):
                raise Error(f"{clean(name)}: {clean(repr(key))} holds {_described(entry)} and is not a batch size", HINT)
            made.others[key] = entry
            continue
        if int(key) in sizes:
            notes.append(f"{key!r} is the batch size of {sizes[int(key)]!r} again, and is left out")
            continue
        parameters = _parameters(entry, repr(key), notes)
        if parameters is None:
            continue
        sizes[int(key)] = key
        made.rows.append(Row(int(key), parameters))
    return made


def _triton(name: str, value: Dict[str, Any], notes: List[str]) -> Configs:
    entries, key = value["configs_timings"], value.get("key", [])
    if not isinstance(entries, list) or not isinstance(key, list):
        raise Error(f"{clean(name)}: configs_timings and key have to be lists", HINT)
    kernel = os.path.basename(name)
    kernel = kernel[:-len(".autotune.json")] if kernel.endswith(".autotune.json") else kernel
    others = {each: text for each, text in value.items() if each not in ("configs_timings", "key")}
    made = Configs(name, TRITON, {"kernel": kernel, "key": key}, [], others, notes)
    for number, entry in enumerate(entries):
        where = f"configs_timings[{number}]"
        if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], dict):
            notes.append(f"{where} is not a pair of a configuration and its times, and is left out")
            continue
        config = dict(entry[0])
        made.members = made.members or list(config)
        kwargs = config.pop("kwargs", {})
        for each in ("pre_hook", "ir_override"):
            if config.pop(each, None) is not None:
                notes.append(f"{where} has {each}, which is not kept")
        if isinstance(kwargs, dict) and set(kwargs) & set(config):
            notes.append(f"{where} has {sorted(set(kwargs) & set(config))[0]} twice, and is left out")
            continue
        parameters = _parameters({**kwargs, **config} if isinstance(kwargs, dict) else kwargs, where, notes, none="none")
        times = _times(entry[1])
        if parameters is None:
            continue
        if times is None:
            notes.append(f"{where} has {_described(entry[1])} in place of its times, and is left out")
            continue
        if times[0] == math.inf:
            made.rows.append(Row(None, parameters, failed=True))
        else:
            made.rows.append(Row(None, parameters, times[0], times[1], times[-1]))
    for each in [each for each in _OUTSIDE if all(row.parameters.get(each) == "none" for row in made.rows)]:
        for row in made.rows:
            row.parameters.pop(each, None)
    return made


def _parameters(entry: Any, where: str, notes: List[str], none: Optional[str] = None) -> Optional[Dict[str, Value]]:
    """None if the row is left out; `notes` then says so."""
    if not isinstance(entry, dict) or not entry:
        notes.append(f"{where} holds {_described(entry)} and no configuration, and is left out")
        return None
    made: Dict[str, Value] = {}
    for key, value in entry.items():
        if value is None and none is not None:
            value = none
        if isinstance(value, bool) or isinstance(value, str) or \
                isinstance(value, int) and -_MAX_INTEGER <= value < _MAX_INTEGER or \
                isinstance(value, float) and math.isfinite(value):
            made[key] = value
            continue
        notes.append(f"{where}: {key} is {_described(value)}, so the row is left out")
        return None
    return made


def _times(value: Any) -> Optional[List[float]]:
    times = value if isinstance(value, list) else [value]
    if len(times) not in (1, 3):
        return None
    for each in times:
        if isinstance(each, bool) or not isinstance(each, (int, float)) or math.isnan(each) or not 0 < each:
            return None
    made = [float(each) for each in times]
    return made if len(made) == 3 else made * 3


def _t4_result(row: Row) -> Dict[str, Any]:
    made: Dict[str, Any] = {"configuration": row.parameters, "times": {},
                            "invalidity": "runtime" if row.failed else "correct", "correctness": 0 if row.failed else 1,
                            "measurements": [], "objectives": ["time"]}
    if not row.failed:
        made["measurements"] = [{"name": "time", "value": row.median_ms, "unit": "milliseconds"}]
    return made


def _fact(text: str) -> Any:
    if re.fullmatch(r"[0-9]{1,18}", text):
        return int(text)
    inside = re.fullmatch(r"\[\s*([0-9]{1,9}(?:\s*,\s*[0-9]{1,9})*)\s*\]", text)
    return [int(each) for each in inside.group(1).split(",")] if inside else text


def _scalar(value: Any) -> Value:
    return value if isinstance(value, (bool, int, float, str)) else json.dumps(value)


def _described(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, (dict, list)):
        return ("an empty " if not value else "a ") + ("object" if isinstance(value, dict) else "list")
    text = clean(repr(value))
    return text if len(text) <= 40 else text[:37] + "..."
