# SPDX-License-Identifier: Apache-2.0
"""The spec that `tune` writes for the tool, and the names that stand for the user's values in it."""
from __future__ import annotations

import json
import math
import re
from typing import Any, Dict, List, Mapping, Sequence

from .tool import Error


class Spec:
    """The text of a spec, which knows for each line the argument of `tune` that it comes from."""

    def __init__(self) -> None:
        self._lines: List[str] = []
        self._names: List[str] = []

    def line(self, text: str, name: str) -> None:
        self._lines.append(text)
        self._names.append(name)

    def section(self, name: str, values: Mapping[str, Any]) -> None:
        self.line(f"[{name}]", name)
        for key, value in values.items():
            self.line(f"{toml(key)} = {toml(value)}", key)

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def in_python(self, message: str) -> str:
        """A message of the tool, with the argument's name instead of a place in the spec, which the user has not
        written."""
        def name(match: "re.Match[str]") -> str:
            line = int(match.group(1))
            return f"{self._names[line - 1]}: " if 0 < line <= len(self._names) else ""
        message = re.sub(r"(?<![^\s])-:(\d+):\d+: ", name, message)
        return re.sub(r"^- (needs a GPU)", r"device=\"gpu\" \1", re.sub(r"^-: (\[callback\] )?", "", message))


def toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return "inf" if math.isinf(value) else repr(value)
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Error(f"{value!r} is not valid text: it contains half a character", "use another word") from None
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(each) for each in value) + "]"
    raise Error(f"{value!r} is a {type(value).__name__}, which cannot be used here", "give a number or a word")


class Values:
    """Values by name: as the tool sees them, and as the user's own objects."""

    def __init__(self, given: Any, what: str):
        if not isinstance(given, Mapping):
            raise Error(f"{what} is a {type(given).__name__}, not a dict",
                        "give the values of each parameter by its name: {\"block\": [128, 256]}")
        self._what = what
        self.texts: Dict[str, List[Any]] = {}
        self.originals: Dict[str, Dict[Any, Any]] = {}
        for key, values in given.items():
            if not isinstance(key, str):
                raise Error(f"{what} has {key!r} as a name", "names are words: they become keywords of run")
            if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
                raise Error(f"{what}[{key!r}] is {values!r}, not a list of values", f"give a list: [{values!r}]")
            self._add(key, list(values))

    def _add(self, key: str, values: List[Any]) -> None:
        plain = [_plain(value) for value in values]
        kinds = {type(value) for value in plain}
        if kinds == {int, float}:
            plain, kinds = [float(value) for value in plain], {float}
        if len(kinds) > 1 or not kinds <= {bool, int, float, str}:
            plain = [_name_of(value) for value in values]
        known: Dict[Any, Any] = {}
        for text, value in zip(plain, values):
            if text in known and known[text] is not value and type(value) not in (bool, int, float, str):
                raise Error(f"{self._what}[{key!r}] has two values that are called {text!r}",
                            "give words, and look the objects up in run")
            known[text] = value
        self.texts[key], self.originals[key] = plain, known

    def text(self, key: str, value: Any) -> Any:
        """One value as the tool sees it."""
        for text, original in self.originals.get(key, {}).items():
            if original is value or (type(original) is type(value) and original == value):
                return text
        return _plain(value) if isinstance(_plain(value), (bool, int, float, str)) else _name_of(value)


def _plain(value: Any) -> Any:
    """Converts NumPy's numbers to Python's."""
    if isinstance(value, (bool, int, float, str)):
        for kind in (bool, int, float, str):
            if isinstance(value, kind):
                return kind(value)
    if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "shape", None) == ():
        return value.item()
    return value


def _name_of(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return name if isinstance(name, str) else str(value)


def by_name(workloads: Sequence[Mapping[str, Any]]) -> Dict[str, List[Any]]:
    found: Dict[str, List[Any]] = {}
    if isinstance(workloads, Mapping):
        raise Error("workloads is a dict, not a list", "give a list of dicts: [{\"n\": 1000000}]")
    for case in workloads:
        for key, value in dict(case).items():
            values = found.setdefault(key, [])
            if not any(each is value or each == value for each in values):
                values.append(value)
    return found
