# SPDX-License-Identifier: Apache-2.0
"""Resident blocks of one launch, or of a million."""
from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Union, overload

from . import tool
from .tool import Error
from .types import Occupancies, Occupancy, OccupancyAccount
from .verbs import Option, call, option_words, report_of

# Arguments that can be columns; other options are for a single launch.
_COLUMNS = ("arch", "threads", "registers", "shared", "dynamic_shared", "barriers", "max_threads", "max_dynamic_shared",
            "carveout", "cache", "caching", "mode")


@overload  # type: ignore[misc]  # any column makes it many launches
def occupancy(arch: Optional[str] = None, *, threads: int, registers: Optional[int] = None,
              shared: Union[None, int, str] = None, dynamic_shared: Union[None, int, str] = None,
              barriers: Optional[int] = None, max_threads: Optional[int] = None,
              **options: Any) -> OccupancyAccount: ...
@overload
def occupancy(arch: Any = None, *, threads: Any, registers: Any = None, shared: Any = None, dynamic_shared: Any = None,
              barriers: Any = None, max_threads: Any = None, **options: Any) -> Occupancies: ...
def occupancy(arch: Any = None, *, threads: Any, **options: Any) -> Any:
    """How many thread blocks are resident on one SM, what limits them, and what one more needs.

    Parameters
    ----------
    arch
        An architecture ("sm_90", "9.0") or a GPU ("H100"); default: that of this machine's GPU.
    threads
        Threads per block, from 1.
    registers
        Registers per thread, as ptxas -v prints them; 0 to 255. Left out: unknown, and not counted as a limit.
    shared, dynamic_shared
        Shared memory per block, in bytes, or "48K"; dynamic_shared can be an expression, "4*threads".
    barriers
        Named barriers, highest used + 1.
    max_threads
        The kernel's launch bound.
    options
        Other options of `launchbox occupancy`: carveout (percent), cache, caching, mode, max_dynamic_shared; for one
        launch also grid, sms, cluster, gpcs, rules=True and curves=True.

    Returns
    -------
    For one launch, a launchbox.types.OccupancyAccount: `resident_blocks` (0: it cannot be launched, `obstacle` says
    why), `resident_warps`, `occupancy` (0 to 1), `limits` (blocks that each resource allows, with the arithmetic),
    `limiters`, `next_step`, ...

    If any of these is a list, range, numpy array or column of a DataFrame, a launchbox.types.Occupancies for as many
    launches: its `columns` are figures of the same names with one value per launch, as numpy arrays if one was given,
    else as lists. Single values apply to all launches. None, NaN and <NA> in a column mean unknown. A million launches
    take seconds.

    Raises
    ------
    launchbox.Error
        A value is out of range (of columns the first, with its row), or an option is unknown.

    Examples
    --------
    >>> account = occupancy("sm_90", threads=256, registers=63, shared=11264)
    >>> account.resident_blocks, account.occupancy, account.limiters
    (4, 0.5, ['registers'])
    >>> account.next_step.text
    '−15 registers → 5 blocks'
    >>> occupancy("sm_90", threads=[128, 256, 512], registers=63).columns.resident_blocks
    [8, 4, 2]
    """
    values = {"arch": arch, "threads": threads, **options}
    columns = {name: value for name, value in values.items() if _is_column(value) and name != "gpcs"}
    if columns:
        return _of_columns(columns, {name: value for name, value in values.items() if name not in columns})
    report = call("occupancy", **values)
    if not isinstance(report, Occupancy):
        raise Error("with these options the answer is written to files", 'use launchbox.call("occupancy", ...) for them')
    accounts: List[OccupancyAccount] = report.results
    if len(accounts) != 1:
        raise Error(f"{arch!r} names {len(accounts)} architectures, but an answer is for one",
                    'give a list, ["sm_80", "sm_90"], or use launchbox.call("occupancy", ...).results')
    return accounts[0]


def _is_column(value: Any) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, (str, bytes)) and not hasattr(value, "__fspath__")


def _of_columns(columns: Dict[str, Any], common: Dict[str, Any]) -> Occupancies:
    for name in columns:
        if name not in _COLUMNS:
            raise Error(f"{name} cannot be a column", "columns can be " + ", ".join(_COLUMNS))
    lists = {name: _values(name, column) for name, column in columns.items()}
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        texts = [f"{name} has {count}" for name, count in lengths.items()]
        raise Error("the columns differ in length: " + ", ".join(texts),
                    "give each launch a value in each")
    table = _table(lists)
    done = tool.answer(["occupancy", *option_words(common), "--format=json", "--questions=-"], input=table.encode())
    if not done.output.strip():
        raise _in_rows(done.error())
    report = report_of(done)
    assert isinstance(report, Occupancies)
    if any(hasattr(column, "__array__") for column in columns.values()):
        _make_arrays(report)
    return report


def _table(lists: Dict[str, List[str]]) -> str:
    text = ",".join(name.replace("_", "-") for name in lists) + "\n"
    rows = zip(*lists.values())
    return text + "".join([",".join(row) + "\n" for row in rows]) if len(lists) > 1 else \
        text + "".join([(cell or '""') + "\n" for cell in next(iter(lists.values()))])


def _values(name: str, column: Any) -> List[str]:
    """A column as cells of CSV."""
    if getattr(column, "ndim", 1) != 1:
        raise Error(f"{name} has {column.ndim} dimensions", "columns have one")
    if isinstance(column, (set, frozenset, dict)):
        raise Error(f"{name} is a {type(column).__name__}, which has no order of launches", "give a list")
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    kinds = set(map(type, values))
    if kinds <= {int}:
        return list(map(str, values))
    return [_cell(name, row, value) for row, value in enumerate(values)]


def _cell(name: str, row: int, value: Any) -> str:
    if value is None or value != value or type(value).__name__ == "NAType":
        return ""
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    if isinstance(value, bool):
        raise Error(f"{name}[{row}] is {value}", "give a number")
    if isinstance(value, float):
        if not value.is_integer():
            raise Error(f"{name}[{row}] is {value}", "give a whole number")
        return str(int(value))
    if hasattr(value, "__index__"):
        return str(value.__index__())
    raise Error(f"{name}[{row}] is a {type(value).__name__}", "give a number, or text as on the command line")


def _in_rows(error: Error) -> Error:
    """The tool counts lines from 1, and the first names the columns; Python counts rows from 0."""
    found = re.match(r"standard input:(\d+): column ([a-z-]+): (.*)", error.what, re.S)
    if not found:
        return error
    name = found.group(2).replace("-", "_")
    what = re.sub(r"; [^;]*\bcell\b[^;]*$", "", found.group(3))
    return Error(f"{name}[{int(found.group(1)) - 2}]: {what}", error.hint, error.status)


def _make_arrays(report: Occupancies) -> None:
    import numpy  # installed, since the caller has made an array
    columns = report.columns
    for name, values in columns._json.items():
        if name in ("architecture", "limiters", "obstacle"):
            columns._made[name] = numpy.array(values, dtype=object)
        else:  # None (does not limit) becomes NaN
            missing = None in values
            columns._made[name] = numpy.array(values, dtype=float if missing or name == "occupancy" else int)
