# SPDX-License-Identifier: Apache-2.0
"""Answers as pandas DataFrames."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Union

from .records import Record, Report
from .tool import Error

if TYPE_CHECKING:
    import pandas

# The member of each answer that has the rows.
ROWS = {"advice": "kernels", "bounds": "kernels", "builds": "candidates", "capture": "arguments", "check": "findings",
        "comparison": "candidates", "compilers": "kernels", "convergence": "series", "devices": "compute_capabilities",
        "diff": "changes", "kernels": "kernels", "launches": "kernels", "map": "cells", "occupancies": "columns",
        "occupancy": "results", "portability": "rows", "register_limits": "results", "results": "candidates",
        "rows": "tables",
        "search": "problems", "size": "files", "stack_reserve": "gpus", "suggestions": "results", "summary": "inputs"}


def frame(rows: Union[Report, Record, Iterable[Record]]) -> "pandas.DataFrame":
    """A pandas DataFrame with one row per record: kernels of `inspect`, candidates of `results`, and so on.

    Members of nested records are columns with a dot, `occupancy.resident_blocks`; lists stay lists. For a list
    of records: `launchbox.frame(report.best)`.

    Raises
    ------
    launchbox.Error
        pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise Error("a frame needs pandas, which is not installed", "pip install pandas", 3) from None
    if isinstance(rows, Report):
        members = rows_of(rows)
        if isinstance(members, dict):
            return pandas.DataFrame(members)
        found: List[Any] = members
    elif isinstance(rows, Record):
        found = [rows._json]
    else:
        records: List[Any] = list(rows) if hasattr(rows, "__iter__") else [rows]
        if not all(isinstance(each, Record) for each in records):
            raise Error("a frame is made of a report, or of a list of its records",
                        "write, for example, launchbox.frame(report.kernels)")
        found = [each._json for each in records]
    return pandas.DataFrame([_flat(each) for each in found])


def rows_of(report: Report) -> Any:
    """The rows of a report's JSON: a list of records, or columns by name."""
    schema = str(report._json.get("schema", ""))
    return report._json.get(ROWS.get(schema.split(".")[-1].split("/")[0], "")) or []


def _flat(record: Dict[str, Any], prefix: str = "") -> Dict[str, Any]:
    row: Dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            row.update(_flat(value, prefix + name + "."))
        else:
            row[prefix + name] = value
    return row
