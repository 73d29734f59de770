# SPDX-License-Identifier: Apache-2.0
"""The tool's JSON as objects: each member is an attribute."""
from __future__ import annotations

import copy
import re
import sys
from typing import TYPE_CHECKING, Any, ClassVar, Dict, List, Mapping, Sequence, Tuple, Type

if TYPE_CHECKING:
    import pandas


class _RecordType(type):
    """Turns the annotations of a record, which are strings, into its members, one attribute each."""

    def __new__(cls, name: str, bases: Tuple[type, ...], body: Dict[str, Any]) -> "_RecordType":
        body.setdefault("__slots__", ())
        made = super().__new__(cls, name, bases, body)
        if name in ("Record", "Report"):
            return made
        module = vars(sys.modules[made.__module__])
        made._members = tuple(made.__annotations__)
        made._renamed = {each: each[:-1] for each in made._members if each.endswith("_")}
        made._nested = {made._renamed.get(each, each): module[word]
                        for each, text in made.__annotations__.items() if not text.startswith("Dict[")
                        for word in re.findall(r"(?<!')\b[A-Z]\w*", text) if isinstance(module.get(word), _RecordType)}
        return made

    _members: Tuple[str, ...] = ()               # attributes
    _nested: Mapping[str, Type["Record"]] = {}   # members of JSON that are records, or lists of them
    _renamed: Mapping[str, str] = {}             # attributes whose member's name is reserved in Python


class Record(metaclass=_RecordType):
    """An object of the tool's JSON. Records are values: equal if their JSON is.

    Unknown values are None. Members of a later version of the tool that this package does not know are
    included too, as plain JSON values.
    """

    __slots__ = ("_json", "_made")
    _members: ClassVar[Tuple[str, ...]]
    _nested: ClassVar[Mapping[str, Type["Record"]]]
    _renamed: ClassVar[Mapping[str, str]]
    _json: Dict[str, Any]
    _made: Dict[str, Any]

    def __init__(self, members: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_json", members)
        object.__setattr__(self, "_made", {})

    if not TYPE_CHECKING:  # type checkers know the members, and should report others

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            if name in self._made:
                return self._made[name]
            member = self._renamed.get(name, name)
            if member not in self._json:
                if name in self._members:
                    return None
                near = _nearest(name, dir(self))
                meant = f"; is {near!r} meant?" if near else ""
                raise AttributeError(f"{type(self).__name__} has no {name!r}{meant}")
            value = self._json[member]
            kind = self._nested.get(member)
            if kind is None:
                return value
            return self._made.setdefault(name, _records(kind, value))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed; .to_dict() makes a dict of it")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed; .to_dict() makes a dict of it")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return self._json == other._json

    __hash__ = None  # type: ignore[assignment]  # lists are in it

    def __dir__(self) -> List[str]:
        names = {member: attribute for attribute, member in self._renamed.items()}
        return [*object.__dir__(self), *self._members, *(names.get(each, each) for each in self._json)]

    def __repr__(self) -> str:
        shown = []
        for member, value in self._json.items():
            text = _brief(value)
            if text:
                shown.append(f"{member}={text}")
            if len(shown) == 8:
                shown.append("...")
                break
        return f"{type(self).__name__}({', '.join(shown)})"

    def __reduce__(self) -> Any:
        return type(self), (self._json,)

    def to_dict(self) -> Dict[str, Any]:
        """A copy as the tool printed it, which can be changed freely."""
        return copy.deepcopy(dict(self._json))


class Report(Record):
    """The report of a verb of the tool."""

    __slots__ = ("_messages", "_exit_status")
    _messages: Tuple[str, ...]
    _exit_status: int

    def __init__(self, members: Mapping[str, Any], messages: Sequence[str] = (), exit_status: int = 0) -> None:
        super().__init__(members)
        object.__setattr__(self, "_messages", tuple(messages))
        object.__setattr__(self, "_exit_status", exit_status)

    @property
    def messages(self) -> Tuple[str, ...]:
        """The tool's messages: inputs that it could not read, warnings."""
        return self._messages

    @property
    def exit_status(self) -> int:
        """The tool's exit status: 0 all done, 1 a check failed, 2 an input could not be read, but others were."""
        return self._exit_status

    @property
    def complete(self) -> bool:
        """Whether all inputs could be read; if not, `messages` names the others, with the reasons."""
        return self._exit_status <= 1

    def __reduce__(self) -> Any:
        return type(self), (self._json, self._messages, self._exit_status)

    def to_frame(self) -> "pandas.DataFrame":
        """Its rows as a pandas DataFrame: see `launchbox.frame`."""
        from .frames import frame
        return frame(self)


def _records(kind: Type[Record], value: Any) -> Any:
    if isinstance(value, dict):
        return kind(value)
    return [_records(kind, each) for each in value] if isinstance(value, list) else value


def _brief(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return f"[{len(value)}]" if isinstance(value, list) and value else ""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..." if value is not None else "None"


def _nearest(name: str, names: Sequence[str]) -> str:
    import difflib
    found = difflib.get_close_matches(name, [each for each in names if not each.startswith("_")], 1, 0.75)
    return found[0] if found else ""
